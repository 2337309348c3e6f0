/* SPDX-License-Identifier: MIT
 * The inside of ali3_model: checked elements, before freezing makes rows of them. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/names.h"

#include <ali3/flat.h>
#include <ali3/model.h>

/* Each element keeps its spec as ali3_model_add_*() took it, without the name, and with unit axes and orientations. So a field of
 * a spec has one home, and no element can lose it. Members beside the spec are derived from it. */
struct body {
  char *name;
  ali3_body_spec spec;
  double inertia_inverse[9];
  bool singular;        /* no mass, or no inertia about some axis: there is no inverse */
  double weightless[9]; /* projector onto the axes without inertia */
};

struct joint {
  char *name;
  ali3_joint_spec spec;
  /* The two sides of the spec, a and b, for loops over them. */
  int body[2];
  double point[2][3], axis[2][3];
  int drive, gear; /* forces plus 1: the drive of the joint, and the last gear to a joint after it; 0: none */
};

struct load {
  char *name; /* NULL: none */
  ali3_load_spec spec;
};

struct force {
  char *name;
  ali3_force_spec spec;
  ali3_law law; /* set by the caller; force NULL: none */
  int gear;     /* index plus 1: the gear that was added to the same joint before this gear; 0: none */
};

struct sensor {
  char *name;
  ali3_sensor_spec spec;
  double rotation[9];  /* orientation as a matrix */
  double reference[4]; /* angle: orientation of body_b in `body`, in the initial poses */
};

struct frozen; /* data of the frozen model, layout/frozen.h */

struct ali3_model {
  char *name;
  double gravity[3];
  struct body *body;
  struct joint *joint;
  struct load *load;
  struct force *force;
  struct sensor *sensor;
  int bodies, joints, loads, forces, sensors;
  int body_room, joint_room, load_room, force_room, sensor_room;
  struct names body_names, joint_names, force_names, sensor_names; /* force_names: loads and forces */
  ali3_options options;
  ali3_problem problem;
  unsigned char
      hash[ALI3_MODEL_HASH_SIZE]; /* ali3_model_hash(), once frozen: a state is checked against it */
  struct frozen *frozen;          /* NULL until frozen */
  /* The model has the elements of `copies` frozen models like `pattern`, and each of them is one lane of all kernels. 0: one
   * mechanism */
  const struct ali3_model *pattern;
  int copies;
  void (*frozen_free)(struct frozen *);
};

/* Writes the reason into m->problem. Returns status. */
__attribute__((format(printf, 5, 6))) int model_refuse(ali3_model *m, int status, const char *element,
                                                       const char *field, const char *format, ...);

/* Each function checks one element and does not add it. It fills in normalised axes and orientations, and the inverse of the
 * inertia. Returns ALI3_OK or the status of model_refuse(). */
int model_check_body(ali3_model *m, const ali3_body_spec *spec, struct body *out);
int model_check_joint(ali3_model *m, const ali3_joint_spec *spec, struct joint *out);
/* The rows that the solve leaves out are rows of this type of joint. */
int model_check_dropped(ali3_model *m, const char *name, ali3_joint_type type, unsigned dropped);
int model_check_load(ali3_model *m, const ali3_load_spec *spec, struct load *out);
int model_check_force(ali3_model *m, const ali3_force_spec *spec, struct force *out);
/* Adds a checked force to the drive or the gears of its joints. */
void model_list_force(ali3_model *m, int force);
int model_check_sensor(ali3_model *m, const ali3_sensor_spec *spec, struct sensor *out);
int model_check_options(ali3_model *m, const ali3_options *o);

#endif
