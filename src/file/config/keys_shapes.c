/* SPDX-License-Identifier: MIT
 * The keys of shapes and orientations, which the expansion reads, and of shapes in pictures. Data only. */
#include "config/keys.h"
#include "config/mechanism.h"
#include "expand/expand.h"

_Static_assert(sizeof(enum shape_type) == sizeof(int), "choices are read as int");

static const char *const shape_types[] = {
    [SHAPE_BOX] = "box",   [SHAPE_CYLINDER] = "cylinder", [SHAPE_TUBE] = "tube",   [SHAPE_SPHERE] = "sphere",
    [SHAPE_CONE] = "cone", [SHAPE_ROD] = "rod",           [SHAPE_POINT] = "point", NULL};
const char *const schema_axes[] = {[AXES_WORLD] = "world", [AXES_BODY] = "body", NULL};

const char *const schema_mirrors[] = {
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
/* clang-format on */
