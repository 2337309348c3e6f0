/* SPDX-License-Identifier: MIT
 * The mapping "model": the structs that its tables of keys fill, and the function that builds the model. */
#ifndef CONFIG_MECHANISM_H
#define CONFIG_MECHANISM_H

#include "config/values.h"

#include <ali3/model.h>

struct model_values {
  const char *name, *description, *file;
  double gravity[3];
  double assembly_position, assembly_angle, assembly_velocity; /* as in ali3_options */
};

struct body_values {
  ali3_body_spec spec;
  const char *relative_to; /* the expansion removes it */
};

struct joint_values {
  ali3_joint_spec spec; /* without type and bodies */
  int type;
  const char *body_a, *body_b;
  double at[3], axis[3];
};

/* The choices of "axes". */
enum { AXES_WORLD, AXES_BODY };

struct force_values {
  ali3_load_spec spec; /* without type, body, vector and axes */
  int type, axes;
  const char *body;
  double force[3], torque[3];
};

/* Force elements follow the two loads in the choice of types, in the order of ali3_force_type. */
enum { CONNECTION_FIRST = ALI3_LOAD_TORQUE + 1 };
struct connection_values {
  ali3_force_spec spec; /* without type, bodies and joints; tables to be freed */
  int type;
  const char *body_a, *body_b, *joint, *joint_b;
};
extern const struct section schema_connection[ALI3_FORCE_TYPES]; /* the keys of each type */

struct sensor_values {
  ali3_sensor_spec spec; /* without the type and what it reads */
  int type;
  const char *body, *body_b, *joint, *force;
  int bits, increments; /* 0: not given */
};

/* Values beside indices in a set of body names: the name is not in the set; the body was refused for a mistake. */
enum { BODY_UNKNOWN = -2, BODY_REFUSED = -3 };

/* Builds the model that a "model" mapping describes, not frozen yet, and sets the options that the mapping gives. Fills
 * `bodies` with every name that the mapping declares, and BODY_REFUSED for refused bodies; the names live as long as the
 * tree. Fills `places`, to be freed in any case. NULL after a mistake, which is reported. */
ali3_model *mechanism_build(const struct node *model, struct names *bodies, ali3_options *options,
                            struct places *places, struct report *r);

/* Index of the body that `n` names. BODY_UNKNOWN: no body has the name, which is reported. BODY_REFUSED: the mistake of the
 * body was reported before. */
int mechanism_body(const struct names *bodies, const struct node *n, struct report *r);

/* An element of the list "visual": a shape for pictures. */
struct visual_values {
  struct scene_visual shape; /* without body, shape, color, file and folder */
  int kind, mirror;          /* MIRROR_NONE, MIRROR_X .. */
  const char *body, *color, *file;
};

/* Reads the list into s->visual, after the mechanism was built. Reports every mistake. */
void visual_read(const struct node *model, const struct names *bodies, struct settings *s, struct report *r);

#endif
