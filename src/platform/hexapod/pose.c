/* SPDX-License-Identifier: MIT
 * Loop code.
 *
 *   w = E(angle) rate,   w' = E rate' + E' rate,   E = 1   0        -sin p
 *                                                      0   cos r     sin r cos p
 *                                                      0  -sin r     cos r cos p */
#include "hexapod/pose.h"

#include "math/euler.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const platform_coordinate_name[PLATFORM_DOF] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};

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

void pose_relative(double R[9], const double p[4], const double neutral[4])
{
  const double back[4] = {neutral[0], -neutral[1], -neutral[2], -neutral[3]};
  double relative[4];
  p_mul(relative, back, p);
  p_rotation(R, relative);
}

void pose_angles(double angle[3], const double p[4], const double neutral[4])
{
  double R[9];
  pose_relative(R, p, neutral);
  pose_angles_of(angle, R);
}

void pose_angles_of(double angle[3], const double R[9])
{
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

/* --- orientations --- */

/* Angle of the rotation between two orientations. Its sine comes from the skew part, which is exact for small angles. */
static double turn_between(const double A[9], const double B[9])
{
  double D[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) D[3 * i + k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
  const double skew[3] = {D[7] - D[5], D[2] - D[6], D[3] - D[1]};
  return atan2(sqrt(v3_dot(skew, skew)), D[0] + D[4] + D[8] - 1.0);
}

/* The angle that differs from x by whole turns and is nearest to `to`. */
static double near_angle(double x, double to)
{
  return x - 2.0 * M_PI * rint((x - to) / (2.0 * M_PI));
}

/* Moves towards x by at most `most`. Returns true if it arrives. */
static bool approach_angle(double *angle, double x, double most)
{
  const double way = x - *angle;
  const bool arrives = fabs(way) <= most;
  *angle = arrives ? x : *angle + copysign(most, way);
  return arrives;
}

void attitude_step(struct attitude *a, const double R[9], double period, struct attitude_target *o)
{
  pose_angles_of(o->principal, R);
  const double *e = o->principal;
  if (!a->known) {
    a->roll = e[ROLL];
    a->yaw = e[YAW];
  }
  /* An orientation has two sets of Euler angles: (r, p, y) and (r + pi, pi - p, y + pi). Take the set near the last one. */
  double roll = near_angle(e[ROLL], a->roll), yaw = near_angle(e[YAW], a->yaw);
  const double other_roll = near_angle(e[ROLL] + M_PI, a->roll),
               other_yaw = near_angle(e[YAW] + M_PI, a->yaw);
  if (fabs(other_roll - a->roll) + fabs(other_yaw - a->yaw) < fabs(roll - a->roll) + fabs(yaw - a->yaw)) {
    roll = other_roll;
    yaw = other_yaw;
  }
  /* Follow within the bound. */
  const double rotation = a->known ? turn_between(a->R, R) : 0.0;
  const double most = ATTITUDE_MOST * fmax(rotation, ATTITUDE_LEAST * period);
  const double before[3] = {a->roll, 0.0, a->yaw};
  o->lags = !approach_angle(&a->roll, roll, most);
  o->lags |= !approach_angle(&a->yaw, yaw, most);
  memcpy(a->R, R, sizeof a->R);
  a->known = true;
  /* The roll leads back beyond 90 degrees, as the pitch does. */
  o->way = cos(a->roll) < 0.0 ? -1.0 : 1.0;
  const double roll_within = near_angle(a->roll, 0.0);
  o->angle[ROLL] = o->way < 0.0 ? copysign(M_PI, roll_within) - roll_within : roll_within;
  o->angle[PITCH] = e[PITCH];
  o->angle[YAW] = a->yaw;
  o->lag[ROLL] = o->way * (a->roll - before[ROLL]) / period;
  o->lag[PITCH] = 0.0;
  o->lag[YAW] = (a->yaw - before[2]) / period;
}
