/* SPDX-License-Identifier: MIT
 * Inverse kinematics of a 6-6 platform, with legs that change their length or with rotary cranks: what the
 * legs do at a pose, and how near it is to where they cannot.
 *
 * A leg: L_i = |p + (0,0,height) + R a_i - b_i|, dL_i/dt = u_i . (v + w x R a_i), u_i its direction. A crank:
 * the angle at which its tip is one rod away from the joint of the platform; of two such angles that of the
 * branch it has at neutral.
 *
 * Angles of joints are those of the leg or rod against where it was at neutral: as seen from the base, of a
 * rod from its crank, and as seen from the platform. */
#ifndef PLATFORM_HEXAPOD_H
#define PLATFORM_HEXAPOD_H

#include "platform/types.h"

#include <stddef.h>

struct hexapod {
  struct platform_geometry geometry;
  /* of the neutral pose */
  double neutral[PLATFORM_LEGS]; /* legs, m or rad */
  double base_axis[3][PLATFORM_LEGS],
      top_axis[3]
              /* directions of the legs or rods; in the frames of base or crank and of the platform */
              [PLATFORM_LEGS];
  double determinant; /* of the Jacobian */

  /* private: by component, as the solver reads it */
  double base[3][PLATFORM_LEGS],
      top[3][PLATFORM_LEGS];      /* base as seen from the platform's frame at neutral */
  double ahead[2][PLATFORM_LEGS]; /* cosine and sine of crank_heading */
  double branch[PLATFORM_LEGS];   /* of a crank: 1 or -1 */
  double joint_cosine;            /* of joint_max */
  double reach;                   /* m, of the joint of the platform farthest from its origin */
  double cosine_slope,
      margin_slope; /* 1/m: most that these change while the joints of the platform move; legs only */
};

struct hexapod_state {
  double leg[PLATFORM_LEGS], rate[PLATFORM_LEGS]; /* m or rad, per s */
  double joint_cosine;                            /* of the largest angle of a joint from neutral */
  double margin; /* determinant of the Jacobian as a part of that at neutral */
};

/* Set-up. False if the geometry makes no sense: no two joints of a side in one place, neutral reachable and
 * within the limits, not singular. Says which and why. */
bool hexapod_init(struct hexapod *h, const struct platform_geometry *g, char *error, size_t size);

/* RT. What the legs do at pose p, and with velocity v (NULL: at rest). False if a rod does not reach; s is
 * then not to be used. */
bool hexapod_solve(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_state *s);

/* RT. Within the limits of legs, rates, joints and margin; spare: part of the ranges of legs and joints, and
 * of the margin, by which to stay off their ends. */
bool hexapod_within(const struct hexapod *h, const struct hexapod_state *s, double spare);

/* Where joints and margin are known to be within their limits: as long as no joint of the platform is farther
 * than `clearance` from where it is at pose p. A clearance of 0 or less: nowhere. */
struct hexapod_known {
  double p[PLATFORM_DOF], clearance;
};
/* RT. From the solution at p, within the limits and `spare`; clearance: a lower bound, 0 of cranks. */
void hexapod_know(const struct hexapod *h, const double p[PLATFORM_DOF], const struct hexapod_state *s,
                  double spare, struct hexapod_known *known);

/* RT. Whether a pose is within the limits, with `spare` as above, and how far from there all of them are
 * kept: in m as hexapod_travel() counts it, whatever the way: a lower bound, 0 where none is known, as of
 * cranks. */
bool hexapod_reach(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   double spare, const struct hexapod_known *known, double *clearance);

/* Set-up. Why a solution is not well within the limits; false. */
bool hexapod_explain(const struct hexapod *h, const struct hexapod_state *s, char *error, size_t size);

/* RT. An upper bound of what a joint of the platform moves by when the pose changes by these numbers; also
 * per s. */
double hexapod_travel(const struct hexapod *h, const double change[PLATFORM_DOF]);

#endif
