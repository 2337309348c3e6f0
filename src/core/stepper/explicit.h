/* SPDX-License-Identifier: MIT
 * Inner steps of the explicit methods rk4, dp5, ab4 and abm8. RT. */
#ifndef STEPPER_EXPLICIT_H
#define STEPPER_EXPLICIT_H

#include "stepper/data.h"

/* Number of earlier steps whose starts the method reads; 0: a one-step method. */
static inline int explicit_history(ali3_method method)
{
  return method == ALI3_METHOD_AB4 ? 3 : method == ALI3_METHOD_ABM8 ? EXPLICIT_HISTORY : 0;
}
/* Evaluations, and factorisations, of an inner step; of Adams methods: once they have their history. */
static inline int explicit_evaluations(ali3_method method)
{
  return method == ALI3_METHOD_AB4 ? 1 : method == ALI3_METHOD_ABM8 ? 2 : method == ALI3_METHOD_DP5 ? 6 : 4;
}
static inline int explicit_factorisations(ali3_method method)
{
  return method == ALI3_METHOD_ABM8 ? 1 : explicit_evaluations(method);
}
/* Number of states that a method keeps: starts of earlier steps, and stages of rk4 or dp5. */
static inline int explicit_kept(ali3_method method)
{
  return explicit_history(method) + (method == ALI3_METHOD_DP5 || method == ALI3_METHOD_ABM8 ? 5 : 3);
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
