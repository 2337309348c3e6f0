/* SPDX-License-Identifier: MIT
 * How well the lanes are filled, and that packs need nothing from other lanes. */
#include "check.h"
#include "dca/stored.h"
#include "dca/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies of a mechanism, twice as many as there are lanes: they are packed whole, no lane is left empty, and
 * all that they need lies in their own lanes. */
TEST(copies_fill_all_lanes)
{
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct random random = {seed};
    struct graph part[2 * ISA_LANES_MAX], g;
    int bodies = 2 + random_below(&random, 8), extra = random_below(&random, 4);
    for (int i = 0; i < 2 * ISA_LANES_MAX; i++) {
      struct random same = random;
      if (seed % 3 == 0)
        graph_carried(&part[i], &same, bodies + 1, 2);
      else
        graph_random(&part[i], &same, bodies, extra);
      graph_numbers(&part[i], &same, 1e-11, 0.0, false);
    }
    graph_beside(&g, part, 2 * ISA_LANES_MAX);
    for (int k = 1; k < LANES_COUNT; k++) {
      struct tree *t = tree_build(&g.g, all_lanes[k]);
      assert_non_null(t);
      assert_int_equal(t->owned, t->runs);
      for (int i = 0; i < t->tiles; i++) assert_int_equal(t->tile[i].used, all_lanes[k]);
      for (int i = 0; i < t->groups; i++) {
        const struct tree_group *o = &t->group[i];
        assert_int_equal(o->used, all_lanes[k]);
        assert_true(o->aligned);
        for (int r = o->child_first; r < o->child_end; r++) assert_true(t->branch[r].aligned);
        for (int r = o->pull_first; r < o->pull_end; r++) assert_true(t->pull[r].aligned);
        for (int r = o->couple_first; r < o->couple_end; r++) assert_true(t->couple[r].aligned);
      }
      tree_free(t);
    }
    for (int i = 0; i < 2 * ISA_LANES_MAX; i++) graph_free(&part[i]);
    graph_free(&g);
  }
}

/* In a pack, what a group needs of its own, from its children and its parent, where that is in the pack too,
 * is one plain load. Returns how many pulls are such. */
static int within_packs(const struct view *v)
{
  const struct tree *t = v->t;
  int within = 0;
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    if (v->run_of[i] >= t->owned) continue;
    assert_true(o->aligned);
    for (int b = o->child_first; b < o->child_end; b++) assert_true(t->branch[b].aligned);
    for (int p = o->pull_first; p < o->pull_end; p++) {
      if (v->run_of[v->vector_of[t->pull[p].vector[0].at]] != v->run_of[i]) continue;
      assert_true(t->pull[p].aligned);
      within++;
    }
  }
  return within;
}

static void check(const struct view *v)
{
  within_packs(v);
}

TEST(invariants_hold)
{
  with_all_graphs(check);
}

TEST(mechanisms_beside_each_other)
{
  with_all_bags(check);
}

/* Lanes that are in use, in percent of all, and if every group had all lanes: at least so many. Frees g. */
static int check_use(const char *name, struct graph *g, double least, double least_wide)
{
  struct view v;
  view_new(&v, g, ISA_LANES_MAX);
  const struct tree *t = v.t;
  double use = 100.0 * tree_utilisation(t, false), wide = 100.0 * tree_utilisation(t, true);
  printf("%s: %d nodes in %d groups, %d packs; %.0f %% of their lanes in use, %.0f %% if each had %d\n", name,
         t->nodes, t->groups, t->owned, use, wide, t->lanes);
  assert_true(use >= least);
  assert_true(wide >= least_wide);
  int within = within_packs(&v);
  view_free(&v);
  graph_free(g);
  return within;
}

TEST(lanes_are_in_use)
{
  struct random random = {31};
  struct graph g;
  int within = 0;
  graph_chain(&g, 128, 3);
  within += check_use("chain of 128", &g, 75.0, 75.0);
  assert_true(within > 20);
  graph_chain(&g, 1000, 3);
  within += check_use("chain of 1000", &g, 75.0, 75.0);
  graph_chain(&g, 1024, 3);
  within += check_use("chain of 1024", &g, 75.0, 75.0);
  graph_ring(&g, 128, 5);
  within += check_use("ring of 128", &g, 75.0, 50.0);
  graph_ladder(&g, 128, 5);
  within += check_use("ladder of 128", &g, 75.0, 50.0);
  graph_star(&g, 200, 3);
  within += check_use("star of 200", &g, 75.0, 75.0);
  graph_wheel(&g, 200, 3);
  within += check_use("wheel of 200", &g, 75.0, 50.0);
  graph_forest(&g, &random, 1000);
  within += check_use("forest of 1000", &g, 75.0, 10.0);
  graph_random(&g, &random, 1000, 0);
  within += check_use("random tree of 1000", &g, 75.0, 10.0);
  graph_random(&g, &random, 1000, 100);
  within += check_use("random graph of 1000", &g, 75.0, 10.0);
}

/* A chain held at one end, of any power of two: no body stays alone. */
TEST(chains_fill_all_lanes)
{
  for (int bodies = 8 * ISA_LANES_MAX; bodies <= 128 * ISA_LANES_MAX; bodies *= 2)
    for (int k = 1; k < LANES_COUNT; k++) {
      struct graph g;
      graph_chain(&g, bodies, 3);
      struct tree *t = tree_build(&g.g, all_lanes[k]);
      assert_non_null(t);
      assert_int_equal(t->body_tiles, bodies / all_lanes[k]);
      tree_free(t);
      graph_free(&g);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_fill_all_lanes), cmocka_unit_test(chains_fill_all_lanes),
      cmocka_unit_test(invariants_hold),       cmocka_unit_test(mechanisms_beside_each_other),
      cmocka_unit_test(lanes_are_in_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
