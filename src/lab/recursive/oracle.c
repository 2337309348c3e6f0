/* SPDX-License-Identifier: MIT */
#include "recursive/oracle.h"

#include "integrators/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dense system that may be singular ---- */

struct dense_system {
  int n;
  double *A, *b; /* (n, n), (n) */
  int *column;   /* (n) unknown of each column */
};

static void swap_numbers(double *a, double *b)
{
  const double moved = *a;
  *a = *b;
  *b = moved;
}

/* Brings the largest entry of the rows and columns from k on to (k, k); returns it. */
static double pivot_fully(struct dense_system *s, int k)
{
  int row = k, column = k;
  const int n = s->n;
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++)
      if (fabs(s->A[i * n + j]) > fabs(s->A[row * n + column])) {
        row = i;
        column = j;
      }
  for (int j = 0; j < n; j++) swap_numbers(&s->A[k * n + j], &s->A[row * n + j]);
  for (int i = 0; i < n; i++) swap_numbers(&s->A[i * n + k], &s->A[i * n + column]);
  swap_numbers(&s->b[k], &s->b[row]);
  const int moved = s->column[k];
  s->column[k] = s->column[column];
  s->column[column] = moved;
  return s->A[k * n + k];
}

/* b := a solution of A x = b, with 0 for unknowns that nothing determines. False: there is none. */
static bool solve_consistent(struct dense_system *s, double *x)
{
  const double cut = 1e-10, doubt = 1e-6;
  const int n = s->n;
  int rank = 0;
  double first = 0;
  for (; rank < n; rank++) {
    const double pivot = pivot_fully(s, rank);
    if (rank == 0) first = fabs(pivot);
    if (!(fabs(pivot) > cut * first)) break;
    for (int i = rank + 1; i < n; i++) {
      const double factor = s->A[i * n + rank] / pivot;
      if (factor == 0) continue;
      for (int j = rank; j < n; j++) s->A[i * n + j] -= factor * s->A[rank * n + j];
      s->b[i] -= factor * s->b[rank];
    }
  }
  /* Rows without a pivot must agree. */
  for (int i = rank; i < n; i++)
    if (!(fabs(s->b[i]) < doubt)) return false;
  memset(x, 0, sizeof *x * (size_t)n);
  for (int i = rank - 1; i >= 0; i--) {
    double sum = s->b[i];
    for (int j = i + 1; j < rank; j++) sum -= s->A[i * n + j] * x[s->column[j]];
    x[s->column[i]] = sum / s->A[i * n + i];
  }
  return true;
}

/* ---- the tree as a dense system: unknowns p'' (bodies, d), mu (bodies, d), q'' ---- */

static void put_block(struct dense_system *s, int row, int column, const double *B, bool Bt, int r, int c)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) s->A[(row + i) * s->n + column + j] = Bt ? B[j * r + i] : B[i * c + j];
}

static void fill_dense_system(const struct tree *t, struct dense_system *s)
{
  const int d = t->d, mu = d * t->bodies, q = 2 * mu;
  for (int i = 0; i < t->bodies; i++) {
    const struct tree_body *body = &t->body[i];
    const int on = body->predecessor, at = d * i;
    /* (9), with (12) in the rows of q'' */
    put_block(s, at, at, body->K, false, d, d);
    if (on >= 0) put_block(s, at, d * on, body->H, false, d, d);
    put_block(s, at, q + body->first, body->J, false, d, body->n);
    put_block(s, q + body->first, mu + at, body->J, true, body->n, d);
    /* (11): the reaction on a successor's predecessor is in that one's rows. */
    put_block(s, mu + at, at, body->M, false, d, d);
    put_block(s, mu + at, mu + at, body->K, true, d, d);
    if (on >= 0) put_block(s, mu + d * on, mu + at, body->H, true, d, d);
    for (int k = 0; k < d; k++) {
      s->b[at + k] = -body->k[k];
      s->b[mu + at + k] = body->f[k];
    }
  }
}

bool oracle_accelerations(const struct tree *t, double *acceleration)
{
  const int n = 2 * t->d * t->bodies + t->coordinates;
  struct dense_system s = {.n = n,
                           .A = calloc((size_t)(n * n), sizeof *s.A),
                           .b = calloc((size_t)n, sizeof *s.b),
                           .column = calloc((size_t)n, sizeof *s.column)};
  double *x = calloc((size_t)n, sizeof *x);
  /* Fill, solve, and keep what belongs to the bodies. */
  bool good = s.A && s.b && s.column && x;
  for (int i = 0; good && i < n; i++) s.column[i] = i;
  if (good) {
    fill_dense_system(t, &s);
    good = solve_consistent(&s, x);
    memcpy(acceleration, x, sizeof *x * (size_t)(t->d * t->bodies));
  }
  free(s.A);
  free(s.b);
  free(s.column);
  free(x);
  return good;
}

/* ---- random trees ---- */

/* -1 .. 1 */
static double tree_random(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void random_block(unsigned *seed, double *o, int r, int c, double diagonal)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) o[i * c + j] = 0.4 * tree_random(seed) + (i == j ? diagonal : 0);
}

/* M = F'F with `rank` rows of F. */
static void random_mass(unsigned *seed, double *M, int d, int rank)
{
  double F[TREE_BLOCK];
  random_block(seed, F, rank, d, 1);
  memset(M, 0, sizeof *M * (size_t)(d * d));
  if (rank > 0) add_block(M, 1, F, true, F, d, rank, d);
}

/* f of body i so that (28b) holds: f -= K' J (J'J)^-1 X_0 X_0' J' f_condensed. */
static void make_load_consistent(const struct tree *t, const struct recursion_body *o, int i)
{
  struct tree_body *body = &t->body[i];
  const int d = t->d, n = body->n;
  double Jf[TREE_SIZE] = {0}, lack[TREE_SIZE] = {0}, JJ[TREE_BLOCK] = {0}, p[TREE_SIZE] = {0};
  add_transposed(Jf, 1, body->J, o[i].f, d, n);
  for (int e = o[i].rank; e < n; e++) {
    double along = 0;
    for (int k = 0; k < n; k++) along += o[i].X[k * n + e] * Jf[k];
    for (int k = 0; k < n; k++) lack[k] += along * o[i].X[k * n + e];
  }
  add_block(JJ, 1, body->J, true, body->J, n, d, n);
  lu_solve(JJ, n, lack);
  add_product(p, 1, body->J, lack, d, n);
  add_transposed(body->f, -1, body->K, p, d, d);
}

void oracle_random_tree(unsigned seed, struct tree *t, struct tree_body *body)
{
  enum { D = TREE_SIZE, RANK_3 = 3 };
  bool full[ORACLE_BODIES];
  struct recursion_body o[ORACLE_BODIES];
  *t = (struct tree){.d = D, .bodies = ORACLE_BODIES, .body = body};
  for (int warm = 0; warm < 8; warm++) tree_random(&seed);
  for (int i = 0; i < ORACLE_BODIES; i++) {
    struct tree_body *b = &body[i];
    /* Where it hangs, and whether it may be deficient: the predecessor is not. */
    *b = (struct tree_body){.predecessor = (int)floor((tree_random(&seed) + 1) * 0.5 * (i + 1)) - 1,
                            .n = 1 + (int)floor((tree_random(&seed) + 1) * 1.4999),
                            .first = t->coordinates};
    const double draw = tree_random(&seed);
    full[i] = draw > -0.3 || (b->predecessor >= 0 && !full[b->predecessor]);
    t->coordinates += b->n;
    /* Its matrices. */
    random_mass(&seed, b->M, D, full[i] ? D : draw > -0.6 ? RANK_3 : 0);
    random_block(&seed, b->K, D, D, 1);
    random_block(&seed, b->J, D, b->n, 1);
    if (b->predecessor >= 0) random_block(&seed, b->H, D, D, -1);
    for (int k = 0; k < D; k++) {
      b->k[k] = tree_random(&seed);
      b->f[k] = 10 * tree_random(&seed);
    }
  }
  /* Loads, leaves first: what a body passes on changes its predecessors. */
  for (int i = ORACLE_BODIES - 1; i >= 0; i--)
    if (!full[i] && recursion_run(t, o)) make_load_consistent(t, o, i);
}

double oracle_difference(const struct tree *t, int *skipped)
{
  struct recursion_body *o = calloc((size_t)t->bodies, sizeof *o);
  double *exact = calloc((size_t)(t->d * t->bodies), sizeof *exact), worst = NAN;
  *skipped = 0;
  if (o && exact && recursion_run(t, o) && oracle_accelerations(t, exact)) {
    double largest = 0;
    worst = 0;
    for (int i = 0; i < t->bodies; i++) {
      *skipped += !o[i].full;
      for (int k = 0; o[i].full && k < t->d; k++) {
        largest = fmax(largest, fabs(exact[t->d * i + k]));
        worst = fmax(worst, fabs(exact[t->d * i + k] - o[i].acceleration[k]));
      }
    }
    worst /= largest;
  }
  free(o);
  free(exact);
  return worst;
}
