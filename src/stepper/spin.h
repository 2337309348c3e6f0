/* SPDX-License-Identifier: MIT
 * Loop code: bodies that turn fast, for sources built in lanes (dynamics/spin.h). A body is fast in an inner step if its
 * rate at the start exceeds 0.1 rad per step of the model; the branches of an extrapolated step use this limit, too. All
 * functions are out of line, so that tiles without fast bodies only pay for one flag. */
#ifndef STEPPER_SPIN_H
#define STEPPER_SPIN_H

#include "dynamics/spin.h"
#include "stepper/data.h"

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

/* Limit of w'w = 4 p''p' above which a body is fast. */
static inline double spin_fast2(const ali3_model *m)
{
  static const double FAST = 0.1; /* rad */
  const double rate = FAST * m->options.substeps / m->options.dt;
  return 0.25 * rate * rate;
}

/* Whether a lane is fast: it turns mainly about its axis, or only springs hold it. last: state at the start of the inner
 * step. x: predicted state; the function predicts p of fast lanes again. */
__attribute__((noinline)) static bool spin_predict(const struct spin_tile *o, double leap,
                                                   const struct body_state *last, struct body_state *x)
{
  static const double ALONG = 0.8; /* of w'w */
  const num *axes = spin_numbers(o->m->frozen->axes, o->t, AXES_NUMBERS);
  num w[3], wd[3], p[4];
  spin_state_rates(last, w, wd);
  const num w2 = v3_dot(w, w), along = v3_dot(axes, w), loose = axes[AXES_LOOSE] * w2;
  const num_mask fast = num_greater(p_dot(last->pd, last->pd), num_all(spin_fast2(o->m))) &
                        num_greater(num_max(along * along, loose), ALONG * w2);
  if (o->t->carried || !num_some(fast)) return false;
  struct body_spin *spin = spin_of(o);
  spin->fast = num_select(fast, num_all(1.0), num_all(0.0));
  v3_copy(spin->axis, axes);
  const num *inertia = spin_numbers(o->m->frozen->constant, o->t, BODY_NUMBERS) + BODY_INERTIA;
  const struct spin_rule rule = spin_rule_of(o->d, leap);
  spin_start(o->t->diagonal, inertia, &rule, last->p, w, wd, spin, p);
  for (int i = 0; i < 4; i++) x->p[i] = num_select(fast, p[i], x->p[i]);
  return true;
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
