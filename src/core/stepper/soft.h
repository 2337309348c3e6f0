/* SPDX-License-Identifier: MIT
 * Soft rows, from the start of an inner step to its end. RT. */
#ifndef STEPPER_SOFT_H
#define STEPPER_SOFT_H

#include "kernels/data.h"

/* Phi' at the state. */
void soft_rates(const ali3_model *m, ali3_data *d);
/* Saves Phi and Phi' at the start of an inner step. */
void soft_start(const ali3_model *m, ali3_data *d);
/* Law and compliance of each soft row in the step. iteration 0: at the prediction. */
void soft_laws(const ali3_model *m, ali3_data *d, int iteration);
/* Writes the states of forces at the end of the inner step into now.own, at the position of the bodies. Notes a corner that
 * the step crossed. */
void soft_advance(const ali3_model *m, ali3_data *d);
/* After the iterations: sets multipliers and accelerations of discontinuous laws to their values at the end of the step. */
void soft_settle(const ali3_model *m, ali3_data *d);
/* Excludes rows from the next solve that are not rigid now and hold no carried body. */
void soft_open(const ali3_model *m, ali3_data *d);
/* After the projection of the accelerations: sets its multipliers for the rows that are rigid now. */
void soft_hold(const ali3_model *m, ali3_data *d);
/* Writes the law forces of all soft rows at the state into now.lambda. Rigid and stiff rows keep their multipliers. */
void soft_end_loads(const ali3_model *m, ali3_data *d);
/* Writes the forces of the laws of all soft rows at the state into now.lambda, for explicit methods. */
void soft_forces(const ali3_model *m, ali3_data *d);
/* The first force whose law is so steep at the state that the explicit method amplifies its mode: *longest is the step it takes,
 * s. -1: none. */
int soft_find_unstable(const ali3_model *m, ali3_data *d, double *longest);
/* After soft_rates(): writes the forces of one link's discontinuous laws at the state into now.lambda. */
void soft_end(const ali3_model *m, ali3_data *d, const struct joint_rows *j);

#endif
