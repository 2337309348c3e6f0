/* SPDX-License-Identifier: MIT
 * Projections onto the constraints. They need Phi, J and the factors. RT. */
#ifndef STEPPER_PROJECT_H
#define STEPPER_PROJECT_H

#include "stepper/data.h"

/* One step towards Phi = 0, which leaves the frames, but not Phi and J, at the new state; returns the largest part of the
 * change. */
double project_position(const ali3_model *m, ali3_data *d);
void project_velocity(const ali3_model *m, ali3_data *d);
void project_velocity_twice(const ali3_model *m, ali3_data *d);
void project_acceleration(const ali3_model *m, ali3_data *d);
/* The acceleration after q'' was made anew from the balance of forces at q, q' and lambda. */
void project_balance(const ali3_model *m, ali3_data *d);
/* Right after project_acceleration(); lambda: the multipliers that went with the accelerations before. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda);
/* The residuals of a state that does not come from these projections. */
void project_residuals(const ali3_model *m, ali3_data *d);
/* Residual norms, into the report. */
void project_norms(const ali3_model *m, ali3_data *d);
/* After project_norms(): whether these, reactions, lengths and gaps are numbers. NaN or infinity stays in a sum. */
bool project_finite(const ali3_model *m, const ali3_data *d);

#endif
