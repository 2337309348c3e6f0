/* SPDX-License-Identifier: MIT
 * Between the files of the hexapod: hexapod.c (RT) and hexapod_setup.c. */
#ifndef PLATFORM_HEXAPOD_PARTS_H
#define PLATFORM_HEXAPOD_PARTS_H

#include "platform/hexapod.h"

/* What all of it is computed from at a pose; hexapod_state is made of these. */
struct hexapod_parts {
  double jacobian[PLATFORM_DOF][PLATFORM_LEGS]; /* a column for each leg or rod: u, R a x u; base axes */
  double base[3][PLATFORM_LEGS], top[3][PLATFORM_LEGS]; /* u, as hexapod.base_axis and top_axis */
  double transmission[PLATFORM_LEGS]; /* of the speed of a crank's tip, the part along the rod; of a leg 1 */
};

/* False if a rod does not reach. */
bool hexapod_parts(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_parts *parts, struct hexapod_state *s);

/* Of the Jacobian, the columns of cranks times their transmission, so that a crank in line with its rod
 * counts. */
double hexapod_determinant(double M[PLATFORM_DOF][PLATFORM_LEGS]);

#endif
