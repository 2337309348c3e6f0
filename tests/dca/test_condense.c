/* SPDX-License-Identifier: MIT
 * The tree against a dense Cholesky factorisation of the same system in long double.  A hub is eliminated
 * after some of its joints, so stiffnesses as large as 1/c pass through its pivot, and up to -log10(c / J
 * delta J') digits are lost there, as with a penalty method. What counts for the iterations of a step is
 * that the factors contract: with hubs, the solution is held to a looser limit as it comes, and to the
 * strict one after refinements with the same factors. Carried bodies have no part in S: with them the whole
 * system is solved, by a dense LU decomposition. */
#include "dca/condense.h"
#include "dca/graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct quality {
  double residual;  /* |S z - beta| / |beta| */
  double increment; /* |delta J'(z - exact)| / |delta J' exact| */
};
enum { PLAIN, HUBS, REFINED, KINDS };
static const char *const kind_name[KINDS] = {"without hubs", "with hubs", "with hubs, refined"};
static const double limit[KINDS] = {1e-7, 0.5, 1e-7};
static struct quality worst[KINDS];
static int cases[KINDS];
enum { REFINEMENTS = 3 };

static void dense_solve(long double *S, int n, const double *beta, double *z)
{
  size_t ld = (size_t)n;
  long double *x = calloc(ld + 1, sizeof *x);
  assert_non_null(x);
  for (size_t j = 0; j < ld; j++) {
    for (size_t k = 0; k < j; k++) {
      long double f = S[j * ld + k];
      for (size_t i = j; i < ld; i++) S[i * ld + j] -= S[i * ld + k] * f;
    }
    long double d = sqrtl(S[j * ld + j]);
    assert_true(d > 0.0L);
    for (size_t i = j; i < ld; i++) S[i * ld + j] /= d;
  }
  for (size_t i = 0; i < ld; i++) {
    x[i] = beta[i];
    for (size_t k = 0; k < i; k++) x[i] -= S[i * ld + k] * x[k];
    x[i] /= S[i * ld + i];
  }
  for (size_t i = ld; i-- > 0;) {
    for (size_t k = i + 1; k < ld; k++) x[i] -= S[k * ld + i] * x[k];
    x[i] /= S[i * ld + i];
    z[i] = (double)x[i];
  }
  free(x);
}

static double norm(const double *x, size_t n)
{
  double s = 0.0;
  for (size_t i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

/* r = beta - S z; returns |r| / |beta| */
static double residual(const struct graph *g, const long double *S, const double *z, double *r)
{
  size_t n = (size_t)graph_rows(g);
  for (size_t i = 0; i < n; i++) {
    long double sum = g->beta[i];
    for (size_t k = 0; k < n; k++) sum -= S[i * n + k] * z[k];
    r[i] = (double)sum;
  }
  return norm(r, n) / norm(g->beta, n);
}

static double increment_error(const struct graph *g, const double *z, const double *exact)
{
  size_t n = (size_t)g->g.bodies * TREE_Y;
  double(*a)[TREE_Y] = calloc((size_t)g->g.bodies, sizeof *a),
  (*b)[TREE_Y] = calloc((size_t)g->g.bodies, sizeof *b);
  assert_true(a && b);
  graph_increments(g, z, a);
  graph_increments(g, exact, b);
  double size = norm(b[0], n);
  for (size_t i = 0; i < n; i++) a[i / TREE_Y][i % TREE_Y] -= b[i / TREE_Y][i % TREE_Y];
  double error = norm(a[0], n) / size;
  free(a);
  free(b);
  return error;
}

static void judge(int kind, struct quality q, const char *what)
{
  if (!(q.residual < limit[kind] && q.increment < limit[kind]))
    fail_msg("%s, %s: residual %.1e, increment %.1e", what, kind_name[kind], q.residual, q.increment);
  worst[kind].residual = fmax(worst[kind].residual, q.residual);
  worst[kind].increment = fmax(worst[kind].increment, q.increment);
  cases[kind]++;
}

static void compare(const struct graph *g, const struct tree *t, struct tree_work *w, double *z,
                    const char *what)
{
  size_t n = (size_t)graph_rows(g);
  bool hubs = t->unknowns > t->rows;
  long double *S = calloc(n * n, sizeof *S), *L = calloc(n * n, sizeof *L);
  double *exact = calloc(n, sizeof *exact), *r = calloc(n, sizeof *r);
  double *more = calloc((size_t)t->unknowns, sizeof *more);
  assert_true(S && L && exact && r && more);
  graph_dense(g, S);
  memcpy(L, S, n * n * sizeof *L);
  dense_solve(L, (int)n, g->beta, exact);
  struct quality q = {residual(g, S, z, r), increment_error(g, z, exact)};
  judge(hubs ? HUBS : PLAIN, q, what);
  for (int k = 0; hubs && k < REFINEMENTS; k++) {
    tree_sweep(t, w, r, more);
    for (size_t i = 0; i < n; i++) z[i] += more[i];
    q = (struct quality){residual(g, S, z, r), increment_error(g, z, exact)};
  }
  if (hubs) judge(REFINED, q, what);
  free(S);
  free(L);
  free(exact);
  free(r);
  free(more);
}

/* Condenses, solves twice with the same factors, compares. Frees g. */
static void check(struct graph *g, struct random *random, double compliance, double relative, bool redundant,
                  const char *what)
{
  size_t n = (size_t)graph_rows(g);
  if (redundant || random_below(random, 2)) graph_shuffle(g, random);
  graph_numbers(g, random, compliance, relative, redundant);
  struct tree *t = tree_build(&g->g);
  assert_non_null(t);
  struct tree_work w;
  struct arena sizing = {0};
  tree_work_place(t, &w, &sizing);
  struct arena arena = {.base = aligned_zalloc(sizing.used ? sizing.used : 64)};
  double *z = calloc((size_t)t->unknowns + 1, sizeof *z), *once = calloc(n + 1, sizeof *once);
  assert_true(arena.base && z && once);
  tree_work_place(t, &w, &arena);

  struct tree_matrix m = graph_matrix(g);
  assert_int_equal(tree_condense(t, &w, &m), -1);
  tree_sweep(t, &w, g->beta, z);
  memcpy(once, z, n * sizeof *once);
  tree_sweep(t, &w, g->beta, z);
  assert_memory_equal(once, z, n * sizeof *once);
  if (n > 0) compare(g, t, &w, z, what);
  free(arena.base);
  free(z);
  free(once);
  tree_free(t);
  graph_free(g);
}

struct setting {
  double compliance, relative;
  bool redundant;
};
static const struct setting settings[] = {
    {1e-11, 0.0, false}, {0.0, 4e-7, false}, {0.0, 4e-9, false},
    {1e-11, 0.0, true},  {0.0, 4e-7, true},  {0.0, 4e-9, true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

#define CHECK(build)                                                                                         \
  for (int k = 0; k < SETTINGS; k++) {                                                                       \
    struct graph g;                                                                                          \
    struct random random = {(uint64_t)(__LINE__ * SETTINGS + k)};                                            \
    build;                                                                                                   \
    check(&g, &random, settings[k].compliance, settings[k].relative, settings[k].redundant, #build);         \
  }

static void chains_and_rings(void **state)
{
  (void)state;
  CHECK(graph_chain(&g, 1, 3))
  CHECK(graph_chain(&g, 2, 5))
  CHECK(graph_chain(&g, 64, 3))
  CHECK(graph_chain(&g, 37, 6))
  CHECK(graph_ring(&g, 3, 3))
  CHECK(graph_ring(&g, 50, 5))
}

static void stars_and_wheels(void **state)
{
  (void)state;
  for (int spokes = 1; spokes <= 200; spokes = spokes * 3 / 2 + 1) CHECK(graph_star(&g, spokes, 3))
  CHECK(graph_star(&g, 200, 1))
  CHECK(graph_wheel(&g, 4, 3))
  CHECK(graph_wheel(&g, 60, 3))
}

static void ladders_grids_and_complete_graphs(void **state)
{
  (void)state;
  CHECK(graph_ladder(&g, 2, 5))
  CHECK(graph_ladder(&g, 40, 3))
  CHECK(graph_grid(&g, 2, 2, 5))
  CHECK(graph_grid(&g, 7, 7, 3))
  CHECK(graph_complete(&g, 6, 3))
  CHECK(graph_complete(&g, 6, 6))
}

static void forests_and_parallel_joints(void **state)
{
  (void)state;
  CHECK(graph_forest(&g, &random, 1))
  CHECK(graph_forest(&g, &random, 60))
  CHECK(graph_parallel(&g, 2))
  CHECK(graph_parallel(&g, 9))
}

/* The seed is the number of the graph. */
static void random_graphs(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct random random = {seed};
    struct graph g;
    char what[64];
    int bodies = 1 + random_below(&random, 25), extra = random_below(&random, bodies + 1);
    const struct setting *s = &settings[seed % SETTINGS];
    graph_random(&g, &random, bodies, extra);
    snprintf(what, sizeof what, "random graph, seed %d", (int)seed);
    check(&g, &random, s->compliance, s->relative, s->redundant, what);
  }
}

/* A tree with all that its numbers need. */
struct solver {
  struct tree *t;
  struct tree_work w;
  struct tree_matrix m;
  void *block;
  double *beta, *x;
};

static void solver_new(struct solver *s, const struct graph *g)
{
  struct arena sizing = {0};
  s->t = tree_build(&g->g);
  assert_non_null(s->t);
  tree_work_place(s->t, &s->w, &sizing);
  struct arena arena = {.base = s->block = aligned_zalloc(sizing.used ? sizing.used : 64)};
  s->beta = calloc((size_t)s->t->unknowns + 1, sizeof *s->beta);
  s->x = calloc((size_t)s->t->unknowns + 1, sizeof *s->x);
  assert_true(s->block && s->beta && s->x);
  tree_work_place(s->t, &s->w, &arena);
  s->m = graph_matrix(g);
}

static void solver_free(struct solver *s)
{
  tree_free(s->t);
  free(s->block);
  free(s->beta);
  free(s->x);
}

/* Adds the solution for a right-hand side to z and to the increments of all bodies. */
static void solve_more(const struct graph *g, struct solver *s, const double *rows, double (*pull)[TREE_Y],
                       double (*e)[TREE_Y], double *z)
{
  size_t n = (size_t)graph_rows(g);
  double(*own)[TREE_Y] = calloc((size_t)g->g.bodies + 1, sizeof *own);
  assert_non_null(own);
  memcpy(s->beta, rows, n * sizeof *rows);
  for (int b = 0; b < g->g.bodies; b++)
    if (g->carried[b]) memcpy(s->beta + s->t->carried_at[b], pull[b], sizeof pull[b]);
  tree_sweep(s->t, &s->w, s->beta, s->x);
  for (size_t i = 0; i < n; i++) z[i] += s->x[i];
  graph_increments(g, z, own);
  for (int b = 0; b < g->g.bodies; b++)
    for (int y = 0; y < TREE_Y; y++)
      e[b][y] = g->carried[b] ? e[b][y] + s->x[s->t->carried_at[b] + y] : -own[b][y];
  free(own);
}

static double difference(const double *a, const double *b, size_t n)
{
  double s = 0.0;
  for (size_t i = 0; i < n; i++) s += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(s) / norm(b, n);
}

/* Largest errors of the increments: as they come, and refined once, as the stepper does. Frees g. */
static void check_carried(struct graph *g, struct random *random, const struct setting *set, const char *what,
                          double largest[2])
{
  size_t n = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  struct solver s;
  graph_shuffle(g, random);
  graph_numbers(g, random, set->compliance, set->relative, set->redundant);
  solver_new(&s, g);
  double(*e)[TREE_Y] = calloc(bodies + 1, sizeof *e), (*exact)[TREE_Y] = calloc(bodies + 1, sizeof *e);
  double(*force)[TREE_Y] = calloc(bodies + 1, sizeof *e);
  double *z = calloc(n + 1, sizeof *z), *exact_z = calloc(n + 1, sizeof *z), *rows = calloc(n + 1, sizeof *z);
  assert_true(e && exact && force && z && exact_z && rows);
  graph_solve(g, exact, exact_z);
  int node = tree_condense(s.t, &s.w, &s.m);
  if (node >= 0) fail_msg("%s: node %d, of vertex %d, has no pivot", what, node, s.t->node[node].index);
  solve_more(g, &s, g->beta, g->pull, e, z);
  for (int refined = 0; refined < 2; refined++) {
    double error = difference(e[0], exact[0], bodies * TREE_Y);
    if (!(error < (refined ? limit[REFINED] : limit[HUBS])))
      fail_msg("%s: increments off by %.1e%s", what, error, refined ? ", refined" : "");
    largest[refined] = fmax(largest[refined], error);
    graph_residual(g, e, z, rows, force);
    solve_more(g, &s, rows, force, e, z);
  }
  free(e);
  free(exact);
  free(force);
  free(z);
  free(exact_z);
  free(rows);
  solver_free(&s);
  graph_free(g);
}

/* The seed is the number of the graph. */
static void carried_bodies_and_joints_of_four(void **state)
{
  (void)state;
  double largest[2] = {0.0, 0.0};
  for (uint64_t seed = 1; seed <= 150; seed++) {
    struct random random = {seed};
    struct graph g;
    char what[64];
    int bodies = 3 + random_below(&random, 5), gears = random_below(&random, 4);
    graph_carried(&g, &random, bodies, gears);
    snprintf(what, sizeof what, "carried bodies, seed %d", (int)seed);
    check_carried(&g, &random, &settings[seed % SETTINGS], what, largest);
  }
  printf("150 systems with carried bodies: increments off by %.1e, refined once by %.1e\n", largest[0],
         largest[1]);
}

/* Leaves of every row only what is square to o. */
static void spare(const struct graph *g, int joint, int side, const double o[TREE_Y])
{
  for (int row = g->first[joint]; row < g->first[joint + 1]; row++) {
    double *J = graph_block(g, joint, row, side), along = 0.0;
    for (int y = 0; y < TREE_Y; y++) along += J[y] * o[y];
    for (int y = 0; y < TREE_Y; y++) J[y] -= along * o[y];
  }
}

/* The body at the end of a chain of three, carried, is held by its joints all but along o; so is, in every
 * second case, the carried body before it, which holds on to the first by springs. soft: springs, else rigid
 * rows. */
static void check_weak(uint64_t seed, bool soft, bool before)
{
  struct random random = {seed};
  struct graph g;
  double o[TREE_Y] = {0}, found[TREE_Y], along = 0.0;
  struct solver s;
  if (seed % 3 == 0)
    o[seed / 3 % 6] = 1.0; /* along or about an axis */
  else
    random_unit(&random, o, seed % 3 == 1 ? 3 : 6);
  graph_new(&g, 3);
  graph_join(&g, GROUND, 0, 5);
  graph_join(&g, 0, 1, 6);
  graph_soften(&g, 1);
  for (int i = 0; i < 3; i++) {
    graph_join(&g, i == 2 ? GROUND : 1, 2, 5);
    if (soft) graph_soften(&g, 2 + i);
  }
  if (before) graph_carry(&g, 1);
  graph_carry(&g, 2);
  graph_numbers(&g, &random, 0.0, 4e-9, false);
  g.delta[2] = (struct tree_delta){.n = g.delta[2].n};
  for (int joint = 2; joint < 5; joint++) spare(&g, joint, 1, o);
  solver_new(&s, &g);
  int node = tree_condense(s.t, &s.w, &s.m);
  if (node < 0) fail_msg("seed %d: nobody noticed", (int)seed);
  assert_int_equal(s.t->node[node].kind, TREE_HUB);
  assert_int_equal(s.t->node[node].index, 2);
  tree_weak_direction(s.t, &s.w, &s.m, node, found);
  for (int y = 0; y < TREE_Y; y++) along += found[y] * o[y];
  for (int y = 0; y < TREE_Y; y++)
    if (!(fabs(found[y] - along * o[y]) < 1e-6))
      fail_msg("seed %d, %s: component %d of the direction is %g, not %g", (int)seed, soft ? "soft" : "rigid",
               y, found[y], along * o[y]);
  assert_true(fabs(fabs(along) - 1.0) < 1e-6);
  solver_free(&s);
  graph_free(&g);
}

static void what_nothing_holds_is_named_with_its_direction(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++)
    for (int k = 0; k < 4; k++) check_weak(seed, k % 2, k / 2);
}

/* No compliance and a row repeated: the second one has no pivot, and the node is named. */
static void a_missing_pivot_is_found(void **state)
{
  (void)state;
  struct random random = {1};
  struct graph g;
  graph_chain(&g, 5, 3);
  graph_numbers(&g, &random, 1e-11, 0.0, false);
  struct tree *t = tree_build(&g.g);
  struct arena sizing = {0};
  struct tree_work w;
  tree_work_place(t, &w, &sizing);
  struct arena arena = {.base = aligned_zalloc(sizing.used)};
  assert_true(t && arena.base);
  tree_work_place(t, &w, &arena);
  g.c[4] = -1.0; /* joint 1 */
  struct tree_matrix m = graph_matrix(&g);
  int node = tree_condense(t, &w, &m);
  assert_true(node >= 0);
  assert_int_equal(t->node[node].kind, TREE_JOINT);
  assert_int_equal(t->node[node].index, 1);
  g.c[4] = NAN;
  assert_int_equal(tree_condense(t, &w, &m), node);
  free(arena.base);
  tree_free(t);
  graph_free(&g);
}

static int report(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; k++)
    printf("%d systems %s: largest residual %.1e of beta, largest error of the increments %.1e\n", cases[k],
           kind_name[k], worst[k].residual, worst[k].increment);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_and_rings),
      cmocka_unit_test(stars_and_wheels),
      cmocka_unit_test(ladders_grids_and_complete_graphs),
      cmocka_unit_test(forests_and_parallel_joints),
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(carried_bodies_and_joints_of_four),
      cmocka_unit_test(what_nothing_holds_is_named_with_its_direction),
      cmocka_unit_test(a_missing_pivot_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, report);
}
