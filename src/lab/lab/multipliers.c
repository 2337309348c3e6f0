/* SPDX-License-Identifier: MIT
 * The system of index1.h by a recursion in the multipliers. With M^ = M + Phi_N' alpha Phi_N of each body, which
 * is 7x7 and regular,
 *
 *   S z = lambda/alpha + gamma + Phi_q M^^-1 Q^,     S = I/alpha + Phi_q M^^-1 Phi_q'
 *   x = M^^-1 (Q^ - Phi_q' z),                       Q^ = Q - Phi_N' (lambda_N + alpha gamma_N)
 *
 * where Phi are the joints' rows and z = lambda + alpha (Phi_q x + gamma) their new multipliers. fronts.c has the
 * recursion for S: nothing of the size of alpha is subtracted. */
#include "coordinates/absolute.h"
#include "lab/fronts.h"
#include "lab/index1.h"
#include "lab/linear.h"
#include "math/euler.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { Y = ABSOLUTE_BODY };

struct multiplier_solver {
  const struct problem *p;
  const struct absolute *absolute;
  struct fronts *fronts;
  double *r; /* (m) */
  double alpha;
  const double *Phi_q;
};

static void release_multipliers(void *own)
{
  struct multiplier_solver *o = own;
  fronts_free(o->fronts);
  free(o->r);
  free(o);
}

static void *make_multipliers(const struct problem *p)
{
  struct multiplier_solver *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  *o = (struct multiplier_solver){.p = p, .absolute = p->own, .fronts = fronts_new(p, Y)};
  o->r = calloc((size_t)p->m, sizeof *o->r);
  if (o->fronts && o->r) return o;
  release_multipliers(o);
  return NULL;
}

/* x := M^^-1 x of a body. With G G' = s I and G p = 0 the inverse is known:
 *   M^^-1 = diag(I/m, G'J^-1 G/(4 s^2) + p p'/(4 alpha s^2))
 * Factors of M^ would lose what 4 alpha is larger than 4 J. */
static void apply_body_inverse(const void *user, int b, double *x)
{
  const struct multiplier_solver *o = user;
  const struct body *body = &o->p->model->body[b];
  const double *row = o->Phi_q + (o->absolute->rows + b) * o->p->n + Y * b + 3; /* 2p' */
  const double p[4] = {0.5 * row[0], 0.5 * row[1], 0.5 * row[2], 0.5 * row[3]}, s = p_dot(p, p);
  double turn[3], th[3];
  p_to_rotation(turn, p, x + 3);
  m3_mul(th, body->inertia_inverse, turn);
  for (int i = 0; i < 3; i++) {
    x[i] /= body->spec.mass;
    th[i] /= 4 * s;
  }
  p_from_rotation(x + 3, p, 1 / s, th, p_dot(p, x + 3) / (4 * o->alpha * s));
}

static bool factor_multipliers(void *own, const double *M, const double *Phi_q, double alpha)
{
  struct multiplier_solver *o = own;
  const struct mobility mobility = {.user = o, .apply = apply_body_inverse};
  o->alpha = alpha;
  o->Phi_q = Phi_q;
  (void)M; /* the model has its inverse */
  return fronts_factor(o->fronts, Phi_q, 1 / alpha, &mobility);
}

/* x := M^^-1 (x - Phi_N' (lambda_N + alpha gamma_N)), body by body. The second part is along p: M^^-1 2p = p/(2
 * alpha s). It is added at the end, since alpha gamma_N in the right-hand side would cost the turning part its
 * last digits. */
static void apply_body_inverses(const struct multiplier_solver *o, const double *lambda, const double *gamma,
                                double *x)
{
  const int rows = o->absolute->rows;
  for (int b = 0; b < o->p->bodies; b++) {
    const double *row = o->Phi_q + (rows + b) * o->p->n + Y * b + 3; /* 2p' */
    const double along = lambda[rows + b] / o->alpha + gamma[rows + b];
    apply_body_inverse(o, b, x + Y * b);
    for (int i = 0; i < 4; i++) x[Y * b + 3 + i] -= along * row[i] / p_dot(row, row);
  }
}

static void solve_multipliers(void *own, const double *Q, const double *lambda, const double *gamma,
                              double *x)
{
  const struct multiplier_solver *o = own;
  const int n = o->p->n, rows = o->absolute->rows;
  memcpy(x, Q, sizeof *x * (size_t)n);
  apply_body_inverses(o, lambda, gamma, x);

  for (int i = 0; i < rows; i++) o->r[i] = lambda[i] / o->alpha + gamma[i];
  add_product(o->r, 1, o->Phi_q, x, rows, n);
  fronts_solve(o->fronts, o->r);

  memcpy(x, Q, sizeof *x * (size_t)n);
  add_transposed(x, -1, o->Phi_q, o->r, rows, n);
  apply_body_inverses(o, lambda, gamma, x);
}

const struct index1_solver index1_multipliers = {make_multipliers, release_multipliers, factor_multipliers,
                                                 solve_multipliers};
