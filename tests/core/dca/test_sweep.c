/* SPDX-License-Identifier: MIT
 * The sweeps against paper 1's own recursion. The recursion carries 7x7 coefficients at the handles of an assembly,
 * the coordinates of its first and its last body. The tree carries the multipliers of its boundary joints. */
#include "check.h"
#include "dca/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Y = TREE_Y, MOST = 6 };

/* An assembly of consecutive bodies of a chain under forces f at its handles, (28) and (31):
 *
 *     dq1 = d11 f1 + d12 f2 + d13
 *     dq2 = d12' f1 + d22 f2 + d23 */
struct handles {
  double d11[Y][Y], d12[Y][Y], d22[Y][Y], d13[Y], d23[Y];
};

/* Joint between assemblies A and B: J_A' z and J_B' z act on A's last and B's first body with a minus sign. */
struct merge {
  int rows;
  double JA[MOST][Y], JB[MOST][Y], c[MOST], beta[MOST];
};

/* Solves C x = b in place, by elimination with pivoting. */
static void small_solve(double C[MOST][MOST], int n, double *b)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(C[i][k]) > fabs(C[p][k])) p = i;
    for (int j = 0; j < n; j++) {
      double t = C[k][j];
      C[k][j] = C[p][j];
      C[p][j] = t;
    }
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
    for (int i = k + 1; i < n; i++) {
      double f = C[i][k] / C[k][k];
      for (int j = k; j < n; j++) C[i][j] -= f * C[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j < n; j++) b[i] -= C[i][j] * b[j];
    b[i] /= C[i][i];
  }
}

/* z of the joint between A and B, for forces f1 on A's first and f2 on B's last body, (35):
 *
 *     z = C (beta + J_A (d12_A' f1 + d23_A) + J_B (d12_B f2 + d13_B)) */
static void joint_multipliers(const struct merge *m, const struct handles *A, const struct handles *B,
                              const double f1[Y], const double f2[Y], double z[MOST])
{
  double C[MOST][MOST];
  for (int i = 0; i < m->rows; i++) {
    z[i] = m->beta[i];
    for (int y = 0; y < Y; y++) {
      double a = A->d23[y], b = B->d13[y];
      for (int x = 0; x < Y; x++) {
        a += A->d12[x][y] * f1[x];
        b += B->d12[y][x] * f2[x];
      }
      z[i] += m->JA[i][y] * a + m->JB[i][y] * b;
    }
    for (int k = 0; k < m->rows; k++) {
      C[i][k] = i == k ? m->c[i] : 0.0;
      for (int x = 0; x < Y; x++)
        for (int y = 0; y < Y; y++)
          C[i][k] += m->JA[i][x] * A->d22[x][y] * m->JA[k][y] + m->JB[i][x] * B->d11[x][y] * m->JB[k][y];
    }
  }
  small_solve(C, m->rows, z);
}

/* The coefficients of the assembly C of A and B, (36)-(39): each column is its answer to a unit force. */
static void couple(const struct merge *m, const struct handles *A, const struct handles *B, struct handles *C)
{
  const double none[Y] = {0};
  for (int column = -1; column < 2 * Y; column++) {
    double f[2][Y] = {{0}}, z[MOST], z0[MOST], on_A[Y] = {0}, on_B[Y] = {0};
    if (column >= 0) f[column / Y][column % Y] = 1.0;
    joint_multipliers(m, A, B, none, none, z0);
    joint_multipliers(m, A, B, f[0], f[1], z);
    for (int i = 0; i < m->rows; i++)
      for (int y = 0; y < Y; y++) {
        double x = column < 0 ? z0[i] : z[i] - z0[i];
        on_A[y] -= m->JA[i][y] * x;
        on_B[y] -= m->JB[i][y] * x;
      }
    for (int y = 0; y < Y; y++) {
      double q1 = column < 0 ? A->d13[y] : 0.0, q2 = column < 0 ? B->d23[y] : 0.0;
      for (int x = 0; x < Y; x++) {
        q1 += A->d11[y][x] * f[0][x] + A->d12[y][x] * on_A[x];
        q2 += B->d22[y][x] * f[1][x] + B->d12[x][y] * on_B[x];
      }
      if (column < 0) {
        C->d13[y] = q1;
        C->d23[y] = q2;
      } else if (column < Y) {
        C->d11[y][column] = q1;
      } else {
        C->d12[y][column - Y] = q1;
        C->d22[y][column - Y] = q2;
      }
    }
  }
}

struct chain {
  const struct graph *g;
  double (*z)[MOST]; /* (bodies) multipliers of the joint before each body */
};

static struct merge merge_at(const struct chain *c, int joint)
{
  const struct graph *g = c->g;
  struct merge m = {.rows = g->first[joint + 1] - g->first[joint]};
  for (int i = 0; i < m.rows; i++) {
    const double *J = graph_block(g, joint, g->first[joint] + i, 0);
    if (joint > 0) memcpy(m.JA[i], J, sizeof m.JA[i]); /* the ground does not move */
    memcpy(m.JB[i], J + Y, sizeof m.JB[i]);
    m.c[i] = g->c[g->first[joint] + i];
    m.beta[i] = g->beta[g->first[joint] + i];
  }
  return m;
}

/* Assembles bodies first .. end-1, by halves. */
static void assemble(const struct chain *c, int first, int end, struct handles *o)
{
  if (end - first == 1) {
    const struct tree_delta *d = &c->g->delta[first];
    *o = (struct handles){0};
    for (int i = 0; i < Y; i++)
      for (int k = 0; k < Y; k++) {
        double x = i != k ? 0.0 : i < 3 ? d->r : d->n;
        if (i >= 3 && i < 6) x = k >= 3 && k < 6 ? d->th[3 * (i - 3) + k - 3] : 0.0;
        o->d11[i][k] = o->d12[i][k] = o->d22[i][k] = x;
      }
    return;
  }
  struct handles A, B;
  int middle = (first + end) / 2;
  struct merge m = merge_at(c, middle);
  assemble(c, first, middle, &A);
  assemble(c, middle, end, &B);
  couple(&m, &A, &B, o);
}

/* Disassembly: the forces on the handles give the joint in the middle, then both halves follow. */
static void disassemble(const struct chain *c, int first, int end, const double f1[Y], const double f2[Y])
{
  if (end - first == 1) return;
  struct handles A, B;
  int middle = (first + end) / 2;
  struct merge m = merge_at(c, middle);
  double on_A[Y] = {0}, on_B[Y] = {0};
  assemble(c, first, middle, &A);
  assemble(c, middle, end, &B);
  joint_multipliers(&m, &A, &B, f1, f2, c->z[middle]);
  for (int i = 0; i < m.rows; i++)
    for (int y = 0; y < Y; y++) {
      on_A[y] -= m.JA[i][y] * c->z[middle][i];
      on_B[y] -= m.JB[i][y] * c->z[middle][i];
    }
  disassemble(c, first, middle, f1, on_A);
  disassemble(c, middle, end, on_B, f2);
}

/* Boundary conditions: the first body hangs on the ground, and the last body is free. */
static void solve(const struct chain *c)
{
  const struct handles ground = {0};
  const double none[Y] = {0};
  double f[Y] = {0};
  struct handles all;
  struct merge m = merge_at(c, 0);
  assemble(c, 0, c->g->g.bodies, &all);
  joint_multipliers(&m, &ground, &all, none, none, c->z[0]);
  for (int i = 0; i < m.rows; i++)
    for (int y = 0; y < Y; y++) f[y] -= m.JB[i][y] * c->z[0][i];
  disassemble(c, 0, c->g->g.bodies, f, none);
}

static double compare(const struct graph *g, double (*z)[MOST], struct variant v)
{
  struct stored s;
  double *x = calloc((size_t)graph_rows(g), sizeof *x), error = 0.0, size = 0.0;
  assert_non_null(x);
  stored_new(&s, g, v);
  assert_int_equal(stored_condense(&s), -1);
  assert_int_equal(s.tree->hubs, 0);
  stored_sweep(&s, g->beta, NULL, x, NULL);
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j]; row < g->first[j + 1]; row++) {
      double off = fabs(x[row] - z[j][row - g->first[j]]);
      assert_true(off >= 0.0); /* fmax() would drop a NaN */
      error = fmax(error, off);
      size = fmax(size, fabs(x[row]));
    }
  free(x);
  stored_free(&s);
  return error / size;
}

TEST(chains_as_in_paper_1)
{
  static const int bodies[] = {1, 2, 3, 8, 31, 128};
  struct variant v[VARIANTS];
  int count = variants(v);
  double worst[VARIANTS] = {0.0};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    for (int rows = 1; rows <= 3; rows++) {
      struct random random = {100 * i + (uint64_t)rows};
      struct graph g;
      graph_chain(&g, bodies[i], rows);
      graph_numbers(&g, &random, 0.0, 4e-7, false);
      double(*z)[MOST] = calloc((size_t)g.g.bodies, sizeof *z);
      assert_non_null(z);
      solve(&(struct chain){&g, z});
      for (int k = 0; k < count; k++) {
        double error = compare(&g, z, v[k]);
        worst[k] = fmax(worst[k], error);
        if (!(error < 1e-9))
          fail_msg("%s, %d bodies, %d rows: multipliers differ by %.1e", variant_name(v[k]), bodies[i], rows,
                   error);
      }
      free(z);
      graph_free(&g);
    }
  for (int k = 0; k < count; k++)
    printf("%s: largest difference of the multipliers %.1e\n", variant_name(v[k]), worst[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains_as_in_paper_1)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
