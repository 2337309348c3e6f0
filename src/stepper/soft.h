/* SPDX-License-Identifier: MIT
 * Soft rows, from the start of an inner step to its end. RT. */
#ifndef STEPPER_SOFT_H
#define STEPPER_SOFT_H

#include "stepper/data.h"

/* Phi' at the state. */
void soft_rates(const ali3_model *m, ali3_data *d);
/* Saves Phi and Phi' at the start of an inner step. */
void soft_start(const ali3_model *m, ali3_data *d);
/* Law, and compliance in the step. iteration 0: at the prediction. */
void soft_laws(const ali3_model *m, ali3_data *d, int iteration);
/* After the iterations: multipliers and accelerations of laws that jump, as they are at the end of the step. */
void soft_settle(const ali3_model *m, ali3_data *d);
/* Rows that neither are rigid now nor hold a carried body take no part in what is solved next. */
void soft_open(const ali3_model *m, ali3_data *d);
/* After the projection of the accelerations: the multipliers that go with them, of rows that are rigid now. */
void soft_hold(const ali3_model *m, ali3_data *d);
/* Into now.lambda: what the laws of all soft rows ask for, as they stand and move; rigid and stiff rows keep theirs. */
void soft_end_loads(const ali3_model *m, ali3_data *d);
/* Into now.lambda, after soft_rates(): the forces of laws that jump of one link, as it stands and moves. */
void soft_end(ali3_data *d, const struct joint_rows *j);

#endif
