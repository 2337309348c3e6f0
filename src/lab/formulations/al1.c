/* SPDX-License-Identifier: MIT
 * Penalty formulation and index-1 augmented Lagrangian of paper 3: (2) to (6); as a Newton iteration (14) to (17).
 *
 *   c(q, q') = d(Phi_q)/dt q' + 2 xi omega Phi_q q' + omega^2 Phi
 *   (M + alpha Phi_q'Phi_q) q'' = f - Phi_q' (lambda* + alpha c)                                          (5) (6a)
 *   lambda* += alpha (Phi_q q'' + c)      augmented Lagrangian only; penalty: lambda* = 0 always              (6b)
 *
 * lambda* goes on from step to step; one update in an evaluation is enough. */
#include "formulations/formulations.h"
#include "integrators/linear.h"

#include <stdlib.h>
#include <string.h>

/* c(q, q') into s->c. */
static void stabilised_bias(struct lab_state *s, double omega, double xi)
{
  state_bias(s, s->c);
  state_add_row_rates(s, 2 * xi * omega, s->c);
  for (int i = 0; i < s->m; i++) s->c[i] += omega * omega * s->Phi[i];
}

/* (5) (6a) for q'', in s->wd; `updates` times, with (6b) after each. */
static enum lab_status solve_index1(struct lab_state *s, double omega, double xi, int updates)
{
  const double alpha = s->run->alpha;
  const int n = s->n, m = s->m;
  state_rows(s);
  stabilised_bias(s, omega, xi);
  penalty_matrix(s->A, s->M, alpha, s->Phi_q, m, n);
  if (!chol_factor(s->A, n, n)) return LAB_SINGULAR;
  for (int pass = 0; pass == 0 || pass < updates; pass++) {
    memcpy(s->wd, s->f, sizeof *s->wd * (size_t)n);
    add_transposed(s->wd, -1, s->Phi_q, s->lambda, m, n);
    add_transposed(s->wd, -alpha, s->Phi_q, s->c, m, n);
    chol_solve(s->A, n, n, s->wd);
    for (int i = 0; updates > 0 && i < m; i++) s->lambda[i] += alpha * s->c[i];
    if (updates > 0) add_product(s->lambda, alpha, s->Phi_q, s->wd, m, n);
  }
  return LAB_OK;
}

static enum lab_status penalty_evaluate(struct lab_state *s)
{
  s->result->calls++;
  return solve_index1(s, s->run->omega, s->run->xi, 0);
}

static enum lab_status al1_evaluate(struct lab_state *s)
{
  s->result->calls++;
  return solve_index1(s, s->run->omega, s->run->xi, 1);
}

enum lab_status al1_start_accelerations(struct lab_state *s)
{
  enum { START_UPDATES = 5 };
  return solve_index1(s, 0, 0, START_UPDATES);
}

/* Newmark's formulas (13): q' and q'' that go with q. */
static void al1_newmark(struct lab_state *s)
{
  const double h = s->h;
  for (int i = 0; i < s->n; i++) {
    const double dq = s->q[i] - s->q_k[i];
    s->w[i] = 2 / h * dq - s->w_k[i];
    s->wd[i] = 4 / (h * h) * dq - 4 / h * s->w_k[i] - s->wd_k[i];
  }
}

/* Phi'' + 2 xi omega Phi' + omega^2 Phi at the present state, into s->c. */
static void al1_demand(struct lab_state *s)
{
  state_rows(s);
  stabilised_bias(s, s->run->omega, s->run->xi);
  add_product(s->c, 1, s->Phi_q, s->wd, s->m, s->n);
}

static enum lab_status al1_predict(struct lab_state *s)
{
  const double h = s->h;
  for (int i = 0; i < s->n; i++) s->q[i] = s->q_k[i] + h * s->w_k[i] + 0.5 * h * h * s->wd_k[i];
  al1_newmark(s);
  al1_demand(s);
  return LAB_OK;
}

static enum lab_status al1_increment(struct lab_state *s)
{
  const double h = s->h, alpha = s->run->alpha, omega = s->run->omega, xi = s->run->xi;
  const int n = s->n, m = s->m;
  /* -g of (17) */
  memset(s->dq, 0, sizeof *s->dq * (size_t)n);
  add_product(s->dq, -1, s->M, s->wd, n, n);
  for (int i = 0; i < n; i++) s->dq[i] += s->f[i];
  add_transposed(s->dq, -1, s->Phi_q, s->lambda, m, n);
  add_transposed(s->dq, -alpha, s->Phi_q, s->c, m, n);
  for (int i = 0; i < n; i++) s->dq[i] *= 0.25 * h * h;

  /* (16): T = M + alpha Phi_q' ((1 + xi omega h + omega^2 h^2/4) Phi_q + h/2 d(Phi_q)/dt) */
  s->problem->kind->row_rates(s->problem, s->q, s->qd, s->dPhi_q);
  const double k = 1 + xi * omega * h + 0.25 * omega * omega * h * h;
  memcpy(s->A, s->M, sizeof *s->A * (size_t)(n * n));
  for (int r = 0; r < m; r++)
    for (int i = 0; i < n; i++) {
      const double factor = alpha * s->Phi_q[r * n + i];
      if (factor == 0) continue;
      for (int j = 0; j < n; j++)
        s->A[i * n + j] += factor * (k * s->Phi_q[r * n + j] + 0.5 * h * s->dPhi_q[r * n + j]);
    }
  state_add_slopes(s, 0.25 * h * h, 0.5 * h, s->A);
  return lu_solve(s->A, n, s->dq) ? LAB_OK : LAB_SINGULAR;
}

/* The multipliers take what the rows ask for at the new q: with the old one the iteration diverges. */
static enum lab_status al1_accept(struct lab_state *s)
{
  for (int i = 0; i < s->n; i++) s->q[i] += s->dq[i];
  al1_newmark(s);
  al1_demand(s);
  for (int i = 0; i < s->m; i++) s->lambda[i] += s->run->alpha * s->c[i];
  return LAB_OK;
}

/* lambda of least squares in Phi_q' lambda = f - M q'', where redundant rows share evenly. */
static enum lab_status multipliers_of_accelerations(const struct lab_state *s, double *lambda)
{
  static const double relative_compliance = 1e-13;
  const int n = s->n, m = s->m;
  double *K = calloc((size_t)(m * m + n + 1), sizeof *K), *lacks = K ? K + m * m : NULL, trace = 0;
  if (!K) return LAB_NO_MEMORY;
  memcpy(lacks, s->f, sizeof *lacks * (size_t)n);
  add_product(lacks, -1, s->M, s->wd, n, n);
  memset(lambda, 0, sizeof *lambda * (size_t)m);
  add_product(lambda, 1, s->Phi_q, lacks, m, n);
  /* K = Phi_q Phi_q' */
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++)
      for (int l = 0; l < n; l++) K[i * m + j] += s->Phi_q[i * n + l] * s->Phi_q[j * n + l];
    trace += K[i * m + i];
  }
  for (int i = 0; i < m; i++) K[i * m + i] += relative_compliance * trace;
  const bool regular = chol_factor(K, m, m);
  if (regular) chol_solve(K, m, m, lambda);
  free(K);
  return regular ? LAB_OK : LAB_SINGULAR;
}

/* (6b) as it stands; after a Newton iteration it has the error of q'' times alpha, so that there it comes from q''. */
static enum lab_status al1_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  memcpy(lambda, s->lambda, sizeof *lambda * (size_t)s->m);
  memcpy(qdd, s->wd, sizeof *qdd * (size_t)s->n);
  return s->run->integrator->needs == NEEDS_NEWTON ? multipliers_of_accelerations(s, lambda) : LAB_OK;
}

/* alpha (Phi'' + 2 xi omega Phi' + omega^2 Phi) of the last evaluation: what the penalty does in place of a multiplier. */
static enum lab_status penalty_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  memset(lambda, 0, sizeof *lambda * (size_t)s->m);
  add_product(lambda, 1, s->Phi_q, s->wd, s->m, s->n);
  for (int i = 0; i < s->m; i++) lambda[i] = s->run->alpha * (lambda[i] + s->c[i]);
  memcpy(qdd, s->wd, sizeof *qdd * (size_t)s->n);
  return LAB_OK;
}

static const struct newton_form al1_newton = {.needs_rows = true,
                                              .start = al1_start_accelerations,
                                              .predict = al1_predict,
                                              .increment = al1_increment,
                                              .accept = al1_accept};

const struct formulation formulation_penalty = {.name = "penalty",
                                                .title = "penalty formulation",
                                                .source = "paper 3, (2) to (5)",
                                                .pure = true,
                                                .evaluate = penalty_evaluate,
                                                .multipliers = penalty_multipliers};
const struct formulation formulation_al1 = {.name = "al1",
                                            .title = "index-1 augmented Lagrangian",
                                            .source = "paper 3, (6); nr: (14) to (17)",
                                            .evaluate = al1_evaluate,
                                            .multipliers = al1_multipliers,
                                            .newton = &al1_newton};
