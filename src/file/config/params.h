/* SPDX-License-Identifier: MIT
 * The parameters of a model that may change while it runs: one for each key of its elements that the schema marks WHILE_RUNNING.
 * Their names are body.NAME.KEY, force.NAME.KEY, model.gravity and solver.KEY. Set-up only. */
#ifndef CONFIG_PARAMS_H
#define CONFIG_PARAMS_H

#include "yaml/schema.h"

#include <ali3/types.h>
#include <stdbool.h>
#include <stdint.h>

enum { PARAM_NUMBERS = 9, PARAM_NAME = 160 };

enum param_owner {
  PARAM_OF_MODEL,
  PARAM_OF_SOLVER,
  PARAM_OF_BODY,
  PARAM_OF_LOAD,
  PARAM_OF_FORCE,
  PARAM_OF_SENSOR
};

struct param {
  char name[PARAM_NAME];
  const struct key *key; /* type, unit, range and documentation */
  enum param_owner owner;
  int element;   /* index of the body, load or force */
  size_t offset; /* place of the value in the spec of the element, or in ali3_options */
  int count;     /* numbers: 1, 3, or 9 for an inertia */
};

/* One number of a parameter that has several. */
struct param_part {
  const char *name; /* with its dot */
  /* indices among the numbers of the parameter; mirror: the mirrored element of a symmetric matrix, or -1 */
  int number, mirror;
};

/* Names and kinds depend on the structure of a model only, so one list serves all results of params_apply(). */
struct params {
  struct param *param; /* (count) in the order of the file */
  int count, room;
};

/* The parameters of a model with their values, without the model. */
struct param_values {
  struct params sorted;           /* by name */
  double (*value)[PARAM_NUMBERS]; /* (sorted.count) */
};

struct param_change {
  int param; /* index in the list */
  double value[PARAM_NUMBERS];
};

/* False when out of memory. The caller calls params_free() in both cases. */
bool params_list(struct params *p, const ali3_model *m);
void params_free(struct params *p);
/* Values of the parameter are whole numbers. */
bool param_is_whole(const struct param *p);
/* Index of a parameter; -1: there is none with this name. */
int params_find(const struct params *p, const char *name);
/* The rule for names: NAME is a parameter with all its numbers. NAME.x, NAME.y and NAME.z are the numbers of a vector, NAME.xx,
 * .yy, .zz, .xy, .xz and .yz those of an inertia. *part NULL: the name means the whole. Index of the parameter; -1: there is
 * none. */
int params_find_part(const struct params *p, const char *name, const struct param_part **part);
/* The parts of a parameter in their order. *count: 0 for one number, 3 or 6. */
const struct param_part *param_parts(const struct param *p, int *count);
void param_put_part(const struct param_part *part, double number, double value[PARAM_NUMBERS]);
/* Explains a name that params_find_part() does not know, if the text before its last dot or bracket names a parameter:
 * "model.gravity has the parts .x, .y and .z". False: it names none. */
bool params_explain_name(const struct params *p, const char *name, char *text, size_t size);
/* The value in a model; numbers that the key leaves out, such as no limit, are NaN or infinite. */
void params_get(const struct param *p, const ali3_model *m, double value[PARAM_NUMBERS]);
/* Checks type and range of a value with `count` numbers. For a diagonal inertia three numbers suffice, and `value` becomes the
 * matrix. False with the reason in error. */
bool params_check(const struct param *p, int count, double value[PARAM_NUMBERS], char *error, size_t size);
/* Same for one part, whose value is one number. */
bool params_check_part(const struct param *p, const struct param_part *part, int count, double number,
                       char *error, size_t size);

/* A frozen copy of a model with changes; a later change has priority. NULL with the reason in error. */
ali3_model *params_apply(const struct params *p, const ali3_model *m, const struct param_change *change,
                         int changes, char *error, size_t size);
/* False when out of memory. The caller calls param_values_free() in both cases. */
bool param_values_read(struct param_values *v, const ali3_model *m);
void param_values_free(struct param_values *v);
/* The parameters of `from` that have another value in `to`, where an element of the name and type has them, too: at most
 * p->count changes. Returns their number. */
int params_difference(const struct params *p, const ali3_model *from, const struct param_values *to,
                      struct param_change *change);

/* Writes a value as YAML: 1800, [0, 0, -9.81], or .inf. */
void params_value_text(const struct param *p, const double *value, char *text, size_t size);

#endif
