/* SPDX-License-Identifier: MIT
 * What the elements of URDF mean: shared by the reader (urdf.c), which keeps their order, and the functions that take their
 * attributes (urdf_links.c, urdf_joints.c). */
#ifndef IMPORT_URDF_ELEMENTS_H
#define IMPORT_URDF_ELEMENTS_H

#include "notes.h"
#include "robot.h"

/* The element that an element is in. */
enum place {
  PLACE_FILE,
  PLACE_ROBOT,
  PLACE_LINK,
  PLACE_INERTIAL,
  PLACE_SHAPE,
  PLACE_GEOMETRY,
  PLACE_MATERIAL,
  PLACE_JOINT,
  PLACE_LEAF,
  PLACE_SKIPPED
};

/* One start tag. */
struct tag {
  const char *name;
  int line, attributes;
  const unsigned char **attribute; /* five pointers each: name, prefix, URI, begin and end of the value */
};

struct reader {
  struct robot *robot;
  struct notes *notes;
  void *parser;
  enum place place[64];
  unsigned seen[64]; /* rows of the table whose element stands in the element of this depth */
  int depth, skipped;
  bool ended; /* an error was reported, or the parser was stopped */
  struct link *link;
  struct joint *joint;
  struct shape *shape, **last_shape;
  bool in_robot; /* a material of the robot, not of a shape */
  const char *material;
};

void reader_stop(struct reader *x);
/* These report an error and return false. */
bool reader_fail(struct reader *x, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool reader_no_memory(struct reader *x);
/* The value of an attribute, in memory of the robot; NULL: there is none. `good` becomes false if there is no memory. */
const char *tag_value(struct reader *x, const struct tag *t, const char *name, bool *good);
/* The value; an error if there is none. */
const char *tag_needs(struct reader *x, const struct tag *t, const char *name);
/* count numbers of an attribute. Without the attribute the numbers stay, and *found (may be NULL) becomes false. */
bool tag_numbers(struct reader *x, const struct tag *t, const char *name, int count, double *out,
                 bool *found);
/* One number that must be there. */
bool tag_number(struct reader *x, const struct tag *t, const char *name, double *out);
bool tag_origin(struct reader *x, const struct tag *t, struct frame *out);

/* Functions of the table in urdf.c. */
bool take_link(struct reader *x, const struct tag *t);
bool take_inertial(struct reader *x, const struct tag *t);
bool take_inertial_origin(struct reader *x, const struct tag *t);
bool take_mass(struct reader *x, const struct tag *t);
bool take_inertia(struct reader *x, const struct tag *t);
bool take_visual(struct reader *x, const struct tag *t);
bool take_collision(struct reader *x, const struct tag *t);
bool take_shape_origin(struct reader *x, const struct tag *t);
bool take_box(struct reader *x, const struct tag *t);
bool take_cylinder(struct reader *x, const struct tag *t);
bool take_capsule(struct reader *x, const struct tag *t);
bool take_sphere(struct reader *x, const struct tag *t);
bool take_mesh(struct reader *x, const struct tag *t);
bool take_material(struct reader *x, const struct tag *t);
bool take_robot_material(struct reader *x, const struct tag *t);
bool take_color(struct reader *x, const struct tag *t);
bool take_joint(struct reader *x, const struct tag *t);
bool take_joint_origin(struct reader *x, const struct tag *t);
bool take_parent(struct reader *x, const struct tag *t);
bool take_child(struct reader *x, const struct tag *t);
bool take_axis(struct reader *x, const struct tag *t);
bool take_limit(struct reader *x, const struct tag *t);
bool take_dynamics(struct reader *x, const struct tag *t);
bool take_mimic(struct reader *x, const struct tag *t);

#endif
