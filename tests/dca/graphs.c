/* SPDX-License-Identifier: MIT */
#include "dca/graphs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
  if (!p) abort();
  return p;
}

void graph_new(struct graph *g, int bodies)
{
  *g = (struct graph){.room = 16};
  g->ends = must(calloc((size_t)g->room, sizeof *g->ends));
  g->first = must(calloc((size_t)g->room + 1, sizeof *g->first));
  g->g = (struct tree_graph){.bodies = bodies, .ends = (const int(*)[TREE_SIDES])g->ends, .first = g->first};
}

void graph_join(struct graph *g, int a, int b, int rows)
{
  int j = g->g.joints++;
  if (j == g->room) {
    g->room *= 2;
    g->ends = must(realloc(g->ends, (size_t)g->room * sizeof *g->ends));
    g->first = must(realloc(g->first, ((size_t)g->room + 1) * sizeof *g->first));
    g->g.ends = (const int(*)[TREE_SIDES])g->ends;
    g->g.first = g->first;
  }
  g->ends[j][0] = a;
  g->ends[j][1] = b;
  for (int side = 2; side < TREE_SIDES; side++) g->ends[j][side] = GROUND;
  g->first[j + 1] = g->first[j] + rows;
}

void graph_free(struct graph *g)
{
  free(g->ends);
  free(g->first);
  free(g->J);
  free(g->delta);
  free(g->c);
  free(g->beta);
  *g = (struct graph){0};
}

void graph_chain(struct graph *g, int bodies, int rows)
{
  graph_new(g, bodies);
  for (int i = 0; i < bodies; i++) graph_join(g, i - 1, i, rows);
}

void graph_ring(struct graph *g, int bodies, int rows)
{
  graph_new(g, bodies);
  for (int i = 0; i < bodies; i++) graph_join(g, i, (i + 1) % bodies, rows);
}

void graph_star(struct graph *g, int spokes, int rows)
{
  graph_new(g, spokes + 1);
  for (int i = 1; i <= spokes; i++) graph_join(g, 0, i, rows);
}

void graph_wheel(struct graph *g, int spokes, int rows)
{
  graph_star(g, spokes, rows);
  for (int i = 1; i <= spokes; i++) graph_join(g, i, i % spokes + 1, rows);
}

void graph_ladder(struct graph *g, int rungs, int rows)
{
  graph_new(g, 2 * rungs);
  for (int i = 0; i < rungs; i++) {
    graph_join(g, 2 * i, 2 * i + 1, rows);
    for (int side = 0; side < 2; side++)
      graph_join(g, i == 0 ? GROUND : 2 * (i - 1) + side, 2 * i + side, rows);
  }
}

void graph_grid(struct graph *g, int n, int m, int rows)
{
  graph_new(g, n * m);
  graph_join(g, GROUND, 0, rows);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      if (i + 1 < n) graph_join(g, i * m + j, (i + 1) * m + j, rows);
      if (j + 1 < m) graph_join(g, i * m + j, i * m + j + 1, rows);
    }
}

void graph_complete(struct graph *g, int bodies, int rows)
{
  graph_new(g, bodies);
  for (int i = 0; i < bodies; i++)
    for (int j = 0; j < i; j++) graph_join(g, j, i, rows);
}

void graph_forest(struct graph *g, struct random *random, int bodies)
{
  graph_new(g, bodies);
  for (int i = 0; i < bodies; i++)
    if (random_below(random, 6) != 0) /* else a root that floats */
      graph_join(g, random_below(random, i + 1) - 1, i, 1 + random_below(random, 6));
}

void graph_random(struct graph *g, struct random *random, int bodies, int extra)
{
  graph_new(g, bodies);
  for (int i = 0; i < bodies; i++)
    graph_join(g, random_below(random, i + 1) - 1, i, 1 + random_below(random, 6));
  for (int i = 0; i < extra && bodies > 1; i++) {
    int b = random_below(random, bodies), a = random_below(random, bodies) - 1;
    if (a == b) a = GROUND;
    graph_join(g, a, b, 1 + random_below(random, 6));
  }
}

void graph_parallel(struct graph *g, int joints)
{
  graph_new(g, 2);
  for (int i = 0; i < joints; i++) graph_join(g, i % 2, 1 - i % 2, 1 + i % 6);
  graph_join(g, GROUND, 0, 3);
}

void graph_shuffle(struct graph *g, struct random *random)
{
  int n = g->g.joints;
  int *rows = must(calloc((size_t)n + 1, sizeof *rows));
  for (int j = 0; j < n; j++) rows[j] = g->first[j + 1] - g->first[j];
  for (int j = n - 1; j > 0; j--) {
    int k = random_below(random, j + 1), r = rows[j];
    int e[2] = {g->ends[j][0], g->ends[j][1]};
    bool swap = random_below(random, 2) == 1;
    rows[j] = rows[k];
    rows[k] = r;
    for (int side = 0; side < 2; side++) {
      g->ends[j][side] = g->ends[k][side];
      g->ends[k][side] = e[swap ? 1 - side : side];
    }
  }
  for (int j = 0; j < n; j++) g->first[j + 1] = g->first[j] + rows[j];
  free(rows);
}

int graph_rows(const struct graph *g)
{
  return g->first[g->g.joints];
}

static void apply(const struct tree_delta *d, const double *x, double *o)
{
  for (int i = 0; i < 3; i++) {
    o[i] = d->r * x[i];
    o[3 + i] = 0.0;
    for (int k = 0; k < 3; k++) o[3 + i] += d->th[3 * i + k] * x[3 + k];
  }
  o[6] = d->n * x[6];
}

static double *row_of(const struct graph *g, int row, int side)
{
  return g->J + 2 * TREE_Y * (size_t)row + TREE_Y * (size_t)side;
}

static void repeat_rows(struct graph *g)
{
  for (int j = 0; j < g->g.joints; j++) {
    for (int row = g->first[j] + 2; row < g->first[j + 1]; row += 3)
      memcpy(row_of(g, row, 0), row_of(g, row - 1, 0), 2 * TREE_Y * sizeof(double));
    for (int k = 0; k < j; k++) {
      if (g->ends[j][0] != g->ends[k][0] || g->ends[j][1] != g->ends[k][1]) continue;
      int rows = g->first[j + 1] - g->first[j], others = g->first[k + 1] - g->first[k];
      memcpy(row_of(g, g->first[j], 0), row_of(g, g->first[k], 0),
             2 * TREE_Y * sizeof(double) * (size_t)(rows < others ? rows : others));
      break;
    }
  }
}

void graph_numbers(struct graph *g, struct random *random, double compliance, double relative, bool redundant)
{
  size_t rows = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  double(*w)[TREE_Y] = must(calloc(bodies + 1, sizeof *w));
  g->J = must(calloc(2 * TREE_Y * (rows + 1), sizeof *g->J));
  g->delta = must(calloc(bodies + 1, sizeof *g->delta));
  g->c = must(calloc(rows + 1, sizeof *g->c));
  g->beta = must(calloc(rows + 1, sizeof *g->beta));
  random_vector(random, g->J, 2 * TREE_Y * (int)rows);
  if (redundant) repeat_rows(g);
  for (size_t b = 0; b < bodies; b++) {
    struct tree_delta *d = &g->delta[b];
    double mass = pow(10.0, random_between(random, -1.0, 1.0));
    random_inertia(random, d->th);
    d->r = 2.5e-5 / mass;
    for (int i = 0; i < 9; i++) d->th[i] *= 2.5e-5 / mass;
    d->n = 2.5e-12;
    random_vector(random, w[b], TREE_Y);
  }
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j]; row < g->first[j + 1]; row++) {
      double entry = 0.0;
      for (int side = 0; side < 2; side++) {
        int b = g->ends[j][side];
        double dJ[TREE_Y], *J = row_of(g, row, side);
        if (b < 0) continue;
        apply(&g->delta[b], J, dJ);
        for (int y = 0; y < TREE_Y; y++) {
          entry += J[y] * dJ[y];
          g->beta[row] += J[y] * w[b][y];
        }
      }
      g->c[row] = compliance > 0.0 ? compliance : relative * entry;
    }
  free(w);
}

struct tree_matrix graph_matrix(const struct graph *g)
{
  return (struct tree_matrix){.J = g->J, .delta = g->delta, .stride = sizeof *g->delta, .c = g->c};
}

void graph_dense(const struct graph *g, long double *S)
{
  size_t n = (size_t)graph_rows(g);
  for (size_t i = 0; i < n * n; i++) S[i] = 0.0L;
  for (size_t i = 0; i < n; i++) S[i * n + i] = g->c[i];
  for (int j = 0; j < g->g.joints; j++)
    for (int k = 0; k < g->g.joints; k++)
      for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
          int b = g->ends[j][s];
          if (b < 0 || b != g->ends[k][t]) continue;
          for (int p = g->first[j]; p < g->first[j + 1]; p++) {
            double dJ[TREE_Y];
            apply(&g->delta[b], row_of(g, p, s), dJ);
            for (int q = g->first[k]; q < g->first[k + 1]; q++)
              for (int y = 0; y < TREE_Y; y++)
                S[(size_t)q * n + (size_t)p] += (long double)row_of(g, q, t)[y] * dJ[y];
          }
        }
}

void graph_increments(const struct graph *g, const double *z, double (*o)[TREE_Y])
{
  double sum[TREE_Y];
  for (int b = 0; b < g->g.bodies; b++) {
    for (int y = 0; y < TREE_Y; y++) sum[y] = 0.0;
    for (int j = 0; j < g->g.joints; j++)
      for (int side = 0; side < 2; side++)
        for (int row = g->first[j]; row < g->first[j + 1] && g->ends[j][side] == b; row++)
          for (int y = 0; y < TREE_Y; y++) sum[y] += row_of(g, row, side)[y] * z[row];
    apply(&g->delta[b], sum, o[b]);
  }
}
