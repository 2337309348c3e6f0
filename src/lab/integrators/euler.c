/* SPDX-License-Identifier: MIT
 * Explicit and semi-implicit Euler: paper 3, (11) and (12). The rates are evaluated at the end of the step, for
 * the next one, so that q' belongs to q where a formulation works with momenta. */
#include "integrators/integrators.h"

/* The integral of Phi has the rate Phi, at q before the step. */
static void advance_integral(struct lab_state *s)
{
  if (s->run->formulation->momenta)
    for (int i = 0; i < s->m; i++) s->iota[i] += s->h * s->Phi[i];
}

static enum lab_status explicit_step(struct lab_state *s)
{
  s->now.time = s->t + s->h;
  advance_integral(s);
  for (int i = 0; i < s->n; i++) s->q[i] += s->h * s->qd[i]; /* (11) */
  for (int i = 0; i < s->all; i++) s->w[i] += s->h * s->wd[i];
  return state_evaluate(s);
}

static enum lab_status semi_implicit_step(struct lab_state *s)
{
  s->now.time = s->t + s->h;
  advance_integral(s);
  for (int i = 0; i < s->all; i++) s->w[i] += s->h * s->wd[i]; /* (12): where qd is w, it is new now */
  for (int i = 0; i < s->n; i++) s->q[i] += s->h * s->qd[i];
  return state_evaluate(s);
}

static enum lab_status first_rates(struct lab_state *s)
{
  return state_evaluate(s);
}

const struct integrator integrator_fe = {
    .name = "fe", .title = "explicit Euler", .start = first_rates, .step = explicit_step};
const struct integrator integrator_si = {
    .name = "si",
    .title = "semi-implicit Euler: velocity first, then position by the new velocity",
    .start = first_rates,
    .step = semi_implicit_step};
