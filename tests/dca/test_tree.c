/* SPDX-License-Identifier: MIT */
#include "dca/graphs.h"
#include "dca/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Which node owns the unknowns at an offset. */
static int *owners(const struct tree *t)
{
  int *owner = calloc((size_t)t->unknowns + 1, sizeof *owner);
  assert_non_null(owner);
  for (int u = 0; u < t->unknowns; u++) owner[u] = -1;
  for (int i = 0; i < t->nodes; i++)
    for (int k = 0; k < t->node[i].pivot; k++) {
      assert_int_equal(owner[t->node[i].at + k], -1);
      owner[t->node[i].at + k] = i;
    }
  for (int u = 0; u < t->unknowns; u++) assert_true(owner[u] >= 0);
  return owner;
}

static void check_borders(const struct tree *t, const int *owner, int i)
{
  const struct tree_node *n = &t->node[i];
  int size = 0, last = i;
  for (int k = n->border_first; k < n->border_end; k++) {
    const struct tree_border *b = &t->border[k];
    int of = owner[b->at];
    assert_int_equal(t->node[of].at, b->at);
    assert_int_equal(t->node[of].pivot, b->size);
    assert_true(of > last); /* invariant 2 */
    if (k == n->border_first) assert_int_equal(of, n->parent);
    last = of;
    size += b->size;
    /* its place in the parent: the parent's own pivot, or the same vertex in the parent's border */
    const struct tree_node *p = &t->node[n->parent];
    int at = p->at, offset = 0;
    for (int q = p->border_first - 1; q < p->border_end; q++) {
      if (q >= p->border_first) {
        at = t->border[q].at;
        offset = q == p->border_first ? p->pivot : offset + t->border[q - 1].size;
      }
      if (at == b->at) break;
    }
    assert_int_equal(at, b->at);
    assert_int_equal(offset, b->parent_at);
  }
  assert_int_equal(size, n->border);
  if (n->border == 0) assert_int_equal(n->parent, -1);
}

static void check_children(const struct tree *t, int i, int *parents)
{
  const struct tree_node *n = &t->node[i];
  int level = 0, last = -1;
  for (int k = n->child_first; k < n->child_end; k++) {
    int c = t->child[k];
    assert_true(c < i);    /* invariant 1 */
    assert_true(c > last); /* invariant 3 */
    assert_int_equal(t->node[c].parent, i);
    if (t->node[c].level >= level) level = t->node[c].level + 1;
    parents[c]++;
    last = c;
  }
  assert_int_equal(n->level, level);
}

/* The joint and the side whose Jacobian block lies at an offset. */
static void find_block(const struct graph *g, size_t J, int *joint, int *side)
{
  for (*joint = 0; *joint < g->g.joints; ++*joint) {
    size_t at = g->g.jacobian ? g->jacobian[*joint] : 2 * TREE_Y * (size_t)g->first[*joint];
    for (*side = 0; *side < g->sides[*joint]; ++*side)
      if (J == at + TREE_Y * (size_t)*side) return;
  }
  fail_msg("no block begins at %d", (int)J);
}

/* Every end of every joint on a body is used by exactly one node. */
static void check_couples(const struct graph *g, const struct tree *t)
{
  int *used = calloc(TREE_SIDES * (size_t)g->g.joints + 1, sizeof *used);
  assert_non_null(used);
  for (int i = 0; i < t->nodes; i++)
    for (int k = t->node[i].couple_first; k < t->node[i].couple_end; k++) {
      const struct tree_couple *c = &t->couple[k];
      int j = 0, side = 0;
      find_block(g, c->J, &j, &side);
      assert_int_equal(c->stride, g->sides[j] * TREE_Y);
      assert_int_equal(c->rows, g->first[j + 1] - g->first[j]);
      assert_true(g->ends[j][side] >= 0);
      assert_true(t->node[i].kind == TREE_JOINT ? t->node[i].index == j
                                                : t->node[i].index == g->ends[j][side]);
      used[TREE_SIDES * j + side]++;
    }
  for (int j = 0; j < g->g.joints; j++)
    for (int side = 0; side < TREE_SIDES; side++)
      assert_int_equal(used[TREE_SIDES * j + side], g->ends[j][side] >= 0);
  free(used);
}

/* A carried body is a hub behind all its joints, and a joint with any other body comes behind one of those.
 */
static void check_carried(const struct graph *g, const struct tree *t)
{
  int count = 0, *node = calloc((size_t)t->nodes + 1, sizeof *node); /* joints, then bodies */
  assert_non_null(node);
  for (int i = 0; i < t->nodes; i++)
    node[t->node[i].kind == TREE_JOINT ? t->node[i].index : g->g.joints + t->node[i].index] = i;
  for (int b = 0; b < g->g.bodies; b++) {
    const struct tree_node *n = &t->node[node[g->g.joints + b]];
    count += g->carried[b];
    assert_int_equal(t->carried_at[b], g->carried[b] ? n->at : -1);
    if (!g->carried[b]) continue;
    assert_int_equal(n->kind, TREE_HUB);
    assert_int_equal(n->pivot, TREE_Y);
    assert_true(n->at >= t->rows);
    assert_int_equal(n->couple_first, n->couple_end);
  }
  assert_int_equal(t->carried, count);
  for (int j = 0; j < g->g.joints; j++) {
    int able = 0, before = 0;
    for (int side = 0; side < g->sides[j]; side++) {
      int b = g->ends[j][side];
      if (b < 0) continue;
      if (g->carried[b]) assert_true(node[g->g.joints + b] > node[j]);
      able += !g->carried[b];
      before += node[g->g.joints + b] < node[j];
    }
    assert_true(before > 0 || able == 0);
  }
  free(node);
}

static void check_levels(const struct tree *t)
{
  int *seen = calloc((size_t)t->nodes + 1, sizeof *seen);
  double flops = 0.0;
  assert_non_null(seen);
  assert_int_equal(t->level_first[0], 0);
  assert_int_equal(t->level_first[t->levels], t->nodes);
  for (int l = 0; l < t->levels; l++) {
    double sum = 0.0;
    for (int k = t->level_first[l]; k < t->level_first[l + 1]; k++) {
      assert_int_equal(t->node[t->order[k]].level, l);
      assert_true(k == t->level_first[l] || t->order[k] > t->order[k - 1]);
      seen[t->order[k]]++;
      sum += t->node[t->order[k]].flops;
    }
    assert_true(fabs(sum - t->level_flops[l]) <= 1e-9 * sum);
    flops += sum;
  }
  for (int i = 0; i < t->nodes; i++) assert_int_equal(seen[i], 1);
  assert_true(fabs(flops - t->flops) <= 1e-9 * flops);
  free(seen);
}

static void check(const struct graph *g)
{
  struct tree *t = tree_build(&g->g);
  assert_non_null(t);
  assert_int_equal(t->nodes, g->g.joints + g->g.bodies);
  assert_int_equal(t->rows, g->first[g->g.joints]);
  int *owner = owners(t), *parents = calloc((size_t)t->nodes + 1, sizeof *parents);
  assert_non_null(parents);
  for (int i = 0; i < t->nodes; i++) {
    check_borders(t, owner, i);
    check_children(t, i, parents);
  }
  for (int i = 0; i < t->nodes; i++) assert_int_equal(parents[i], t->node[i].parent >= 0);
  check_couples(g, t);
  check_carried(g, t);
  check_levels(t);
  free(owner);
  free(parents);
  tree_free(t);
}

#define CHECK(build)                                                                                         \
  do {                                                                                                       \
    struct graph g;                                                                                          \
    build;                                                                                                   \
    check(&g);                                                                                               \
    graph_shuffle(&g, &random);                                                                              \
    check(&g);                                                                                               \
    graph_free(&g);                                                                                          \
  } while (0)

static void invariants_hold(void **state)
{
  (void)state;
  struct random random = {5};
  CHECK(graph_new(&g, 1));
  CHECK(graph_chain(&g, 128, 3));
  CHECK(graph_ring(&g, 33, 3));
  CHECK(graph_star(&g, 1, 3));
  CHECK(graph_star(&g, 200, 3));
  CHECK(graph_wheel(&g, 100, 5));
  CHECK(graph_ladder(&g, 50, 5));
  CHECK(graph_grid(&g, 9, 11, 3));
  CHECK(graph_complete(&g, 6, 6));
  CHECK(graph_parallel(&g, 8));
  for (int i = 0; i < 30; i++) CHECK(graph_forest(&g, &random, 60));
  for (int i = 0; i < 100; i++) CHECK(graph_random(&g, &random, 1 + i, i / 2));
  for (int i = 0; i < 100; i++) CHECK(graph_carried(&g, &random, 3 + i, i / 5));
}

/* Massless all through: nothing but carried bodies, joints between them, and the ground. */
static void a_chain_of_carried_bodies_is_a_balanced_tree_too(void **state)
{
  (void)state;
  for (int n = 8, log2n = 3; n <= 1024; n *= 2, log2n++) {
    struct graph g;
    graph_chain(&g, n, 6);
    for (int b = 0; b < n; b++) graph_carry(&g, b);
    check(&g);
    struct tree *t = tree_build(&g.g);
    assert_non_null(t);
    if (n == 128)
      printf("chain of 128 carried bodies: %d levels, %.0f flops per body\n", t->levels, t->flops / n);
    assert_true(t->levels <= 3 * log2n);
    tree_free(t);
    graph_free(&g);
  }
}

struct cost {
  double flops;
  int levels;
};

/* Frees g. */
static struct cost measure(struct graph *g)
{
  struct tree *t = tree_build(&g->g);
  assert_non_null(t);
  struct cost c = {t->flops, t->levels};
  tree_free(t);
  graph_free(g);
  return c;
}

static void a_chain_is_a_balanced_tree(void **state)
{
  (void)state;
  struct graph g;
  for (int n = 8, log2n = 3; n <= 4096; n *= 2, log2n++) {
    graph_chain(&g, n, 3);
    struct cost c = measure(&g);
    if (n == 128) printf("chain of 128: %d levels, %.0f flops per body\n", c.levels, c.flops / n);
    assert_true(c.levels <= 2 * log2n);
    assert_true(n != 128 || c.levels <= 12);
  }
}

typedef void topology(struct graph *g, int n, int rows);

/* Twice the size costs about twice as much. */
static void linear(topology *build, const char *name, int n, int rows)
{
  struct graph g;
  build(&g, n, rows);
  struct cost small = measure(&g);
  build(&g, 2 * n, rows);
  struct cost big = measure(&g);
  printf("%s of %d to %d: %.2f times the flops, %d to %d levels\n", name, n, 2 * n, big.flops / small.flops,
         small.levels, big.levels);
  assert_true(big.flops <= 2.2 * small.flops);
}

static void cost_is_linear(void **state)
{
  (void)state;
  linear(graph_chain, "chain", 512, 3);
  linear(graph_ring, "ring", 512, 5);
  linear(graph_star, "star", 500, 3);
  linear(graph_wheel, "wheel", 500, 3);
  linear(graph_ladder, "ladder", 500, 5);
}

static void the_same_graph_gives_the_same_tree(void **state)
{
  (void)state;
  struct random random = {17};
  struct graph g;
  graph_random(&g, &random, 200, 80);
  struct tree *a = tree_build(&g.g), *b = tree_build(&g.g);
  assert_true(a && b);
  assert_int_equal(a->nodes, b->nodes);
  assert_int_equal(a->front_size, b->front_size);
  for (int i = 0; i < a->nodes; i++) {
    assert_int_equal(a->node[i].kind, b->node[i].kind);
    assert_int_equal(a->node[i].index, b->node[i].index);
    assert_int_equal(a->node[i].front, b->node[i].front);
    assert_int_equal(a->order[i], b->order[i]);
  }
  tree_free(a);
  tree_free(b);
  graph_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invariants_hold),
      cmocka_unit_test(a_chain_is_a_balanced_tree),
      cmocka_unit_test(a_chain_of_carried_bodies_is_a_balanced_tree_too),
      cmocka_unit_test(cost_is_linear),
      cmocka_unit_test(the_same_graph_gives_the_same_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
