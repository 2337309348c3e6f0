/* SPDX-License-Identifier: MIT
 * Inverse kinematics of a 6-6 platform, with legs that change their length or with rotary cranks: what the legs do at a pose,
 * and how near it is to where they cannot.
 *
 * A leg: L_i = |p + (0,0,height) + R a_i - b_i|, dL_i/dt = u_i . (v + w x R a_i), u_i its direction. A crank: the angle at
 * which its tip is one rod away from the joint of the platform. */
#ifndef PLATFORM_HEXAPOD_H
#define PLATFORM_HEXAPOD_H

#include "platform/types.h"

#include <stddef.h>

struct hexapod {
  struct platform_geometry geometry;
  /* of the neutral pose */
  double neutral[PLATFORM_LEGS]; /* legs, m or rad */
  double base_axis[PLATFORM_LEGS][3],
      top_axis[PLATFORM_LEGS][3]; /* directions of the legs or rods; base and platform frame */
  double determinant;             /* of the Jacobian */
};

struct hexapod_state {
  double leg[PLATFORM_LEGS], rate[PLATFORM_LEGS]; /* m or rad, per s */
  double joint_cosine;                            /* of the largest angle of a joint from neutral */
  double margin; /* determinant of the Jacobian as a part of that at neutral */
};

/* Set-up. False if the geometry makes no sense: no two joints of a side in one place, neutral reachable and within the limits,
 * not singular. Says which and why. */
bool hexapod_init(struct hexapod *h, const struct platform_geometry *g, char *error, size_t size);

/* RT. What the legs do at pose p, and with velocity v (NULL: at rest). False if a rod does not reach; s is then not to be used. */
bool hexapod_solve(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_state *s);

/* RT. Within the limits of legs, rates, joints and margin; slack: m or rad by which legs have to stay off their ends. */
bool hexapod_within(const struct hexapod *h, const struct hexapod_state *s, double slack);

#endif
