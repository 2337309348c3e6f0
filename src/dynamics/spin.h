/* SPDX-License-Identifier: MIT
 * Rotation of a fast body over one inner step, from pose p0 to pose p1. Newmark's formulas for Euler parameters lose energy if a
 * body turns by more than about 0.2 rad in a step. This file applies the formulas to the angular momentum L in world axes, and to
 * a twist phi about an axis a of the body and a swing eta across it:
 *
 *   R0' R1 = rot(a, phi/2) rot(eta) rot(a, phi/2)
 *   a.w1   = v_d phi + v_v a.w0 + v_a a.w0'
 *   w1     = v_d eta + v_v w0   + v_a w0'          across a, in axes that do not twist
 *   L1'    = (L1 - L0 - (1 - gamma) dt L0') / (gamma dt),     L = R J w,  L' = R (J w' + w x J w)
 *
 * With the trapezoidal rule a free body keeps its angular momentum. It also keeps its energy if its inertia is symmetric about a,
 * or if a is 0 and eta is the whole rotation. If a is the axis of a bearing, the resulting velocities agree with the bearing even
 * if its other side turns, so that their projection loses almost no energy. */
#ifndef DYNAMICS_SPIN_H
#define DYNAMICS_SPIN_H

#include "dynamics/body.h"

/* Terms from the start of the inner step. */
struct body_spin {
  num fast;        /* 1: these formulas apply; 0: Newmark's formulas for Euler parameters apply */
  num axis[3];     /* a, or 0 */
  num rate[3];     /* rad/s, v_v w0 + v_a w0', body axes at the start */
  num momentum[3]; /* N m s, L0 + (1 - gamma) dt L0', world axes */
  num swing[3];    /* rad, eta of the last iteration, body axes at the end */
};
enum { SPIN_NUMBERS = 13 };
_Static_assert(sizeof(struct body_spin) == SPIN_NUMBERS * sizeof(num), "no padding");

struct spin_rule {
  num dt, leap; /* s: the step; half of it, or 0 if the accelerations at the start do not predict the step */
  num v_d, v_v, v_a;
  num gain;  /* 1/(gamma dt) */
  num early; /* (1 - gamma) dt */
};

/* tan x and atan x over x, given x^2: within 2e-7 at 0.5, which is a rotation of 2 rad. Both ends of a step have equal errors of
 * the angle, which do no harm. */
static inline num spin_tan(num x2)
{
  return 1.0 + x2 * (1.0 / 3.0 + x2 * (2.0 / 15.0 + x2 * (17.0 / 315.0 + x2 * (62.0 / 2835.0))));
}

static inline num spin_atan(num x2)
{
  return (105.0 + 55.0 * x2) / (105.0 + x2 * (90.0 + 9.0 * x2));
}

/* o = x, which is across a, turned about a by minus the angle with this cosine and sine. */
static inline void spin_back(const num a[3], num cosine, num sine, const num x[3], num o[3])
{
  v3_cross(o, a, x);
  for (int i = 0; i < 3; i++) o[i] = cosine * x[i] - sine * o[i];
}

/* across = x less its component along a; returns that component. */
static inline num spin_split(const num a[3], const num x[3], num across[3])
{
  const num along = v3_dot(a, x);
  for (int i = 0; i < 3; i++) across[i] = x[i] - along * a[i];
  return along;
}

/* Computes rate, momentum and the prediction p1. The caller has set axis. */
static inline void spin_start(bool diagonal, const num inertia[9], const struct spin_rule *r, const num p0[4],
                              const num w0[3], const num wd0[3], struct body_spin *o, num p1[4])
{
  const num *a = o->axis;
  num R[9], Jw[3], Jwd[3], local[3], gyro[3], wd[3], across[3], swing[3], turn[4];
  v3_cross(wd, a, w0); /* acceleration in axes without the twist */
  const num along = v3_dot(a, w0);
  for (int i = 0; i < 3; i++) {
    wd[i] = wd0[i] + along * wd[i];
    o->rate[i] = r->v_v * w0[i] + r->v_a * wd[i];
    local[i] = r->dt * (w0[i] + r->leap * wd[i]);
  }
  const num y = 0.25 * spin_split(a, local, across), t = y * spin_tan(y * y), t_more = 1.0 / (1.0 + t * t);
  const num cosine = (1.0 - t * t) * t_more, sine = 2.0 * t * t_more; /* of half the twist */
  spin_back(a, cosine, sine, across, swing);
  const num half = 0.25 * spin_tan(0.0625 * v3_dot(swing, swing));
  const num u2 = half * half * v3_dot(swing, swing), u_more = 1.0 / (1.0 + u2), k = 2.0 * half * u_more;
  turn[0] = cosine * (1.0 - u2) * u_more;
  for (int i = 0; i < 3; i++) turn[1 + i] = sine * (1.0 - u2) * u_more * a[i] + k * swing[i];
  p_mul(p1, p0, turn);

  p_rotation_by(R, p0, num_all(1.0));
  m3_mul_as(diagonal, Jw, inertia, w0);
  m3_mul_as(diagonal, Jwd, inertia, wd0);
  v3_cross(gyro, w0, Jw);
  for (int i = 0; i < 3; i++) local[i] = Jw[i] + r->early * (Jwd[i] + gyro[i]);
  m3_mul(o->momentum, R, local);
}

/* w1 from p1, whose norm need not be 1. */
static inline void spin_rate(struct body_spin *o, num v_d, const num p0[4], const num p1[4], num w[3])
{
  const num *a = o->axis, way[4] = {p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2], p1[3] - p0[3]};
  num v[3], swing[3], rate[3], sum[3], back[3];
  p_to_rotation(v, p0, way); /* 2 G(p0) p1, since G(p0) p0 = 0 */
  for (int i = 0; i < 3; i++) v[i] *= 0.5;
  const num c = p_dot(p0, p1), along = spin_split(a, v, swing), twist2 = c * c + along * along;
  const num has_axis = v3_dot(a, a), all = num_sqrt(twist2 + v3_dot(swing, swing));
  const num twist = num_select(num_greater(has_axis, num_all(0.5)), num_sqrt(twist2), c), k = 1.0 / twist;
  const num cosine = c * k, sine = along * k; /* of half the twist */
  const num u = sine / (1.0 + cosine), phi = 4.0 * u * spin_atan(u * u);
  const num l = 1.0 / (all + twist), eta = 4.0 * l * spin_atan(l * l * v3_dot(swing, swing));
  const num rate_along = spin_split(a, o->rate, rate);
  spin_back(a, cosine, sine, rate, back);
  spin_back(a, cosine, sine, swing, o->swing);
  for (int i = 0; i < 3; i++) {
    o->swing[i] *= eta;
    sum[i] = v_d * eta * swing[i] + back[i];
  }
  spin_back(a, cosine, sine, sum, back);
  for (int i = 0; i < 3; i++) w[i] = back[i] + (v_d * phi + rate_along) * a[i];
}

/* J w1' from the rate of the angular momentum. R: rotation of p1. */
static inline void spin_torque(bool diagonal, const num inertia[9], const struct body_spin *o, num gain,
                               const num R[9], const num w[3], num Jwd[3])
{
  num Jw[3], before[3], gyro[3];
  m3_mul_as(diagonal, Jw, inertia, w);
  m3_tmul(before, R, o->momentum);
  v3_cross(gyro, w, Jw);
  for (int i = 0; i < 3; i++) Jwd[i] = gain * (Jw[i] - before[i]) - gyro[i];
}

/* delta has no gyroscopic terms. This is Newton's step with all of them,
 *   (I + eta~/2 + eta~^2/12 - J^-1 L~/v_d) o = o
 * o: delta times the residual; R: rotation of p1. It pays only if springs alone hold the body, because joints act on the residual
 * through delta without these terms. */
static inline void spin_newton(bool diagonal, const num inverse[9], const struct body_spin *s, num per_v_d,
                               const num R[9], num o[3])
{
  const num third = num_all(1.0 / 3.0);
  num half[3], L[3], T[3][3], c[3][3], g[3];
  m3_tmul(L, R, s->momentum);
  for (int i = 0; i < 3; i++) {
    half[i] = 0.5 * s->swing[i];
    L[i] *= per_v_d;
    g[i] = o[i];
  }
  for (int i = 0; i < 3; i++) { /* columns */
    const num e[3] = {num_all(i == 0), num_all(i == 1), num_all(i == 2)};
    num turned[3], gyro[3], second[3];
    v3_cross(turned, L, e);
    m3_mul_as(diagonal, gyro, inverse, turned);
    v3_cross(T[i], half, e);
    v3_cross(second, half, T[i]);
    for (int k = 0; k < 3; k++) T[i][k] += e[k] + third * second[k] - gyro[k];
  }
  v3_cross(c[0], T[1], T[2]);
  v3_cross(c[1], T[2], T[0]);
  v3_cross(c[2], T[0], T[1]);
  const num k = 1.0 / v3_dot(T[0], c[0]);
  for (int i = 0; i < 3; i++) o[i] = k * v3_dot(c[i], g);
}

#endif
