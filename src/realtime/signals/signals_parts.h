/* SPDX-License-Identifier: MIT
 * Inside the signal table: the walk that makes it, set-up only, and the values of sensors. */
#ifndef SIGNALS_SIGNALS_PARTS_H
#define SIGNALS_SIGNALS_PARTS_H

#include "signals/signals.h"

/* One walk over all signals makes the table: it runs once to count and once to write. */
struct walk {
  struct signals *s;
  const struct signals_more *more;
  int count, groups;
  bool write, ok;
};

extern const char *const walk_xyz[3];                    /* "x", "y", "z" */
extern const char *const walk_e0123[4];                  /* "e0" to "e3" */
extern const char *const walk_one_to_six[PLATFORM_LEGS]; /* "1" to "6" */

/* Adds a group `prefix` with these components; NULL: a scalar. Components from the fourth on have the unit `beyond`. */
void walk_group_of_two(struct walk *w, const char *prefix, const char *quantity, const char *unit,
                       const char *beyond, const char *const *component, int n);
/* Adds a group whose components have one unit. */
void walk_group(struct walk *w, const char *prefix, const char *quantity, const char *unit,
                const char *const *component, int n);
/* Four texts one after the other, to be freed; NULL when out of memory, which w->ok tells. A table has thousands of names, so
 * they are not printed. */
char *walk_join(struct walk *w, const char *a, const char *b, const char *c, const char *d);
/* Adds the signals platform.* and rig.*. */
void walk_platform(struct walk *w, bool cranks);
void walk_rig(struct walk *w, bool cranks);
/* Adds the signals of a sensor. */
void walk_sensor(struct walk *w, const ali3_model *m, int sensor);
/* RT. Fills in the values of a sensor, in the order of walk_sensor(). */
void signals_observe_sensor(const ali3_model *m, const ali3_data *d, int sensor, double *values);

#endif
