/* SPDX-License-Identifier: MIT
 * A soft limit: a motion towards the limit slows down from a knee on, instead of braking at full acceleration in front of the
 * limit. Pure; RT. */
#ifndef PLATFORM_SOFT_H
#define PLATFORM_SOFT_H

#include <math.h>

/* Bends a coordinate beyond knee * limit, with its velocity and acceleration, so that it never reaches the limit: with
 * x = (|p| / limit - knee) / (1 - knee), |p| becomes limit (knee + (1 - knee) x / sqrt(1 + x^2)). The function is twice
 * differentiable. Below the knee, and with a knee of 1, nothing changes. */
static inline void soft_limit(double limit, double knee, double *p, double *v, double *a)
{
  const double rest = limit * (1.0 - knee), beyond = fabs(*p) - knee * limit;
  if (!(beyond > 0.0) || !(rest > 0.0)) return;
  const double x = beyond / rest, square = 1.0 / (1.0 + x * x), root = sqrt(square), slope = square * root,
               speed = copysign(1.0, *p) * *v / rest;
  *a = slope * *a - copysign(rest, *p) * 3.0 * x * slope * square * speed * speed;
  *v *= slope;
  *p = copysign(knee * limit + rest * x * root, *p);
}

#endif
