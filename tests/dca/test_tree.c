/* SPDX-License-Identifier: MIT
 * What every tree is, whatever its graph and however many lanes: who is in which group, what the groups take from each
 * other (see taken.h) and in which order they are; and what a tree costs. */
#include "check.h"
#include "dca/taken.h"

#include <stdio.h>

/* A joint: its unknowns lie where the group says. */
static void check_member_joint(const struct view *v, const struct tree_group *o, int lane)
{
  const struct tree *t = v->t;
  int joint = member_of(t, o, lane), first = member_of(t, o, 0);
  const struct tree_joint *j = &t->joint[joint];
  assert_int_equal(o->pivot, v->g->first[joint + 1] - v->g->first[joint]);
  assert_int_equal(o->at[lane].at, j->row);
  assert_int_equal(o->at[lane].stride, j->width);
  if (v->g->g.kind) assert_int_equal(v->g->g.kind[joint], v->g->g.kind[first]);
}

static void check_member_body(const struct view *v, const struct tree_group *o, int lane)
{
  const struct tree *t = v->t;
  int body = member_of(t, o, lane);
  assert_memory_equal(&o->body[lane], &t->body[body], sizeof *o->body);
  assert_int_equal(o->pivot, o->kind == TREE_HUB ? TREE_Y : 0);
  assert_int_equal(o->carried, v->g->carried[body]);
  if (o->carried) assert_int_equal(o->kind, TREE_HUB);
  if (o->carried) assert_int_equal(o->couple_first, o->couple_end);
  assert_int_equal(t->hub_at[body] >= 0, o->kind == TREE_HUB);
  if (o->kind == TREE_LEAF) return;
  assert_int_equal(o->at[lane].at, t->hub_at[body]);
  assert_int_equal(o->at[lane].stride, t->body[body].width);
}

/* A lane not in use may write where nobody is, else nowhere; it reads that, or what the first one reads. */
static void check_no_member(const struct view *v, const struct tree_group *o, int lane)
{
  const struct tree *t = v->t;
  if (o->kind != TREE_LEAF) {
    const struct lane_at *at = &o->at[lane];
    if (at->stride) {
      const struct tree_tile *tile = &t->tile[v->owner[at->at]];
      assert_int_equal(at->stride, tile->width);
      assert_true(at->at - (size_t)tile->at < at->stride);
      assert_false(lane_in_use(t, v->owner[at->at], (int)at->at - tile->at));
      assert_int_equal(o->kind == TREE_JOINT ? tile->rows : TREE_Y, o->pivot);
    } else {
      assert_int_equal(at->at, o->at[0].at);
    }
  }
  if (o->kind != TREE_JOINT) {
    const struct tree_body *b = &o->body[lane];
    assert_int_equal(b->first, o->body[0].first);
    assert_int_equal(b->width, o->body[0].width);
    if (b->lane != o->body[0].lane) assert_false(lane_in_use(t, v->slot_of[b->first], b->lane));
    assert_true(b->lane >= 0 && b->lane < b->width);
  }
}

/* Everything in one lane of one group; what is said to be in a row is. */
static void check_members(const struct view *v)
{
  const struct tree *t = v->t;
  assert_int_equal(unclaimed(v->group_of, (size_t)(t->joints + t->bodies)), 0);
  assert_int_equal(t->nodes, t->joints + t->bodies);
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    int used = 0;
    bool row = true;
    assert_true(member_of(t, o, 0) != NOBODY);
    assert_int_equal(o->at == NULL, o->kind == TREE_LEAF);
    assert_int_equal(o->body == NULL, o->kind == TREE_JOINT);
    for (int l = 0; l < o->width; l++) {
      used += member_of(t, o, l) != NOBODY;
      if (member_of(t, o, l) == NOBODY)
        check_no_member(v, o, l);
      else if (o->kind == TREE_JOINT)
        check_member_joint(v, o, l);
      else
        check_member_body(v, o, l);
      if (o->kind != TREE_JOINT)
        row &= o->body[l].first == o->body[0].first && o->body[l].width == o->width && o->body[l].lane == l;
    }
    if (o->kind != TREE_JOINT) row &= o->body[0].first % o->width == 0;
    if (o->kind != TREE_LEAF) row &= in_row(o->at, o->width) || (o->kind == TREE_JOINT && o->width == 1);
    assert_int_equal(o->aligned, row);
    assert_int_equal(used, o->used);
  }
}

/* The runs are all groups in order; what an owned run needs is in itself, what another needs in those
 * before. */
static void check_runs(const struct view *v)
{
  const struct tree *t = v->t;
  int next = 0;
  double flops = 0.0;
  assert_true(t->owned <= t->runs);
  for (int k = 0; k < t->runs; k++) {
    const struct tree_run *run = &t->run[k];
    double sum = 0.0;
    assert_int_equal(run->first, next);
    assert_true(run->end > run->first);
    next = run->end;
    for (int i = run->first; i < run->end; i++) {
      const struct tree_group *o = &t->group[i];
      sum += o->flops;
      for (int b = o->child_first; b < o->child_end; b++)
        for (int l = 0, lane_below; l < o->width; l++) {
          int below = find_child(v, o, &t->branch[b], l, &lane_below);
          if (below == NOBODY) continue;
          assert_true(k < t->owned ? below >= run->first && below < i : below < run->first);
        }
    }
    assert_true(fabs(sum - run->flops) <= 1e-9 * sum);
    flops += sum;
  }
  assert_int_equal(next, t->groups);
  assert_true(fabs(flops - t->flops) <= 1e-9 * flops);
}

/* A joint with any body that is not carried comes behind one of those, unless it is soft; a carried body
 * behind all its joints. */
static void check_order(const struct view *v)
{
  const struct tree *t = v->t;
  const int *of_body = v->group_of + t->joints;
  for (int j = 0; j < t->joints; j++) {
    int able = 0, before = 0;
    for (int side = 0; side < v->g->sides[j]; side++) {
      int b = v->g->ends[j][side];
      if (b < 0) continue;
      if (v->g->carried[b]) assert_true(of_body[b] > v->group_of[j]);
      able += !v->g->carried[b];
      before += of_body[b] < v->group_of[j];
    }
    assert_true(before > 0 || able == 0 || (v->g->g.soft && v->g->soft[j]));
  }
}

static void check(const struct view *v)
{
  check_members(v);
  check_taken(v);
  check_runs(v);
  check_order(v);
}

TEST(invariants_hold)
{
  with_all_graphs(check);
}

TEST(mechanisms_beside_each_other)
{
  with_all_bags(check);
}

TEST(joints_of_one_kind_share_a_group)
{
  struct random random = {29};
  struct graph g;
  unsigned kind[200];
  for (int i = 0; i < 200; i++) kind[i] = (unsigned)random_below(&random, 2);
  graph_chain(&g, 200, 3);
  g.g.kind = kind;
  with_all_lanes(&g, check);
  for (int i = 0; i < 200; i++) kind[i] = (unsigned)i;
  with_all_lanes(&g, check);
  struct tree *t = tree_build(&g.g, 8);
  assert_non_null(t);
  for (int i = 0; i < t->groups; i++)
    if (t->group[i].kind == TREE_JOINT) assert_int_equal(t->group[i].used, 1);
  tree_free(t);
  graph_free(&g);
}

/* Massless all through: nothing but carried bodies, joints between them, and the ground. */
TEST(a_chain_of_carried_bodies_is_a_balanced_tree_too)
{
  for (int n = 8, log2n = 3; n <= 1024; n *= 2, log2n++) {
    struct graph g;
    graph_chain(&g, n, 6);
    for (int b = 0; b < n; b++) graph_carry(&g, b);
    with_all_lanes(&g, check);
    struct tree *t = tree_build(&g.g, 1);
    assert_non_null(t);
    if (n == 128)
      printf("chain of 128 carried bodies: %d levels, %.0f flops per body\n", t->levels, t->flops / n);
    assert_true(t->levels <= 3 * log2n);
    tree_free(t);
    graph_free(&g);
  }
}

struct cost {
  double flops, lanes;
  int levels;
};

/* Frees g. */
static struct cost measure(struct graph *g)
{
  struct tree *t = tree_build(&g->g, ISA_LANES_MAX);
  assert_non_null(t);
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

typedef void topology(struct graph *g, int n, int rows);

/* Twice the size costs about twice as much. */
static void linear(topology *build, const char *name, int n, int rows)
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
  linear(graph_chain, "chain", 512, 3);
  linear(graph_ring, "ring", 512, 5);
  linear(graph_star, "star", 500, 3);
  linear(graph_wheel, "wheel", 500, 3);
  linear(graph_ladder, "ladder", 500, 5);
}

TEST(the_same_graph_gives_the_same_tree)
{
  struct random random = {17};
  struct graph g;
  graph_random(&g, &random, 200, 80);
  struct tree *a = tree_build(&g.g, 8), *b = tree_build(&g.g, 8);
  assert_true(a && b);
  assert_int_equal(a->tiles, b->tiles);
  assert_int_equal(a->groups, b->groups);
  assert_int_equal(a->runs, b->runs);
  assert_int_equal(a->front_size, b->front_size);
  assert_memory_equal(a->body, b->body, (size_t)a->bodies * sizeof *a->body);
  assert_memory_equal(a->joint, b->joint, (size_t)a->joints * sizeof *a->joint);
  for (int i = 0; i < a->tiles; i++) {
    const struct tree_tile *o = &a->tile[i], *same = &b->tile[i];
    assert_int_equal(o->kind, same->kind);
    assert_int_equal(o->width, same->width);
    assert_int_equal(o->at, same->at);
    for (int l = 0; l < o->width; l++) assert_int_equal(item_of(a, o, l), item_of(b, same, l));
  }
  for (int i = 0; i < a->groups; i++) {
    const struct tree_group *o = &a->group[i], *same = &b->group[i];
    assert_int_equal(o->kind, same->kind);
    assert_int_equal(o->width, same->width);
    assert_int_equal(o->front, same->front);
    for (int l = 0; l < o->width; l++) assert_int_equal(member_of(a, o, l), member_of(b, same, l));
    for (int r = o->child_first; r < o->child_end; r++)
      assert_memory_equal(a->branch[r].to, b->branch[r].to, (size_t)a->branch[r].border * sizeof(int));
  }
  tree_free(a);
  tree_free(b);
  graph_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invariants_hold),
      cmocka_unit_test(mechanisms_beside_each_other),
      cmocka_unit_test(joints_of_one_kind_share_a_group),
      cmocka_unit_test(a_chain_is_a_balanced_tree),
      cmocka_unit_test(a_chain_of_carried_bodies_is_a_balanced_tree_too),
      cmocka_unit_test(cost_is_linear),
      cmocka_unit_test(the_same_graph_gives_the_same_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
