/* SPDX-License-Identifier: MIT
 * The laws of a soft link at a point: its forces and their slopes. States of forces stay. Set-up. */
#ifndef LINEAR_POINT_PARTS_H
#define LINEAR_POINT_PARTS_H

#include "linear/point.h"

/* Multipliers of the rows at a state. */
void point_law_forces(const struct point *p, int link, const struct link_state *s, double *lambda);
/* Slopes of row k by Phi and Phi' of row i. */
void point_law_slopes(const struct point *p, const struct link_state *s, const double *lambda,
                      double (*stiff)[ROWS_MAX], double (*damp)[ROWS_MAX]);

#endif
