/* SPDX-License-Identifier: MIT
 * Augmented Lagrangian of Hamilton's equations: paper 3, (8) to (10); as a Newton iteration (21) to (34).
 *
 *   s = 2 xi omega Phi + omega^2 iota,   iota: integral of Phi
 *   (M + alpha Phi_q'Phi_q) q' = p - Phi_q' (sigma + alpha s)                         (8)
 *   sigma += alpha (Phi_q q' + s)                                                     (10)
 *   p' = f + d(Phi_q)/dt' sigma, sigma as updated                                     (9)
 *
 * (9) as printed has sigma before the update, plus alpha (..), which is equal. sigma goes on from step to step. */
#include "formulations/formulations.h"
#include "integrators/linear.h"

#include <stdlib.h>
#include <string.h>

/* 2 xi omega Phi + omega^2 iota, into s->c. */
static void hamiltonian_drive(struct lab_state *s)
{
  const double xi = s->run->xi, omega = s->run->omega;
  for (int i = 0; i < s->m; i++) s->c[i] = 2 * xi * omega * s->Phi[i] + omega * omega * s->iota[i];
}

/* p = M q', sigma = 0, iota = 0 */
static enum lab_status hamiltonian_start(struct lab_state *s)
{
  memset(s->w, 0, sizeof *s->w * (size_t)s->n);
  add_product(s->w, 1, s->M, s->qd, s->n, s->n);
  return LAB_OK;
}

/* sigma = 0, and p by (8) at the present q and q': M q' + Phi_q' alpha (Phi' + s) */
static enum lab_status hamiltonian_reset(struct lab_state *s)
{
  state_rows(s);
  hamiltonian_drive(s);
  add_product(s->c, 1, s->Phi_q, s->qd, s->m, s->n);
  memset(s->lambda, 0, sizeof *s->lambda * (size_t)s->m);
  memset(s->w, 0, sizeof *s->w * (size_t)s->n);
  add_product(s->w, 1, s->M, s->qd, s->n, s->n);
  add_transposed(s->w, s->run->alpha, s->Phi_q, s->c, s->m, s->n);
  return LAB_OK;
}

/* p' = f + d(Phi_q)/dt' sigma, (9) */
static void momentum_rate(struct lab_state *s, const double *sigma)
{
  s->problem->kind->row_rates(s->problem, s->q, s->qd, s->dPhi_q);
  memcpy(s->wd, s->f, sizeof *s->wd * (size_t)s->n);
  add_transposed(s->wd, 1, s->dPhi_q, sigma, s->m, s->n);
}

static enum lab_status hamiltonian_evaluate(struct lab_state *s)
{
  const double alpha = s->run->alpha;
  const int n = s->n, m = s->m;
  s->result->calls++;
  state_rows(s);
  hamiltonian_drive(s);
  penalty_matrix(s->A, s->M, alpha, s->Phi_q, m, n);
  if (!chol_factor(s->A, n, n)) return LAB_SINGULAR;
  memcpy(s->qd, s->w, sizeof *s->qd * (size_t)n);
  add_transposed(s->qd, -1, s->Phi_q, s->lambda, m, n);
  add_transposed(s->qd, -alpha, s->Phi_q, s->c, m, n);
  chol_solve(s->A, n, n, s->qd); /* (8) */
  for (int i = 0; i < m; i++) s->lambda[i] += alpha * s->c[i];
  add_product(s->lambda, alpha, s->Phi_q, s->qd, m, n); /* (10) */
  state_force(s);                                       /* at the new q' */
  momentum_rate(s, s->lambda);
  return LAB_OK;
}

/* ---- as a Newton iteration ---- */

struct hamiltonian_sums {
  double *past; /* (m, n) sum of h Phi_q over the steps so far, the start included */
  double *D;    /* (m, n) */
  double *G2;   /* (n, n) */
  double *hat;  /* (m) sigma + alpha (Phi' + s) */
};

static void *make_sums(const struct problem *p)
{
  const size_t mn = (size_t)(p->m * p->n), nn = (size_t)(p->n * p->n);
  struct hamiltonian_sums *o = calloc(1, sizeof *o + (2 * mn + nn + (size_t)p->m) * sizeof(double));
  if (!o) return NULL;
  o->past = (double *)(o + 1);
  o->D = o->past + mn;
  o->G2 = o->D + mn;
  o->hat = o->G2 + nn;
  return o;
}

static void add_past(struct lab_state *s)
{
  struct hamiltonian_sums *o = s->formulation_own;
  for (int i = 0; i < s->m * s->n; i++) o->past[i] += s->h * s->Phi_q[i];
}

static enum lab_status hamiltonian_newton_start(struct lab_state *s)
{
  const enum lab_status status = hamiltonian_evaluate(s);
  add_past(s);
  return status;
}

/* q' and p' by (21), iota by the trapezoidal rule, and alpha (Phi' + s) into s->c; at the present q and p. */
static void hamiltonian_at_iterate(struct lab_state *s)
{
  const double h = s->h;
  for (int i = 0; i < s->n; i++) {
    s->qd[i] = 2 / h * (s->q[i] - s->q_k[i]) - s->qd_k[i];
    s->wd[i] = 2 / h * (s->w[i] - s->w_k[i]) - s->wd_k[i];
  }
  state_rows(s);
  for (int i = 0; i < s->m; i++) s->iota[i] = s->iota_k[i] + 0.5 * h * (s->Phi_k[i] + s->Phi[i]);
  hamiltonian_drive(s);
  add_product(s->c, 1, s->Phi_q, s->qd, s->m, s->n);
  for (int i = 0; i < s->m; i++) s->c[i] *= s->run->alpha;
}

static enum lab_status hamiltonian_predict(struct lab_state *s)
{
  for (int i = 0; i < s->n; i++) {
    s->q[i] = s->q_k[i] + s->h * s->qd_k[i];
    s->w[i] = s->w_k[i] + s->h * s->wd_k[i];
  }
  hamiltonian_at_iterate(s);
  return LAB_OK;
}

/* o += k B'D, (n, n) */
static void add_outer(double *o, double k, const double *B, const double *D, int m, int n)
{
  for (int r = 0; r < m; r++)
    for (int i = 0; i < n; i++) {
      const double factor = k * B[r * n + i];
      if (factor == 0) continue;
      for (int j = 0; j < n; j++) o[i * n + j] += factor * D[r * n + j];
    }
}

static enum lab_status hamiltonian_increment(struct lab_state *s)
{
  struct hamiltonian_sums *o = s->formulation_own;
  const double h = s->h, alpha = s->run->alpha, xi = s->run->xi, omega = s->run->omega;
  const int n = s->n, m = s->m;
  double *g1 = s->rhs, *g2 = s->dp;

  /* (30) */
  for (int i = 0; i < m; i++) o->hat[i] = s->lambda[i] + s->c[i];
  s->problem->kind->row_rates(s->problem, s->q, s->qd, s->dPhi_q);
  for (int i = 0; i < n; i++) g1[i] = -s->w[i];
  add_product(g1, 1, s->M, s->qd, n, n);
  add_transposed(g1, 1, s->Phi_q, o->hat, m, n);
  for (int i = 0; i < n; i++) g2[i] = s->wd[i] - s->f[i];
  add_transposed(g2, -1, s->dPhi_q, o->hat, m, n);
  for (int i = 0; i < n; i++) {
    g1[i] *= 0.5 * h;
    g2[i] *= 0.5 * h;
  }

  /* (27), (29) */
  for (int i = 0; i < m * n; i++)
    o->D[i] = (1 + h * xi * omega) * s->Phi_q[i] + 0.5 * h * omega * omega * (o->past[i] + h * s->Phi_q[i]);
  memset(o->G2, 0, sizeof *o->G2 * (size_t)(n * n));
  add_outer(o->G2, -alpha, s->dPhi_q, o->D, m, n);
  state_add_slopes(s, 0.5 * h, 1, o->G2);
  memcpy(s->A, s->M, sizeof *s->A * (size_t)(n * n));
  add_outer(s->A, alpha, s->Phi_q, o->D, m, n);
  for (int i = 0; i < n * n; i++) s->A[i] += 0.5 * h * o->G2[i];

  /* (33), (34) */
  for (int i = 0; i < n; i++) s->dq[i] = -g1[i] - 0.5 * h * g2[i];
  if (!lu_solve(s->A, n, s->dq)) return LAB_SINGULAR;
  for (int i = 0; i < n; i++) s->dp[i] = -g2[i];
  add_product(s->dp, -1, o->G2, s->dq, n, n);
  return LAB_OK;
}

static enum lab_status hamiltonian_accept(struct lab_state *s)
{
  for (int i = 0; i < s->n; i++) {
    s->q[i] += s->dq[i];
    s->w[i] += s->dp[i];
  }
  hamiltonian_at_iterate(s);
  for (int i = 0; i < s->m; i++) s->lambda[i] += s->c[i]; /* (10), at the new q */
  return LAB_OK;
}

static enum lab_status hamiltonian_finish(struct lab_state *s)
{
  add_past(s);
  return LAB_OK;
}

static const struct newton_form hamiltonian_newton = {.needs_rows = true,
                                                      .start = hamiltonian_newton_start,
                                                      .predict = hamiltonian_predict,
                                                      .increment = hamiltonian_increment,
                                                      .accept = hamiltonian_accept,
                                                      .finish = hamiltonian_finish};

const struct formulation formulation_hamiltonian = {.name = "hamiltonian",
                                                    .title = "augmented Lagrangian of Hamilton's equations",
                                                    .source = "paper 3, (8) to (10); nr: (21) to (34)",
                                                    .momenta = true,
                                                    .needs_rows = true,
                                                    .make = make_sums,
                                                    .release = free,
                                                    .start = hamiltonian_start,
                                                    .reset = hamiltonian_reset,
                                                    .evaluate = hamiltonian_evaluate,
                                                    .newton = &hamiltonian_newton};
