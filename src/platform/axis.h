/* SPDX-License-Identifier: MIT
 * One coordinate that moves with constant jerk from one cycle to the next, within limits of velocity, acceleration and jerk.
 * RT, but for axis_set, which is for whenever limits change.
 *
 * Everything rests on one function of the acceleration: by how much the velocity still changes while the acceleration is let
 * go to zero at the greatest jerk, the last of the cycles taking what is left. Over cycles T and with q = J T, |a| = (n + f) q:
 *
 *   S(a) = sign(a) q T (n^2/2 + (n + 1/2) f)
 *
 * It is continuous, increasing and piecewise linear; v + S(a) stays the same while the acceleration is let go. So the jerk that
 * puts v + S(a) at a wanted value by the end of a cycle has a closed form, and what follows is a ramp that ends there exactly. */
#ifndef PLATFORM_AXIS_H
#define PLATFORM_AXIS_H

#include <stdbool.h>

struct axis_state {
  double p, v, a;
};

/* Limits, and what the laws make of them. */
struct axis {
  double period, velocity, acceleration, jerk;
  double step;         /* q: by which the acceleration can change in a cycle */
  double gain;         /* 1/s, of an error of position near zero */
  double deceleration; /* with which a target is approached from afar */
  double knee;         /* error of position between the two */
  double approach;     /* q of the jerk that is left beside theirs */
};

void axis_set(struct axis *x, double velocity, double acceleration, double jerk, double period);

/* S(a). */
double axis_release(const struct axis *x, double a);

/* Jerk of this cycle that brings v and a to rest, as fast as the limits allow. A function of v and a alone, so the stop from
 * the next state is the rest of the stop from this one, to the bit; v turns round only where it cannot but do so. What is beyond
 * a limit comes back at once. */
double axis_brake(const struct axis *x, double v, double a);

/* Jerk of this cycle that follows a target (its state at the end of the cycle). The velocity wanted is that of the target and one
 * that decays with the distance, exponentially or with a constant deceleration; v - that goes to zero as in axis_brake. */
double axis_follow(const struct axis *x, const struct axis_state *now, const struct axis_state *target);

/* The state a cycle later. What is zero but for rounding becomes zero. */
void axis_advance(const struct axis *x, double jerk, struct axis_state *s);

#endif
