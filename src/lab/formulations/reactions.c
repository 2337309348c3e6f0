/* SPDX-License-Identifier: MIT
 * Reactions of joints in the state that a run has reached: from the multipliers and accelerations that the formulation has, or,
 * where it has none, from a solve at q and q' (paper 2, section 3.4, "a separate module"; paper 3, (5) (6)):
 *
 *   (M + alpha Phi_q'Phi_q) q'' = f - Phi_q' (lambda + alpha bias),    lambda += alpha (Phi_q q'' + bias) */
#include "integrators/linear.h"
#include "integrators/state.h"

#include <stdlib.h>
#include <string.h>

static const double solve_alpha = 1e7;
enum { SOLVE_PASSES = 8 };

/* lambda and q'' of the state (q, q'), by matrices of its own. */
static enum lab_status solve_for_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  const struct problem *p = s->problem;
  const int n = s->n, m = s->m;
  double *M = calloc((size_t)(2 * n * n + m * n + n + 2 * m), sizeof *M);
  if (!M) return LAB_NO_MEMORY;
  double *A = M + n * n, *Phi_q = A + n * n, *f = Phi_q + m * n, *Phi = f + n, *bias = Phi + m;
  /* The equations at this state. */
  p->kind->rows(p, &s->now, s->q, Phi, Phi_q);
  p->kind->bias(p, &s->now, s->q, s->qd, bias);
  memcpy(M, p->constant ? p->M : A, sizeof *M * (size_t)(n * n));
  if (!p->constant) p->kind->inertia(p, s->q, M);
  memcpy(f, s->f, sizeof *f * (size_t)n);
  if (!p->constant || p->loaded) p->kind->force(p, &s->now, s->q, s->qd, f);
  penalty_matrix(A, M, solve_alpha, Phi_q, m, n);
  const bool regular = chol_factor(A, n, n);
  memset(lambda, 0, sizeof *lambda * (size_t)m);
  for (int pass = 0; regular && pass < SOLVE_PASSES; pass++) {
    memcpy(qdd, f, sizeof *qdd * (size_t)n);
    add_transposed(qdd, -1, Phi_q, lambda, m, n);
    add_transposed(qdd, -solve_alpha, Phi_q, bias, m, n);
    chol_solve(A, n, n, qdd);
    for (int i = 0; i < m; i++) lambda[i] += solve_alpha * bias[i];
    add_product(lambda, solve_alpha, Phi_q, qdd, m, n);
  }
  free(M);
  return regular ? LAB_OK : LAB_SINGULAR;
}

bool lab_reactions_get(const struct lab_state *s, struct lab_reaction *o)
{
  const struct formulation *f = s->run->formulation;
  if (f->reactions) {
    f->reactions(s, o);
    return true;
  }
  double *lambda = calloc((size_t)(s->m + s->n), sizeof *lambda);
  if (!lambda) return false;
  const struct lab_motion x = {s->q, s->qd, lambda + s->m, lambda};
  const enum lab_status status =
      (f->multipliers ? f->multipliers : solve_for_multipliers)(s, lambda, lambda + s->m);
  const bool good = status == LAB_OK && s->problem->kind->reactions(s->problem, &s->now, &x, o);
  free(lambda);
  return good;
}
