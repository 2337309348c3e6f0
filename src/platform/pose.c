/* SPDX-License-Identifier: MIT
 * Loop code.
 *
 *   w = E(angle) rate,   w' = E rate' + E' rate,   E = 1   0        -sin p
 *                                                      0   cos r     sin r cos p
 *                                                      0  -sin r     cos r cos p */
#include "platform/pose.h"

#include "math/euler.h"

#include <math.h>
#include <stddef.h>

enum { ROLL, PITCH, YAW };

void pose_rotation(double R[9], const double angle[3])
{
  pose_attitude(R, NULL, angle, NULL);
}

void pose_attitude(double R[9], double w[3], const double angle[3], const double rate[3])
{
  /* R = Rz(yaw) Ry(pitch) Rx(roll). */
  double sr, cr, sp, cp, sy, cy;
  sincos(angle[ROLL], &sr, &cr);
  sincos(angle[PITCH], &sp, &cp);
  sincos(angle[YAW], &sy, &cy);
  R[0] = cy * cp;
  R[1] = cy * sp * sr - sy * cr;
  R[2] = cy * sp * cr + sy * sr;
  R[3] = sy * cp;
  R[4] = sy * sp * sr + cy * cr;
  R[5] = sy * sp * cr - cy * sr;
  R[6] = -sp;
  R[7] = cp * sr;
  R[8] = cp * cr;
  /* w, in the axes of the base. */
  if (!rate) return;
  w[0] = rate[ROLL] * R[0] - rate[PITCH] * sy;
  w[1] = rate[ROLL] * R[3] + rate[PITCH] * cy;
  w[2] = rate[ROLL] * R[6] + rate[YAW];
}

/* o = E x */
static void rates_to_spin(double o[3], const double angle[3], const double x[3])
{
  const double sr = sin(angle[ROLL]), cr = cos(angle[ROLL]), across = cos(angle[PITCH]) * x[YAW];
  o[0] = x[ROLL] - sin(angle[PITCH]) * x[YAW];
  o[1] = cr * x[PITCH] + sr * across;
  o[2] = cr * across - sr * x[PITCH];
}

/* o = E^-1 w, with a denominator bounded away from 0 */
static void spin_to_rates(double o[3], const double angle[3], const double w[3])
{
  const double sr = sin(angle[ROLL]), cr = cos(angle[ROLL]);
  o[YAW] = (sr * w[1] + cr * w[2]) / fmax(cos(angle[PITCH]), 0.05);
  o[PITCH] = cr * w[1] - sr * w[2];
  o[ROLL] = w[0] + sin(angle[PITCH]) * o[YAW];
}

/* o = E' rate */
static void spin_bias(double o[3], const double angle[3], const double rate[3])
{
  const double sr = sin(angle[ROLL]), cr = cos(angle[ROLL]);
  const double sp = sin(angle[PITCH]), cp = cos(angle[PITCH]);
  const double across = cp * rate[YAW], across_rate = -sp * rate[PITCH] * rate[YAW];
  o[0] = -cp * rate[PITCH] * rate[YAW];
  o[1] = rate[ROLL] * (cr * across - sr * rate[PITCH]) + sr * across_rate;
  o[2] = rate[ROLL] * (-sr * across - cr * rate[PITCH]) + cr * across_rate;
}

void pose_spin(double w[3], const double angle[3], const double rate[3])
{
  rates_to_spin(w, angle, rate);
}

void pose_spin_rate(double wd[3], const double angle[3], const double rate[3], const double acceleration[3])
{
  double bias[3];
  rates_to_spin(wd, angle, acceleration);
  spin_bias(bias, angle, rate);
  v3_axpy(wd, 1.0, bias);
}

void pose_angle_rates(double rate[3], const double angle[3], const double w[3])
{
  spin_to_rates(rate, angle, w);
}

void pose_angle_accelerations(double acceleration[3], const double angle[3], const double rate[3],
                              const double wd[3])
{
  double bias[3], rest[3];
  spin_bias(bias, angle, rate);
  v3_sub(rest, wd, bias);
  spin_to_rates(acceleration, angle, rest);
}

void pose_angles(double angle[3], const double p[4], const double neutral[4])
{
  const double back[4] = {neutral[0], -neutral[1], -neutral[2], -neutral[3]};
  double relative[4], R[9];
  p_mul(relative, back, p);
  p_rotation(R, relative);
  angle[ROLL] = atan2(R[7], R[8]);
  angle[PITCH] = atan2(-R[6], sqrt(R[7] * R[7] + R[8] * R[8]));
  angle[YAW] = atan2(R[3], R[0]);
}

void pose_felt(double force[3], double w[3], const struct platform_motion *m, const double head[3],
               double gravity)
{
  const double up[3] = {m->a[0], m->a[1], m->a[2] + gravity};
  double R[9], wd[3], turning[3], part[3];
  pose_rotation(R, m->p + 3);
  pose_spin(w, m->p + 3, m->v + 3);
  pose_spin_rate(wd, m->p + 3, m->v + 3, m->a + 3);
  m3_tmul(force, R, up);
  v3_cross(part, wd, head);
  v3_axpy(force, 1.0, part);
  v3_cross(turning, w, head);
  v3_cross(part, w, turning);
  v3_axpy(force, 1.0, part);
}
