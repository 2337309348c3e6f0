/* SPDX-License-Identifier: MIT
 * The laws of one coordinate. RT. */
#include "envelope/axis.h"

#include <math.h>

/* Fractions of the limits that the law of an approach uses; the rest is for reaching that law. */
static const double APPROACH_ACCELERATION = 0.7, APPROACH_JERK = 0.5;
static const double MOST_GAIN = 0.4; /* of an error of position, per cycle */
static const double NEAR = 1e-12;    /* m or rad: the distance counts as 0 */

void axis_set(struct axis *x, double velocity, double acceleration, double jerk, double period)
{
  const double gain = APPROACH_JERK * jerk / (APPROACH_ACCELERATION * acceleration),
               most = MOST_GAIN / period;
  *x = (struct axis){.period = period, .velocity = velocity, .acceleration = acceleration, .jerk = jerk};
  x->step = jerk * period;
  x->gain = gain < most ? gain : most;
  x->deceleration = APPROACH_ACCELERATION * acceleration;
  x->knee = x->deceleration / (x->gain * x->gain);
  x->approach = (1.0 - APPROACH_JERK) * x->step;
}

/* Velocity that closes a distance, and its derivative by the distance. */
static double approach_velocity(const struct axis *x, double distance, double *slope)
{
  const double far = fabs(distance);
  *slope = x->gain;
  if (far <= x->knee) return far <= NEAR ? 0.0 : x->gain * distance;
  const double v = sqrt(2.0 * x->deceleration * (far - 0.5 * x->knee));
  *slope = x->deceleration / v;
  return copysign(v, distance);
}

/* w = v - (wanted velocity) and b = a - (its derivative) are linear in the jerk; at the end of the cycle w + S(b) = 0. */
double axis_follow(const struct axis *x, const struct axis_state *now, const struct axis_state *target)
{
  const double T = x->period, v = now->v + now->a * T; /* for jerk 0, as are p, w and b */
  const double p = now->p + (now->v + 0.5 * now->a * T) * T;
  double slope;
  /* Find the jerk that leads to w + S(b) = 0. */
  const double w = v - target->v - approach_velocity(x, target->p - p, &slope);
  const double b = now->a - target->a - slope * (target->v - v);
  const double b_of_jerk = T * (1.0 + slope * T / 2.0),
               ratio = 0.5 * (1.0 + slope * T / 3.0) / (1.0 + slope * T / 2.0);
  const double wanted = axis_settle(w - ratio * T * b, ratio, x->approach, T);
  const double jerk =
      axis_jerk_to(now->a, now->a + (wanted - b) / b_of_jerk * T, x->acceleration, x->step, T);

  /* Keep the limit of velocity, also while the acceleration returns to zero. */
  const double most = v + 0.5 * jerk * T * T + axis_release(x, now->a + jerk * T);
  if (most > x->velocity) return axis_brake(x, now->v - x->velocity, now->a);
  if (most < -x->velocity) return axis_brake(x, now->v + x->velocity, now->a);
  return jerk;
}
