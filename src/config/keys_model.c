/* SPDX-License-Identifier: MIT
 * The keys of a model, of its bodies, joints and sensors. Data only. */
#include "config/keys.h"
#include "config/values.h"

static const char *const joint_types[] = {
#define JOINT_NAME(id, text) text,
    ALI3_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
        NULL};
static const char *const sensor_types[] = {
#define SENSOR_NAME(id, text) text,
    ALI3_SENSOR_LIST(SENSOR_NAME)
#undef SENSOR_NAME
        NULL};

/* clang-format 14 takes the commas of the macros for columns. */
/* clang-format off */
#define BODY(field) offsetof(ali3_body_spec, field)
static const struct key body_keys[] = {
  TEXT("name", REQUIRED, AT_START, BODY(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other bodies and from ground.", .example = "A"),
  NUMBER("mass", "kg", NOT_NEGATIVE, REQUIRED, AT_START, BODY(mass),
         "Mass. Joints, springs or dampers must hold a body that has no mass, or no inertia about some axis.", .example = "1.0"),
  INERTIA("inertia", "kg m^2", REQUIRED, AT_START, BODY(inertia),
          "Inertia about the centre of mass, in the axes of the body. The matrix is symmetric and has no negative "
          "principal moment. Each principal moment is at most the sum of the two others.", .example = "[1, 1, 1]"),
  VECTOR("position", "m", ANY, REQUIRED, AT_START, BODY(position),
         "Position of the centre of mass at the start, in world axes.", .example = "[0.5, 0, 0]"),
  QUATERNION("orientation", "1 0 0 0", AT_START, BODY(orientation),
             "Euler parameters from body to world at the start."),
  VECTOR("velocity", "m/s", ANY, "0 0 0", AT_START, BODY(velocity),
         "Velocity of the centre of mass at the start, in world axes."),
  VECTOR("angular_velocity", "rad/s", ANY, "0 0 0", AT_START, BODY(angular_velocity),
         "Angular velocity at the start, in the axes of the body."),
};
const struct section schema_body = SECTION("a body", body_keys);

enum {
  ALL_JOINTS = KIND(ALI3_JOINT_DISTANCE + 1) - 1,
  JOINTS_AT_POINT = ALL_JOINTS & ~KIND(ALI3_JOINT_DISTANCE),
  JOINTS_WITH_AXIS = KIND(ALI3_JOINT_REVOLUTE) | KIND(ALI3_JOINT_PRISMATIC) | KIND(ALI3_JOINT_CYLINDRICAL) |
                     KIND(ALI3_JOINT_UNIVERSAL) | KIND(ALI3_JOINT_PLANAR) | KIND(ALI3_JOINT_POINT_ON_LINE) |
                     KIND(ALI3_JOINT_POINT_IN_PLANE),
};
#define JOINT(field) offsetof(struct joint_values, field)
static const struct key joint_keys[] = {
  TEXT("name", REQUIRED, AT_START, JOINT(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other joints.", .example = "J1"),
  CHOICE("type", joint_types, REQUIRED, AT_START, JOINT(type),
         "Type of the joint. It decides which of the other keys are needed.", .example = "revolute"),
  TEXT("body_a", REQUIRED, AT_START, JOINT(body_a), "Name of the first body, or ground for the world.", .example = "ground"),
  TEXT("body_b", REQUIRED, AT_START, JOINT(body_b),
       "Name of the second body, or ground for the world. It is another body than body_a.", .example = "A"),
  VECTOR("point_a", "m", ANY, NONE, AT_START, JOINT(spec.point_a),
         "Position of the joint in the frame of body_a. Write either point_a and point_b, or at."),
  VECTOR("point_b", "m", ANY, NONE, AT_START, JOINT(spec.point_b),
         "Position of the joint in the frame of body_b. Write either point_a and point_b, or at."),
  VECTOR("axis_a", "", ANY, NONE, AT_START, JOINT(spec.axis_a),
         "Direction of the joint's axis in the frame of body_a. Any length but 0 is good. Write either axis_a and axis_b, "
         "or axis.", .only = JOINTS_WITH_AXIS),
  VECTOR("axis_b", "", ANY, NONE, AT_START, JOINT(spec.axis_b),
         "Direction of the joint's axis in the frame of body_b. Any length but 0 is good. Write either axis_a and axis_b, "
         "or axis.", .only = JOINTS_WITH_AXIS),
  VECTOR("at", "m", ANY, NONE, AT_START, JOINT(at),
         "Position of the joint in the world at the start, in place of point_a and point_b.", .only = JOINTS_AT_POINT, .example = "[0, 0, 0]"),
  VECTOR("axis", "", ANY, NONE, AT_START, JOINT(axis),
         "Direction of the joint's axis in the world at the start, in place of axis_a and axis_b. A universal joint has "
         "two axes and takes axis_a and axis_b.", .only = JOINTS_WITH_AXIS & ~KIND(ALI3_JOINT_UNIVERSAL), .example = "[0, 0, 1]"),
  NUMBER("length", "m", POSITIVE, NONE, AT_START, JOINT(spec.length),
         "Distance between the two points of a distance joint. Without this key the distance at the start is kept.",
         .only = KIND(ALI3_JOINT_DISTANCE)),
  QUATERNION("relative_orientation", NONE, AT_START, JOINT(spec.relative_orientation),
             "Euler parameters of body_b seen from body_a. Without this key the orientation at the start is kept.",
             .only = KIND(ALI3_JOINT_FIXED) | KIND(ALI3_JOINT_PRISMATIC)),
  ANGLE("position", "rad or m, or as in 30 deg", ANY, "0", AT_START, JOINT(spec.position),
        "Coordinate of the joint in the poses that the bodies have at the start. The angle of a revolute joint counts full "
        "turns and grows as body_b turns about the axis of body_a by the right-hand rule. The distance of a prismatic joint "
        "grows as point_b moves along that axis. Drives, springs, stops, gears and signals share this zero.",
        .only = KIND(ALI3_JOINT_REVOLUTE) | KIND(ALI3_JOINT_PRISMATIC)),
};
const struct section schema_joint = SECTION("a joint", joint_keys, .by = "type");

#define SENSOR(field) offsetof(struct sensor_values, field)
static const struct key sensor_keys[] = {
  TEXT("name", REQUIRED, AT_START, SENSOR(spec.name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other sensors.", .example = "tip"),
  CHOICE("type", sensor_types, REQUIRED, AT_START, SENSOR(type),
         "Type of the sensor. A point gives the signals position, velocity and acceleration of the point, in world axes. "
         "A pose adds orientation (Euler parameters from sensor to world), and angular_velocity and angular_acceleration in "
         "the axes of the sensor. An imu gives specific_force (m/s^2), which is the acceleration less gravity, and "
         "angular_velocity (rad/s), both in the axes of the sensor. At rest specific_force is 9.81 upwards, in free fall "
         "it is 0. An imu has neither noise nor bias. Signals are named sensor.NAME.QUANTITY.", .example = "imu"),
  TEXT("body", REQUIRED, AT_START, SENSOR(body), "Name of the body that carries the sensor.", .example = "A"),
  VECTOR("point", "m", ANY, "0 0 0", AT_START, SENSOR(spec.point),
         "Position of the sensor in the frame of the body."),
  QUATERNION("orientation", "1 0 0 0", AT_START, SENSOR(spec.orientation), "Euler parameters from sensor to body.",
             .only = KIND(ALI3_SENSOR_POSE) | KIND(ALI3_SENSOR_IMU)),
};
const struct section schema_sensor = SECTION("a sensor", sensor_keys, .by = "type");

#define MODEL(field) offsetof(struct model_values, field)
static const struct key assembly_keys[] = {
  NUMBER("position", "m", POSITIVE, NONE, AT_START, MODEL(assembly_position),
         "Largest displacement of the centre of mass of any body. Without this key it is 0.005 m, or a twentieth of the "
         "longest lever arm from a centre of mass to a joint where that is less."),
  ANGLE("angle", "rad, or as in 2 deg", POSITIVE, "2 deg", AT_START, MODEL(assembly_angle),
        "Largest rotation of any body."),
};
static const struct section assembly = SECTION("assembly", assembly_keys);

static const struct key model_keys[] = {
  TEXT("name", "model", AT_START, MODEL(name), "Name of the model. Every tool shows it."),
  TEXT("description", NONE, AT_START, MODEL(description), "Description for people. It may have several lines."),
  VECTOR("gravity", "m/s^2", ANY, "0 0 0", AT_START, MODEL(gravity), "Gravity in world axes."),
  SUBSECTION("assembly", &assembly,
             "Limits of the assembly: how far a body may move at the start to close joints that the given poses leave open. "
             "A model that needs more is refused, and the message names the joints that are open."),
  LIST("bodies", &schema_body, NONE, "The rigid bodies, in any order."),
  LIST("joints", &schema_joint, NONE,
       "The joints. A body may have any number of joints. Closed loops and redundant constraints are allowed."),
  LIST("forces", &schema_force, NONE,
       "Constant loads, and force elements such as springs, contacts and drives. Force elements are solved implicitly "
       "together with the joints: a stiff one needs no shorter step."),
  LIST("sensors", &schema_sensor, NONE,
       "Places on bodies at which the motion is measured. Sensors do not change the motion."),
  TEXT("file", NONE, AT_START, MODEL(file),
       "Path of a model file, relative to this one. The file is used in place of the model, so this key stands alone: "
       "model: {file: models/four_bar.yaml}."),
};
const struct section schema_model = SECTION("a model", model_keys);
/* clang-format on */
