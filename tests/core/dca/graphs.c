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

static void *grow(void *p, int room, size_t size)
{
  return must(realloc(p, (size_t)room * size));
}

static void make_room(struct graph *g)
{
  g->room = g->room ? 2 * g->room : 16;
  g->ends = grow(g->ends, g->room, sizeof *g->ends);
  g->first = grow(g->first, g->room + 1, sizeof *g->first);
  g->sides = grow(g->sides, g->room, sizeof *g->sides);
  g->jacobian = grow(g->jacobian, g->room, sizeof *g->jacobian);
  g->soft = grow(g->soft, g->room, sizeof *g->soft);
  g->g.ends = (const int(*)[TREE_SIDES])g->ends;
  g->g.first = g->first;
  if (g->g.sides) g->g.sides = g->sides;
}

void graph_new(struct graph *g, int bodies)
{
  *g = (struct graph){.g = {.bodies = bodies}};
  make_room(g);
  g->first[0] = 0;
  g->carried = must(calloc((size_t)bodies + 1, sizeof *g->carried));
}

void graph_join(struct graph *g, int a, int b, int rows)
{
  int j = g->g.joints;
  if (j == g->room) make_room(g);
  g->jacobian[j] =
      j == 0 ? 0 : g->jacobian[j - 1] + TREE_Y * (size_t)(g->sides[j - 1] * (g->first[j] - g->first[j - 1]));
  g->ends[j][0] = a;
  g->ends[j][1] = b;
  for (int side = 2; side < TREE_SIDES; side++) g->ends[j][side] = GROUND;
  g->sides[j] = 2;
  g->soft[j] = false;
  g->first[j + 1] = g->first[j] + rows;
  g->g.joints++;
}

void graph_join_many(struct graph *g, const int *bodies, int sides, int rows)
{
  graph_join(g, bodies[0], bodies[1], rows);
  for (int side = 2; side < sides; side++) g->ends[g->g.joints - 1][side] = bodies[side];
  g->sides[g->g.joints - 1] = sides;
  g->g.sides = g->sides;
}

void graph_carry(struct graph *g, int body)
{
  g->carried[body] = true;
  g->g.carried = g->carried;
}

void graph_soften(struct graph *g, int joint)
{
  g->soft[joint] = true;
}

void graph_tell_soft(struct graph *g)
{
  g->g.soft = g->soft;
}

void graph_free(struct graph *g)
{
  free(g->ends);
  free(g->first);
  free(g->sides);
  free(g->jacobian);
  free(g->carried);
  free(g->soft);
  free(g->unit_columns);
  free(g->pull);
  free(g->J);
  free(g->delta);
  free(g->c);
  free(g->beta);
  *g = (struct graph){0};
}

static void numbers_new(struct graph *g, size_t blocks)
{
  size_t rows = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  g->J = must(calloc(TREE_Y * (blocks + 1), sizeof *g->J));
  g->delta = must(calloc(bodies + 1, sizeof *g->delta));
  g->c = must(calloc(rows + 1, sizeof *g->c));
  g->beta = must(calloc(rows + 1, sizeof *g->beta));
  g->pull = must(calloc(bodies + 1, sizeof *g->pull));
}

static size_t blocks_of(const struct graph *g)
{
  size_t blocks = 0;
  for (int j = 0; j < g->g.joints; j++) blocks += (size_t)(g->sides[j] * (g->first[j + 1] - g->first[j]));
  return blocks;
}

static void append(struct graph *g, const struct graph *part, int body)
{
  for (int j = 0; j < part->g.joints; j++) {
    int end[TREE_SIDES], sides = part->sides[j];
    for (int side = 0; side < TREE_SIDES; side++)
      end[side] = part->ends[j][side] < 0 ? GROUND : body + part->ends[j][side];
    if (sides > 2)
      graph_join_many(g, end, sides, part->first[j + 1] - part->first[j]);
    else
      graph_join(g, end[0], end[1], part->first[j + 1] - part->first[j]);
    if (part->soft[j]) graph_soften(g, g->g.joints - 1);
  }
  for (int b = 0; b < part->g.bodies; b++)
    if (part->carried[b]) graph_carry(g, body + b);
}

void graph_beside(struct graph *g, const struct graph *part, int parts)
{
  int bodies = 0, body = 0, joint = 0;
  for (int i = 0; i < parts; i++) bodies += part[i].g.bodies;
  graph_new(g, bodies);
  for (int i = 0; i < parts; body += part[i++].g.bodies) append(g, &part[i], body);
  numbers_new(g, blocks_of(g));
  body = 0;
  for (int i = 0; i < parts; i++) {
    const struct graph *p = &part[i];
    size_t own = (size_t)p->g.bodies, rows = (size_t)graph_rows(p);
    for (int j = 0; j < p->g.joints; j++)
      memcpy(graph_block(g, joint + j, g->first[joint + j], 0), graph_block(p, j, p->first[j], 0),
             (size_t)(TREE_Y * p->sides[j] * (p->first[j + 1] - p->first[j])) * sizeof *g->J);
    memcpy(g->delta + body, p->delta, own * sizeof *g->delta);
    memcpy(g->pull + body, p->pull, own * sizeof *g->pull);
    memcpy(g->c + g->first[joint], p->c, rows * sizeof *g->c);
    memcpy(g->beta + g->first[joint], p->beta, rows * sizeof *g->beta);
    if (p->g.soft) g->g.soft = g->soft;
    if (p->g.unit_columns) {
      if (!g->unit_columns) g->unit_columns = must(calloc((size_t)g->g.joints + 1, sizeof *g->unit_columns));
      g->g.unit_columns = g->unit_columns;
      memcpy(g->unit_columns + joint, p->unit_columns, (size_t)p->g.joints * sizeof *g->unit_columns);
    }
    body += p->g.bodies;
    joint += p->g.joints;
  }
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
    if (random_below(random, 6) != 0) /* otherwise a root that floats */
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

void graph_carried(struct graph *g, struct random *random, int bodies, int gears)
{
  graph_random(g, random, bodies, bodies / 3);
  for (int b = 0; b < bodies; b++) {
    if (random_below(random, 3) != 0) continue;
    graph_carry(g, b);
    graph_join(g, random_below(random, b + 1) - 1, b, 6);
    graph_soften(g, g->g.joints - 1);
  }
  for (int i = 0; i < gears; i++) {
    int end[TREE_SIDES], sides = 3 + random_below(random, 2), free_from = random_below(random, bodies);
    for (int side = 0; side < sides; side++) /* all different; one may be the ground */
      end[side] = side < bodies ? (free_from + side) % bodies : GROUND;
    if (random_below(random, 4) == 0) end[random_below(random, sides)] = GROUND;
    graph_join_many(g, end, sides, 1 + random_below(random, 3));
  }
}

/* A joint by itself, while joints change places. */
struct joint {
  int rows, sides, end[TREE_SIDES];
  size_t jacobian;
  bool soft;
};

void graph_shuffle(struct graph *g, struct random *random)
{
  int n = g->g.joints;
  struct joint *all = must(calloc((size_t)n + 1, sizeof *all));
  for (int j = 0; j < n; j++) {
    all[j] = (struct joint){.rows = g->first[j + 1] - g->first[j],
                            .sides = g->sides[j],
                            .jacobian = g->jacobian[j],
                            .soft = g->soft[j]};
    memcpy(all[j].end, g->ends[j], sizeof all[j].end);
  }
  for (int j = n - 1; j > 0; j--) {
    int k = random_below(random, j + 1);
    struct joint last = all[j];
    if (random_below(random, 2) == 1)
      for (int side = 0; side < last.sides; side++) last.end[side] = all[j].end[last.sides - 1 - side];
    all[j] = all[k];
    all[k] = last;
  }
  for (int j = 0; j < n; j++) {
    memcpy(g->ends[j], all[j].end, sizeof all[j].end);
    g->first[j + 1] = g->first[j] + all[j].rows;
    g->sides[j] = all[j].sides;
    g->jacobian[j] = all[j].jacobian;
    g->soft[j] = all[j].soft;
  }
  free(all);
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

double *graph_block(const struct graph *g, int joint, int row, int side)
{
  size_t at = g->g.sides ? g->jacobian[joint] : 2 * TREE_Y * (size_t)g->first[joint];
  return g->J + at + TREE_Y * (size_t)(g->sides[joint] * (row - g->first[joint]) + side);
}

static bool same_ends(const struct graph *g, int j, int k)
{
  return g->sides[j] == g->sides[k] && memcmp(g->ends[j], g->ends[k], sizeof g->ends[j]) == 0;
}

static void repeat_rows(struct graph *g)
{
  for (int j = 0; j < g->g.joints; j++) {
    size_t line = TREE_Y * (size_t)g->sides[j] * sizeof(double);
    if (g->soft[j]) continue; /* a soft joint may be the only one that holds a carried body */
    for (int row = g->first[j] + 2; row < g->first[j + 1]; row += 3)
      memcpy(graph_block(g, j, row, 0), graph_block(g, j, row - 1, 0), line);
    for (int k = 0; k < j; k++) {
      if (!same_ends(g, j, k)) continue;
      int rows = g->first[j + 1] - g->first[j], others = g->first[k + 1] - g->first[k];
      memcpy(graph_block(g, j, g->first[j], 0), graph_block(g, k, g->first[k], 0),
             line * (size_t)(rows < others ? rows : others));
      break;
    }
  }
}

/* Fills delta^-1 of a carried body: zero, inertia or mass alone, a rod without moment about its axis, or a trace of
 * each. The normalisation adds its own entries for every body. */
static void carried_numbers(struct tree_delta *d, struct random *random)
{
  int kind = random_below(random, 5);
  double u[3], mass = kind == 4 ? 1e-9 : 4e4;
  random_unit(random, u, 3);
  d->r = kind == 2 || kind >= 3 ? mass : 0.0;
  d->n = 4e11;
  for (int i = 0; i < 9; i++) d->th[i] = 0.0;
  if (kind == 1 || kind == 4) random_inertia(random, d->th);
  for (int i = 0; i < 9 && kind == 3; i++) d->th[i] = (i % 4 == 0 ? 1.0 : 0.0) - u[i / 3] * u[i % 3];
  for (int i = 0; i < 9; i++) d->th[i] *= mass;
}

static void body_numbers(struct graph *g, struct random *random, int b)
{
  struct tree_delta *d = &g->delta[b];
  if (g->carried[b]) {
    carried_numbers(d, random);
    random_vector(random, g->pull[b], TREE_Y);
    for (int y = 0; y < TREE_Y; y++) g->pull[b][y] *= 100.0;
    return;
  }
  double mass = pow(10.0, random_between(random, -1.0, 1.0));
  random_inertia(random, d->th);
  d->r = 2.5e-5 / mass;
  for (int i = 0; i < 9; i++) d->th[i] *= 2.5e-5 / mass;
  d->n = 2.5e-12;
}

/* Fills the columns of a coincident point: -I and I, and 0 in all rows after the third. */
static void constant_columns(struct graph *g)
{
  g->unit_columns = must(calloc((size_t)g->g.joints + 1, sizeof *g->unit_columns));
  g->g.unit_columns = g->unit_columns;
  for (int j = 0; j < g->g.joints; j++) {
    g->unit_columns[j] = g->sides[j] == 2 && g->first[j + 1] - g->first[j] >= 3;
    for (int row = g->first[j]; row < g->first[j + 1] && g->unit_columns[j]; row++)
      for (int i = 0; i < 3; i++) {
        bool own = row - g->first[j] == i;
        graph_block(g, j, row, 0)[i] = own ? -1.0 : 0.0;
        graph_block(g, j, row, 1)[i] = own ? 1.0 : 0.0;
      }
  }
}

void graph_numbers(struct graph *g, struct random *random, double compliance, double relative, bool redundant)
{
  size_t bodies = (size_t)g->g.bodies, blocks = blocks_of(g);
  double(*w)[TREE_Y] = must(calloc(bodies + 1, sizeof *w));
  numbers_new(g, blocks);
  random_vector(random, g->J, TREE_Y * (int)blocks);
  if (redundant) repeat_rows(g);
  if (g->share_columns) constant_columns(g);
  for (size_t b = 0; b < bodies; b++) {
    body_numbers(g, random, (int)b);
    random_vector(random, w[b], TREE_Y);
  }
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j]; row < g->first[j + 1]; row++) {
      double entry = 0.0, square = 0.0;
      for (int side = 0; side < g->sides[j]; side++) {
        int b = g->ends[j][side];
        double dJ[TREE_Y], *J = graph_block(g, j, row, side);
        if (b < 0) continue;
        apply(&g->delta[b], J, dJ);
        for (int y = 0; y < TREE_Y; y++) {
          if (!g->carried[b]) entry += J[y] * dJ[y];
          square += J[y] * J[y];
          g->beta[row] += J[y] * w[b][y];
        }
      }
      if (entry == 0.0) entry = 2.5e-5 * square; /* the stepper's compliance between carried bodies */
      g->c[row] = compliance > 0.0 ? compliance : relative * entry;
      if (g->soft[j]) g->c[row] = pow(10.0, random_between(random, -6.0, -2.0));
    }
  free(w);
}

void graph_dense(const struct graph *g, long double *S)
{
  size_t n = (size_t)graph_rows(g);
  for (size_t i = 0; i < n * n; i++) S[i] = 0.0L;
  for (size_t i = 0; i < n; i++) S[i * n + i] = g->c[i];
  for (int j = 0; j < g->g.joints; j++)
    for (int k = 0; k < g->g.joints; k++)
      for (int s = 0; s < g->sides[j]; s++)
        for (int t = 0; t < g->sides[k]; t++) {
          int b = g->ends[j][s];
          if (b < 0 || b != g->ends[k][t]) continue;
          for (int p = g->first[j]; p < g->first[j + 1]; p++) {
            double dJ[TREE_Y];
            apply(&g->delta[b], graph_block(g, j, p, s), dJ);
            for (int q = g->first[k]; q < g->first[k + 1]; q++)
              for (int y = 0; y < TREE_Y; y++)
                S[(size_t)q * n + (size_t)p] += (long double)graph_block(g, k, q, t)[y] * dJ[y];
          }
        }
}

void graph_increments(const struct graph *g, const double *z, double (*o)[TREE_Y])
{
  double sum[TREE_Y];
  for (int b = 0; b < g->g.bodies; b++) {
    for (int y = 0; y < TREE_Y; y++) sum[y] = 0.0;
    for (int j = 0; j < g->g.joints; j++)
      for (int side = 0; side < g->sides[j]; side++)
        for (int row = g->first[j]; row < g->first[j + 1] && g->ends[j][side] == b; row++)
          for (int y = 0; y < TREE_Y; y++) sum[y] += graph_block(g, j, row, side)[y] * z[row];
    if (g->carried[b])
      memcpy(o[b], sum, sizeof sum);
    else
      apply(&g->delta[b], sum, o[b]);
  }
}

/* Solves A x = b by elimination with the largest pivot of each column. The rows are scaled to 1. x overwrites b. */
static void solve_dense(long double *A, size_t n, long double *b)
{
  for (size_t i = 0; i < n; i++) {
    long double largest = 0.0L;
    for (size_t k = 0; k < n; k++) largest = fmaxl(largest, fabsl(A[i * n + k]));
    for (size_t k = 0; k < n; k++) A[i * n + k] /= largest;
    b[i] /= largest;
  }
  for (size_t j = 0; j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < n; i++)
      if (fabsl(A[i * n + j]) > fabsl(A[best * n + j])) best = i;
    for (size_t k = j; k < n && best != j; k++) {
      long double x = A[j * n + k];
      A[j * n + k] = A[best * n + k];
      A[best * n + k] = x;
    }
    long double x = b[j];
    b[j] = b[best];
    b[best] = x;
    for (size_t i = j + 1; i < n; i++) {
      long double f = A[i * n + j] / A[j * n + j];
      for (size_t k = j; k < n && f != 0.0L; k++) A[i * n + k] -= f * A[j * n + k];
      b[i] -= f * b[j];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
}

/* e + delta J'z = 0, for a carried body delta^-1 e + J'z = pull; J e - c z = -beta. */
void graph_solve(const struct graph *g, double (*e)[TREE_Y], double *z)
{
  size_t rows = (size_t)graph_rows(g), bodies = TREE_Y * (size_t)g->g.bodies, n = bodies + rows;
  long double *A = must(calloc(n * n + 1, sizeof *A)), *x = must(calloc(n + 1, sizeof *x));
  for (int b = 0; b < g->g.bodies; b++)
    for (size_t y = 0; y < TREE_Y; y++) {
      double unit[TREE_Y] = {0}, column[TREE_Y];
      size_t at = TREE_Y * (size_t)b;
      unit[y] = 1.0;
      apply(&g->delta[b], unit, column);
      for (size_t k = 0; k < TREE_Y; k++) A[(at + k) * n + at + y] = g->carried[b] ? column[k] : unit[k];
      if (g->carried[b]) x[at + y] = g->pull[b][y];
    }
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j]; row < g->first[j + 1]; row++) {
      size_t i = bodies + (size_t)row;
      A[i * n + i] = -(long double)g->c[row];
      x[i] = -(long double)g->beta[row];
      for (int side = 0; side < g->sides[j]; side++) {
        int b = g->ends[j][side];
        double dJ[TREE_Y];
        const double *J = graph_block(g, j, row, side);
        if (b < 0) continue;
        apply(&g->delta[b], J, dJ);
        for (size_t y = 0; y < TREE_Y; y++) {
          A[i * n + TREE_Y * (size_t)b + y] = J[y];
          A[(TREE_Y * (size_t)b + y) * n + i] = g->carried[b] ? J[y] : dJ[y];
        }
      }
    }
  solve_dense(A, n, x);
  for (size_t i = 0; i < bodies; i++) e[i / TREE_Y][i % TREE_Y] = (double)x[i];
  for (size_t i = 0; i < rows; i++) z[i] = (double)x[bodies + i];
  free(A);
  free(x);
}

void graph_residual(const struct graph *g, double (*e)[TREE_Y], const double *z, double *o,
                    double (*force)[TREE_Y])
{
  graph_increments(g, z, force);
  for (int b = 0; b < g->g.bodies; b++) {
    double own[TREE_Y];
    apply(&g->delta[b], e[b], own);
    for (int y = 0; y < TREE_Y; y++) force[b][y] = g->pull[b][y] - own[y] - force[b][y];
  }
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j]; row < g->first[j + 1]; row++) {
      o[row] = g->beta[row] - g->c[row] * z[row];
      for (int side = 0; side < g->sides[j]; side++)
        for (int y = 0; y < TREE_Y && g->ends[j][side] >= 0; y++)
          o[row] += graph_block(g, j, row, side)[y] * e[g->ends[j][side]][y];
    }
}
