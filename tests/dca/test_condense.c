/* SPDX-License-Identifier: MIT
 * The tree against a dense Cholesky factorisation of the same system in long double.  A hub is eliminated
 * after some of its joints, so stiffnesses as large as 1/c pass through its pivot, and up to -log10(c / J
 * delta J') digits are lost there, as with a penalty method. What counts for the iterations of a step is
 * that the factors contract: with hubs, the solution is held to a looser limit as it comes, and to the
 * strict one after refinements with the same factors. Carried bodies have no part in S: with them the whole
 * system is solved, by a dense LU decomposition. Everything is computed with each instruction set, by all its
 * lanes and by one. */
#include "dca/stored.h"

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
static struct quality worst[ISA_COUNT][KINDS];
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

static void judge(struct variant v, int kind, struct quality q, const char *what)
{
  if (!(q.residual < limit[kind] && q.increment < limit[kind]))
    fail_msg("%s, %s, %s: residual %.1e, increment %.1e", what, variant_name(v), kind_name[kind], q.residual,
             q.increment);
  worst[v.isa][kind].residual = fmax(worst[v.isa][kind].residual, q.residual);
  worst[v.isa][kind].increment = fmax(worst[v.isa][kind].increment, q.increment);
}

/* The system of a graph and its solution. */
struct reference {
  const struct graph *g;
  long double *S;
  double *z;
};

static void reference_new(struct reference *o, const struct graph *g)
{
  size_t n = (size_t)graph_rows(g);
  long double *L = calloc(n * n + 1, sizeof *L);
  *o = (struct reference){g, calloc(n * n + 1, sizeof *o->S), calloc(n + 1, sizeof *o->z)};
  assert_true(o->S && L && o->z);
  graph_dense(g, o->S);
  memcpy(L, o->S, n * n * sizeof *L);
  dense_solve(L, (int)n, g->beta, o->z);
  free(L);
}

static void reference_free(struct reference *o)
{
  free(o->S);
  free(o->z);
}

/* r: beta - S z */
static struct quality quality_of(const struct reference *f, const double *z, double *r)
{
  return (struct quality){residual(f->g, f->S, z, r), increment_error(f->g, z, f->z)};
}

/* The increments of hubs that the tree brings by itself; refinements of z leave them as they are. */
static double hub_error(const struct reference *f, double (*e)[TREE_Y], const int *hub_at)
{
  double(*exact)[TREE_Y] = calloc((size_t)f->g->g.bodies + 1, sizeof *exact), off = 0.0;
  assert_non_null(exact);
  graph_increments(f->g, f->z, exact);
  for (int b = 0; b < f->g->g.bodies; b++)
    for (int y = 0; y < TREE_Y && hub_at[b] >= 0; y++)
      off += (e[b][y] + exact[b][y]) * (e[b][y] + exact[b][y]);
  off = sqrt(off) / norm(exact[0], TREE_Y * (size_t)f->g->g.bodies);
  free(exact);
  return off;
}

/* z of a system, beside others or alone, against its reference; with hubs refined, and then again. */
static void compare(const struct reference *f, int parts, struct stored *s, double *z, double (*e)[TREE_Y],
                    const char *what)
{
  size_t rows = (size_t)graph_rows(s->graph);
  double *r = calloc(rows + 1, sizeof *r), *more = calloc(rows + 1, sizeof *more);
  bool hubs = s->tree->hubs > 0;
  assert_true(r && more);
  for (int k = 0; k <= (hubs ? REFINEMENTS : 0); k++) {
    int row = 0, body = 0;
    if (k > 0) stored_sweep(s, r, NULL, more, e);
    for (size_t i = 0; i < rows && k > 0; i++) z[i] += more[i];
    for (int i = 0; i < parts; i++) {
      struct quality q = quality_of(&f[i], z + row, r + row);
      if (k == 0 && hubs) {
        double off = hub_error(&f[i], e + body, s->tree->hub_at + body);
        if (!(off < limit[HUBS])) fail_msg("%s, %s: hubs off by %.1e", what, variant_name(s->variant), off);
      }
      if (k == 0) judge(s->variant, hubs ? HUBS : PLAIN, q, what);
      if (k == REFINEMENTS) judge(s->variant, REFINED, q, what);
      row += graph_rows(f[i].g);
      body += f[i].g->g.bodies;
    }
  }
  free(r);
  free(more);
}

/* Condenses, solves twice with the same factors, compares. f: of the parts that g consists of. */
static void solve_and_compare(const struct graph *g, const struct reference *f, int parts, struct variant v,
                              const char *what)
{
  size_t n = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  struct stored s;
  double *z = calloc(n + 1, sizeof *z), *once = calloc(n + 1, sizeof *once);
  double(*e)[TREE_Y] = calloc(bodies + 1, sizeof *e);
  assert_true(z && once && e);
  stored_new(&s, g, v);
  assert_int_equal(stored_condense(&s), -1);
  stored_sweep(&s, g->beta, NULL, once, e);
  stored_sweep(&s, g->beta, NULL, z, e);
  assert_memory_equal(once, z, n * sizeof *once);
  if (n > 0) compare(f, parts, &s, z, e, what);
  stored_free(&s);
  free(z);
  free(once);
  free(e);
}

/* Frees g. */
static void check(struct graph *g, struct random *random, double compliance, double relative, bool redundant,
                  const char *what)
{
  struct variant v[VARIANTS];
  struct reference f;
  if (redundant || random_below(random, 2)) graph_shuffle(g, random);
  graph_numbers(g, random, compliance, relative, redundant);
  reference_new(&f, g);
  for (int i = 0, count = variants(v); i < count; i++) solve_and_compare(g, &f, 1, v[i], what);
  reference_free(&f);
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

static void constant_columns_are_left_out(void **state)
{
  (void)state;
  for (int rows = 3; rows <= 6; rows++)
    for (int seed = 1; seed <= 8; seed++) {
      struct random random = {(uint64_t)(100 * rows + seed)};
      struct graph g;
      if (seed % 4 == 0)
        graph_random(&g, &random, 40, 6);
      else if (seed % 4 == 1)
        graph_chain(&g, 37, rows);
      else if (seed % 4 == 2)
        graph_ladder(&g, 12, rows);
      else
        graph_star(&g, 20, rows);
      g.share_points = true;
      check(&g, &random, 0.0, 4e-9, false, "constant columns");
    }
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

/* So many nodes of a kind that those with the same children in another order would share a group, were they not told
 * apart. */
static void trees_of_joints_of_one_row(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct random random = {seed};
    struct graph g;
    char what[64];
    int bodies = 8 + random_below(&random, 20);
    graph_new(&g, bodies);
    for (int b = 1; b < bodies; b++) graph_join(&g, random_below(&random, b), b, 1);
    snprintf(what, sizeof what, "joints of one row, seed %d", (int)seed);
    check(&g, &random, 1e-11, 0.0, false, what);
  }
}

/* Mechanisms much alike beside each other: subtrees of one shape, and some that lack something. */
enum { BESIDE = 11 };

static void random_graphs_beside_each_other(void **state)
{
  (void)state;
  struct variant v[VARIANTS];
  int count = variants(v), packed = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct graph part[BESIDE], g;
    struct reference f[BESIDE];
    char what[64];
    const struct setting *set = &settings[seed % SETTINGS];
    struct random shape = {seed}, numbers = {1000 + seed};
    int bodies = 2 + random_below(&shape, 9), extra = random_below(&shape, 4);
    for (int i = 0; i < BESIDE; i++) {
      struct random same = shape;
      graph_random(&part[i], &same, bodies, extra);
      if (seed % 2 == 0 && i % 3 == 2) { /* a leg fewer */
        part[i].g.joints--;
      } else if (seed % 4 == 1 && i % 3 == 1) { /* one more */
        graph_join(&part[i], GROUND, bodies - 1, 2);
      }
      graph_numbers(&part[i], &numbers, set->compliance, set->relative, set->redundant);
      reference_new(&f[i], &part[i]);
    }
    graph_beside(&g, part, BESIDE);
    snprintf(what, sizeof what, "random graphs beside each other, seed %d", (int)seed);
    for (int i = 0; i < count; i++) solve_and_compare(&g, f, BESIDE, v[i], what);
    struct tree *t = tree_build(&g.g, isa_lanes(isa_best()));
    assert_non_null(t);
    packed += t->owned > 0;
    tree_free(t);
    for (int i = 0; i < BESIDE; i++) {
      reference_free(&f[i]);
      graph_free(&part[i]);
    }
    graph_free(&g);
  }
  assert_true(packed >= 50); /* else this tests something else */
}

/* What fronts of many lanes there were. */
struct met {
  int leaf[3], alone[4], fused[4]; /* even ones by their parts: 0 .. 2, or more */
  int block[3];                    /* of a joint's front: so many children add to it */
  int far;                         /* even, but part of the solution on the border is picked together */
};

static int up_to(int n, int most)
{
  return n < most ? n : most;
}

static void meet(const struct tree *t, int even, struct met *o)
{
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *group = &t->group[i];
    int parts = group->border / even;
    if (group->width == 1 || group->even != even) continue;
    if (group->kind == TREE_LEAF) {
      o->leaf[up_to(parts, 3) - 1]++;
      continue;
    }
    ++*(group->fused ? &o->fused[up_to(parts, 3)] : &o->alone[up_to(parts, 3)]);
    o->far += !group->near;
    const int *list = t->list + group->sum.first;
    for (int row = 0; row <= parts; row++)
      for (int column = 0; column <= row; column++) {
        int count = *list++;
        assert_in_range(count, 0, 2);
        o->block[count]++;
        list += count * (row == column ? even * (even + 1) / 2 : even * even);
      }
  }
}

enum { TOPOLOGIES = 7 };

static void topology(struct graph *g, int which, int rows, struct random *random)
{
  switch (which) {
  case 0:
    graph_chain(g, 9, rows);
    break;
  case 1:
    graph_ring(g, 7, rows);
    break;
  case 2:
    graph_ladder(g, 5, rows);
    break;
  case 3:
    graph_grid(g, 3, 4, rows);
    break;
  case 4:
    graph_complete(g, 4, rows);
    break;
  case 5:
    graph_star(g, 9, rows);
    break;
  default:
    graph_new(g, 14);
    for (int b = 0; b < 14; b++) graph_join(g, b == 0 ? GROUND : random_below(random, b), b, rows);
  }
}

/* Joints of one kind all through, many copies beside each other: every way in which even fronts are computed. */
static void even_fronts(void **state)
{
  (void)state;
  struct variant v[VARIANTS];
  int count = variants(v);
  for (int rows = 3; rows <= 5; rows++) {
    struct met met = {0};
    for (int seed = 0; seed < 6 * TOPOLOGIES; seed++) {
      struct graph part[BESIDE], g;
      struct reference f[BESIDE];
      struct random shape = {(uint64_t)(1000 * rows + seed)}, numbers = {(uint64_t)(2000 * rows + seed)};
      char what[64];
      const struct setting *set = &settings[1 + seed % 2];
      for (int i = 0; i < BESIDE; i++) {
        struct random same = shape;
        topology(&part[i], seed % TOPOLOGIES, rows, &same);
        part[i].share_points = seed % 3 > 0;
        graph_numbers(&part[i], &numbers, set->compliance, set->relative, set->redundant);
        reference_new(&f[i], &part[i]);
      }
      graph_beside(&g, part, BESIDE);
      snprintf(what, sizeof what, "joints of %d rows, seed %d", rows, seed);
      for (int i = 0; i < count; i++) solve_and_compare(&g, f, BESIDE, v[i], what);
      struct tree *t = tree_build(&g.g, isa_lanes(isa_best()));
      assert_non_null(t);
      meet(t, rows, &met);
      tree_free(t);
      for (int i = 0; i < BESIDE; i++) {
        reference_free(&f[i]);
        graph_free(&part[i]);
      }
      graph_free(&g);
    }
    int most = rows == 3 ? 3 : 2; /* parts of one that fits together with its leaves */
    for (int i = 0; i < 3; i++) assert_int_equal(met.leaf[i] > 0, rows % 2);
    for (int i = 0; i < 3; i++) assert_int_equal(met.block[i] > 0, rows % 2);
    for (int i = 0; i < 4; i++) assert_int_equal(met.alone[i] > 0, rows % 2);
    for (int i = 1; i <= most; i++) assert_int_equal(met.fused[i] > 0, rows % 2);
    assert_int_equal(met.far > 0, rows % 2);
  }
}

/* What fronts there were that take what others have in one lane of many. */
struct apart {
  int child, own, pull; /* even fronts of one lane: of their sources so many lie apart, number from number */
  int missing;          /* and some children have nothing for a part of their layout */
  int mix[3];           /* parts of solutions from so many places, in lanes of their own */
};

static void meet_apart(const struct tree *t, struct apart *o)
{
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *group = &t->group[i];
    for (int r = group->pull_first; r < group->pull_end; r++)
      if (t->pull[r].mix) o->mix[t->pull[r].mix->places]++;
    if (group->width > 1 || group->even == 0 || group->kind != TREE_JOINT) continue;
    o->own += group->at->stride > 1;
    for (int r = group->pull_first; r < group->pull_end; r++) o->pull += t->pull[r].vector->stride > 1;
    for (int r = group->child_first; r < group->child_end; r++) {
      const struct tree_branch *c = &t->branch[r];
      o->child += !c->leaf && c->vector->stride > 1;
      for (int k = 0; k < c->border; k++) o->missing += c->to[k] < 0;
    }
  }
}

/* Few nodes of a kind above subtrees that are side by side. */
static void what_is_above_packs(void **state)
{
  (void)state;
  for (int rows = 3; rows <= 5; rows += 2) {
    struct apart met = {0};
    for (int n = 10; n < 80; n += 3) {
      struct random random = {(uint64_t)(100 * rows + n)};
      struct graph g;
      if (n % 4 == 0)
        graph_ladder(&g, n / 2, rows);
      else if (n % 4 == 1)
        graph_ring(&g, n, rows);
      else
        graph_chain(&g, n, rows);
      g.share_points = n % 3 > 0;
      struct tree *t = tree_build(&g.g, isa_lanes(isa_best()));
      assert_non_null(t);
      meet_apart(t, &met);
      tree_free(t);
      check(&g, &random, n % 2 ? 1e-11 : 0.0, n % 2 ? 0.0 : 4e-7, false, "above packs");
    }
    if (isa_lanes(isa_best()) < 4) continue;
    assert_true(met.child > 0 && met.own > 0 && met.pull > 0 && met.missing > 0);
    assert_true(met.mix[1] > 0 && met.mix[2] > 0);
  }
}

/* All copies, with numbers of their own, in another order: the same bits for each, whatever its lane is. And
 * with one lane as if they were alone. */
static void bits_do_not_depend_on_the_lane(void **state)
{
  (void)state;
  struct variant v[VARIANTS];
  int count = variants(v);
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct graph part[ISA_LANES_MAX], turned[ISA_LANES_MAX], g, other;
    struct random shape = {seed}, numbers = {2000 + seed};
    int turn = 1 + random_below(&numbers, ISA_LANES_MAX - 1);
    for (int i = 0; i < ISA_LANES_MAX; i++) {
      struct random same = shape;
      if (seed % 2)
        graph_random(&part[i], &same, 12, 3);
      else
        graph_carried(&part[i], &same, 6, 2);
      if (seed % 4 == 2) graph_tell_soft(&part[i]);
      graph_numbers(&part[i], &numbers, 0.0, 4e-7, false);
      turned[(i + turn) % ISA_LANES_MAX] = part[i];
    }
    graph_beside(&g, part, ISA_LANES_MAX);
    graph_beside(&other, turned, ISA_LANES_MAX);
    int own = graph_rows(&part[0]), bodies = part[0].g.bodies;
    size_t rows = (size_t)(ISA_LANES_MAX * own);
    double *z = calloc(rows + 1, sizeof *z), *z_other = calloc(rows + 1, sizeof *z);
    double(*e)[TREE_Y] = calloc((size_t)(ISA_LANES_MAX * bodies), sizeof *e);
    assert_true(z && z_other && e);
    for (int i = 0; i < count; i++) {
      struct stored s, s_other;
      stored_new(&s, &g, v[i]);
      stored_new(&s_other, &other, v[i]);
      assert_int_equal(stored_condense(&s), -1);
      assert_int_equal(stored_condense(&s_other), -1);
      stored_sweep(&s, g.beta, g.pull, z, e);
      stored_sweep(&s_other, other.beta, other.pull, z_other, e);
      for (int k = 0; k < ISA_LANES_MAX; k++)
        assert_memory_equal(z + own * k, z_other + own * ((k + turn) % ISA_LANES_MAX),
                            (size_t)own * sizeof *z);
      for (int k = 0; k < s.tree->groups; k++) assert_int_equal(s.tree->group[k].used, v[i].lanes);
      stored_free(&s_other);
      if (v[i].lanes == 1) {
        stored_new(&s_other, &part[3], v[i]);
        assert_int_equal(stored_condense(&s_other), -1);
        stored_sweep(&s_other, part[3].beta, part[3].pull, z_other, e);
        assert_memory_equal(z + 3 * own, z_other, (size_t)own * sizeof *z);
        stored_free(&s_other);
      }
      stored_free(&s);
    }
    free(z);
    free(z_other);
    free(e);
    for (int i = 0; i < ISA_LANES_MAX; i++) graph_free(&part[i]);
    graph_free(&g);
    graph_free(&other);
  }
}

/* Adds the solution for a right-hand side to z and to the increments of all bodies. */
static void solve_more(const struct graph *g, struct stored *s, const double *rows, double (*pull)[TREE_Y],
                       double (*e)[TREE_Y], double *z)
{
  size_t n = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  double(*own)[TREE_Y] = calloc(bodies + 1, sizeof *own), *more = calloc(n + 1, sizeof *more);
  double(*of_hubs)[TREE_Y] = calloc(bodies + 1, sizeof *of_hubs);
  assert_true(own && more && of_hubs);
  stored_sweep(s, rows, pull, more, of_hubs);
  for (size_t i = 0; i < n; i++) z[i] += more[i];
  graph_increments(g, z, own);
  for (int b = 0; b < g->g.bodies; b++)
    for (int y = 0; y < TREE_Y; y++) e[b][y] = g->carried[b] ? e[b][y] + of_hubs[b][y] : -own[b][y];
  free(own);
  free(more);
  free(of_hubs);
}

static double difference(const double *a, const double *b, size_t n)
{
  double s = 0.0;
  for (size_t i = 0; i < n; i++) s += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(s) / norm(b, n);
}

/* The increments of parts beside each other against those of each: as they come, and refined once, as the
 * stepper does. */
static void compare_carried(const struct graph *g, double (*exact)[TREE_Y], struct variant v,
                            const char *what, double largest[2])
{
  size_t n = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  struct stored s;
  double(*e)[TREE_Y] = calloc(bodies + 1, sizeof *e), (*force)[TREE_Y] = calloc(bodies + 1, sizeof *e);
  double *z = calloc(n + 1, sizeof *z), *rows = calloc(n + 1, sizeof *z);
  assert_true(e && force && z && rows);
  stored_new(&s, g, v);
  int group = stored_condense(&s);
  if (group >= 0) {
    bool body;
    int item = tree_failed(s.tree, &s.work, group, &body);
    fail_msg("%s, %s: %s %d has no pivot", what, variant_name(v), body ? "body" : "joint", item);
  }
  solve_more(g, &s, g->beta, g->pull, e, z);
  for (int refined = 0; refined < 2; refined++) {
    double error = difference(e[0], exact[0], bodies * TREE_Y);
    if (!(error < (refined ? limit[REFINED] : limit[HUBS])))
      fail_msg("%s, %s: increments off by %.1e%s", what, variant_name(v), error, refined ? ", refined" : "");
    largest[refined] = fmax(largest[refined], error);
    graph_residual(g, e, z, rows, force);
    solve_more(g, &s, rows, force, e, z);
  }
  free(e);
  free(force);
  free(z);
  free(rows);
  stored_free(&s);
}

/* Parts of one shape with numbers of their own, beside each other. */
static void check_carried(uint64_t seed, int parts, bool soft, const char *what, double largest[2])
{
  struct random random = {seed}, shape;
  const struct setting *set = &settings[seed % SETTINGS];
  int bodies = 3 + random_below(&random, 5), gears = random_below(&random, 4), body = 0, count;
  struct graph part[BESIDE], g;
  struct variant v[VARIANTS];
  double(*exact)[TREE_Y] = calloc((size_t)(bodies * parts), sizeof *exact);
  assert_non_null(exact);
  shape = random;
  for (int i = 0; i < parts; i++) {
    struct random same = shape;
    graph_carried(&part[i], &same, bodies, gears);
    graph_shuffle(&part[i], &same);
    if (i == 0) random = same;
    if (soft) graph_tell_soft(&part[i]);
    graph_numbers(&part[i], &random, set->compliance, set->relative, set->redundant);
    double *z = calloc((size_t)graph_rows(&part[i]) + 1, sizeof *z);
    assert_non_null(z);
    graph_solve(&part[i], exact + body, z);
    free(z);
    body += bodies;
  }
  graph_beside(&g, part, parts);
  count = variants(v);
  for (int i = 0; i < count; i++) compare_carried(&g, exact, v[i], what, largest);
  for (int i = 0; i < parts; i++) graph_free(&part[i]);
  graph_free(&g);
  free(exact);
}

/* The seed is the number of the graph. */
static void carried_bodies_and_joints_of_four(void **state)
{
  (void)state;
  double largest[2] = {0.0, 0.0};
  for (uint64_t seed = 1; seed <= 150; seed++)
    for (int k = 0; k < 2; k++) {
      char what[80];
      snprintf(what, sizeof what, "carried bodies, seed %d%s", (int)seed, k ? ", springs told" : "");
      check_carried(seed, 1, k, what, largest);
    }
  printf("150 systems with carried bodies: increments off by %.1e, refined once by %.1e\n", largest[0],
         largest[1]);
}

static void carried_bodies_beside_each_other(void **state)
{
  (void)state;
  double largest[2] = {0.0, 0.0};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    char what[64];
    snprintf(what, sizeof what, "%d times carried bodies, seed %d", BESIDE, (int)seed);
    check_carried(seed, BESIDE, seed % 2, what, largest);
  }
  printf("60 systems of %d with carried bodies: increments off by %.1e, refined once by %.1e\n", BESIDE,
         largest[0], largest[1]);
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
 * rows. Of `chains` such chains beside each other all but one hold all their bodies. */
static void check_weak(struct variant v, uint64_t seed, int chains, bool soft, bool before)
{
  struct random random = {seed};
  struct graph g;
  int weak = random_below(&random, chains), body = 3 * weak + 2;
  bool is_body = false;
  double o[TREE_Y] = {0}, found[TREE_Y], along = 0.0;
  struct stored s;
  if (seed % 3 == 0)
    o[seed / 3 % 6] = 1.0; /* along or about an axis */
  else
    random_unit(&random, o, seed % 3 == 1 ? 3 : 6);
  graph_new(&g, 3 * chains);
  for (int b = 0; b < 3 * chains; b += 3) {
    graph_join(&g, GROUND, b, 5);
    graph_join(&g, b, b + 1, 6);
    graph_soften(&g, g.g.joints - 1);
    for (int i = 0; i < 3; i++) {
      graph_join(&g, i == 2 ? GROUND : b + 1, b + 2, 5);
      if (soft) graph_soften(&g, g.g.joints - 1);
    }
    if (before) graph_carry(&g, b + 1);
    graph_carry(&g, b + 2);
  }
  graph_numbers(&g, &random, 0.0, 4e-9, false);
  for (int b = 2; b < 3 * chains; b += 3) g.delta[b] = (struct tree_delta){.n = g.delta[b].n};
  for (int joint = 5 * weak + 2; joint < 5 * weak + 5; joint++) spare(&g, joint, 1, o);
  stored_new(&s, &g, v);
  int group = stored_condense(&s);
  if (group < 0) fail_msg("seed %d, %s: nobody noticed", (int)seed, variant_name(v));
  assert_int_equal(tree_failed(s.tree, &s.work, group, &is_body), body);
  assert_true(is_body);
  tree_weak_direction(&s.solver, &s.work, &s.matrix, body, found);
  for (int y = 0; y < TREE_Y; y++) along += found[y] * o[y];
  for (int y = 0; y < TREE_Y; y++)
    if (!(fabs(found[y] - along * o[y]) < 1e-6))
      fail_msg("seed %d, %s, %s: component %d of the direction is %g, not %g", (int)seed, variant_name(v),
               soft ? "soft" : "rigid", y, found[y], along * o[y]);
  assert_true(fabs(fabs(along) - 1.0) < 1e-6);
  stored_free(&s);
  graph_free(&g);
}

static void what_nothing_holds_is_named_with_its_direction(void **state)
{
  (void)state;
  struct variant v[VARIANTS];
  int count = variants(v);
  for (int i = 0; i < count; i++)
    for (uint64_t seed = 1; seed <= 60; seed++)
      for (int k = 0; k < 4; k++) {
        check_weak(v[i], seed, 1, k % 2, k / 2);
        check_weak(v[i], seed, BESIDE, k % 2, k / 2);
      }
}

/* Nothing of a row but its compliance, and none or less of that: there is no pivot, and the joint is named,
 * whatever lane of whatever group it is in. */
static void a_missing_pivot_is_found(void **state)
{
  (void)state;
  static const double compliance[] = {-1.0, NAN, 0.0};
  struct variant v[VARIANTS];
  struct graph g;
  struct random random = {1};
  int count = variants(v);
  graph_chain(&g, 70, 3);
  graph_numbers(&g, &random, 1e-11, 0.0, false);
  for (int i = 0; i < count; i++)
    for (int joint = 0; joint < 70; joint++)
      for (int k = 0; k < 3; k++) {
        struct stored s;
        bool is_body = true;
        double row[2 * TREE_Y], *J = graph_block(&g, joint, g.first[joint] + k, 0), c = g.c[3 * joint + k];
        memcpy(row, J, sizeof row);
        memset(J, 0, sizeof row);
        g.c[3 * joint + k] = compliance[(joint + k) % 3];
        stored_new(&s, &g, v[i]);
        int group = stored_condense(&s);
        assert_true(group >= 0);
        assert_int_equal(tree_failed(s.tree, &s.work, group, &is_body), joint);
        assert_false(is_body);
        memcpy(J, row, sizeof row);
        g.c[3 * joint + k] = c;
        stored_fill(&s);
        assert_int_equal(stored_condense(&s), -1);
        stored_free(&s);
      }
  graph_free(&g);
}

static int report(void **state)
{
  (void)state;
  for (int isa = 0; isa < ISA_COUNT; isa++)
    for (int k = 0; k < KINDS && isa_supported((enum isa)isa); k++)
      printf("%s, systems %s: largest residual %.1e of beta, largest error of the increments %.1e\n",
             isa_name((enum isa)isa), kind_name[k], worst[isa][k].residual, worst[isa][k].increment);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_and_rings),
      cmocka_unit_test(constant_columns_are_left_out),
      cmocka_unit_test(stars_and_wheels),
      cmocka_unit_test(ladders_grids_and_complete_graphs),
      cmocka_unit_test(forests_and_parallel_joints),
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(trees_of_joints_of_one_row),
      cmocka_unit_test(random_graphs_beside_each_other),
      cmocka_unit_test(even_fronts),
      cmocka_unit_test(what_is_above_packs),
      cmocka_unit_test(bits_do_not_depend_on_the_lane),
      cmocka_unit_test(carried_bodies_and_joints_of_four),
      cmocka_unit_test(carried_bodies_beside_each_other),
      cmocka_unit_test(what_nothing_holds_is_named_with_its_direction),
      cmocka_unit_test(a_missing_pivot_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, report);
}
