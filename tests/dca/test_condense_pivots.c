/* SPDX-License-Identifier: MIT
 * What has no pivot is found and named: a body that nothing holds, with the direction, and a joint. */
#include "check.h"
#include "dca/stored.h"

#include <string.h>

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

TEST(what_nothing_holds_is_named_with_its_direction)
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

/* Nothing of a row but its compliance, and none or less of that: there is no pivot, and the joint is named,
 * whatever lane of whatever group it is in. */
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
      cmocka_unit_test(what_nothing_holds_is_named_with_its_direction),
      cmocka_unit_test(a_missing_pivot_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
