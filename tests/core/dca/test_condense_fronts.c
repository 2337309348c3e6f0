/* SPDX-License-Identifier: MIT
 * Numbers that many lanes compute at once: fronts of one shape in every kernel, and the nodes above packs. The results
 * do not depend on the lane. */
#include "check.h"
#include "dca/solved.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Joints of one kind only, many copies side by side: this covers every kernel for even fronts. */
TEST(even_fronts)
{
  struct variant v[VARIANTS];
  int count = variants(v);
  for (int rows = 3; rows <= 5; rows++) {
    for (int seed = 0; seed < 6 * TOPOLOGIES; seed++) {
      struct graph part[BESIDE], g;
      struct reference f[BESIDE];
      struct random shape = {(uint64_t)(1000 * rows + seed)}, numbers = {(uint64_t)(2000 * rows + seed)};
      char what[64];
      const struct setting *set = &settings[1 + seed % 2];
      for (int i = 0; i < BESIDE; i++) {
        struct random same = shape;
        topology(&part[i], seed % TOPOLOGIES, rows, &same);
        part[i].share_columns = seed % 3 > 0;
        graph_numbers(&part[i], &numbers, set->compliance, set->relative, set->redundant);
        reference_new(&f[i], &part[i]);
      }
      graph_beside(&g, part, BESIDE);
      snprintf(what, sizeof what, "joints of %d rows, seed %d", rows, seed);
      for (int i = 0; i < count; i++) solve_and_compare(&g, f, BESIDE, v[i], what);
      for (int i = 0; i < BESIDE; i++) {
        reference_free(&f[i]);
        graph_free(&part[i]);
      }
      graph_free(&g);
    }
  }
}

/* A few nodes of one kind above packed subtrees. */
TEST(nodes_above_packs)
{
  for (int rows = 3; rows <= 5; rows += 2) {
    for (int n = 10; n < 80; n += 3) {
      struct random random = {(uint64_t)(100 * rows + n)};
      struct graph g;
      if (n % 4 == 0)
        graph_ladder(&g, n / 2, rows);
      else if (n % 4 == 1)
        graph_ring(&g, n, rows);
      else
        graph_chain(&g, n, rows);
      g.share_columns = n % 3 > 0;
      check_graph(&g, &random, n % 2 ? 1e-11 : 0.0, n % 2 ? 0.0 : 4e-7, false, "above packs");
    }
  }
}

/* All copies, with numbers of their own, in another order: each copy has equal bits in every lane. With one lane it
 * has the bits of a copy alone. */
TEST(bits_do_not_depend_on_the_lane)
{
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(even_fronts),
      cmocka_unit_test(nodes_above_packs),
      cmocka_unit_test(bits_do_not_depend_on_the_lane),
  };
  return cmocka_run_group_tests(tests, NULL, report_worst);
}
