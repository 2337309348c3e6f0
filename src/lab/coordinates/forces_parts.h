/* SPDX-License-Identifier: MIT
 * A link as the laws of the core see it, for forces.c and forces_mean.c. */
#ifndef COORDINATES_FORCES_PARTS_H
#define COORDINATES_FORCES_PARTS_H

#include "coordinates/forces.h"
#include "dynamics/rows.h"

/* States and frames of the bodies of link j, and the turns of its joints. turn: (joints) rad */
void force_view_set(const struct mover *at, const double *turn, const struct joint_rows *j,
                    struct joint_view *view, struct body_state x[ROWS_SIDES],
                    struct body_frame f[ROWS_SIDES]);

#endif
