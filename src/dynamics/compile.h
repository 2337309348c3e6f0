/* SPDX-License-Identifier: MIT
 * Set-up: what compile.c and compile_force.c share. */
#ifndef DYNAMICS_COMPILE_H
#define DYNAMICS_COMPILE_H

#include "dynamics/rows.h"

/* One more primitive. */
void rows_add(struct joint_rows *j, enum primitive_kind kind, const double *u, const double *v);

/* Where a link stands at the start: its bodies, and d = P_b - P_a. */
struct rows_start {
  struct body_state x[2];
  struct body_frame f[2];
  double d[3];
};
void rows_start_at(const ali3_model *m, const int body[2], const double (*point)[3], struct rows_start *s);

#endif
