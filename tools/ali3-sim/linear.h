/* SPDX-License-Identifier: MIT
 * ali3-sim: static equilibrium, linear systems, and a Bode diagram of them. */
#ifndef ALI3_SIM_LINEAR_H
#define ALI3_SIM_LINEAR_H

#include "sim.h"

#include <ali3/linear.h>

/* Moves the model to its static equilibrium; report: prints how far. False after printing the reason. */
bool settle_model(const ali3_model *m, ali3_data *d, bool report);
/* Writes the linear system at the state of d, and its Bode diagram. Returns the exit status. */
int linearise_file(const struct options *o, const ali3_model *m, const ali3_data *d, const struct signals *s);

/* mode_film.c: writes the page of --view with mode --mode about the state of d. Returns the exit status. */
int mode_film(const struct options *o, const struct settings *s, ali3_data *d, struct ride *ride);

/* bode.c */
struct bode {
  const ali3_linear *linear;
  const double *pole;      /* (states, 2) */
  char *const *input_name; /* (inputs) */
  bool *of_target;         /* (inputs) the response to the target of a drive, not to its acceleration */
  const struct signals *signals;
  const int *signal; /* (outputs) */
};
/* False after printing the reason. */
bool bode_draw(const struct bode *b, const char *file);

#endif
