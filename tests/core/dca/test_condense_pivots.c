/* SPDX-License-Identifier: MIT
 * The condensation finds and names a missing pivot: a body that nothing holds, with the direction, and a joint. */
#include "check.h"
#include "dca/stored.h"

#include <string.h>

/* Keeps in each row only the part orthogonal to o. */
static void spare(const struct graph *g, int joint, int side, const double o[TREE_Y])
{
  for (int row = g->first[joint]; row < g->first[joint + 1]; row++) {
    double *J = graph_block(g, joint, row, side), along = 0.0;
    for (int y = 0; y < TREE_Y; y++) along += J[y] * o[y];
    for (int y = 0; y < TREE_Y; y++) J[y] -= along * o[y];
  }
}

/* The body at the end of a chain of three is carried. Its joints hold it in all directions except o. In every second
 * case the body before it is carried, too, and springs tie that body to the first one. soft: the rows are springs;
 * otherwise they are rigid. `chains` chains stand side by side, and all chains except one hold all their bodies. */
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
  if (group < 0) fail_msg("seed %d, %s: condensation reports no missing pivot", (int)seed, variant_name(v));
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

TEST(a_body_that_nothing_holds_is_named_with_its_direction)
{
  struct variant v[VARIANTS];
  int count = variants(v);
  for (int i = 0; i < count; i++)
    for (uint64_t seed = 1; seed <= 60; seed++)
      for (int k = 0; k < 4; k++) {
        check_weak(v[i], seed, 1, k % 2, k / 2);
        check_weak(v[i], seed, BESIDE, k % 2, k / 2);
      }
}

/* A row without a Jacobian has no pivot if its compliance is zero, negative or NaN. tree_failed() names its joint in
 * every lane and group. */
TEST(a_missing_pivot_is_found)
{
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_that_nothing_holds_is_named_with_its_direction),
      cmocka_unit_test(a_missing_pivot_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
