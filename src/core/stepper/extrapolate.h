/* SPDX-License-Identifier: MIT
 * Extrapolated steps, for data that have coarse branches. RT. */
#ifndef STEPPER_EXTRAPOLATE_H
#define STEPPER_EXTRAPOLATE_H

#include "kernels/data.h"

enum { EXTRAPOLATE_FINEST = 3 }; /* inner steps of T3, the branch that the data itself runs */

/* RT. rule.mobility_scale of a branch of `steps` inner steps. */
static inline double mobility_scale_of(int steps)
{
  return 1.0 / (steps * steps);
}

/* Computes delta and c of both coarse branches from delta and c of the step. */
void extrapolate_lengths(const ali3_model *m, ali3_data *d);
/* ALI3_OK or ALI3_E_SINGULAR. */
int extrapolate_prepare(const ali3_model *m, ali3_data *d);
/* Updates the targets of drives after commands arrived later than the prepare. */
void extrapolate_aim(const ali3_model *m, ali3_data *d);
/* Steps from the time `after` the start of the step. Status and increment are those of inner_iterate(), or ALI3_E_SINGULAR. */
int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment);
/* Returns the branch that failed first; d if no coarse branch failed or there is none. */
const ali3_data *extrapolate_failed(const ali3_data *d);

#endif
