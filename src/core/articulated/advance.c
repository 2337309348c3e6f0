/* SPDX-License-Identifier: MIT
 * Loop code: sums of an explicit method, in joint coordinates, and how well it follows the motion. */
#include "articulated/limbs.h"
#include "dynamics/spin.h"

#include <math.h>
#include <string.h>

/* rad, which the methods follow without axes that turn; bodies that turn about an axis of symmetry keep their rate */
static const double FOLLOWED = 1.0, STEADY = 1e-4;

/* Where a limb has the Euler parameters of its body. */
static int orientation_of(const struct limb *b)
{
  return b->x + b->coordinates - 4;
}

/* Rotation of such a limb in the inner step. */
static double turn_of_limb(const struct limbs *l, const struct limb *b, const double *last, double dt)
{
  const double *p = last + orientation_of(b), *pd = p + l->coordinates;
  return 2.0 * dt * sqrt(p_dot(pd, pd) / p_dot(p, p));
}

/* An orientation in axes that turn with the rate w0 of the start:
 *
 *   p(t) = p0 rot(w0 t) rot(phi),   phi = sum weight phi',   w = w0 + sum weight w'
 *
 * so that a rotation about a constant axis is exact at any rate. turn_at: first Euler parameter in x. */
static void advance_fast(const struct limbs *l, const double *last, const struct limb_sum *s, int turn_at,
                         double *now)
{
  const int n = l->coordinates;
  const double *p0 = last + turn_at, s0 = p_dot(p0, p0);
  double w0[3], w[3], base[4], turn[4], p[4], by[3], phi[3] = {0, 0, 0}, *x = now + turn_at;
  p_to_rotation(w0, p0, p0 + n);
  for (int i = 0; i < 3; i++) w[i] = w0[i] /= s0;
  for (int k = 0; k < s->terms; k++) {
    const double *q = s->term[k] + turn_at, norm = 1.0 / p_dot(q, q), grows = 2.0 * norm * p_dot(q, q + n);
    double R[9], own[4], rate[3], wd[3], drift[3];
    for (int i = 0; i < 3; i++) by[i] = s->at[k] * w0[i];
    spin_exponential(by, turn);
    p_mul(base, p0, turn);
    for (int i = 1; i < 4; i++) base[i] = -base[i];
    p_mul(own, base, q);
    p_normalise(own);
    /* the rate beside that of the axes */
    p_rotation_by(R, own, 1.0);
    m3_tmul(drift, R, w0);
    p_to_rotation(rate, q, q + n);
    p_to_rotation(wd, q, q + 2 * n);
    for (int i = 0; i < 3; i++) {
      rate[i] *= norm;
      wd[i] = norm * wd[i] - grows * rate[i];
      rate[i] -= drift[i];
    }
    spin_vector_rate(own, rate, drift);
    for (int i = 0; i < 3; i++) {
      phi[i] += s->weight[k] * drift[i];
      w[i] += s->weight[k] * wd[i];
    }
  }
  /* back into world axes */
  for (int i = 0; i < 3; i++) by[i] = s->span * w0[i];
  spin_exponential(by, turn);
  p_mul(base, p0, turn);
  spin_exponential(phi, turn);
  p_mul(p, base, turn);
  memcpy(x, p, sizeof p);
  p_from_rotation(x + n, p, 1.0 / p_dot(p, p), w, 0.0);
}

void limbs_advance(const struct limbs *l, const double *last, const struct limb_sum *s, double *now)
{
  const int n = 2 * l->coordinates;
  /* x and x', which x' and x'' follow at once */
  memcpy(now, last, limbs_numbers(l) * sizeof *now);
  for (int k = 0; k < s->terms; k++)
    for (int i = 0; i < n; i++) now[i] += s->weight[k] * s->term[k][l->coordinates + i];
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    if (b->motion != LIMB_SPHERICAL && b->motion != LIMB_FREE) continue;
    if (turn_of_limb(l, b, last, s->dt) > (b->steady ? STEADY : FOLLOWED))
      advance_fast(l, last, s, orientation_of(b), now);
  }
}

/* The corrected trapezoidal rule has order four. Orientations that turn fast are exact in another way. */
double limbs_missed(const struct limbs *l, const double *last, const double *now, const double *moved,
                    double dt)
{
  const int n = l->coordinates;
  double largest = 0.0;
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    const bool turns = b->motion == LIMB_SPHERICAL || b->motion == LIMB_FREE;
    const int end = b->x + b->coordinates - (turns && turn_of_limb(l, b, last, dt) > FOLLOWED ? 4 : 0);
    for (int k = b->x; k < end; k++) {
      const double mean = 0.5 * (last[n + k] + now[n + k]), bend = (now[2 * n + k] - last[2 * n + k]) / 12.0;
      const double missed = fabs(moved[k] - dt * (mean - dt * bend));
      if (!(missed <= largest)) largest = missed;
    }
  }
  return largest;
}
