/* SPDX-License-Identifier: MIT
 * Cost of a tree, use of its lanes, and independence of its runs: the schedule allows several orders, and all give
 * equal bits. test_condense.c compares the numbers with the dense system. */
#include "check.h"
#include "dca/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tree *tree_of(const struct graph *g, int lanes)
{
  struct tree *t = tree_build(&g->g, lanes, lanes > 1 ? lanes : isa_lanes(isa_best()));
  assert_non_null(t);
  return t;
}

/* --- cost --- */

struct cost {
  double flops, lanes;
  int levels;
};

/* Frees g. */
static struct cost measure(struct graph *g)
{
  struct tree *t = tree_of(g, ISA_LANES_MAX);
  struct cost c = {t->flops, t->groups * t->lanes, t->levels};
  tree_free(t);
  graph_free(g);
  return c;
}

TEST(a_chain_is_a_balanced_tree)
{
  struct graph g;
  for (int n = 8, log2n = 3; n <= 4096; n *= 2, log2n++) {
    graph_chain(&g, n, 3);
    struct cost c = measure(&g);
    if (n == 128) printf("chain of 128: %d levels, %.0f flops per body\n", c.levels, c.flops / n);
    assert_true(c.levels <= 2 * log2n);
    assert_true(n != 128 || c.levels <= 12);
  }
}

/* A massless chain: carried bodies, joints between them, and the ground. */
TEST(a_chain_of_carried_bodies_is_a_balanced_tree_too)
{
  for (int n = 8, log2n = 3; n <= 1024; n *= 2, log2n++) {
    struct graph g;
    graph_chain(&g, n, 6);
    for (int b = 0; b < n; b++) graph_carry(&g, b);
    assert_true(measure(&g).levels <= 3 * log2n);
  }
}

/* Joints of one row between all pairs of bodies end in one dense front: its rows are eliminated seven at a time. */
TEST(nested_joints_share_a_node)
{
  struct graph g;
  graph_complete(&g, 12, 1);
  struct tree *t = tree_of(&g, 1);
  bool *seen = calloc((size_t)g.g.joints, sizeof *seen);
  int rows = 0, supernodes = 0;
  assert_non_null(seen);
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    if (o->kind != TREE_JOINT) continue;
    int own = 0;
    for (int j = t->member[o->member_first]; j >= 0; j = t->after[j], own++) {
      assert_false(seen[j]);
      seen[j] = true;
    }
    assert_int_equal(own, o->pivot);
    assert_true(own <= TREE_Y);
    assert_int_equal(o->supernode, own > 1);
    rows += own;
    supernodes += o->supernode;
  }
  printf("12 bodies, a joint between any two: %d joints in %d nodes\n", g.g.joints, t->nodes - g.g.bodies);
  assert_int_equal(rows, g.g.joints);
  assert_true(supernodes > 0 && t->nodes - g.g.bodies <= g.g.joints / 3);
  free(seen);
  tree_free(t);
  graph_free(&g);
}

typedef void topology(struct graph *g, int n, int rows);

/* The cost of a graph of twice the size is at most about twice as high. */
static void check_linear(topology *build, const char *name, int n, int rows)
{
  struct graph g;
  build(&g, n, rows);
  struct cost small = measure(&g);
  build(&g, 2 * n, rows);
  struct cost big = measure(&g);
  printf("%s of %d to %d: %.2f times the flops, %.2f times the groups, %d to %d levels\n", name, n, 2 * n,
         big.flops / small.flops, big.lanes / small.lanes, small.levels, big.levels);
  assert_true(big.flops <= 2.2 * small.flops);
  assert_true(big.lanes <= 2.2 * small.lanes);
}

TEST(cost_is_linear)
{
  check_linear(graph_chain, "chain", 512, 3);
  check_linear(graph_ring, "ring", 512, 5);
  check_linear(graph_star, "star", 500, 3);
  check_linear(graph_wheel, "wheel", 500, 3);
  check_linear(graph_ladder, "ladder", 500, 5);
}

/* --- lanes --- */

/* Used lanes in percent of all lanes of all tiles, if each tile had all lanes. */
static double stored_utilisation(const struct tree *t)
{
  double used = 0.0;
  for (int i = 0; i < t->tiles; i++) used += t->tile[i].used;
  return 100.0 * used / (t->tiles * t->lanes);
}

/* Checks the used lanes against three least values in percent: of all lanes, of all lanes if every group had all, and
 * of storage. Frees g. */
static void check_use(const char *name, struct graph *g, double least, double least_wide, double least_stored)
{
  struct tree *t = tree_of(g, ISA_LANES_MAX);
  double use = 100.0 * tree_utilisation(t, false), wide = 100.0 * tree_utilisation(t, true);
  double stored = stored_utilisation(t);
  printf("%s: %d nodes in %d groups, %d packs; %.0f %% of their lanes in use, %.0f %% if each had %d; of "
         "storage %.0f %%\n",
         name, t->nodes, t->groups, t->packs, use, wide, t->lanes, stored);
  assert_true(use >= least);
  assert_true(wide >= least_wide);
  assert_true(stored >= least_stored);
  tree_free(t);
  graph_free(g);
}

TEST(lanes_are_in_use)
{
  struct random random = {31};
  struct graph g;
  graph_chain(&g, 128, 3);
  check_use("chain of 128", &g, 75.0, 75.0, 90.0);
  graph_chain(&g, 1000, 3);
  check_use("chain of 1000", &g, 75.0, 75.0, 90.0);
  graph_chain(&g, 1024, 3);
  check_use("chain of 1024", &g, 75.0, 75.0, 90.0);
  graph_ring(&g, 128, 5);
  check_use("ring of 128", &g, 75.0, 50.0, 75.0);
  graph_ladder(&g, 128, 5);
  check_use("ladder of 128", &g, 75.0, 50.0, 75.0);
  graph_star(&g, 200, 3);
  check_use("star of 200", &g, 75.0, 75.0, 90.0);
  graph_wheel(&g, 200, 3);
  check_use("wheel of 200", &g, 75.0, 50.0, 75.0);
  graph_forest(&g, &random, 1000);
  check_use("forest of 1000", &g, 75.0, 10.0, 90.0);
  graph_random(&g, &random, 1000, 0);
  check_use("random tree of 1000", &g, 75.0, 10.0, 90.0);
  graph_random(&g, &random, 1000, 100);
  check_use("random graph of 1000", &g, 75.0, 10.0, 90.0);
}

/* Copies of a mechanism, twice as many as there are lanes, are packed whole, so no lane stays empty. A chain held at
 * one end has such copies if its length is a power of two: no body stays alone. */
TEST(copies_and_chains_fill_all_lanes)
{
  for (int lanes = 2; lanes <= ISA_LANES_MAX; lanes *= 2) {
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
      struct tree *t = tree_of(&g, lanes);
      if (tree_utilisation(t, true) < 1.0 || stored_utilisation(t) < 100.0)
        fail_msg("copies, seed %d, %d lanes: some are unused", (int)seed, lanes);
      tree_free(t);
      graph_free(&g);
      for (int i = 0; i < 2 * ISA_LANES_MAX; i++) graph_free(&part[i]);
    }
    for (int bodies = 8 * ISA_LANES_MAX; bodies <= 128 * ISA_LANES_MAX; bodies *= 2) {
      struct graph g;
      graph_chain(&g, bodies, 3);
      struct tree *t = tree_of(&g, lanes);
      assert_int_equal(t->body_tiles, bodies / lanes);
      tree_free(t);
      graph_free(&g);
    }
  }
}

/* One kernel computes all joints of a tile. */
TEST(joints_of_one_kind_share_a_tile)
{
  struct random random = {29};
  struct graph g;
  unsigned kind[200];
  for (int i = 0; i < 200; i++) kind[i] = (unsigned)random_below(&random, 2);
  graph_chain(&g, 200, 3);
  g.g.kind = kind;
  for (int lanes = 1; lanes <= ISA_LANES_MAX; lanes *= 2) {
    struct tree *t = tree_of(&g, lanes);
    int joints = 0;
    for (int i = 0; i < t->joint_tiles; i++) {
      const struct tree_tile *o = &t->tile[t->stored_joints.tile[i]];
      const int *item = t->item + o->item_first;
      for (int l = 0; l < o->width; l++) {
        joints += item[l] >= 0;
        assert_true(item[l] < 0 || kind[item[l]] == kind[item[0]]);
      }
    }
    assert_int_equal(joints, 200);
    tree_free(t);
  }
  graph_free(&g);
}

/* --- bits --- */

/* The runs in the order of the schedule, or with those of each band that threads may share the other way round. */
static int run_at(const struct tree *t, bool backwards, int k)
{
  const struct tree_band *band = t->band;
  while (band->end <= k) band++;
  return backwards && band->separate ? band->first + band->end - 1 - k : k;
}

/* Condenses and solves. backwards: the last run of a band goes first. */
static void solve(struct stored *s, bool backwards, double *x)
{
  const struct tree *t = s->tree;
  const double *beta = s->beta;
  for (int k = 0; k < t->runs; k++) {
    const struct tree_run *r = &t->run[run_at(t, backwards, k)];
    assert_int_equal(tree_condense_groups(&s->solver, &s->work, &s->matrix, r->first, r->end), -1);
  }
  for (int k = 0; k < t->runs; k++) {
    const struct tree_run *r = &t->run[run_at(t, backwards, k)];
    tree_up_groups(&s->solver, &s->work, beta, r->first, r->end);
  }
  for (int k = t->runs - 1; k >= 0; k--) {
    const struct tree_run *r = &t->run[run_at(t, backwards, k)];
    tree_down_groups(&s->solver, &s->work, s->x, r->first, r->end);
  }
  memcpy(x, s->x, (size_t)t->unknowns * sizeof *x);
}

/* Two trees of one graph give equal bits, also with the runs of each band in reverse order. */
TEST(the_same_graph_gives_the_same_bits)
{
  struct variant v[VARIANTS];
  int count = variants(v);
  for (uint64_t seed = 1; seed <= 30; seed++) {
    struct random random = {seed};
    struct graph g;
    if (seed % 3)
      graph_random(&g, &random, 150, seed % 2 ? 40 : 0);
    else
      graph_carried(&g, &random, 60, 5);
    graph_numbers(&g, &random, 0.0, 4e-7, false);
    for (int i = 0; i < count; i++) {
      double *x[2];
      size_t size = 0;
      for (int k = 0; k < 2; k++) {
        struct stored s;
        stored_new(&s, &g, v[i]);
        for (int j = 0; j < g.g.joints; j++)
          for (int row = g.first[j], n = 0; row < g.first[j + 1]; row++, n++)
            s.beta[s.tree->joint[j].row + n * s.tree->joint[j].width] = g.beta[row];
        size = (size_t)s.tree->unknowns * sizeof *x[k];
        x[k] = malloc(size + 1);
        assert_non_null(x[k]);
        solve(&s, k > 0, x[k]);
        stored_free(&s);
      }
      if (memcmp(x[0], x[1], size) != 0)
        fail_msg("graph %d, %s: the two trees give different bits", (int)seed, variant_name(v[i]));
      free(x[0]);
      free(x[1]);
    }
    graph_free(&g);
  }
}

static bool holds_fast(struct graph *g, int lanes)
{
  struct tree *t = tree_build(&g->g, lanes, lanes > 1 ? lanes : isa_lanes(isa_best()));
  assert_non_null(t);
  bool fast = t->ill_conditioned;
  assert_true(t->hubs > 0);
  tree_free(t);
  graph_free(g);
  return fast;
}

/* Spokes that float cost their hub no digits, even if the hub stands on the ground. A rim and a carried hub cost
 * digits. */
TEST(floating_assemblies_cost_no_digits)
{
  for (int lanes = 1; lanes <= ISA_LANES_MAX; lanes *= 2)
    for (int kind = 0; kind < 4; kind++) {
      struct graph g;
      if (kind == 2)
        graph_wheel(&g, 40, 3);
      else
        graph_star(&g, 40, 3);
      if (kind == 1) graph_join(&g, GROUND, 0, 5);
      if (kind == 3) graph_carry(&g, 0);
      if (holds_fast(&g, lanes) != (kind > 1))
        fail_msg("hub of kind %d, %d lanes: wrong answer whether it costs digits", kind, lanes);
    }
}

/* --- shares --- */

enum { SHARES = 2 };

/* The share that each item of these tiles belongs to. */
static void share_tiles(const struct tree *t, const struct tree_order *order, int first, int end, int *share)
{
  for (int i = first; i < end; i++) {
    const struct tree_tile *o = &t->tile[order->tile[i]];
    for (int l = 0; l < o->width; l++) {
      const int item = t->item[o->item_first + l];
      if (item >= 0) share[item] = (i - first) * SHARES / (end - first);
    }
  }
}

/* The share of each leaf's body in the bands that threads share; -1: of another kind, or in a band of the loop alone. */
static void share_leaves(const struct tree *t, int *share)
{
  for (int b = 0; b < t->bodies; b++) share[b] = -1;
  for (int k = 0; k < t->bands; k++) {
    double before = 0.0;
    for (int r = t->band[k].first; r < t->band[k].end && t->band[k].separate; r++) {
      const double work = tree_work_of(t->run[r].cost);
      const int own = tree_share_of(before, work, tree_work_of(t->band[k].cost), SHARES);
      before += work;
      for (int i = t->run[r].first; i < t->run[r].end; i++) {
        const struct tree_group *o = &t->group[i];
        for (int l = 0; l < o->width && o->kind == TREE_LEAF; l++)
          if (t->member[o->member_first + l] >= 0) share[t->member[o->member_first + l]] = own;
      }
    }
  }
}

static void check_shares(const char *name, struct graph *g, double least_ends, double least_leaves)
{
  struct tree *t = tree_of(g, ISA_LANES_MAX);
  int *body = calloc(3 * (size_t)t->bodies + (size_t)t->joints, sizeof *body), *leaf = body + t->bodies,
      *joint = leaf + t->bodies, ends = 0, near = 0, leaves = 0, alike = 0;
  assert_non_null(body);
  share_tiles(t, &t->shared_bodies, 0, t->body_tiles, body);
  share_tiles(t, &t->shared_joints, 0, t->joint_tiles, joint);
  share_leaves(t, leaf);
  for (int j = 0; j < t->joints; j++)
    for (int s = 0; s < 2; s++) {
      const int b = g->ends[j][s];
      ends += b >= 0;
      near += b >= 0 && body[b] == joint[j];
    }
  for (int b = 0; b < t->bodies; b++) {
    leaves += leaf[b] >= 0;
    alike += leaf[b] >= 0 && leaf[b] == body[b];
  }
  printf("%s: %.2f of the ends and %.2f of the leaves in one share of %d\n", name, (double)near / ends,
         (double)alike / leaves, SHARES);
  if (near < least_ends * ends || alike < least_leaves * leaves)
    fail_msg("%s: a thread does the joints, but other threads their bodies", name);
  free(body);
  tree_free(t);
  graph_free(g);
}

/* A thread that does a body does most of its joints, and its leaf, too. */
TEST(one_share_does_neighbours)
{
  struct random random = {5};
  struct graph g;
  graph_chain(&g, 1024, 3);
  check_shares("chain", &g, 0.9, 0.9);
  graph_ladder(&g, 256, 3);
  check_shares("ladder", &g, 0.9, 0.5);
  graph_grid(&g, 6, 40, 3);
  check_shares("grid", &g, 0.7, 0.6);
  graph_random(&g, &random, 1024, 0);
  check_shares("random", &g, 0.5, 0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_is_a_balanced_tree),
      cmocka_unit_test(a_chain_of_carried_bodies_is_a_balanced_tree_too),
      cmocka_unit_test(cost_is_linear),
      cmocka_unit_test(nested_joints_share_a_node),
      cmocka_unit_test(floating_assemblies_cost_no_digits),
      cmocka_unit_test(lanes_are_in_use),
      cmocka_unit_test(copies_and_chains_fill_all_lanes),
      cmocka_unit_test(joints_of_one_kind_share_a_tile),
      cmocka_unit_test(one_share_does_neighbours),
      cmocka_unit_test(the_same_graph_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
