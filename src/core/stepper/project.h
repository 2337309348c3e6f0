/* SPDX-License-Identifier: MIT
 * Projections onto the constraints. They need Phi, J and the factors. RT. */
#ifndef STEPPER_PROJECT_H
#define STEPPER_PROJECT_H

#include "kernels/data.h"

/* One step towards Phi = 0. It updates the frames to the new state, but not Phi and J. Returns the largest component of the
 * change. */
double project_position(const ali3_model *m, ali3_data *d);
/* project_position() of those copies that have an open row: at least `limit`. False: there is none. */
bool project_position_by_copy(const ali3_model *m, ali3_data *d, double limit);
void project_velocity(const ali3_model *m, ali3_data *d);
void project_velocity_twice(const ali3_model *m, ali3_data *d);
void project_acceleration(const ali3_model *m, ali3_data *d);
/* Soft rows with rigid_now resist the change of their acceleration from `before` (rows): J q'' + bias. Set-up only. */
void project_acceleration_after(const ali3_model *m, ali3_data *d, const double *before);
void project_end_acceleration(const ali3_model *m, ali3_data *d); /* before project_reactions() */
/* The acceleration, with q'' recomputed from the balance of forces at q, q' and lambda. project_balance: with the law forces
 * of soft rows; project_forces: with the present lambda. */
void project_balance(const ali3_model *m, ali3_data *d);
void project_forces(const ali3_model *m, ali3_data *d);
/* Follows project_end_acceleration() or project_balance() immediately. lambda: the multipliers of the accelerations before the
 * projection. With redundant rows the reactions have no part that loads no body, and now.lambda may become the reactions. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda);
/* Takes the part of the multipliers that loads no body out of them, by one or two solves. It overwrites z and w. */
void project_unfelt(const ali3_model *m, ali3_data *d, double *lambda, int solves);
/* How far the reactions may be from those that leave no accelerations across the rigid rows: the sum of what further solves would
 * change, as a geometric series that the first two begin. Near a singular position it converges slowly. INFINITY: it does not
 * converge. It overwrites z and w. */
double project_doubt(const ali3_model *m, ali3_data *d);
/* The residuals of a state that these projections did not compute. */
void project_residuals(const ali3_model *m, ali3_data *d);
/* Writes the residual norms into the report. */
void project_norms(const ali3_model *m, ali3_data *d);
/* After project_norms(): whether the norms, reactions, lengths and gaps are finite. NaN or infinity persists in a sum. */
bool project_finite(const ali3_model *m, const ali3_data *d);

#endif
