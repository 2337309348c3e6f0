/* SPDX-License-Identifier: MIT
 * Inner steps of the explicit methods rk4, dp5, dp8, ab4 and abm8. RT. */
#ifndef STEPPER_EXPLICIT_H
#define STEPPER_EXPLICIT_H

#include "articulated/limbs.h"
#include "kernels/data.h"

/* Number of earlier steps whose starts the method reads; 0: a one-step method. */
static inline int explicit_history(ali3_method method)
{
  return method == ALI3_METHOD_AB4 ? 3 : method == ALI3_METHOD_ABM8 ? EXPLICIT_HISTORY : 0;
}
/* Evaluations, and factorisations, of an inner step; of Adams methods: once they have their history. */
static inline int explicit_evaluations(ali3_method method)
{
  switch (method) {
  case ALI3_METHOD_AB4:
    return 1;
  case ALI3_METHOD_ABM8:
    return 2;
  case ALI3_METHOD_DP5:
    return 6;
  case ALI3_METHOD_DP8:
    return 13;
  default:
    return 4;
  }
}
static inline int explicit_factorisations(ali3_method method)
{
  return method == ALI3_METHOD_ABM8 ? 1 : explicit_evaluations(method);
}
/* q'' at the end of a step comes from the multipliers of the last stage. */
static inline bool explicit_keeps_stage(ali3_method method)
{
  return method == ALI3_METHOD_DP5 || method == ALI3_METHOD_DP8;
}
/* Solves for q'' in a stage. The first one leaves the change of the multipliers times the compliance of the rows. This error
 * falls with the square of the step, and is larger than that of dp8. */
static inline int explicit_solves(ali3_method method)
{
  return method == ALI3_METHOD_DP8 ? 2 : 1;
}
/* Number of states that a method keeps: starts of earlier steps, and stages of rk4, dp5 or dp8. */
static inline int explicit_kept(ali3_method method)
{
  if (method == ALI3_METHOD_DP8) return 12;
  return explicit_history(method) + (method == ALI3_METHOD_DP5 || method == ALI3_METHOD_ABM8 ? 5 : 3);
}
/* Numbers of a state that a method keeps. */
static inline size_t explicit_numbers(const ali3_model *m)
{
  return data_is_jointed(m) ? limbs_numbers(m->frozen->limbs) : X_NUMBERS * (size_t)m->frozen->tree->slots;
}
/* Factors at the start of the step, if the last step did not leave them. False: a pivot is not positive. */
bool explicit_prepare(const ali3_model *m, ali3_data *d);
/* Takes explicit_prepare() back, which has changed no state. */
void explicit_unprepare(ali3_data *d);
/* Steps from the time `after` the start of the step over d->rule.dt. targets: a command of drives has arrived. *increment:
 * the largest change by the projection of the positions. Returns ALI3_OK, ALI3_E_SINGULAR or ALI3_E_DIVERGED. */
int explicit_step(const ali3_model *m, ali3_data *d, double after, bool targets, double *increment);
/* Factors of states.base, after a load. The caller computes the frames of the state afterwards. */
void explicit_factorise_again(const ali3_model *m, ali3_data *d);
/* After a step that failed. explicit_leave: d->last is the start as the step before left it. explicit_restore: after the state
 * has been restored, its factors and frames. */
void explicit_leave(ali3_data *d);
void explicit_restore(const ali3_model *m, ali3_data *d);

/* --- jointed.c: the parts of an inner step that differ in joint coordinates, where frozen.limbs is set --- */

/* After the block has been laid out: the constant numbers. */
void jointed_begin(const ali3_model *m, ali3_data *d);
/* The state in joint coordinates, from the bodies. */
void jointed_from_bodies(const ali3_model *m, ali3_data *d);
/* The sum of states.term, and the joint angles there. */
void jointed_advance(const ali3_model *m, ali3_data *d);
/* Inertias, rows of closures and their factors at the state. False: a pivot is not positive. */
bool jointed_factorise(const ali3_model *m, ali3_data *d);
/* x'' and the multipliers of the closures at the state. stage: at an end of a step, the multipliers of the last stage; see
 * find_reactions() of explicit.c. NULL: at a stage. */
void jointed_accelerations(const ali3_model *m, ali3_data *d, double *stage);
/* Largest difference of x'' between the state and another one. */
double jointed_change(const ali3_model *m, const ali3_data *d, const double *other);
/* Largest |p'|^2 of a body at the start of the inner step. */
double jointed_fastest2(const ali3_model *m, const ali3_data *d);
/* Positions and velocities on the constraints, at the end of an inner step; factors there. False: a pivot is not positive. */
bool jointed_project(const ali3_model *m, ali3_data *d, double *increment);
/* After jointed_accelerations(): the bodies, and unless the inner step is an intermediate one their reactions and residuals.
 * Returns the largest part of the motion that the step has not followed, m or rad. */
double jointed_end(const ali3_model *m, ali3_data *d);
/* See project_doubt(). */
double jointed_doubt(const ali3_model *m, ali3_data *d);

#endif
