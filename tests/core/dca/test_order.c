/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "dca/graphs.h"
#include "dca/order.h"

#include <stdlib.h>

static bool holds(const struct list *l, int item)
{
  for (int i = 0; i < l->count; i++)
    if (l->item[i] == item) return true;
  return false;
}

/* A joint between carried bodies alone waits for no body. */
static bool all_carried(const struct graph *g, int joint)
{
  for (int side = 0; side < TREE_SIDES; side++)
    if (g->ends[joint][side] >= 0 && !g->carried[g->ends[joint][side]]) return false;
  return true;
}

/* The order by definition: a full matrix of couplings, in which each elimination couples all neighbours of its vertex. */
static void check_one(const struct graph *g, struct order_rule rule, const char *what)
{
  struct order o;
  assert_true(order_compute(&g->g, rule, &o));
  size_t n = (size_t)o.vertices;
  int joints = g->g.joints;
  bool *coupled = calloc(n * n + 1, 1), *seen = calloc(n + 1, 1);
  assert_true(coupled && seen);
  assert_int_equal(o.vertices, joints + g->g.bodies);
  for (int j = 0; j < joints; j++)
    for (int side = 0; side < TREE_SIDES; side++)
      if (g->ends[j][side] >= 0) {
        size_t b = (size_t)(joints + g->ends[j][side]);
        coupled[(size_t)j * n + b] = coupled[b * n + (size_t)j] = true;
      }
  for (int rank = 0; rank < o.vertices; rank++) {
    int v = o.vertex[rank], boundary = 0;
    assert_int_equal(o.rank[v], rank);
    assert_false(seen[v]);
    seen[v] = true;
    bool able = v >= joints || all_carried(g, v) || (g->g.soft && g->soft[v]);
    for (int side = 0; v < joints && side < TREE_SIDES; side++)
      able |= g->ends[v][side] >= 0 && seen[joints + g->ends[v][side]];
    for (int j = 0; j < joints && v >= joints && g->carried[v - joints]; j++)
      for (int side = 0; side < TREE_SIDES; side++)
        if (g->ends[j][side] == v - joints && !seen[j])
          fail_msg("%s: body %d is carried and comes before joint %d", what, v - joints, j);
    if (!able) fail_msg("%s: joint %d comes before its bodies", what, v);
    for (size_t a = 0; a < n; a++) {
      if (seen[a] || !coupled[(size_t)v * n + a]) continue;
      boundary++;
      if (!holds(&o.boundary[v], (int)a))
        fail_msg("%s: the boundary of vertex %d lacks vertex %d", what, v, (int)a);
      for (size_t b = 0; b < n; b++)
        if (b != a && !seen[b] && coupled[(size_t)v * n + b]) coupled[a * n + b] = coupled[b * n + a] = true;
    }
    assert_int_equal(o.boundary[v].count, boundary);
    for (int i = 0; i < o.child[v].count; i++) {
      assert_true(o.rank[o.child[v].item[i]] < rank);
      assert_true(holds(&o.boundary[o.child[v].item[i]], v));
      assert_true(i == 0 || o.rank[o.child[v].item[i]] > o.rank[o.child[v].item[i - 1]]);
    }
  }
  free(coupled);
  free(seen);
  order_free(&o);
}

static void check(const struct graph *g, const char *what)
{
  check_one(g, (struct order_rule){2.0, false, false}, what);
  check_one(g, (struct order_rule){2.0, true, false}, what);
  check_one(g, (struct order_rule){1.0, false, false}, what);
  check_one(g, (struct order_rule){2.0, false, true}, what);
  check_one(g, (struct order_rule){1.3, true, true}, what);
}

#define CHECK(build)                                                                                         \
  do {                                                                                                       \
    struct graph g;                                                                                          \
    build;                                                                                                   \
    check(&g, #build);                                                                                       \
    graph_shuffle(&g, &random);                                                                              \
    check(&g, #build ", shuffled");                                                                          \
    graph_free(&g);                                                                                          \
  } while (0)

TEST(is_an_elimination)
{
  struct random random = {11};
  CHECK(graph_new(&g, 3)); /* bodies tied to nothing */
  CHECK(graph_chain(&g, 50, 3));
  CHECK(graph_ring(&g, 21, 5));
  CHECK(graph_star(&g, 40, 3));
  CHECK(graph_wheel(&g, 25, 3));
  CHECK(graph_ladder(&g, 20, 5));
  CHECK(graph_grid(&g, 6, 7, 3));
  CHECK(graph_complete(&g, 6, 3));
  CHECK(graph_parallel(&g, 7));
  for (int i = 0; i < 30; i++) CHECK(graph_forest(&g, &random, 40));
  for (int i = 0; i < 100; i++) CHECK(graph_random(&g, &random, 1 + i / 3, i / 5));
  for (int i = 0; i < 100; i++) CHECK(graph_carried(&g, &random, 3 + i / 3, i / 8));
  for (int i = 0; i < 30; i++) CHECK((graph_carried(&g, &random, 3 + i, i / 4), graph_tell_soft(&g)));
}

TEST(lists_grow)
{
  struct list l = {0};
  for (int i = 0; i < 1000; i++) assert_true(list_push(&l, i));
  assert_int_equal(l.count, 1000);
  for (int i = 0; i < 1000; i++) assert_int_equal(l.item[i], i);
  free(l.item);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_an_elimination),
      cmocka_unit_test(lists_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
