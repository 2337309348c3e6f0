/* SPDX-License-Identifier: MIT
 * Loop code: bodies that turn fast, for sources built in lanes (dynamics/spin.h). A body is fast in an inner step if its
 * rate at the start exceeds 0.1 rad per step of the model; the branches of an extrapolated step use this limit, too. The limit of
 * a steady body (AXES_STEADY), e.g. a balanced shaft, is 1e-4 rad, below which the angle of Newmark's formulas is exact to 1e-9.
 * All functions are out of line, so that tiles without fast bodies only pay for one flag. */
#ifndef KERNELS_SPIN_H
#define KERNELS_SPIN_H

#include "dynamics/spin.h"
#include "kernels/data.h"

/* A tile of bodies. */
struct spin_tile {
  const ali3_model *m;
  ali3_data *d;
  const struct body_tile *t;
};

static inline num *spin_numbers(double *base, const struct body_tile *t, int count)
{
  return (num *)(base + (size_t)t->slot * (size_t)count);
}

static inline struct body_spin *spin_of(const struct spin_tile *o)
{
  return (struct body_spin *)spin_numbers(o->d->spin, o->t, SPIN_NUMBERS);
}

static inline struct spin_rule spin_rule_of(const ali3_data *d, double leap)
{
  const struct rule *r = &d->rule;
  const double gamma_dt = r->v_d / r->a_d; /* gamma dt */
  return (struct spin_rule){num_all(r->dt),           num_all(leap),   num_all(r->v_d),
                            num_all(r->v_v),          num_all(r->v_a), num_all(1.0 / gamma_dt),
                            num_all(r->dt - gamma_dt)};
}

static inline void spin_state_rates(const struct body_state *x, num w[3], num wd[3])
{
  p_to_rotation(w, x->p, x->pd);
  p_to_rotation(wd, x->p, x->pdd);
}

/* Limit of p''p' = w'w/4 above which a body is fast. */
static inline double spin_fast2(const ali3_data *d)
{
  return d->limits.fast2;
}

/* Lanes that exceed their limit. axes: of the tile. start: state at the start of the inner step. times2: squared factor of the
 * limit of bodies that are not steady. */
static inline num_mask spin_exceeds(const ali3_data *d, const num *axes, const struct body_state *start,
                                    double times2)
{
  const num fast2 = num_all(times2 * spin_fast2(d));
  const num limit =
      num_select(num_greater(axes[AXES_STEADY], num_all(0.5)), num_all(d->limits.steady2), fast2);
  return num_greater(p_dot(start->pd, start->pd), limit);
}

/* Sets the axis of each lane. A body that would swing by more than 1.5 rad across its axis twists about its present axis of
 * rotation. Returns the lanes that are fast: these, and bodies that turn mainly about their axis or that only springs hold. */
static inline num_mask spin_axes(const struct spin_tile *o, const struct body_state *last, const num w[3],
                                 num axis[3])
{
  static const double ALONG = 0.8, /* of w'w */
      SWINGS = 15.0;               /* times the rate above which a body is fast */
  const num *axes = spin_numbers(o->m->frozen->axes, o->t, AXES_NUMBERS);
  const num fast2 = num_all(spin_fast2(o->d)), w2 = v3_dot(w, w), along = v3_dot(axes, w);
  const num_mask swings = num_greater(w2 - along * along, 4.0 * SWINGS * SWINGS * fast2);
  const num k = 1.0 / num_sqrt(num_max(w2, num_all(1e-300)));
  for (int i = 0; i < 3; i++) axis[i] = num_select(swings, k * w[i], axes[i]);
  const num_mask mainly = num_greater(num_max(along * along, axes[AXES_LOOSE] * w2), ALONG * w2);
  return spin_exceeds(o->d, axes, last, 1.0) & (mainly | swings);
}

/* Whether a lane is fast. last: state at the start of the inner step. x: predicted state; the function predicts p of fast lanes
 * again. */
__attribute__((noinline)) static bool spin_predict(const struct spin_tile *o, double leap,
                                                   const struct body_state *last, struct body_state *x)
{
  num w[3], wd[3], p[4], axis[3];
  spin_state_rates(last, w, wd);
  const num_mask fast = spin_axes(o, last, w, axis);
  if (o->t->carried || !num_some(fast)) return false;
  struct body_spin *spin = spin_of(o);
  spin->fast = num_select(fast, num_all(1.0), num_all(0.0));
  v3_copy(spin->axis, axis);
  const num *inertia = spin_numbers(o->m->frozen->constant, o->t, BODY_NUMBERS) + BODY_INERTIA;
  const struct spin_rule rule = spin_rule_of(o->d, leap);
  spin_start(o->t->diagonal, inertia, &rule, last->p, w, wd, spin, p);
  for (int i = 0; i < 4; i++) x->p[i] = num_select(fast, p[i], x->p[i]);
  return true;
}

/* A sum of explicit methods for fast lanes, in axes that turn with the rate w0 of the start:
 *
 *   p(t) = p0 rot(w0 t) rot(phi),   phi = sum weight phi',   w = w0 + sum weight w'
 *
 * so that a rotation about a constant axis is as exact as the motion along a line, at any rate. x: the sum of p and p' in its
 * place. */
__attribute__((noinline)) static void spin_advance(const struct spin_tile *o, const struct body_state *start,
                                                   struct body_state *x)
{
  static const double FOLLOWED = 10.0; /* 1 rad, which explicit methods follow without it */
  const struct explicit_states *states = &o->d->states;
  const num *p0 = start->p;
  const num_mask fast =
      spin_exceeds(o->d, spin_numbers(o->m->frozen->axes, o->t, AXES_NUMBERS), start, FOLLOWED * FOLLOWED);
  if (!num_some(fast)) return;
  /* the sum */
  num w0[3], w[3], p[4], pd[4], turn[4], base[4], by[3], phi[3] = {num_all(0.0), num_all(0.0), num_all(0.0)};
  p_to_rotation(w0, p0, start->pd);
  v3_copy(w, w0);
  for (int k = 0; k < states->terms; k++) {
    const struct body_state *term =
        (const struct body_state *)(states->term[k] + (size_t)o->t->slot * X_NUMBERS);
    const num weight = num_all(states->weight[k]);
    num R[9], wd[3], own[4], rate[3], drift[3];
    for (int i = 0; i < 3; i++) by[i] = states->at[k] * w0[i];
    spin_exponential(by, turn);
    p_mul(base, p0, turn);
    for (int i = 1; i < 4; i++) base[i] = -base[i];
    p_mul(own, base, term->p);
    const num norm = 1.0 / num_sqrt(p_dot(own, own));
    for (int i = 0; i < 4; i++) own[i] *= norm;
    /* the rate beside that of the axes */
    p_rotation_by(R, own, num_all(1.0));
    m3_tmul(drift, R, w0);
    p_to_rotation(rate, term->p, term->pd);
    p_to_rotation(wd, term->p, term->pdd);
    for (int i = 0; i < 3; i++) rate[i] -= drift[i];
    spin_vector_rate(own, rate, drift);
    for (int i = 0; i < 3; i++) {
      phi[i] += weight * drift[i];
      w[i] += weight * wd[i];
    }
  }
  /* back into world axes */
  for (int i = 0; i < 3; i++) by[i] = states->span * w0[i];
  spin_exponential(by, turn);
  p_mul(base, p0, turn);
  spin_exponential(phi, turn);
  p_mul(p, base, turn);
  p_from_rotation(pd, p, 1.0 / p_dot(p, p), w, num_all(0.0));
  for (int i = 0; i < 4; i++) {
    x->p[i] = num_select(fast, p[i], x->p[i]);
    x->pd[i] = num_select(fast, pd[i], x->pd[i]);
  }
}

/* Computes p' and p'' of fast lanes from p. */
__attribute__((noinline)) static void spin_integrate(const struct spin_tile *o, const struct body_state *last,
                                                     const struct body_delta *delta, struct body_state *x)
{
  struct body_spin *spin = spin_of(o);
  const num_mask fast = num_greater(spin->fast, num_all(0.5));
  const num *inertia = spin_numbers(o->m->frozen->constant, o->t, BODY_NUMBERS) + BODY_INERTIA;
  const struct spin_rule rule = spin_rule_of(o->d, 0.0);
  num R[9], w[3], wd[3], Jwd[3], pd[4], pdd[4];
  const num inverse = 1.0 / p_rotation(R, x->p);
  spin_rate(spin, rule.v_d, last->p, x->p, w);
  spin_torque(o->t->diagonal, inertia, spin, rule.gain, R, w, Jwd);
  m3_mul_as(o->t->diagonal, wd, delta->th, Jwd);
  for (int i = 0; i < 3; i++) wd[i] /= num_all(o->d->rule.h);
  p_from_rotation(pd, x->p, inverse, w, num_all(0.0));
  p_from_rotation(pdd, x->p, inverse, wd, -p_dot(pd, pd));
  for (int i = 0; i < 4; i++) {
    x->pd[i] = num_select(fast, pd[i], x->pd[i]);
    x->pdd[i] = num_select(fast, pdd[i], x->pdd[i]);
  }
}

/* w = delta times the residual. For fast lanes that only springs hold, w is Newton's step. */
__attribute__((noinline)) static void spin_free(const struct spin_tile *o, const struct body_state *x,
                                                const struct body_delta *delta, num w[BODY_Y])
{
  const struct body_spin *spin = spin_of(o);
  const num *axes = spin_numbers(o->m->frozen->axes, o->t, AXES_NUMBERS);
  const num_mask fast = num_greater(spin->fast * axes[AXES_LOOSE], num_all(0.5));
  const struct rule *r = &o->d->rule;
  num R[9], th[9], step[3];
  p_rotation(R, x->p);
  for (int i = 0; i < 9; i++) th[i] = delta->th[i] / num_all(r->h);
  v3_copy(step, w + 3);
  spin_newton(o->t->diagonal, th, spin, num_all(1.0 / r->v_d), R, step);
  for (int i = 0; i < 3; i++) w[3 + i] = num_select(fast, step[i], w[3 + i]);
}

#endif
