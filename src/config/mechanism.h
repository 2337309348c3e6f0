/* SPDX-License-Identifier: MIT
 * The "model" mapping: what its tables read into, and who makes a model of it. */
#ifndef CONFIG_MECHANISM_H
#define CONFIG_MECHANISM_H

#include "config/values.h"

struct model_values {
  const char *name, *description, *file;
  double gravity[3];
  double assembly_position, assembly_angle; /* as in ali3_options */
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

/* Connections: behind the loads in the choice of types, in the order of ali3_force_type. */
enum { CONNECTION_FIRST = ALI3_LOAD_TORQUE + 1 };
struct connection_values {
  ali3_force_spec spec; /* without type, bodies and joints; tables to be freed */
  int type;
  const char *body_a, *body_b, *joint, *joint_b;
};
extern const struct section schema_connection[ALI3_FORCE_TYPES]; /* each type has keys of its own */

struct sensor_values {
  ali3_sensor_spec spec; /* without type and body */
  int type;
  const char *body;
};

/* In a set of body names beside their indices: not in the set; declared, but refused for a mistake. */
enum { BODY_UNKNOWN = -2, BODY_REFUSED = -3 };

/* Builds the model that a "model" mapping describes, not frozen yet, and sets the options that the mapping gives. Fills
 * `bodies` with every name the mapping declares, those of refused bodies with BODY_REFUSED; the names live as long as the
 * tree. Fills `places`, to be freed in any case. NULL after a mistake, which is reported. */
ali3_model *mechanism_build(const struct node *model, struct names *bodies, ali3_options *options,
                            struct places *places, struct report *r);

/* Index of the body that `n` names; BODY_UNKNOWN after reporting it, BODY_REFUSED if its own mistake was
 * reported. */
int mechanism_body(const struct names *bodies, const struct node *n, struct report *r);

#endif
