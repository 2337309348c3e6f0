/* SPDX-License-Identifier: MIT
 * Inverse kinematics of a 6-6 platform with legs that change their length or with rotary cranks: the legs at a pose, and the
 * distance of the pose from their limits.
 *
 * Leg: L_i = |p + (0,0,height) + R a_i - b_i|, dL_i/dt = u_i . (v + w x R a_i), with its direction u_i. Crank: the angle at which
 * the distance of its tip from the joint of the platform is the length of the rod. Two angles satisfy this; the crank keeps the
 * branch that it has at neutral.
 *
 * The angle of a joint is the angle between the present direction of its leg or rod and the direction at neutral, seen from the
 * base (for a rod: from its crank) and from the platform. */
#ifndef HEXAPOD_HEXAPOD_H
#define HEXAPOD_HEXAPOD_H

#include "hexapod/types.h"

#include <stddef.h>

struct hexapod {
  struct platform_geometry geometry;
  /* At the neutral pose. */
  double neutral[PLATFORM_LEGS]; /* legs, m or rad */
  /* Directions of the legs or rods: base_axis in the frame of the base or crank, top_axis in the frame of the platform. */
  double base_axis[3][PLATFORM_LEGS], top_axis[3][PLATFORM_LEGS];
  double determinant; /* of the Jacobian */

  /* private: by component, as the solver reads them. base: from the origin of the platform's frame at neutral. */
  double base[3][PLATFORM_LEGS], top[3][PLATFORM_LEGS];
  double ahead[2][PLATFORM_LEGS]; /* cosine and sine of crank_heading */
  double branch[PLATFORM_LEGS];   /* 1 or -1 for each crank */
  double joint_cosine;            /* cosine of joint_max */
  double reach;                   /* m, largest distance of a joint of the platform from its origin */
  /* 1/m: largest change of joint_cosine and margin per distance that a joint of the platform moves; legs only */
  double cosine_slope, margin_slope;
};

struct hexapod_state {
  double leg[PLATFORM_LEGS], rate[PLATFORM_LEGS]; /* m or rad, per s */
  double joint_cosine;                            /* cosine of the largest angle of a joint from neutral */
  double margin; /* determinant of the Jacobian, relative to its value at neutral */
};

/* Set-up. False, with the reason in error, if two joints of a side are in one place, or if neutral is out of reach, outside the
 * limits or singular. */
bool hexapod_init(struct hexapod *h, const struct platform_geometry *g, char *error, size_t size);

/* RT. Legs at pose p with velocity v (NULL: at rest). False if a rod does not reach; s is not valid then. */
bool hexapod_solve(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_state *s);

/* RT. Legs at pose p, and by how much each changes if the pose moves along x, y, z without turning: 1, or rad/m. False if a rod
 * does not reach; nothing is valid then. */
bool hexapod_slopes(const struct hexapod *h, const double p[PLATFORM_DOF], double leg[PLATFORM_LEGS],
                    double slope[3][PLATFORM_LEGS]);

/* RT. True within the limits of legs, rates, joints and margin. spare: distance to keep from the limits, relative to the ranges
 * of legs and joints and to the margin. */
bool hexapod_within(const struct hexapod *h, const struct hexapod_state *s, double spare);

/* A region in which joints and margin are within their limits: no joint of the platform is farther than `clearance` from its
 * place at pose p. With a clearance of 0 or less nothing is known. */
struct hexapod_known {
  double p[PLATFORM_DOF], clearance;
};
/* RT. Fills the region from the solution at p, for the limits and `spare`. clearance: a lower bound; 0 for cranks. */
void hexapod_know(const struct hexapod *h, const double p[PLATFORM_DOF], const struct hexapod_state *s,
                  double spare, struct hexapod_known *known);

/* RT. True if a pose is within the limits, with `spare` as above. clearance: a lower bound of the distance in any direction
 * within which all limits hold, in m as hexapod_travel() measures it; 0 if none is known, as for cranks. */
bool hexapod_reach(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   double spare, const struct hexapod_known *known, double *clearance);

/* Set-up. Writes why a solution is not well within the limits. Returns false. */
bool hexapod_explain(const struct hexapod *h, const struct hexapod_state *s, char *error, size_t size);

/* RT. Upper bound of the distance that a joint of the platform moves if the pose changes by these numbers; also per s. */
double hexapod_travel(const struct hexapod *h, const double change[PLATFORM_DOF]);

#endif
