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
#include "formulations/fronts.h"
#include "formulations/index1.h"
#include "integrators/linear.h"
#include "links/elimination.h"
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
  const double *q, *J;
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
  *o = (struct multiplier_solver){.p = p, .absolute = p->own, .fronts = fronts_new(p, Y, false)};
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
  const double *p = o->q + Y * b + 3, s = p_dot(p, p);
  double turn[3], th[3];
  p_to_rotation(turn, p, x + 3);
  m3_mul(th, body->inertia_inverse, turn);
  for (int i = 0; i < 3; i++) {
    x[i] /= body->spec.mass;
    th[i] /= 4 * s;
  }
  p_from_rotation(x + 3, p, 1 / s, th, p_dot(p, x + 3) / (4 * o->alpha * s));
}

static const double *columns_of_body(const void *user, int row, int body)
{
  const struct multiplier_solver *o = user;
  return absolute_block_of(o->absolute, o->J, row, body);
}

static bool factor_multipliers(void *own, const struct index1_matrices *a)
{
  struct multiplier_solver *o = own;
  const struct mobility mobility = {.user = o, .apply = apply_body_inverse};
  const struct front_rows rows = {o, columns_of_body};
  o->alpha = a->alpha;
  o->q = a->q;
  o->J = a->J;
  return fronts_factor(o->fronts, &rows, 1 / a->alpha, &mobility);
}

/* x := M^^-1 (x - Phi_N' (lambda_N + alpha gamma_N)), body by body. The second part is along p: M^^-1 2p = p/(2
 * alpha s). It is added at the end, since alpha gamma_N in the right-hand side would cost the turning part its
 * last digits. */
static void apply_body_inverses(const struct multiplier_solver *o, const double *lambda, const double *gamma,
                                double *x)
{
  const int rows = o->absolute->rows;
  for (int b = 0; b < o->p->bodies; b++) {
    const double *p = o->q + Y * b + 3, along = 0.5 * (lambda[rows + b] / o->alpha + gamma[rows + b]);
    apply_body_inverse(o, b, x + Y * b);
    for (int i = 0; i < 4; i++) x[Y * b + 3 + i] -= along * p[i] / p_dot(p, p);
  }
}

static void solve_multipliers(void *own, const double *Q, const double *lambda, const double *gamma,
                              double *x)
{
  const struct multiplier_solver *o = own;
  const int n = o->p->n, rows = o->absolute->rows;
  memcpy(x, Q, sizeof *x * (size_t)n);
  apply_body_inverses(o, lambda, gamma, x);

  /* absolute_add_rows() adds to the rows of p'p = 1, too, which nobody reads here. */
  for (int i = 0; i < o->p->m; i++) o->r[i] = i < rows ? lambda[i] / o->alpha + gamma[i] : 0;
  absolute_add_rows(o->p, o->q, o->J, 1, x, o->r);
  fronts_solve(o->fronts, o->r);

  memcpy(x, Q, sizeof *x * (size_t)n);
  for (int i = rows; i < o->p->m; i++) o->r[i] = 0;
  absolute_add_columns(o->p, o->q, o->J, -1, o->r, x);
  apply_body_inverses(o, lambda, gamma, x);
}

bool lab_operations_count(const struct problem *p, struct lab_operations *o)
{
  struct elimination_cost cost;
  struct fronts *fronts = fronts_new(p, Y, false);
  const bool good = fronts && fronts_count(fronts, &o->levels, &cost);
  if (good) {
    o->factor = cost.factor;
    o->solve = cost.solve;
    o->path = cost.path;
  }
  fronts_free(fronts);
  return good;
}

const struct index1_solver index1_multipliers = {false, make_multipliers, release_multipliers,
                                                 factor_multipliers, solve_multipliers};
