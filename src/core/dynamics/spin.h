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
 * The twist may be any number of turns: the formulas compare p1 with a pose that has twisted by the predicted phi, so the angle
 * that they take from p1 is small. The swing is below a turn. With the trapezoidal rule a free body keeps its angular momentum.
 * It also keeps its energy if its inertia is symmetric about a, or if a is 0 and eta is the whole rotation. If a is the axis of a
 * bearing, the resulting velocities agree with the bearing even if its other side turns, so that their projection loses almost no
 * energy. */
#ifndef DYNAMICS_SPIN_H
#define DYNAMICS_SPIN_H

#include "dynamics/body.h"
#include "math/angle.h"

/* Terms from the start of the inner step. */
struct body_spin {
  num fast;        /* 1: these formulas apply; 0: Newmark's formulas for Euler parameters apply */
  num axis[3];     /* a, or 0 */
  num twist;       /* rad, predicted phi */
  num quarter[2];  /* cosine and sine of a quarter of it */
  num rate[3];     /* rad/s, v_v w0 + v_a w0', body axes at the start */
  num momentum[3]; /* N m s, L0 + (1 - gamma) dt L0', world axes */
  num swing[3];    /* rad, eta of the last iteration, body axes at the end */
};
enum { SPIN_NUMBERS = 16 };
_Static_assert(sizeof(struct body_spin) == SPIN_NUMBERS * sizeof(num), "no padding");

struct spin_rule {
  num dt, leap; /* s: the step; half of it, or 0 if the accelerations at the start do not predict the step */
  num v_d, v_v, v_a;
  num gain;  /* 1/(gamma dt) */
  num early; /* (1 - gamma) dt */
};

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

/* sin(x/2) / x and cos(x/2), given x^2 */
static inline num spin_half(num x2, num *cosine)
{
  const num x = num_sqrt(x2);
  num sine;
  num_sine_cosine(0.5 * x, &sine, cosine);
  return num_select(num_greater(x2, num_all(1e-8)), sine / num_max(x, num_all(1e-8)),
                    0.5 - x2 * (1.0 / 48.0));
}

/* The rotation by x, as Euler parameters. */
static inline void spin_exponential(const num x[3], num o[4])
{
  const num k = spin_half(v3_dot(x, x), &o[0]);
  for (int i = 0; i < 3; i++) o[1 + i] = k * x[i];
}

/* The rotation vector phi of own, up to half a turn, and its derivative for a body that turns at the rate w (body axes):
 *   phi' = w + phi x w/2 + k phi x (phi x w),   k = (1 - |phi|/2 cot(|phi|/2))/|phi|^2 */
static inline void spin_vector_rate(const num own[4], const num w[3], num rate[3])
{
  const num side = num_select(num_greater(num_all(0.0), own[0]), num_all(-1.0), num_all(1.0));
  const num cosine = side * own[0], sine2 = v3_dot(own + 1, own + 1), sine = num_sqrt(sine2);
  const num half = num_angle(sine, cosine);
  const num_mask turned = num_greater(sine, num_all(1e-3));
  const num ratio = num_select(turned, half / num_max(sine, num_all(1e-3)), 1.0 + sine2 * (1.0 / 6.0));
  const num k = num_select(turned, (1.0 - ratio * cosine) / num_max(4.0 * half * half, num_all(1e-6)),
                           num_all(1.0 / 12.0));
  num phi[3], once[3], twice[3];
  for (int i = 0; i < 3; i++) phi[i] = 2.0 * side * ratio * own[1 + i];
  v3_cross(once, phi, w);
  v3_cross(twice, phi, once);
  for (int i = 0; i < 3; i++) rate[i] = w[i] + 0.5 * once[i] + k * twice[i];
}

/* o = p turned about a by the angle whose half has this cosine and sine. */
static inline void spin_turned(const num p[4], const num a[3], num cosine, num sine, num o[4])
{
  const num by[4] = {cosine, sine * a[0], sine * a[1], sine * a[2]};
  p_mul(o, p, by);
}

/* Computes twist, rate, momentum and the prediction p1. The caller has set axis. */
static inline void spin_start(bool diagonal, const num inertia[9], const struct spin_rule *r, const num p0[4],
                              const num w0[3], const num wd0[3], struct body_spin *o, num p1[4])
{
  const num *a = o->axis;
  num R[9], Jw[3], Jwd[3], local[3], gyro[3], wd[3], across[3], swing[3], turn[4], middle[4], turned[4];
  v3_cross(wd, a, w0); /* acceleration in axes without the twist */
  const num along = v3_dot(a, w0);
  for (int i = 0; i < 3; i++) {
    wd[i] = wd0[i] + along * wd[i];
    o->rate[i] = r->v_v * w0[i] + r->v_a * wd[i];
    local[i] = r->dt * (w0[i] + r->leap * wd[i]);
  }
  o->twist = spin_split(a, local, across);
  num_sine_cosine(0.25 * o->twist, &o->quarter[1], &o->quarter[0]);
  const num c = o->quarter[0], s = o->quarter[1], cosine = c * c - s * s, sine = 2.0 * c * s;
  spin_back(a, cosine, sine, across, swing);
  spin_exponential(swing, turn);
  spin_turned(p0, a, c, s, middle);
  p_mul(turned, middle, turn);
  spin_turned(turned, a, c, s, p1);

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
  const num *a = o->axis, qc = o->quarter[0], qs = o->quarter[1];
  num from[4], to[4], way[4], v[3], swing[3], rate[3], sum[3], back[3];
  /* the rotation between the two poses without the predicted twist */
  spin_turned(p0, a, qc, qs, from);
  spin_turned(p1, a, qc, -qs, to);
  for (int i = 0; i < 4; i++) way[i] = to[i] - from[i];
  p_to_rotation(v, from, way); /* 2 G(from) to, since G(p) p = 0 */
  for (int i = 0; i < 3; i++) v[i] *= 0.5;
  const num c = p_dot(from, to), along = spin_split(a, v, swing), twist2 = c * c + along * along;
  const num has_axis = v3_dot(a, a), tilt2 = v3_dot(swing, swing);
  const num twist = num_select(num_greater(has_axis, num_all(0.5)), num_sqrt(twist2), c), k = 1.0 / twist;
  /* cosine and sine of half of the rest of the twist, then of half of the twist */
  const num rest[2] = {c * k, along * k}, half[2] = {qc * qc - qs * qs, 2.0 * qc * qs};
  const num cosine = half[0] * rest[0] - half[1] * rest[1], sine = half[1] * rest[0] + half[0] * rest[1];
  const num phi = o->twist + 2.0 * num_angle(rest[1], rest[0]);
  /* eta over the vector part of its Euler parameters */
  const num tilt = num_sqrt(tilt2), norm = num_sqrt(twist * twist + tilt2);
  const num eta = num_select(num_greater(tilt, 1e-5 * norm),
                             2.0 * num_angle(tilt, twist) / num_max(tilt, num_all(1e-300)), 2.0 / norm);
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
