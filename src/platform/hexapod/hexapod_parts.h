/* SPDX-License-Identifier: MIT
 * Interface between hexapod.c (RT) and hexapod_setup.c. */
#ifndef HEXAPOD_HEXAPOD_PARTS_H
#define HEXAPOD_HEXAPOD_PARTS_H

#include "hexapod/hexapod.h"

/* Intermediate results at a pose, from which hexapod_state is computed. */
struct hexapod_parts {
  double jacobian[PLATFORM_DOF][PLATFORM_LEGS]; /* a column for each leg or rod: u, R a x u; base axes */
  double base[3][PLATFORM_LEGS],
      top[3][PLATFORM_LEGS]; /* u in the frames of hexapod.base_axis and top_axis */
  /* The component along the rod of the speed of a crank's tip, relative to that speed; 1 for a leg. */
  double transmission[PLATFORM_LEGS];
};

/* False if a rod does not reach. */
bool hexapod_parts(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_parts *parts, struct hexapod_state *s);

/* Determinant of the Jacobian. Columns of cranks are multiplied by their transmission, so that a crank in line with its rod is
 * singular. */
double hexapod_determinant(double M[PLATFORM_DOF][PLATFORM_LEGS]);

#endif
