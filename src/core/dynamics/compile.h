/* SPDX-License-Identifier: MIT
 * Set-up: interface between compile.c and compile_force.c. */
#ifndef DYNAMICS_COMPILE_H
#define DYNAMICS_COMPILE_H

#include "dynamics/rows.h"

/* Appends a primitive. */
void rows_add(struct joint_rows *j, enum primitive_kind kind, const double *u, const double *v);

/* Poses of the bodies of a link in the model, and d = P_b - P_a. */
struct rows_start {
  struct body_state x[2];
  struct body_frame f[2];
  double d[3];
};
void rows_start_at(const ali3_model *m, const int body[2], const double (*point)[3], struct rows_start *s);

#endif
