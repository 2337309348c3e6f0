/* SPDX-License-Identifier: MIT
 * The keys of shapes and orientations, which the expansion reads, of shapes in pictures, and of sensors. Data only. */
#include "expand/expand.h"
#include "settings/keys.h"
#include "settings/model_values.h"

#include <ali3/model.h>

_Static_assert(sizeof(enum shape_type) == sizeof(int), "choices are read as int");

static const char *const shape_types[] = {
    [SHAPE_BOX] = "box",   [SHAPE_CYLINDER] = "cylinder", [SHAPE_TUBE] = "tube",   [SHAPE_SPHERE] = "sphere",
    [SHAPE_CONE] = "cone", [SHAPE_ROD] = "rod",           [SHAPE_POINT] = "point", NULL};
const char *const schema_axes[] = {[AXES_WORLD] = "world", [AXES_BODY] = "body", NULL};

const char *const schema_mirrors[] = {
    [MIRROR_NONE] = "none", [MIRROR_X] = "x", [MIRROR_Y] = "y", [MIRROR_Z] = "z", NULL};

static const char *const sensor_types[] = {
#define SENSOR_NAME(id, text) text,
    ALI3_SENSOR_LIST(SENSOR_NAME)
#undef SENSOR_NAME
        NULL};

/* clang-format off */
enum {
  ROUND_SHAPES = KIND(SHAPE_CYLINDER) | KIND(SHAPE_TUBE) | KIND(SHAPE_SPHERE) | KIND(SHAPE_CONE),
  LONG_SHAPES = KIND(SHAPE_CYLINDER) | KIND(SHAPE_TUBE) | KIND(SHAPE_CONE) | KIND(SHAPE_ROD),
  TURNED_SHAPES = LONG_SHAPES | KIND(SHAPE_BOX),
};
#define SHAPE(field) offsetof(struct shape_values, field)
static const struct key shape_keys[] = {
  CHOICE("type", shape_types, REQUIRED, AT_START, SHAPE(type),
         "Type of the shape. A cylinder, tube, cone or rod has its length along its z axis. A rod has no thickness, and a point "
         "has no size.", .example = "box"),
  NUMBER("mass", "kg", POSITIVE, NONE, AT_START, SHAPE(mass), "Mass of the shape. Write mass or density."),
  NUMBER("density", "kg/m^3", POSITIVE, NONE, AT_START, SHAPE(density), "Mass by volume, such as 7850 kg/m^3.",
         .only = ROUND_SHAPES | KIND(SHAPE_BOX)),
  VECTOR("size", "m", POSITIVE, NONE, AT_START, SHAPE(size), "Edges of a box along its axes.",
         .only = KIND(SHAPE_BOX), .needed = KIND(SHAPE_BOX), .example = "[0.1, 0.1, 0.3]"),
  NUMBER("radius", "m", POSITIVE, NONE, AT_START, SHAPE(radius), "Outer radius.", .only = ROUND_SHAPES, .needed = ROUND_SHAPES),
  NUMBER("inner_radius", "m", NOT_NEGATIVE, NONE, AT_START, SHAPE(inner_radius), "Inner radius of a tube.",
         .only = KIND(SHAPE_TUBE), .needed = KIND(SHAPE_TUBE)),
  NUMBER("length", "m", POSITIVE, NONE, AT_START, SHAPE(length), "Length along the z axis.", .only = LONG_SHAPES),
  VECTOR("position", "m", ANY, "0 0 0", AT_START, SHAPE(position),
         "Place in the frame of the body: the centre of the shape, for a cone the centre of its base."),
  QUATERNION("orientation", "1 0 0 0", AT_START, SHAPE(orientation),
             "Euler parameters from shape to body." ORIENTATION_FORMS, .only = TURNED_SHAPES),
  VECTOR("from", "m", ANY, NONE, AT_START, SHAPE(from),
         "Beginning of the axis in the frame of the body. from and to stand in place of length, position and orientation. The "
         "base of a cone is at from.", .only = LONG_SHAPES),
  VECTOR("to", "m", ANY, NONE, AT_START, SHAPE(to), "End of the axis in the frame of the body.", .only = LONG_SHAPES),
  TEXT("color", NONE, AT_START, SHAPE(color),
       "Colour of the shape in pictures, as in visual. A picture shows the shapes of a body unless visual has shapes for it.",
       .example = "\"#4a90d9\""),
};
const struct section schema_shape = SECTION("a shape", shape_keys, .by = "type");

#define ORIENTATION(field) offsetof(struct orientation_values, field)
static const struct key orientation_keys[] = {
  VECTOR("euler", "rad", ANY, NONE, AT_START, ORIENTATION(euler), "Angles of three turns about turning axes."),
  CHOICE("order", orientation_orders, "xyz", AT_START, ORIENTATION(order), "Axes of the three turns of euler."),
  VECTOR("axis", "", ANY, NONE, AT_START, ORIENTATION(axis), "Axis of one turn."),
  NUMBER("angle", "rad", ANY, NONE, AT_START, ORIENTATION(angle), "Angle of the turn about axis."),
  VECTOR("x", "", ANY, NONE, AT_START, ORIENTATION(x), "Direction of the x axis."),
  VECTOR("y", "", ANY, NONE, AT_START, ORIENTATION(y), "Direction of the y axis."),
  VECTOR("z", "", ANY, NONE, AT_START, ORIENTATION(z), "Direction of the z axis."),
};
const struct section schema_orientation = SECTION("an orientation", orientation_keys);

static const char *const visual_shapes[] = {
#define SHAPE_NAME(id, text) [id] = (text),
  SCENE_SHAPE_LIST(SHAPE_NAME)
#undef SHAPE_NAME
  NULL};
#define VISUAL(field) offsetof(struct visual_values, field)
enum { SHAPES_WITH_SIZE = KIND(SCENE_BOX) | KIND(SCENE_SPHERE) | KIND(SCENE_CYLINDER) | KIND(SCENE_CAPSULE) | KIND(SCENE_TUBE) |
                          KIND(SCENE_CONE) };
static const struct key visual_keys[] = {
  TEXT("body", REQUIRED, AT_START, VISUAL(body), "Name of the body that has the shape, or ground.", .example = "A"),
  CHOICE("shape", visual_shapes, REQUIRED, AT_START, VISUAL(kind), "Kind of the shape.", .example = "box"),
  VECTOR("size", "m", POSITIVE, "0.1 0.1 0.1", AT_START, VISUAL(shape.size),
         "Edges of a box; diameters of a sphere; two diameters and the length of a cylinder, tube, capsule or cone, whose axis is z. "
         "The length of a capsule includes its round ends. A cone has its base at -z. A mesh has the size of its file.",
         .only = SHAPES_WITH_SIZE),
  NUMBER("inner", "", INSIDE(0, 1), "0.8", AT_START, VISUAL(shape.inner), "Diameter of the hole of a tube, as a part of its diameter.",
         .only = KIND(SCENE_TUBE)),
  TEXT("file", NONE, AT_START, VISUAL(file),
       "Path of an STL or GLB file of at most 32 MB, relative to this file and below its folder. Programs that "
       "draw read the file, ali3d looks at its first bytes.", .only = KIND(SCENE_MESH), .needed = KIND(SCENE_MESH)),
  NUMBER("scale", "m", POSITIVE, "1", AT_START, VISUAL(shape.scale),
         "Length of a unit of the mesh file: 0.001 for a file in mm.", .only = KIND(SCENE_MESH)),
  CHOICE("mirror", schema_mirrors, "none", AT_START, VISUAL(mirror),
         "Axis of the mesh file whose sign changes. A part with the key mirror gives it to its meshes.", .only = KIND(SCENE_MESH)),
  VECTOR("position", "m", ANY, "0 0 0", AT_START, VISUAL(shape.position),
         "Centre of the shape, in the frame of the body; the origin of the file of a mesh."),
  QUATERNION("orientation", "1 0 0 0", AT_START, VISUAL(shape.orientation), "Euler parameters from shape to body."
             ORIENTATION_FORMS),
  TEXT("color", NONE, AT_START, VISUAL(color),
       "Colour as # and six hexadecimal digits for red, green and blue, in quotes. Without this key it is a colour that the "
       "program gives the body, or the colour in the file of a mesh.",
       .example = "\"#4a90d9\""),
  FLAG("rods", "false", AT_START, VISUAL(shape.rods),
       "Rods are drawn, too: from the centre of mass to the points where joints and forces hold the body."),
};
const struct section schema_visual = SECTION("a shape", visual_keys, .by = "shape");

#define SENSOR(field) offsetof(struct sensor_values, field)
#define ON_BODY   (KIND(ALI3_SENSOR_POINT) | KIND(ALI3_SENSOR_POSE) | KIND(ALI3_SENSOR_IMU))
#define TWO_ENDS  (KIND(ALI3_SENSOR_DISTANCE) | KIND(ALI3_SENSOR_ANGLE))
#define ONE_VALUE (TWO_ENDS | KIND(ALI3_SENSOR_ENCODER) | KIND(ALI3_SENSOR_LOAD_CELL))
#define CHAIN     (ONE_VALUE | KIND(ALI3_SENSOR_IMU))
#define SHOWN     "rad, m, N m, N or m/s^2"
static const struct key sensor_keys[] = {
  TEXT("name", REQUIRED, AT_START, SENSOR(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other sensors.", .example = "tip"),
  CHOICE("type", sensor_types, REQUIRED, AT_START, SENSOR(type),
         "Type of the sensor. A point gives the signals position, velocity and acceleration of the point, in world axes. "
         "A pose adds orientation (Euler parameters from sensor to world), and angular_velocity and angular_acceleration in "
         "the axes of the sensor. An imu gives specific_force (m/s^2), which is the acceleration less gravity, and "
         "angular_velocity (rad/s), both in the axes of the sensor. At rest specific_force is 9.81 upwards, in free fall "
         "it is 0. The other types give value, rate and quality: a distance that of two points, an angle the turn of body about an axis of "
         "body_b, an encoder the coordinate of a joint with full turns, and a load_cell the force or torque of a force element "
         "(value and quality only). quality is 1, and 0 while the value is at a limit or stuck. Signals are named sensor.NAME.QUANTITY.",
         .example = "imu"),
  TEXT("body", NONE, AT_START, SENSOR(body), "Name of the body that carries the sensor.", .only = ON_BODY | TWO_ENDS,
       .needed = ON_BODY | TWO_ENDS, .example = "A"),
  TEXT("body_b", NONE, AT_START, SENSOR(body_b), "Name of the other body, or ground for the world.", .only = TWO_ENDS, .needed = TWO_ENDS),
  VECTOR("point", "m", ANY, "0 0 0", AT_START, SENSOR(spec.point),
         "Position of the sensor in the frame of the body.", .only = ON_BODY | KIND(ALI3_SENSOR_DISTANCE)),
  VECTOR("point_b", "m", ANY, "0 0 0", AT_START, SENSOR(spec.point_b), "Position of the other end in the frame of body_b.",
         .only = KIND(ALI3_SENSOR_DISTANCE)),
  QUATERNION("orientation", "1 0 0 0", AT_START, SENSOR(spec.orientation), "Euler parameters from sensor to body."
             ORIENTATION_FORMS,
             .only = KIND(ALI3_SENSOR_POSE) | KIND(ALI3_SENSOR_IMU)),
  VECTOR("axis", "", ANY, NONE, AT_START, SENSOR(spec.axis),
         "Axis in the frame of body_b, of any length above 0. The angle is start plus the turn of body about it since the poses of the "
         "file, as body_b sees it. It lies within 180 degrees of start; an encoder counts turns.",
         .only = KIND(ALI3_SENSOR_ANGLE), .needed = KIND(ALI3_SENSOR_ANGLE)),
  ANGLE("start", "rad, or as in 30 deg", ANY, "0", AT_START, SENSOR(spec.start), "The angle in the poses of the file.",
        .only = KIND(ALI3_SENSOR_ANGLE)),
  TEXT("joint", NONE, AT_START, SENSOR(joint), "Name of a revolute or prismatic joint.", .only = KIND(ALI3_SENSOR_ENCODER),
       .needed = KIND(ALI3_SENSOR_ENCODER)),
  TEXT("force", NONE, AT_START, SENSOR(force), "Name of a force element other than a bushing.", .only = KIND(ALI3_SENSOR_LOAD_CELL),
       .needed = KIND(ALI3_SENSOR_LOAD_CELL)),
  NUMBER("cutoff", "Hz", POSITIVE, NONE, AT_START, SENSOR(spec.cutoff),
         "Frequency at which a Butterworth low-pass lets 71 % (-3 dB) pass. It sees one sample in a cycle and takes the value between two "
         "samples as linear. Without this key there is no filter.", .only = CHAIN),
  INTEGER("filter_order", "", BETWEEN(1, 2), "1", AT_START, SENSOR(spec.filter_order), "Order of the low-pass.", .only = CHAIN),
  NUMBER("delay", "s", NOT_NEGATIVE, "0", AT_START, SENSOR(spec.delay),
         "Time by which the reading is late, at most 4096 cycles. Between two samples it is interpolated.", .only = CHAIN),
  NUMBER("scale_error", "", BETWEEN(-1, 1), "0", WHILE_RUNNING, SENSOR(spec.scale_error[0]),
         "Error of the scale: the sensor shows 1 plus this number times the quantity; of an imu, each specific force.", .only = CHAIN),
  NUMBER("angular_scale_error", "", BETWEEN(-1, 1), "0", WHILE_RUNNING, SENSOR(spec.scale_error[1]), "Error of the scale of each angular velocity.",
         .only = KIND(ALI3_SENSOR_IMU)),
  NUMBER("bias", SHOWN, ANY, "0", WHILE_RUNNING, SENSOR(spec.bias), "Number that the sensor shows in addition to the scaled quantity.",
         .only = ONE_VALUE),
  VECTOR("force_bias", "m/s^2", ANY, "0 0 0", WHILE_RUNNING, SENSOR(spec.force_bias), "Bias of each specific force of an imu.",
         .only = KIND(ALI3_SENSOR_IMU)),
  VECTOR("angular_bias", "rad/s", ANY, "0 0 0", WHILE_RUNNING, SENSOR(spec.angular_bias), "Bias of each angular velocity of an imu.",
         .only = KIND(ALI3_SENSOR_IMU)),
  NUMBER("noise", SHOWN, NOT_NEGATIVE, "0", WHILE_RUNNING, SENSOR(spec.noise[0]),
         "Standard deviation of the noise that is added in each cycle; of an imu, that of each specific force, m/s^2. Equal seeds, names and "
         "cycles give equal bits, in a replay too.", .only = CHAIN),
  NUMBER("angular_noise", "rad/s", NOT_NEGATIVE, "0", WHILE_RUNNING, SENSOR(spec.noise[1]), "Standard deviation of the noise of each angular velocity.",
         .only = KIND(ALI3_SENSOR_IMU)),
  INTEGER("seed", "", BETWEEN(0, 2147483647), "0", AT_START, SENSOR(spec.seed),
          "Another number gives other noise. Sensors of different names have different noise in any case.", .only = CHAIN),
  NUMBER("lower", SHOWN, ANY, NONE, WHILE_RUNNING, SENSOR(spec.lower[0]),
         "Least value that the sensor shows. lower and upper stand together; without them there is no limit.", .only = CHAIN),
  NUMBER("upper", SHOWN, ANY, NONE, WHILE_RUNNING, SENSOR(spec.upper[0]), "Largest value that the sensor shows.", .only = CHAIN),
  NUMBER("angular_lower", "rad/s", ANY, NONE, WHILE_RUNNING, SENSOR(spec.lower[1]), "Least angular velocity that an imu shows.",
         .only = KIND(ALI3_SENSOR_IMU)),
  NUMBER("angular_upper", "rad/s", ANY, NONE, WHILE_RUNNING, SENSOR(spec.upper[1]), "Largest angular velocity that an imu shows.",
         .only = KIND(ALI3_SENSOR_IMU)),
  NUMBER("resolution", SHOWN, NOT_NEGATIVE, "0", WHILE_RUNNING, SENSOR(spec.resolution[0]),
         "The sensor shows the nearest multiple of this number; 0: any value.", .only = CHAIN),
  NUMBER("angular_resolution", "rad/s", NOT_NEGATIVE, "0", WHILE_RUNNING, SENSOR(spec.resolution[1]),
         "Angular velocities are shown as the nearest multiple of this number; 0: any value.",
         .only = KIND(ALI3_SENSOR_IMU)),
  INTEGER("bits", "", BETWEEN(1, 32), NONE, AT_START, SENSOR(bits),
          "In place of resolution: the range from lower to upper has this many bits.", .only = CHAIN),
  INTEGER("increments", "", BETWEEN(1, 2147483647), NONE, AT_START, SENSOR(increments),
          "In place of resolution: increments of a turn.", .only = KIND(ALI3_SENSOR_ANGLE) | KIND(ALI3_SENSOR_ENCODER)),
  INTEGER("stuck", "", BETWEEN(0, 2), "0", WHILE_RUNNING, SENSOR(spec.stuck),
          "A fault to try: 1 keeps the last reading, 2 shows stuck_at. An imu takes 0 and 1.", .only = CHAIN),
  NUMBER("stuck_at", SHOWN, ANY, "0", WHILE_RUNNING, SENSOR(spec.stuck_at), "Value that the sensor shows while stuck is 2.", .only = ONE_VALUE),
};
const struct section schema_sensor = SECTION("a sensor", sensor_keys, .by = "type");
/* clang-format on */
