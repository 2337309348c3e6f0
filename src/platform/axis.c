/* SPDX-License-Identifier: MIT
 * The laws of one coordinate. RT code. */
#include "platform/axis.h"

#include <math.h>

/* Parts of the limits that an approach makes use of; the rest is for getting there. */
static const double APPROACH_ACCELERATION = 0.7, APPROACH_JERK = 0.5;
static const double MOST_GAIN = 0.4;  /* of an error of position, per cycle */
static const double ROUNDING = 1e-13; /* of what jerk makes of a cycle */
static const double NEAR = 1e-12;     /* m or rad: as good as there */

static double clamp(double x, double least, double most)
{
  return x < least ? least : x > most ? most : x;
}

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

double axis_release(const struct axis *x, double a)
{
  const double cycles = fabs(a) / x->step, n = (double)(long)cycles;
  return copysign(x->step * x->period * (0.5 * n * n + (n + 0.5) * (cycles - n)), a);
}

/* The a at which w + ratio T a + S(a) = 0, S with steps of q: with |a| = (n + f) q,
 * n^2/2 + ratio n + (n + 1/2 + ratio) f = |w| / (q T). */
static double settle(double w, double ratio, double q, double period)
{
  const double y = fabs(w) / (q * period), n = (double)(long)(sqrt(ratio * ratio + 2.0 * y) - ratio);
  const double f = (y - n * (0.5 * n + ratio)) / (n + 0.5 + ratio);
  return copysign(q * (n + f), -w);
}

/* Towards the acceleration wanted at the end of the cycle. */
static double jerk_to(const struct axis *x, double a, double wanted)
{
  const double within = clamp(wanted, -x->acceleration, x->acceleration);
  return (clamp(within, a - x->step, a + x->step) - a) / x->period;
}

/* At the end v + (a + a') T/2 + S(a') = 0. */
double axis_brake(const struct axis *x, double v, double a)
{
  return jerk_to(x, a, settle(v + 0.5 * a * x->period, 0.5, x->step, x->period));
}

/* Velocity at which to make up for a distance, and its derivative. */
static double approach(const struct axis *x, double distance, double *slope)
{
  const double far = fabs(distance);
  *slope = x->gain;
  if (far <= x->knee) return far <= NEAR ? 0.0 : x->gain * distance;
  const double v = sqrt(2.0 * x->deceleration * (far - 0.5 * x->knee));
  *slope = x->deceleration / v;
  return copysign(v, distance);
}

/* With w = v - (that wanted) and b = a - (its derivative), both linear in the jerk, w + S(b) = 0 at the end of the cycle. */
double axis_follow(const struct axis *x, const struct axis_state *now, const struct axis_state *target)
{
  const double T = x->period, v = now->v + now->a * T; /* with no jerk, as p and w and b */
  const double p = now->p + (now->v + 0.5 * now->a * T) * T;
  double slope;
  const double w = v - target->v - approach(x, target->p - p, &slope);
  const double b = now->a - target->a - slope * (target->v - v);
  const double b_of_jerk = T * (1.0 + slope * T / 2.0),
               ratio = 0.5 * (1.0 + slope * T / 3.0) / (1.0 + slope * T / 2.0);
  const double wanted = settle(w - ratio * T * b, ratio, x->approach, T);
  const double jerk = jerk_to(x, now->a, now->a + (wanted - b) / b_of_jerk * T);

  const double most = v + 0.5 * jerk * T * T + axis_release(x, now->a + jerk * T);
  if (most > x->velocity) return axis_brake(x, now->v - x->velocity, now->a);
  if (most < -x->velocity) return axis_brake(x, now->v + x->velocity, now->a);
  return jerk;
}

void axis_advance(const struct axis *x, double jerk, struct axis_state *s)
{
  const double T = x->period;
  s->p += (s->v + (0.5 * s->a + jerk * T / 6.0) * T) * T;
  s->v += (s->a + 0.5 * jerk * T) * T;
  s->a += jerk * T;
  if (fabs(s->a) <= ROUNDING * x->step && fabs(s->v) <= ROUNDING * x->step * T) s->v = s->a = 0.0;
}
