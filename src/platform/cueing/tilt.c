/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "cueing/tilt.h"

#include "envelope/axis.h"

#include <math.h>

#define BEHIND 1e-4 /* rad: a larger distance from the wanted angle counts as limited */

/* Jerk towards the aim. It is at most the one that leads to rest at the upper end, and at least the one that leads to rest at the
 * lower end, so the angle passes neither. */
static double jerk_to_aim(const struct axis *x, const struct axis_state *now, const struct axis_state *aim,
                          double most)
{
  const struct axis_state upper = {most, 0.0, 0.0}, lower = {-most, 0.0, 0.0};
  const double up = axis_follow(x, now, &upper), down = axis_follow(x, now, &lower);
  return fmax(down, fmin(up, axis_follow(x, now, aim)));
}

void tilt_step(struct tilt *t, const struct tilt_limits *limits, const double wanted[3], double period)
{
  const double most = limits->most;
  struct axis_state now = {t->p, t->v, t->a}, aim = {wanted[0], wanted[1], wanted[2]};
  struct axis x;
  /* Clamp the wanted motion: axis_follow() expects a target that its limits allow. */
  t->angle_limited = fabs(aim.p) > most;
  if (t->angle_limited) aim = (struct axis_state){copysign(most, aim.p), 0.0, 0.0};
  aim.v = axis_clamp(aim.v, -limits->rate, limits->rate);
  aim.a = axis_clamp(aim.a, -limits->acc, limits->acc);
  /* Follow it. */
  axis_set(&x, limits->rate, limits->acc, limits->jerk, period);
  axis_advance(&x, jerk_to_aim(&x, &now, &aim, most), &now);
  t->p = now.p;
  t->v = now.v;
  t->a = now.a;
  t->rate_limited = fabs(aim.p - now.p) > BEHIND;
}
