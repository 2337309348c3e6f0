/* SPDX-License-Identifier: MIT
 * Divide and conquer, in plain form. An assembly is a set of bodies. Its boundary o are the rows of joints with a body
 * outside. For multipliers z_o the assembly answers with the motion
 *
 *     u_o = w_o - D z_o                                     (24), (25), both multiplied by Phi_q
 *
 * Paper 1's coefficients appear as D_jk = Phi_q delta_jk Phi_q' and w_j = Phi_q delta_j3. The numbers in brackets are
 * the equations of the paper. Its delta are negative; ours are positive. The free motion of the bodies is part of
 * beta: w = 0 for a single body.
 *
 * Bodies first .. end-1 are one assembly with the halves A and B. Rows i, which become inner rows, satisfy
 *
 *     c z_i = beta_i + u_i,     u_i: sum of both halves     (34)
 *
 * Rows to the ground are inner rows of a single body. */
#include "dca/plain.h"

#include <math.h>
#include <stdlib.h>

typedef long double real; /* an oracle: C loses -log10(c) digits */

struct assembly {
  int first, end;         /* bodies */
  struct assembly *a, *b; /* the halves; NULL: a single body */
  int inner, outer;
  int *row;    /* (inner + outer) rows of the graph, inner ones first */
  real *D, *w; /* (n, n) and (n), n = inner + outer: sums of the halves, then the condensed outer rows */
  real *L, *E; /* (inner, inner) L of C^-1 = L L', (inner, outer) */
};

static real *numbers(int count)
{
  real *p = calloc((size_t)count + 1, sizeof *p);
  if (!p) abort();
  return p;
}

/* Counts the ends of a joint at bodies first .. end-1 and at other bodies. */
static void count_sides(const struct graph *g, int joint, const struct assembly *o, int *inside, int *outside)
{
  *inside = *outside = 0;
  for (int side = 0; side < g->sides[joint]; side++) {
    int body = g->ends[joint][side];
    *inside += body >= o->first && body < o->end;
    *outside += body >= 0 && (body < o->first || body >= o->end);
  }
}

/* A joint whose bodies all lie in one half is an inner joint there, or further down. */
static bool joint_is_below(const struct graph *g, int joint, const struct assembly *o)
{
  const struct assembly *half[2] = {o->a, o->b};
  int inside, outside;
  for (int k = 0; k < 2 && half[k]; k++) {
    count_sides(g, joint, half[k], &inside, &outside);
    if (inside > 0 && outside == 0) return true;
  }
  return false;
}

/* Finds the rows at these bodies that no half has eliminated, inner rows first. */
static void find_rows(const struct graph *g, struct assembly *o)
{
  o->row = calloc((size_t)graph_rows(g) + 1, sizeof *o->row);
  if (!o->row) abort();
  for (int outer = 0; outer < 2; outer++)
    for (int j = 0; j < g->g.joints; j++) {
      int inside, outside;
      count_sides(g, j, o, &inside, &outside);
      if (inside == 0 || (outside > 0) != outer || joint_is_below(g, j, o)) continue;
      for (int row = g->first[j]; row < g->first[j + 1]; row++) {
        o->row[o->inner + o->outer] = row;
        *(outer ? &o->outer : &o->inner) += 1;
      }
    }
}

/* Phi_q of a row at a body. */
static const double *gradient(const struct graph *g, int row, int body)
{
  int joint = 0, side = 0;
  while (g->first[joint + 1] <= row) joint++;
  while (g->ends[joint][side] != body) side++;
  return graph_block(g, joint, row, side);
}

/* D = Phi_q delta Phi_q' of a body, (26). */
static void body_response(const struct graph *g, struct assembly *o)
{
  const struct tree_delta *delta = &g->delta[o->first];
  int n = o->inner + o->outer;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      const double *J = gradient(g, o->row[i], o->first), *K = gradient(g, o->row[k], o->first);
      real sum = (real)J[6] * delta->n * K[6];
      for (int a = 0; a < 3; a++) {
        sum += (real)J[a] * delta->r * K[a];
        for (int b = 0; b < 3; b++) sum += (real)J[3 + a] * delta->th[3 * a + b] * K[3 + b];
      }
      o->D[i * n + k] = sum;
    }
}

/* Adds D and w of a half, at the rows of the whole. */
static void add_half(const struct graph *g, struct assembly *o, const struct assembly *half)
{
  int n = o->inner + o->outer, m = half->inner + half->outer,
      *at = calloc((size_t)graph_rows(g) + 1, sizeof *at);
  if (!at) abort();
  for (int i = 0; i < n; i++) at[o->row[i]] = i;
  for (int p = half->inner; p < m; p++) {
    int i = at[half->row[p]];
    o->w[i] += half->w[p];
    for (int q = half->inner; q < m; q++) o->D[i * n + at[half->row[q]]] += half->D[p * m + q];
  }
  free(at);
}

/* C^-1 = L L', L in place of the lower triangle. */
static void factorise(real *L, int n)
{
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++) L[i * n + j] -= L[i * n + k] * L[j * n + k];
    real d = sqrtl(L[j * n + j]);
    for (int i = j; i < n; i++) L[i * n + j] /= d;
  }
}

/* x := L^-1 x, for a column whose elements are `stride` apart. */
static void half_solve(const real *L, int n, real *x, int stride)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i * stride] -= L[i * n + k] * x[k * stride];
    x[i * stride] /= L[i * n + i];
  }
}

/* Assembly: C = (c + D_ii)^-1 and beta = beta_i + w_i, below (35); D_o := D_oo - E'C E, (36) to (38);
 * w_o := w_o - E'C beta, (39). With C = L'^-1 L^-1 the code computes E := L^-1 E and w_i := L^-1 beta, which stay for the
 * way down. */
static void eliminate_rows(const struct graph *g, struct assembly *o)
{
  int n = o->inner + o->outer;
  for (int i = 0; i < o->inner; i++) {
    for (int k = 0; k < o->inner; k++)
      o->L[i * o->inner + k] = o->D[i * n + k] + (i == k ? g->c[o->row[i]] : 0.0L);
    for (int k = 0; k < o->outer; k++) o->E[i * o->outer + k] = o->D[i * n + o->inner + k];
    o->w[i] += g->beta[o->row[i]];
  }
  factorise(o->L, o->inner);
  half_solve(o->L, o->inner, o->w, 1);
  for (int p = 0; p < o->outer; p++) half_solve(o->L, o->inner, o->E + p, o->outer);
  for (int i = 0; i < o->inner; i++)
    for (int p = 0; p < o->outer; p++) {
      o->w[o->inner + p] -= o->E[i * o->outer + p] * o->w[i];
      for (int q = 0; q < o->outer; q++)
        o->D[(o->inner + p) * n + o->inner + q] -= o->E[i * o->outer + p] * o->E[i * o->outer + q];
    }
}

static struct assembly *assemble(const struct graph *g, int first, int end)
{
  struct assembly *o = calloc(1, sizeof *o);
  if (!o) abort();
  *o = (struct assembly){.first = first, .end = end};
  if (end - first > 1) {
    o->a = assemble(g, first, (first + end) / 2);
    o->b = assemble(g, (first + end) / 2, end);
  }
  find_rows(g, o);
  int n = o->inner + o->outer;
  o->D = numbers(n * n);
  o->w = numbers(n);
  o->L = numbers(o->inner * o->inner);
  o->E = numbers(o->inner * o->outer);
  if (o->a) {
    add_half(g, o, o->a);
    add_half(g, o, o->b);
  } else {
    body_response(g, o);
  }
  eliminate_rows(g, o);
  return o;
}

/* Disassembly: z_i = C (beta - E z_o), (35). */
static void disassemble(struct assembly *o, real *z)
{
  for (int i = o->inner - 1; i >= 0; i--) {
    real x = o->w[i];
    for (int p = 0; p < o->outer; p++) x -= o->E[i * o->outer + p] * z[o->row[o->inner + p]];
    for (int k = i + 1; k < o->inner; k++) x -= o->L[k * o->inner + i] * z[o->row[k]];
    z[o->row[i]] = x / o->L[i * o->inner + i];
  }
  if (o->a) disassemble(o->a, z);
  if (o->b) disassemble(o->b, z);
  free(o->row);
  free(o->D);
  free(o->w);
  free(o->L);
  free(o->E);
  free(o);
}

void plain_solve(const struct graph *g, double *z)
{
  real *x = numbers(graph_rows(g));
  if (g->g.bodies > 0) disassemble(assemble(g, 0, g->g.bodies), x);
  for (int i = 0; i < graph_rows(g); i++) z[i] = (double)x[i];
  free(x);
}
