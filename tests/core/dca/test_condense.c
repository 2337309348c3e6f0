/* SPDX-License-Identifier: MIT
 * Families of graphs, alone and many side by side: the tree against the dense system, see solved.h. S does not contain
 * carried bodies. With them a dense LU decomposition solves the whole system. Every instruction set computes each
 * graph with all its lanes and with one. */
#include "check.h"
#include "dca/solved.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(build)                                                                                         \
  for (int k = 0; k < SETTINGS; k++) {                                                                       \
    struct graph g;                                                                                          \
    struct random random = {(uint64_t)(__LINE__ * SETTINGS + k)};                                            \
    build;                                                                                                   \
    check_graph(&g, &random, settings[k].compliance, settings[k].relative, settings[k].redundant, #build);   \
  }

TEST(constant_columns_are_left_out)
{
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
      g.share_columns = true;
      check_graph(&g, &random, 0.0, 4e-9, false, "constant columns");
    }
}

TEST(chains_and_rings){CHECK(graph_chain(&g, 1, 3)) CHECK(graph_chain(&g, 2, 5)) CHECK(graph_chain(&g, 64, 3))
                           CHECK(graph_chain(&g, 37, 6)) CHECK(graph_ring(&g, 3, 3))
                               CHECK(graph_ring(&g, 50, 5))}

TEST(stars_and_wheels)
{
  for (int spokes = 1; spokes <= 200; spokes = spokes * 3 / 2 + 1) CHECK(graph_star(&g, spokes, 3))
  CHECK(graph_star(&g, 200, 1))
  CHECK(graph_wheel(&g, 4, 3))
  CHECK(graph_wheel(&g, 60, 3))
}

TEST(ladders_grids_and_complete_graphs){
    CHECK(graph_ladder(&g, 2, 5)) CHECK(graph_ladder(&g, 40, 3)) CHECK(graph_grid(&g, 2, 2, 5))
        CHECK(graph_grid(&g, 7, 7, 3)) CHECK(graph_complete(&g, 6, 3)) CHECK(graph_complete(&g, 6, 6))}

TEST(forests_and_parallel_joints){CHECK(graph_forest(&g, &random, 1)) CHECK(graph_forest(&g, &random, 60))
                                      CHECK(graph_parallel(&g, 2)) CHECK(graph_parallel(&g, 9))}

/* The seed is the number of the graph. */
TEST(random_graphs)
{
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct random random = {seed};
    struct graph g;
    char what[64];
    int bodies = 1 + random_below(&random, 25), extra = random_below(&random, bodies + 1);
    const struct setting *s = &settings[seed % SETTINGS];
    graph_random(&g, &random, bodies, extra);
    snprintf(what, sizeof what, "random graph, seed %d", (int)seed);
    check_graph(&g, &random, s->compliance, s->relative, s->redundant, what);
  }
}

/* Many nodes of one kind. Nodes that differ only in the order of their children would share a group if the shape did
 * not tell them apart. */
TEST(trees_of_joints_of_one_row)
{
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct random random = {seed};
    struct graph g;
    char what[64];
    int bodies = 8 + random_below(&random, 20);
    graph_new(&g, bodies);
    for (int b = 1; b < bodies; b++) graph_join(&g, random_below(&random, b), b, 1);
    snprintf(what, sizeof what, "joints of one row, seed %d", (int)seed);
    check_graph(&g, &random, 1e-11, 0.0, false, what);
  }
}

/* Similar mechanisms side by side: subtrees of one shape, and some that lack nodes. */

TEST(random_graphs_beside_each_other)
{
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
      if (seed % 2 == 0 && i % 3 == 2) { /* one leg less */
        part[i].g.joints--;
      } else if (seed % 4 == 1 && i % 3 == 1) { /* one leg more */
        graph_join(&part[i], GROUND, bodies - 1, 2);
      }
      graph_numbers(&part[i], &numbers, set->compliance, set->relative, set->redundant);
      reference_new(&f[i], &part[i]);
    }
    graph_beside(&g, part, BESIDE);
    snprintf(what, sizeof what, "random graphs beside each other, seed %d", (int)seed);
    for (int i = 0; i < count; i++) solve_and_compare(&g, f, BESIDE, v[i], what);
    struct tree *t = tree_build(&g.g, isa_lanes(isa_best()), isa_lanes(isa_best()));
    assert_non_null(t);
    packed += t->packs > 0;
    tree_free(t);
    for (int i = 0; i < BESIDE; i++) {
      reference_free(&f[i]);
      graph_free(&part[i]);
    }
    graph_free(&g);
  }
  assert_true(packed >= 50); /* fewer packs would not test them */
}

/* Adds the solution for a right-hand side to z, and to the increments of all bodies. */
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

/* Compares the increments of parts side by side with the increments of each part: first unrefined, then refined once,
 * as in the stepper. */
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
      fail_msg("%s, %s: error of the increments %.1e%s", what, variant_name(v), error,
               refined ? ", refined" : "");
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

/* Checks parts of one shape side by side, with numbers of their own. */
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
TEST(carried_bodies_and_joints_of_four)
{
  double largest[2] = {0.0, 0.0};
  for (uint64_t seed = 1; seed <= 150; seed++)
    for (int k = 0; k < 2; k++) {
      char what[80];
      snprintf(what, sizeof what, "carried bodies, seed %d%s", (int)seed, k ? ", springs told" : "");
      check_carried(seed, 1, k, what, largest);
    }
  printf("150 systems with carried bodies: error of the increments %.1e, refined once %.1e\n", largest[0],
         largest[1]);
}

TEST(carried_bodies_beside_each_other)
{
  double largest[2] = {0.0, 0.0};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    char what[64];
    snprintf(what, sizeof what, "%d times carried bodies, seed %d", BESIDE, (int)seed);
    check_carried(seed, BESIDE, seed % 2, what, largest);
  }
  printf("60 systems of %d with carried bodies: error of the increments %.1e, refined once %.1e\n", BESIDE,
         largest[0], largest[1]);
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
      cmocka_unit_test(carried_bodies_and_joints_of_four),
      cmocka_unit_test(carried_bodies_beside_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, report_worst);
}
