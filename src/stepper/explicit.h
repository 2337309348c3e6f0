/* SPDX-License-Identifier: MIT
 * Inner steps of the explicit methods rk4, dp5 and ab4. RT. */
#ifndef STEPPER_EXPLICIT_H
#define STEPPER_EXPLICIT_H

#include "stepper/data.h"

/* Factorisations of an inner step; ab4: after its first three steps. */
static inline int explicit_evaluations(ali3_method method)
{
  return method == ALI3_METHOD_AB4 ? 1 : method == ALI3_METHOD_DP5 ? 6 : 4;
}
/* Number of states that a method keeps. */
static inline int explicit_kept(ali3_method method)
{
  return method == ALI3_METHOD_AB4 ? 6 : method == ALI3_METHOD_DP5 ? 5 : 3;
}
/* Factors at the start of the step, if the last step did not leave them. False: a pivot is not positive. */
bool explicit_prepare(const ali3_model *m, ali3_data *d);
/* Takes explicit_prepare() back, which has changed no state. */
void explicit_unprepare(ali3_data *d);
/* Steps from the time `after` the start of the step over d->rule.dt. targets: a command of drives has arrived. *increment:
 * the largest change by the projection of the positions. Returns ALI3_OK, ALI3_E_SINGULAR or ALI3_E_DIVERGED. */
int explicit_step(const ali3_model *m, ali3_data *d, double after, bool targets, double *increment);
/* Factors of states.origin, after a load. The caller computes the frames of the state afterwards. */
void explicit_factorise_again(const ali3_model *m, ali3_data *d);
/* After a step that failed. explicit_leave: d->last is the start as the step before left it. explicit_restore: after the state
 * has been restored, its factors and frames. */
void explicit_leave(ali3_data *d);
void explicit_restore(const ali3_model *m, ali3_data *d);

#endif
