/* SPDX-License-Identifier: MIT
 * The keys of short forms: parts, shapes, orientations. The expansion reads them. Data only. */
#include "config/keys.h"
#include "expand/expand.h"

_Static_assert(sizeof(enum shape_type) == sizeof(int), "choices are read as int");

static const char *const shape_types[] = {[SHAPE_BOX] = "box",       [SHAPE_CYLINDER] = "cylinder",
                                          [SHAPE_TUBE] = "tube",     [SHAPE_SPHERE] = "sphere",
                                          [SHAPE_CONE] = "cone",     [SHAPE_ROD] = "rod",
                                          [SHAPE_POINT] = "point",   NULL};
static const char *const mirrors[] = {
    [MIRROR_NONE] = "none", [MIRROR_X] = "x", [MIRROR_Y] = "y", [MIRROR_Z] = "z", NULL};

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

#define PART(field) offsetof(struct part_values, field)
static const struct key part_keys[] = {
  TEXT("use", NONE, AT_START, PART(use),
       "Path of a model file, relative to this file, whose elements the part has. Of its keys outside model only inputs and "
       "parameters count."),
  TEXT("prefix", NONE, AT_START, PART(prefix),
       "Beginning of the names of all elements of the part: ${side}_. References to elements inside the part follow."),
  COPIES("repeat",
         "Number of copies, with the variable i from 1 on; or variables with one value for each copy, {side: [left, right], y: "
         "[0.6, -0.6]}."),
  VARIABLES("parameters",
            "Parameters of the part. With use they replace parameters of the file."),
  CHOICE("mirror", mirrors, "none", AT_START, PART(mirror),
         "Axis whose sign the part changes, before it is turned and shifted. Bodies, axes and loads become their images in a "
         "mirror. A revolute joint keeps the sense of its coordinate as seen in the mirror."),
  VECTOR("position", "m", ANY, "0 0 0", AT_START, PART(position), "Shift of the part."),
  QUATERNION("orientation", "1 0 0 0", AT_START, PART(orientation),
             "Turn of the part about the origin, before it is shifted." ORIENTATION_FORMS),
  LIST_LIKE("bodies", &schema_body, NONE, "Bodies, as in the model."),
  LIST_LIKE("joints", &schema_joint, NONE, "Joints, as in the model."),
  LIST_LIKE("forces", &schema_force, NONE, "Forces, as in the model."),
  LIST_LIKE("sensors", &schema_sensor, NONE, "Sensors, as in the model."),
  LIST_LIKE("inputs", &schema_input, NONE, "Inputs, as in the file."),
  LIST_LIKE("parts", &schema_part, NONE, "Parts of the part."),
};
const struct section schema_part = SECTION("a part", part_keys);
/* clang-format on */
