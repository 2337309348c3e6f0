/* SPDX-License-Identifier: MIT
 * Index-3 augmented Lagrangian with mass-orthogonal projections of velocities and accelerations (ALi3): paper 3,
 * (18) to (20).
 *
 *   (M + h^2/4 alpha Phi_q'Phi_q) dq = -h^2/4 (M q'' - f + Phi_q' (lambda + alpha Phi))      (18) (19)
 *   lambda += alpha Phi, at the new q                                                         (20)
 *
 * then velocities and accelerations by Newmark's formulas, and their projections with the same matrix. */
#include "formulations/formulations.h"
#include "integrators/linear.h"

#include <string.h>

/* Newmark's formulas: q' and q'' that go with q. */
static void ali3_newmark(struct lab_state *s)
{
  const double h = s->h;
  for (int i = 0; i < s->n; i++) {
    const double dq = s->q[i] - s->q_k[i];
    s->w[i] = 2 / h * dq - s->w_k[i];
    s->wd[i] = 4 / (h * h) * dq - 4 / h * s->w_k[i] - s->wd_k[i];
  }
}

static enum lab_status ali3_predict(struct lab_state *s)
{
  const double h = s->h;
  for (int i = 0; i < s->n; i++) s->q[i] = s->q_k[i] + h * s->w_k[i] + 0.5 * h * h * s->wd_k[i];
  ali3_newmark(s);
  state_rows(s);
  return LAB_OK;
}

static enum lab_status ali3_increment(struct lab_state *s)
{
  const double part = 0.25 * s->h * s->h, alpha = s->run->alpha;
  const int n = s->n, m = s->m;
  penalty_matrix(s->A, s->M, part * alpha, s->Phi_q, m, n);
  state_add_slopes(s, part, 0.5 * s->h, s->A);
  if (!chol_factor(s->A, n, n)) return LAB_SINGULAR;
  memset(s->dq, 0, sizeof *s->dq * (size_t)n);
  add_product(s->dq, -1, s->M, s->wd, n, n);
  for (int i = 0; i < n; i++) s->dq[i] += s->f[i];
  add_transposed(s->dq, -1, s->Phi_q, s->lambda, m, n);
  add_transposed(s->dq, -alpha, s->Phi_q, s->Phi, m, n);
  for (int i = 0; i < n; i++) s->dq[i] *= part;
  chol_solve(s->A, n, n, s->dq);
  return LAB_OK;
}

static enum lab_status ali3_accept(struct lab_state *s)
{
  for (int i = 0; i < s->n; i++) s->q[i] += s->dq[i];
  ali3_newmark(s);
  state_rows(s);
  for (int i = 0; i < s->m; i++) s->lambda[i] += s->run->alpha * s->Phi[i];
  return LAB_OK;
}

static enum lab_status ali3_finish(struct lab_state *s)
{
  const double part = 0.25 * s->h * s->h, alpha = s->run->alpha;
  const int n = s->n, m = s->m;
  penalty_matrix(s->A, s->M, part * alpha, s->Phi_q, m, n);
  if (!chol_factor(s->A, n, n)) return LAB_SINGULAR;

  /* velocity: (..) q' = M q'* - h^2/4 alpha Phi_q' Phi_t */
  memcpy(s->rhs, s->w, sizeof *s->rhs * (size_t)n);
  memset(s->w, 0, sizeof *s->w * (size_t)n);
  add_product(s->w, 1, s->M, s->rhs, n, n);
  add_transposed(s->w, -part * alpha, s->Phi_q, s->Phi_t, m, n);
  chol_solve(s->A, n, n, s->w);

  /* acceleration: (..) q'' = M q''* - h^2/4 alpha Phi_q' (d(Phi_q)/dt q' + Phi_tt) */
  memcpy(s->rhs, s->wd, sizeof *s->rhs * (size_t)n);
  memset(s->wd, 0, sizeof *s->wd * (size_t)n);
  add_product(s->wd, 1, s->M, s->rhs, n, n);
  state_bias(s, s->c);
  add_transposed(s->wd, -part * alpha, s->Phi_q, s->c, m, n);
  chol_solve(s->A, n, n, s->wd);
  return LAB_OK;
}

/* (20) as it stands; the accelerations have been projected. */
static enum lab_status ali3_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  memcpy(lambda, s->lambda, sizeof *lambda * (size_t)s->m);
  memcpy(qdd, s->wd, sizeof *qdd * (size_t)s->n);
  return LAB_OK;
}

static const struct newton_form ali3_newton = {.start = al1_start_accelerations,
                                               .predict = ali3_predict,
                                               .increment = ali3_increment,
                                               .accept = ali3_accept,
                                               .finish = ali3_finish};

const struct formulation formulation_ali3 = {.name = "ali3",
                                             .title = "index-3 augmented Lagrangian with projections",
                                             .source = "paper 3, (18) to (20)",
                                             .newton = &ali3_newton,
                                             .multipliers = ali3_multipliers};
