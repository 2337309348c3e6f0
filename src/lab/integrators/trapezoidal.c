/* SPDX-License-Identifier: MIT
 * The trapezoidal rule as a fixed-point iteration, predict - evaluate - correct (PEC): after the last correction
 * nothing is evaluated, as the times per step of paper 3 tell. */
#include "integrators/integrators.h"

#include <stdlib.h>
#include <string.h>

struct fixed_point { /* the iterate that is being made */
  double *q, *w;     /* (n), (all) */
  double *dq, *dw;
};

static void *make_fixed_point(const struct lab_state *s)
{
  const size_t n = (size_t)s->n, all = (size_t)s->all;
  struct fixed_point *o = calloc(1, sizeof *o + (2 * n + 2 * all) * sizeof(double));
  if (!o) return NULL;
  o->q = (double *)(o + 1);
  o->w = o->q + n;
  o->dq = o->w + all;
  o->dw = o->dq + n;
  return o;
}

/* Where w is q': q by the trapezoidal rule from the new q'. Where w is p: both by explicit Euler. */
static void predict_state(struct lab_state *s)
{
  const bool momenta = s->run->formulation->momenta;
  for (int i = 0; i < s->all; i++) s->w[i] = s->w_k[i] + s->h * s->wd_k[i];
  for (int i = 0; i < s->n; i++)
    s->q[i] = s->q_k[i] + (momenta ? s->h * s->qd_k[i] : 0.5 * s->h * (s->qd_k[i] + s->w[i]));
  if (momenta)
    for (int i = 0; i < s->m; i++) s->iota[i] = s->iota_k[i] + s->h * s->Phi_k[i];
}

static void correct_state(const struct lab_state *s, struct fixed_point *o)
{
  const bool momenta = s->run->formulation->momenta;
  for (int i = 0; i < s->all; i++) {
    o->w[i] = s->w_k[i] + 0.5 * s->h * (s->wd_k[i] + s->wd[i]);
    o->dw[i] = o->w[i] - s->w[i];
  }
  for (int i = 0; i < s->n; i++) {
    o->q[i] = s->q_k[i] + 0.5 * s->h * (s->qd_k[i] + (momenta ? s->qd[i] : o->w[i]));
    o->dq[i] = o->q[i] - s->q[i];
  }
}

static void accept_iterate(struct lab_state *s, const struct fixed_point *o)
{
  memcpy(s->q, o->q, sizeof *s->q * (size_t)s->n);
  memcpy(s->w, o->w, sizeof *s->w * (size_t)s->all);
  if (s->run->formulation->momenta)
    for (int i = 0; i < s->m; i++) s->iota[i] = s->iota_k[i] + 0.5 * s->h * (s->Phi_k[i] + s->Phi[i]);
}

static enum lab_status trapezoidal_step(struct lab_state *s)
{
  struct fixed_point *o = s->integrator_own;
  struct iteration_rule rule = {0};
  enum iteration_end end = ITERATION_GOES_ON;
  s->now.time = s->t + s->h;
  state_keep(s);
  predict_state(s);
  while (end == ITERATION_GOES_ON) {
    const enum lab_status status = state_evaluate(s);
    if (status != LAB_OK) return status;
    correct_state(s, o);
    end = iteration_judge(s, &rule, state_increment(s, o->dq, o->dw));
    if (end != ITERATION_GREW) accept_iterate(s, o);
  }
  iteration_count(s, &rule, end);
  return LAB_OK;
}

static enum lab_status first_rates_of_rule(struct lab_state *s)
{
  return state_evaluate(s);
}

const struct integrator integrator_tr = {.name = "tr",
                                         .title = "trapezoidal rule, fixed-point iteration",
                                         .make = make_fixed_point,
                                         .start = first_rates_of_rule,
                                         .step = trapezoidal_step};
