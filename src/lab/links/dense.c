/* SPDX-License-Identifier: MIT
 * The system of links.h in joint coordinates: X_i = X0_i + sum s_j x_j over the freedoms between link i and the
 * ground, where X0 has the steps `a` at the joints of the tree and no part along their freedoms. A joint has one freedom; a
 * link that floats has six, the unit twists.
 *
 *   M x = b + Phi_q' sigma,    Phi_q x = a_c - D'(X0_b - X0_a),    b_j = s_j . sum (B - M X0) of what j carries
 *
 * With K = Phi_q M^-1 Phi_q' and its Moore-Penrose inverse redundant rows share evenly. */
#include "math/dense.h"
#include "links/links.h"

#include <stdlib.h>
#include <string.h>

static const double redundancy_cut = 1e-10;

struct dense_links {
  const struct joint_tree *tree;
  const struct joint_pose *pose;
  int n, *first;               /* freedoms; (links + 1) first of each link */
  double *M;                   /* (n, n) factors */
  double *Phi_q, *MPhi, *K;    /* (m, n), rows of M^-1 Phi_q', (m, m) pseudo-inverse */
  double *work, *x, *b, *rest; /* (m, m), (n), (links, 6), (m) */
};

static void release_dense_links(void *own)
{
  struct dense_links *o = own;
  free(o->M);
  free(o->first);
  free(o);
}

static void *make_dense_links(const struct problem *p)
{
  struct dense_links *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  const struct joint_tree *tree = o->tree = p->own;
  o->first = calloc((size_t)tree->links + 1, sizeof *o->first);
  for (int k = 0; o->first && k < tree->links; k++)
    o->first[k + 1] = o->n = o->first[k] + (link_floats(tree, k) ? SPATIAL : 1);
  const size_t n = (size_t)o->n, m = (size_t)tree->rows, links = (size_t)tree->links;
  o->M = calloc(n * n + 2 * m * n + 2 * m * m + n + SPATIAL * links + m, sizeof *o->M);
  if (!o->first || !o->M) {
    release_dense_links(o);
    return NULL;
  }
  /* One block of memory, shared out. */
  o->Phi_q = o->M + n * n;
  o->MPhi = o->Phi_q + m * n;
  o->K = o->MPhi + m * n;
  o->work = o->K + m * m;
  o->x = o->work + m * m;
  o->b = o->x + n;
  o->rest = o->b + SPATIAL * links;
  return o;
}

/* The twist of freedom i of link k. */
static const double *freedom_twist(const struct dense_links *o, int k, int i)
{
  static const double unit[SPATIAL][SPATIAL] = {{1},          {0, 1},          {0, 0, 1},
                                                {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
  return link_floats(o->tree, k) ? unit[i] : o->pose->link[k].s;
}

/* x_j += factor k . s_j over the freedoms of link k. */
static void add_on_freedoms(const struct dense_links *o, int k, const double P[SPATIAL], double factor,
                            double *x)
{
  for (int j = o->first[k]; j < o->first[k + 1]; j++)
    x[j] += factor * spatial_dot(P, freedom_twist(o, k, j - o->first[k]));
}

static double dot_product(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void fill_mass_matrix(const struct dense_links *o)
{
  const int n = o->n;
  memset(o->M, 0, sizeof *o->M * (size_t)(n * n));
  for (int i = 0; i < o->tree->links; i++)
    for (int j = i; j >= 0; j = o->tree->link[j].parent)
      for (int row = o->first[j]; row < o->first[j + 1]; row++) {
        double P[SPATIAL];
        link_momentum(o->pose, i, freedom_twist(o, j, row - o->first[j]), P);
        for (int k = i; k >= 0; k = o->tree->link[k].parent) add_on_freedoms(o, k, P, 1, o->M + n * row);
      }
}

static const double *cut_wrench(const struct dense_links *o, int row, int side)
{
  const struct cut_pose *x = &o->pose->row[row];
  return x->D[joint_side_wrench(x, side)];
}

static void fill_cut_rows(const struct dense_links *o)
{
  const int n = o->n;
  memset(o->Phi_q, 0, sizeof *o->Phi_q * (size_t)(o->tree->rows * n));
  for (int c = 0; c < o->tree->cuts; c++)
    for (int row = o->tree->cut[c].first; row < o->tree->cut[c].first + o->tree->cut[c].count; row++)
      for (int side = 0; side < JOINT_CUT_SIDES; side++)
        for (int k = o->tree->cut[c].link[side]; k >= 0; k = o->tree->link[k].parent)
          add_on_freedoms(o, k, cut_wrench(o, row, side), joint_side_sign(side), o->Phi_q + n * row);
}

static bool factor_dense_links(void *own, const struct joint_pose *pose)
{
  struct dense_links *o = own;
  const int n = o->n, m = o->tree->rows;
  o->pose = pose;
  fill_mass_matrix(o);
  fill_cut_rows(o);
  if (!chol_factor(o->M, n, n)) return false;
  for (int row = 0; row < m; row++) {
    memcpy(o->MPhi + n * row, o->Phi_q + n * row, sizeof *o->MPhi * (size_t)n);
    chol_solve(o->M, n, n, o->MPhi + n * row);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) o->work[m * i + j] = dot_product(o->Phi_q + n * i, o->MPhi + n * j, n);
  pseudo_inverse(o->K, o->work, m, redundancy_cut);
  return true;
}

/* X0: at the joint's point the step is the sum of a_i times the twist that D_i is dual to. */
static void step_outwards(const struct dense_links *o, const double *a, double *X)
{
  for (int k = 0; k < o->tree->links; k++) {
    const struct link_pose *x = &o->pose->link[k];
    const int parent = o->tree->link[k].parent, forces = o->tree->link[k].turns ? 3 : 2;
    if (link_floats(o->tree, k)) {
      memset(X + SPATIAL * k, 0, SPATIAL * sizeof *X);
      continue;
    }
    /* The step at the joint's point, then at the origin. */
    double v[3] = {0}, w[3] = {0};
    for (int i = 0; i < JOINT_HELD; i++)
      for (int j = 0; j < 3; j++)
        (i < forces ? v : w)[j] += a[JOINT_HELD * k + i] * x->C[3 * j + (i < forces ? i : i - forces)];
    const double at_origin[3] = {v[0] + x->point[1] * w[2] - x->point[2] * w[1],
                                 v[1] + x->point[2] * w[0] - x->point[0] * w[2],
                                 v[2] + x->point[0] * w[1] - x->point[1] * w[0]};
    for (int i = 0; i < 3; i++) {
      X[SPATIAL * k + i] = (parent < 0 ? 0 : X[SPATIAL * parent + i]) + at_origin[i];
      X[SPATIAL * k + 3 + i] = (parent < 0 ? 0 : X[SPATIAL * parent + 3 + i]) + w[i];
    }
  }
}

static void solve_dense_links(void *own, const double *B, const double *a, double *X, double *sigma)
{
  const struct dense_links *o = own;
  const int n = o->n, m = o->tree->rows, links = o->tree->links;
  step_outwards(o, a, X);
  /* b and x = M^-1 b */
  for (int k = 0; k < links; k++) {
    link_momentum(o->pose, k, X + SPATIAL * k, o->b + SPATIAL * k);
    for (int i = 0; i < SPATIAL; i++) o->b[SPATIAL * k + i] = B[SPATIAL * k + i] - o->b[SPATIAL * k + i];
  }
  link_accumulate(o->tree, o->b);
  memset(o->x, 0, sizeof *o->x * (size_t)n);
  for (int k = 0; k < links; k++) add_on_freedoms(o, k, o->b + SPATIAL * k, 1, o->x);
  chol_solve(o->M, n, n, o->x);
  /* sigma = K^+ (a_c - D'(X0_b - X0_a) - Phi_q x) */
  for (int c = 0; c < o->tree->cuts; c++)
    for (int row = o->tree->cut[c].first; row < o->tree->cut[c].first + o->tree->cut[c].count; row++) {
      o->rest[row] = a[JOINT_HELD * links + row] - dot_product(o->Phi_q + n * row, o->x, n);
      for (int side = 0; side < JOINT_CUT_SIDES; side++)
        if (o->tree->cut[c].link[side] >= 0)
          o->rest[row] -= joint_side_sign(side) *
                          spatial_dot(cut_wrench(o, row, side), X + SPATIAL * o->tree->cut[c].link[side]);
    }
  for (int row = 0; row < m; row++) sigma[row] = dot_product(o->K + m * row, o->rest, m);
  for (int row = 0; row < m; row++)
    for (int k = 0; k < n; k++) o->x[k] += sigma[row] * o->MPhi[n * row + k];
  /* X = X0 + sum s x */
  for (int k = links - 1; k >= 0; k--)
    for (int j = k; j >= 0; j = o->tree->link[j].parent)
      for (int f = o->first[j]; f < o->first[j + 1]; f++)
        for (int i = 0; i < SPATIAL; i++)
          X[SPATIAL * k + i] += o->x[f] * freedom_twist(o, j, f - o->first[j])[i];
}

const struct link_solver links_dense = {make_dense_links, release_dense_links, factor_dense_links,
                                        solve_dense_links};
