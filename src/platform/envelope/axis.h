/* SPDX-License-Identifier: MIT
 * One coordinate that moves with constant jerk over each cycle, within limits of velocity, acceleration and jerk. RT. The
 * functions that simulate a stop are inline.
 *
 * S(a) is the change of velocity while the acceleration returns to zero at the greatest jerk; the last of these cycles takes the
 * remainder. With cycles T, q = J T and |a| = (n + f) q:
 *
 *   S(a) = sign(a) q T (n^2/2 + (n + 1/2) f)
 *
 * S is continuous, increasing and piecewise linear, and v + S(a) is constant while the acceleration returns to zero. So the jerk
 * that brings v + S(a) to a given value by the end of a cycle has a closed form, and the ramp after it ends exactly there. */
#ifndef ENVELOPE_AXIS_H
#define ENVELOPE_AXIS_H

#include <math.h>
#include <stdbool.h>

static const double AXIS_ROUNDING = 1e-13; /* relative to the change of a cycle at full jerk */

struct axis_state {
  double p, v, a;
};

/* Limits, and numbers that the laws derive from them. */
struct axis {
  double period, velocity, acceleration, jerk;
  double step;         /* q: largest change of the acceleration in a cycle */
  double gain;         /* 1/s, applied to a small error of position */
  double deceleration; /* of the approach to a distant target */
  double knee;         /* error of position between the two */
  double approach;     /* q of the jerk that the two do not use */
};

void axis_set(struct axis *x, double velocity, double acceleration, double jerk, double period);

static inline double axis_clamp(double x, double least, double most)
{
  return x < least ? least : x > most ? most : x;
}

/* x >= 0 without its fraction, in a form that compilers can vectorise. */
static inline double axis_whole(double x)
{
  const double nearest = (x + 0x1p52) - 0x1p52;
  return nearest > x ? nearest - 1.0 : nearest;
}

/* S(a). */
static inline double axis_release(const struct axis *x, double a)
{
  const double cycles = fabs(a) / x->step, n = axis_whole(cycles);
  return copysign(x->step * x->period * (0.5 * n * n + (n + 0.5) * (cycles - n)), a);
}

/* The a at which w + ratio T a + S(a) = 0, S with steps of q: with |a| = (n + f) q,
 * n^2/2 + ratio n + (n + 1/2 + ratio) f = |w| / (q T). */
static inline double axis_settle(double w, double ratio, double q, double period)
{
  const double y = fabs(w) / (q * period), n = axis_whole(sqrt(ratio * ratio + 2.0 * y) - ratio);
  const double f = (y - n * (0.5 * n + ratio)) / (n + 0.5 + ratio);
  return copysign(q * (n + f), -w);
}

/* Jerk towards the acceleration wanted at the end of the cycle. */
static inline double axis_jerk_to(double a, double wanted, double acceleration, double q, double period)
{
  const double within = axis_clamp(wanted, -acceleration, acceleration);
  return (axis_clamp(within, a - q, a + q) - a) / period;
}

/* Jerk of this cycle that brings v and a to rest as fast as the limits allow. It depends on v and a alone, so the stop from the
 * next state is the rest of the stop from this one, bit for bit. v changes its sign only if a forces it to. A value beyond a
 * limit returns at once.
 *
 * At the end v + (a + a') T/2 + S(a') = 0. */
static inline double axis_braking(double v, double a, double acceleration, double q, double period)
{
  return axis_jerk_to(a, axis_settle(v + 0.5 * a * period, 0.5, q, period), acceleration, q, period);
}
static inline double axis_brake(const struct axis *x, double v, double a)
{
  return axis_braking(v, a, x->acceleration, x->step, x->period);
}

/* The state a cycle later. A value that differs from zero by rounding only becomes zero. */
static inline void axis_move(double jerk, double q, double T, double *p, double *v, double *a)
{
  const double v_end = *v + (*a + 0.5 * jerk * T) * T, a_end = *a + jerk * T;
  const bool still = (fabs(a_end) <= AXIS_ROUNDING * q) & (fabs(v_end) <= AXIS_ROUNDING * q * T);
  *p += (*v + (0.5 * *a + jerk * T / 6.0) * T) * T;
  *v = still ? 0.0 : v_end;
  *a = still ? 0.0 : a_end;
}
static inline void axis_advance(const struct axis *x, double jerk, struct axis_state *s)
{
  axis_move(jerk, x->step, x->period, &s->p, &s->v, &s->a);
}

/* Bends a coordinate beyond knee * limit, with its velocity and acceleration, so that it never reaches the limit: with
 * x = (|p| / limit - knee) / (1 - knee), |p| becomes limit (knee + (1 - knee) x / sqrt(1 + x^2)). The function is twice
 * differentiable. Below the knee, and with a knee of 1, nothing changes. */
static inline void axis_bend(double limit, double knee, double *p, double *v, double *a)
{
  const double rest = limit * (1.0 - knee), beyond = fabs(*p) - knee * limit;
  if (!(beyond > 0.0) || !(rest > 0.0)) return;
  const double x = beyond / rest, square = 1.0 / (1.0 + x * x), root = sqrt(square), slope = square * root,
               speed = copysign(1.0, *p) * *v / rest;
  *a = slope * *a - copysign(rest, *p) * 3.0 * x * slope * square * speed * speed;
  *v *= slope;
  *p = copysign(knee * limit + rest * x * root, *p);
}

/* Jerk of this cycle that follows a target (its state at the end of the cycle). The wanted velocity is the sum of the target's
 * velocity and of one that decays with the distance, exponentially or with a constant deceleration. The difference of v from it
 * goes to zero as in axis_brake(). */
double axis_follow(const struct axis *x, const struct axis_state *now, const struct axis_state *target);

#endif
