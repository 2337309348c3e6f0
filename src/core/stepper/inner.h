/* SPDX-License-Identifier: MIT
 * One step over d->rule.dt, in two parts. RT. */
#ifndef STEPPER_INNER_H
#define STEPPER_INNER_H

#include "kernels/data.h"

#include <string.h>

/* Limits of the verdict on a step: inner_iterate(), hold_reactions() of step.c, and copies.c, which judges runs side by side. */
#define INNER_WELL_BELOW 1e-2 /* the last increment, relative to the largest one before it */
#define INNER_FLOOR      1e-9 /* a smaller increment is rounding */
#define INNER_HARMLESS   1e-6 /* with corners of laws, a smaller increment is corrected by the next step */
#define INNER_FELT       2e-5 /* m, rad of one body in one step: a fast rotor loses 2 % of its energy in 10 s */
/* The mechanism may accelerate against its rows by this part of its accelerations; more is a sign of a singular position. */
#define INNER_SMALL 5e-5

/* The formulas of the model's method, and those of Newmark, with which a reset finds the initial state. */
void inner_rule(const ali3_model *m, double dt, struct rule *rule);
void inner_start_rule(const ali3_model *m, double dt, struct rule *rule);
/* Ends a reset: from the formulas of Newmark to those of the model's method. */
void inner_begin(const ali3_model *m, ali3_data *d);
/* Computes the prediction, its factors, and the first iteration if enough iterations remain. early: the inputs of the step
 * may not have arrived, and the inputs of the last step are used instead. False: a pivot is not positive. */
bool inner_prepare(const ali3_model *m, ali3_data *d, bool early);
/* Returns the norm of the last Newton increment; *status is ALI3_OK, ALI3_NOT_CONVERGED or ALI3_E_DIVERGED. */
double inner_iterate(const ali3_model *m, ali3_data *d, int *status);
/* Sets the targets of the drives at the time `after` the start of the step, and updates Phi. targets: a command has arrived. */
void inner_aim(const ali3_model *m, ali3_data *d, double after, bool targets);
/* Computes delta, and c of the rigid rows, for inner steps of dt seconds. */
void inner_step_length(const ali3_model *m, ali3_data *d, double dt);

/* Joint angles count turns by the rates of the inner step if a body turns fast. inner_turns_start: before bodies move;
 * inner_turns_end: at the end of the inner step. RT. */
static inline void inner_turns_start(const ali3_model *m, ali3_data *d)
{
  memcpy(d->turn_last, d->turn, (size_t)m->joints * sizeof *d->turn);
  atomic_store_explicit(&d->quick, false, memory_order_relaxed);
}

static inline bool inner_is_quick(const ali3_data *d)
{
  return atomic_load_explicit(&d->quick, memory_order_relaxed);
}

void inner_turns_end(const ali3_model *m, ali3_data *d);

#endif
