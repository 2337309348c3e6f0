/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "platform/tilt.h"

#include <math.h>

/* Fraction of the acceleration that the approach uses; the rest is for the motion of the wanted angle. */
#define PURSUIT 0.75

static double clamp_between(double x, double low, double high)
{
  return fmax(low, fmin(high, x));
}

/* Velocity u at the end of a cycle from which braking at `acc` ends exactly at the goal. A cycle of constant acceleration from v
 * to u covers (v + u) T/2, and braking from u covers u^2/(2 acc). way: the distance to the goal less v T/2. */
static double stopping_velocity(double way, double acc, double period)
{
  const double half = 0.5 * acc * period;
  return copysign(sqrt(half * half + 2.0 * acc * fabs(way)) - half, way);
}

/* True if a motion within the limits leads to position p and velocity v in one cycle, and can then stop before the largest angle.
 * For a given change of velocity, motions with one switch between the extreme accelerations reach farthest. */
static bool can_reach_aim(const struct tilt *t, const struct tilt_limits *l, double p, double v,
                          double period)
{
  const double most = l->acc * period, change = v - t->v, way = p - t->p;
  if (fabs(v) > l->rate || fabs(way) > l->rate * period || fabs(change) > most) return false;
  const double bow = fabs(way - 0.5 * (t->v + v) * period), part = change / most;
  return bow <= 0.25 * most * period * (1.0 - part * part) &&
         v * v <= 2.0 * l->acc * (l->most - copysign(p, v * p));
}

/* Velocity for the end of the cycle. The wanted angle may move faster than the limits allow. */
static double pursue_aim(const struct tilt *t, const struct tilt_limits *l, const double wanted[3],
                         double period)
{
  const double along = clamp_between(wanted[1], -l->rate, l->rate), now = t->p + 0.5 * period * t->v;
  double v = along + stopping_velocity(wanted[0] - now - 0.5 * period * along, PURSUIT * l->acc, period);
  v = clamp_between(v, stopping_velocity(-l->most - now, l->acc, period),
                    stopping_velocity(l->most - now, l->acc, period));
  v = clamp_between(v, -l->rate, l->rate);
  return clamp_between(v, t->v - l->acc * period, t->v + l->acc * period);
}

void tilt_step(struct tilt *t, const struct tilt_limits *limits, const double wanted[3], double period)
{
  /* Clamp the wanted angle. */
  const double most = limits->most;
  double aim[3] = {wanted[0], wanted[1], wanted[2]};
  t->angle_limited = fabs(aim[0]) > most;
  if (t->angle_limited) {
    aim[0] = copysign(most, aim[0]);
    aim[1] = aim[2] = 0.0;
  }
  /* Take it, if the limits allow that within this cycle. */
  t->rate_limited = !can_reach_aim(t, limits, aim[0], aim[1], period);
  if (!t->rate_limited) {
    t->p = aim[0];
    t->v = aim[1];
    t->a = clamp_between(aim[2], -limits->acc, limits->acc);
    return;
  }
  /* Else approach it as fast as the limits allow. */
  const double v = pursue_aim(t, limits, aim, period);
  t->a = (v - t->v) / period;
  const double p = t->p + 0.5 * (t->v + v) * period;
  const bool passes = fabs(p) > most && fabs(t->p) <= most; /* then it stops there within the cycle */
  t->p = passes ? copysign(most, p) : p;
  t->v = passes ? 0.0 : v;
}
