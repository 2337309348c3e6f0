/* SPDX-License-Identifier: MIT
 * The mapping "model": the structs that its tables of keys fill. */
#ifndef SETTINGS_MODEL_VALUES_H
#define SETTINGS_MODEL_VALUES_H

#include "settings/values.h"

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

/* An element of the list "visual": a shape for pictures. */
struct visual_values {
  struct scene_visual shape; /* without body, shape, color, file and folder */
  int kind, mirror;          /* MIRROR_NONE, MIRROR_X .. */
  const char *body, *color, *file;
};

#endif
