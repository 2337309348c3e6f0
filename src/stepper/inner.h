/* SPDX-License-Identifier: MIT
 * One step over d->rule.dt, in two parts. RT. */
#ifndef STEPPER_INNER_H
#define STEPPER_INNER_H

#include "stepper/data.h"

void inner_rule(const ali3_model *m, double dt, struct rule *rule);
/* The prediction, its factors, and the first iteration if enough others remain. early: the inputs of the step may not have come,
 * and those of the step before serve instead. False: a pivot is not positive. */
bool inner_prepare(const ali3_model *m, ali3_data *d, bool early);
/* The norm of the last Newton increment; ALI3_OK, ALI3_NOT_CONVERGED or ALI3_E_DIVERGED in *status. */
double inner_iterate(const ali3_model *m, ali3_data *d, int *status);
/* Lets the drives aim at the time `after` the start of the step; Phi follows. targets: a command has arrived. */
void inner_aim(const ali3_model *m, ali3_data *d, double after, bool targets);
/* Makes delta, and c of the rigid rows, right for inner steps of dt seconds. */
void inner_step_length(const ali3_model *m, ali3_data *d, double dt);

#endif
