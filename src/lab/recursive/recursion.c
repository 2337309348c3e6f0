/* SPDX-License-Identifier: MIT */
#include "recursive/recursion.h"

#include "integrators/linear.h"
#include "math/eigen.h"

#include <string.h>

/* Zero mass is exact in a model, so the cuts are not delicate: a mass of 1e-9 kg counts as regular. */
static const double mass_cut = 1e-11, joint_cut = 1e-12;

/* o = A B, (r, c), or A'B where At. */
static void set_block(double *o, const double *A, bool At, const double *B, int r, int inner, int c)
{
  memset(o, 0, sizeof *o * (size_t)(r * c));
  add_block(o, 1, A, At, B, r, inner, c);
}

static bool is_deficient(const double *M, int d)
{
  double X[TREE_BLOCK], Lambda[TREE_SIZE];
  symmetric_eigen(M, d, X, Lambda);
  return eigen_rank(Lambda, d, mass_cut) < d;
}

int recursion_refused(const struct tree *t)
{
  for (int i = 0; i < t->bodies; i++) {
    const int on = t->body[i].predecessor;
    if (on >= 0 && is_deficient(t->body[i].M, t->d) && is_deficient(t->body[on].M, t->d)) return i;
  }
  return -1;
}

static bool invert_tree_block(const double *K, int d, double *o)
{
  double LU[TREE_BLOCK];
  int pivot[TREE_SIZE];
  memcpy(LU, K, sizeof *LU * (size_t)(d * d));
  if (!lu_factor(LU, d, pivot)) return false;
  for (int c = 0; c < d; c++) {
    double x[TREE_SIZE] = {0};
    x[c] = 1;
    lu_apply(LU, d, pivot, x);
    for (int r = 0; r < d; r++) o[r * d + c] = x[r];
  }
  return true;
}

/* A+ = X_r Lambda_r^-1 X_r' */
static void pseudo_inverse(const struct recursion_body *o, int n, double *A_plus)
{
  memset(A_plus, 0, sizeof *A_plus * (size_t)(n * n));
  for (int e = 0; e < o->rank; e++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A_plus[i * n + j] += o->X[i * n + e] * o->X[j * n + e] / o->Lambda[e];
}

/* Y = I - M J A+ J', (d, d) */
static void transfer_matrix(const struct tree_body *body, const struct recursion_body *o, int d, double *Y)
{
  double MJ[TREE_BLOCK], MJA[TREE_BLOCK];
  set_block(MJ, o->M, false, body->J, d, d, body->n);
  set_block(MJA, MJ, false, o->A_plus, d, body->n, body->n);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      Y[i * d + j] = i == j;
      for (int k = 0; k < body->n; k++) Y[i * d + j] -= MJA[i * body->n + k] * body->J[j * body->n + k];
    }
}

/* Adds H' Y M H and -H' Y (f + M k) to what the predecessor gathers, (17). */
static void pass_to_predecessor(const struct tree_body *body, const struct recursion_body *o, int d,
                                struct recursion_body *to)
{
  double Y[TREE_BLOCK], YM[TREE_BLOCK], YMH[TREE_BLOCK], load[TREE_SIZE], passed[TREE_SIZE];
  transfer_matrix(body, o, d, Y);
  set_block(YM, Y, false, o->M, d, d, d);
  set_block(YMH, YM, false, body->H, d, d, d);
  add_block(to->M, 1, body->H, true, YMH, d, d, d);
  memcpy(load, o->f, sizeof load);
  add_product(load, 1, o->M, body->k, d, d);
  set_block(passed, Y, false, load, d, d, 1);
  add_transposed(to->f, -1, body->H, passed, d, d);
}

/* Condenses a body that has gathered its successors: M := K^-T M K^-1, f := K^-T f; then A and its eigenvalues. */
static bool condense_body(const struct tree_body *body, int d, struct recursion_body *o)
{
  double work[TREE_BLOCK], f[TREE_SIZE], Lambda[TREE_SIZE], X[TREE_BLOCK];
  if (!invert_tree_block(body->K, d, o->K_inverse)) return false;
  set_block(work, o->M, false, o->K_inverse, d, d, d);
  set_block(o->M, o->K_inverse, true, work, d, d, d);
  memcpy(f, o->f, sizeof f);
  set_block(o->f, o->K_inverse, true, f, d, d, 1);
  symmetric_eigen(o->M, d, X, Lambda);
  o->full = eigen_rank(Lambda, d, mass_cut) == d;
  /* A = J'MJ */
  set_block(work, o->M, false, body->J, d, d, body->n);
  set_block(o->A, body->J, true, work, body->n, d, body->n);
  symmetric_eigen(o->A, body->n, o->X, o->Lambda);
  o->rank = eigen_rank(o->Lambda, body->n, joint_cut);
  pseudo_inverse(o, body->n, o->A_plus);
  return true;
}

/* (20): with Y' = I - J A+ J'M.  H = K^-1 Y' H,  k = K^-1 (Y' k - J A+ J' f) */
static void make_bars(const struct tree_body *body, int d, struct recursion_body *o)
{
  double Y[TREE_BLOCK], work[TREE_BLOCK], Jf[TREE_SIZE], q[TREE_SIZE], k[TREE_SIZE];
  transfer_matrix(body, o, d, Y);
  set_block(work, Y, true, body->H, d, d, d);
  set_block(o->H, o->K_inverse, false, work, d, d, d);
  set_block(Jf, body->J, true, o->f, body->n, d, 1);
  set_block(q, o->A_plus, false, Jf, body->n, body->n, 1);
  set_block(k, Y, true, body->k, d, d, 1);
  add_product(k, -1, body->J, q, d, body->n);
  set_block(o->k, o->K_inverse, false, k, d, d, 1);
}

/* A successor of a deficient body i sees in place of p_i'': -H_i p_pi'' - k_i, of its predecessor, (24b). On a full one it
 * sees p_i'' itself, on the ground 0. */
static void predecessor_acceleration(const struct tree *t, const struct recursion_body *o, int j, double *a)
{
  const int i = t->body[j].predecessor, d = t->d;
  memset(a, 0, sizeof *a * (size_t)d);
  if (i < 0) return;
  if (o[i].full) {
    memcpy(a, o[i].acceleration, sizeof *a * (size_t)d);
    return;
  }
  const int on = t->body[i].predecessor; /* full, by (23), or the ground */
  for (int k = 0; k < d; k++) a[k] = -o[i].k[k];
  if (on >= 0) add_product(a, -1, o[i].H, o[on].acceleration, d, d);
}

bool recursion_run(const struct tree *t, struct recursion_body *o)
{
  const int d = t->d;
  /* Up: (17). */
  for (int i = 0; i < t->bodies; i++) {
    memcpy(o[i].M, t->body[i].M, sizeof o[i].M);
    memcpy(o[i].f, t->body[i].f, sizeof o[i].f);
  }
  for (int i = t->bodies - 1; i >= 0; i--) {
    const struct tree_body *body = &t->body[i];
    if (!condense_body(body, d, &o[i])) return false;
    make_bars(body, d, &o[i]);
    if (body->predecessor >= 0) pass_to_predecessor(body, &o[i], d, &o[body->predecessor]);
  }
  /* Down: (24). */
  for (int j = 0; j < t->bodies; j++) {
    double a[TREE_SIZE];
    if (!o[j].full) continue;
    predecessor_acceleration(t, o, j, a);
    for (int k = 0; k < d; k++) o[j].acceleration[k] = -o[j].k[k];
    add_product(o[j].acceleration, -1, o[j].H, a, d, d);
  }
  return true;
}

/* (25): A_j q_j'' [- J'M H K_i^-1 J_i (I - A_i+ A_i) q_i''] = -J'M (H a + k) - J'f, where a is what the body sees of its
 * predecessor. The part in brackets, of a deficient predecessor i, goes to C, (n_j, n_i). */
static void joint_equations(const struct tree *t, const struct recursion_body *o, int j, double *C, double *g)
{
  const struct tree_body *body = &t->body[j];
  const int d = t->d, i = body->predecessor;
  double a[TREE_SIZE], load[TREE_SIZE], MH[TREE_BLOCK], JMH[TREE_BLOCK];
  predecessor_acceleration(t, o, j, a);
  memcpy(load, body->k, sizeof load);
  add_product(load, 1, body->H, a, d, d);
  memcpy(a, o[j].f, sizeof a);
  add_product(a, 1, o[j].M, load, d, d);
  memset(g, 0, sizeof *g * (size_t)body->n);
  add_transposed(g, -1, body->J, a, d, body->n);
  if (i < 0 || o[i].full) return;
  /* C = -J'M H K_i^-1 J_i (I - A_i+ A_i) */
  const int ni = t->body[i].n;
  double KJ[TREE_BLOCK], free_part[TREE_BLOCK], KJfree[TREE_BLOCK];
  set_block(MH, o[j].M, false, body->H, d, d, d);
  set_block(JMH, body->J, true, MH, body->n, d, d);
  set_block(KJ, o[i].K_inverse, false, t->body[i].J, d, d, ni);
  set_block(free_part, o[i].A_plus, false, o[i].A, ni, ni, ni);
  for (int r = 0; r < ni; r++)
    for (int c = 0; c < ni; c++) free_part[r * ni + c] = (r == c) - free_part[r * ni + c];
  set_block(KJfree, KJ, false, free_part, d, ni, ni);
  memset(C, 0, sizeof *C * (size_t)(body->n * ni));
  add_block(C, -1, JMH, false, KJfree, body->n, d, ni);
}

void recursion_equations(const struct tree *t, const struct recursion_body *o, double *B, double *g)
{
  const int N = t->coordinates;
  memset(B, 0, sizeof *B * (size_t)(N * N));
  for (int j = 0; j < t->bodies; j++) {
    const struct tree_body *body = &t->body[j];
    const int n = body->n, at = body->first, i = body->predecessor;
    double C[TREE_BLOCK] = {0}, own[TREE_SIZE];
    joint_equations(t, o, j, C, own);
    for (int r = 0; r < n; r++) {
      double *row = B + (at + r) * N;
      g[at + r] = 0;
      if (o[j].full) {
        memcpy(row + at, o[j].A + r * n, sizeof *row * (size_t)n);
        g[at + r] = own[r];
        for (int c = 0; i >= 0 && !o[i].full && c < t->body[i].n; c++)
          row[t->body[i].first + c] = C[r * t->body[i].n + c];
        continue;
      }
      /* A deficient body: rows along the eigenvectors, (28a), and without B where the eigenvalue is 0, (28b). */
      for (int k = 0; k < n; k++) {
        g[at + r] += o[j].X[k * n + r] * own[k];
        if (r < o[j].rank) row[at + k] = o[j].Lambda[r] * o[j].X[k * n + r];
      }
    }
  }
}
