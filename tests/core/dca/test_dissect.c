/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "dca/dissect.h"
#include "dca/graphs.h"

#include <stdlib.h>

/* The half of region `above` that region r is in; -1: none. */
static int half_of(const struct regions *o, int r, int above)
{
  while (r >= 0 && o->parent[r] != above) r = o->parent[r];
  return r;
}

struct joints {
  int *first, *of;
};

static struct joints joints_of(const struct graph *g)
{
  struct joints o = {calloc((size_t)g->g.bodies + 1, sizeof(int)),
                     calloc(TREE_SIDES * (size_t)g->g.joints + 1, sizeof(int))};
  int count = 0;
  assert_true(o.first && o.of);
  for (int b = 0; b < g->g.bodies; b++) {
    for (int j = 0; j < g->g.joints; j++)
      for (int s = 0; s < TREE_SIDES; s++)
        if (g->ends[j][s] == b) o.of[count++] = j;
    o.first[b + 1] = count;
  }
  return o;
}

/* No joint connects two halves unless it separates them, and each half has at least 44 % of the bodies. */
static void check(const struct graph *g, const bool *stays, const char *what)
{
  struct regions o;
  struct joints joints = joints_of(g);
  int parted = 0, *bodies;
  assert_true(dissect(&g->g, joints.first, joints.of, stays, &o));
  bodies = calloc((size_t)o.count, sizeof(int));
  assert_non_null(bodies);
  for (int b = 0; b < g->g.bodies; b++) {
    if (stays[b]) assert_int_equal(o.of[g->g.joints + b], 0);
    for (int r = stays[b] ? -1 : o.of[g->g.joints + b]; r >= 0; r = o.parent[r]) bodies[r]++;
  }
  for (int r = 1; r < o.count; r++) {
    if (o.parent[r] == 0) continue;
    assert_int_equal(o.parent[r], o.parent[r + 1]);
    const int of = bodies[o.parent[r]];
    assert_int_equal(bodies[r] + bodies[r + 1], of);
    if (bodies[r] < (int)(0.44 * of) || bodies[r + 1] < (int)(0.44 * of))
      fail_msg("%s: %d bodies fall into %d and %d", what, of, bodies[r], bodies[r + 1]);
    parted++;
    r++; /* the other half */
  }
  for (int j = 0; j < g->g.joints; j++)
    for (int s = 0; s < TREE_SIDES; s++) {
      const int body = g->ends[j][s];
      if (body < 0 || stays[body]) continue;
      /* The body is inside the region of the joint. */
      int r = o.of[g->g.joints + body];
      if (r != o.of[j]) r = half_of(&o, r, o.of[j]);
      if (r < 0) fail_msg("%s: joint %d is outside the region of body %d", what, j, body);
    }
  if (g->g.joints >= 40) assert_true(parted > 0);
  free(bodies);
  free(joints.first);
  free(joints.of);
  regions_free(&o);
}

TEST(separators_part_halves_of_equal_size)
{
  struct random random = {5};
  for (int i = 0; i < 60; i++) {
    struct graph g;
    char what[32];
    if (i == 0)
      graph_chain(&g, 300, 3);
    else if (i == 1)
      graph_grid(&g, 12, 17, 2);
    else if (i == 2)
      graph_new(&g, 50);
    else
      graph_carried(&g, &random, 40 + i, i % 7);
    bool *stays = calloc((size_t)g.g.bodies, sizeof *stays);
    assert_non_null(stays);
    for (int b = 0; b < g.g.bodies && i % 3 == 0; b++) stays[b] = random_below(&random, 10) == 0;
    snprintf(what, sizeof what, "graph %d", i);
    check(&g, stays, what);
    free(stays);
    graph_free(&g);
  }
}

/* A chain is cut once, and a grid along its shorter side. */
TEST(separators_are_small)
{
  for (int grid = 0; grid < 2; grid++) {
    struct graph g;
    struct regions o;
    if (grid)
      graph_grid(&g, 10, 24, 3);
    else
      graph_chain(&g, 200, 3);
    struct joints joints = joints_of(&g);
    bool *stays = calloc((size_t)g.g.bodies, sizeof *stays);
    int separator = 0;
    assert_non_null(stays);
    assert_true(dissect(&g.g, joints.first, joints.of, stays, &o));
    for (int j = 0; j < g.g.joints; j++) separator += o.of[j] == 1;
    assert_in_range(separator, 1, grid ? 12 : 1);
    free(stays);
    free(joints.first);
    free(joints.of);
    regions_free(&o);
    graph_free(&g);
  }
}

static double flops_of_grid(int n)
{
  struct graph g;
  graph_grid(&g, n, n, 1);
  struct tree *t = tree_build(&g.g, 8, 8);
  assert_non_null(t);
  const double flops = t->flops;
  tree_free(t);
  graph_free(&g);
  return flops;
}

/* A separator of an n x n grid has about n joints, and its elimination costs n^3. */
TEST(the_cost_of_a_grid_is_that_of_its_separator)
{
  const double small = flops_of_grid(16), large = flops_of_grid(32);
  if (large > 10.0 * small) fail_msg("%g flops for 16 x 16, %g for 32 x 32", small, large);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(separators_part_halves_of_equal_size),
      cmocka_unit_test(separators_are_small),
      cmocka_unit_test(the_cost_of_a_grid_is_that_of_its_separator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
