/* SPDX-License-Identifier: MIT */
#include "integrators/state.h"
#include "coordinates/forces.h"

#include "integrators/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum lab_status state_evaluate(struct lab_state *s)
{
  const enum lab_status status = s->run->formulation->evaluate(s);
  const struct problem *p = s->problem;
  if (p->owns > 0) p->kind->own_rates(p, &s->now, s->q, s->qd, s->wd + s->n);
  return status;
}

void state_rows(struct lab_state *s)
{
  const struct problem *p = s->problem;
  p->kind->rows(p, &s->now, s->q, s->Phi, s->Phi_q);
  forces_row_time(p, s->now.time, s->Phi_t);
  if (!p->constant) p->kind->inertia(p, s->q, s->M);
  state_force(s);
}

void state_force(struct lab_state *s)
{
  const struct problem *p = s->problem;
  if (!p->constant || p->loaded) p->kind->force(p, &s->now, s->q, s->qd, s->f);
}

void state_add_row_rates(const struct lab_state *s, double factor, double *o)
{
  add_product(o, factor, s->Phi_q, s->qd, s->m, s->n);
  for (int i = 0; i < s->problem->driven_rows; i++)
    o[s->problem->driven + i] += factor * s->Phi_t[s->problem->driven + i];
}

void state_add_slopes(struct lab_state *s, double k, double c, double *o)
{
  if (s->problem->loaded) s->problem->kind->slopes(s->problem, &s->now, s->q, s->qd, k, c, s->gradient, o);
}

void state_bias(const struct lab_state *s, double *o)
{
  s->problem->kind->bias(s->problem, &s->now, s->q, s->qd, o);
}

void state_keep(struct lab_state *s)
{
  const size_t n = sizeof *s->q * (size_t)s->n, m = sizeof *s->q * (size_t)s->m,
               all = sizeof *s->q * (size_t)s->all;
  memcpy(s->q_k, s->q, n);
  memcpy(s->w_k, s->w, all);
  memcpy(s->wd_k, s->wd, all);
  if (!s->run->formulation->momenta) return; /* qd is w, qd_k is w_k */
  memcpy(s->qd_k, s->qd, n);
  memcpy(s->iota_k, s->iota, m);
  memcpy(s->Phi_k, s->Phi, m);
}

double state_increment(const struct lab_state *s, const double *dq, const double *dw)
{
  const double q = euclidean_norm(dq, s->n);
  return s->run->norm_qp ? hypot(q, euclidean_norm(dw, s->n)) : q;
}

/* Hands out `count` numbers of the memory; over a null base it only counts. */
static double *take_numbers(double *base, size_t *used, int count)
{
  double *at = base ? base + *used : NULL;
  *used += (size_t)count;
  return at;
}

static size_t lay_out_state(struct lab_state *s, double *base)
{
  const struct problem *p = s->problem;
  const bool momenta = s->run->formulation->momenta;
  const int n = s->n, m = s->m;
  size_t used = 0;
  double **of_n[] = {&s->q, &s->q_k, &s->rhs, &s->dq, &s->dp, &s->gradient};
  double **of_all[] = {&s->w, &s->wd, &s->w_k, &s->wd_k};
  double **of_m[] = {&s->iota, &s->Phi, &s->lambda, &s->iota_k, &s->Phi_k, &s->c, &s->Phi_t, &s->check};
  /* Vectors of coordinates and of rows. */
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = take_numbers(base, &used, n);
  for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) *of_all[i] = take_numbers(base, &used, s->all);
  for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++) *of_m[i] = take_numbers(base, &used, m);
  /* Without momenta the velocities are the unknowns themselves. */
  s->qd = momenta ? take_numbers(base, &used, n) : s->w;
  s->qd_k = momenta ? take_numbers(base, &used, n) : s->w_k;
  /* Matrices; constant ones belong to the problem. */
  if (!s->run->formulation->own_matrices) {
    s->Phi_q = take_numbers(base, &used, m * n);
    s->dPhi_q = take_numbers(base, &used, m * n);
    s->A = take_numbers(base, &used, n * n);
    s->M = p->constant ? p->M : take_numbers(base, &used, n * n);
  }
  s->f = p->constant && !p->loaded ? p->f : take_numbers(base, &used, n);
  s->turn = take_numbers(base, &used, ali3_model_joints(p->model));
  return used;
}

struct lab_state *state_new(const struct problem *p, const struct lab_run *r, struct lab_result *result)
{
  struct lab_state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  *s = (struct lab_state){
      .problem = p, .run = r, .result = result, .n = p->n, .m = p->m, .all = p->n + p->owns, .h = r->dt};
  /* Its memory, the instant, and what formulation and integrator keep. */
  s->memory = calloc(lay_out_state(s, NULL), sizeof(double));
  if (s->memory) {
    lay_out_state(s, s->memory);
    memcpy(s->turn, p->turn, sizeof *s->turn * (size_t)ali3_model_joints(p->model));
    s->now.turn = s->turn;
    s->now.own = s->w + s->n;
  }
  if (s->memory && r->formulation->make) s->formulation_own = r->formulation->make(p);
  if (s->memory && r->integrator->make) s->integrator_own = r->integrator->make(s);
  if (s->memory && (s->formulation_own || !r->formulation->make) &&
      (s->integrator_own || !r->integrator->make))
    return s;
  state_free(s);
  return NULL;
}

void state_free(struct lab_state *s)
{
  if (!s) return;
  if (s->formulation_own) s->run->formulation->release(s->formulation_own);
  if (s->integrator_own)
    (s->run->integrator->release ? s->run->integrator->release : free)(s->integrator_own);
  free(s->memory);
  free(s);
}
