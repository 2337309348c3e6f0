/* SPDX-License-Identifier: MIT
 * Where bodies and joints are stored, whatever their graph and however many lanes. */
#include "check.h"
#include "dca/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No waste but to get to a multiple of the lanes: before what gives way, and before hubs. */
static void check_gaps(const struct view *v)
{
  const struct tree *t = v->t;
  int lanes = t->lanes;
  assert_int_equal(unclaimed(v->front_of, t->front_size), 0);
  assert_int_equal(unclaimed(v->vector_of, t->vector_size), 0);
  assert_true(unclaimed(v->block_of, t->jacobian) < lanes);
  assert_true(unclaimed(v->load_of, t->load) < lanes);
  assert_true(unclaimed(v->owner, (size_t)t->rows) < lanes);
  assert_true(unclaimed(v->owner + t->rows, (size_t)(t->unknowns - t->rows)) < lanes);
  assert_true(unclaimed(v->slot_of, (size_t)(t->slots - 1)) < lanes);
  assert_int_equal(v->slot_of[t->slots - 1], NOBODY); /* the ground */
  assert_int_equal(t->body[t->bodies].first, t->slots - 1);
  assert_int_equal(t->body[t->bodies].width, 1);
  assert_int_equal(t->body[t->bodies].lane, 0);
}

static void check_joint(const struct view *v, int tile, int lane, int joint)
{
  const struct tree_tile *o = &v->t->tile[tile];
  const struct tree_joint *j = &v->t->joint[joint];
  const struct graph *g = v->g;
  assert_int_equal(v->t->tile_of_joint[joint], tile);
  assert_int_equal(o->rows, g->first[joint + 1] - g->first[joint]);
  assert_int_equal(o->sides, g->g.sides ? g->sides[joint] : 2);
  assert_int_equal(o->soft, g->g.soft && g->soft[joint]);
  assert_int_equal(j->row, o->at + lane);
  assert_int_equal(j->width, o->width);
  assert_int_equal(j->jacobian, o->jacobian + (size_t)lane);
  assert_int_equal(j->load, o->load + (size_t)lane);
  if (g->g.kind) assert_int_equal(g->g.kind[joint], g->g.kind[item_of(v->t, o, 0)]);
}

static void check_body(const struct view *v, int tile, int lane, int body)
{
  const struct tree *t = v->t;
  const struct tree_tile *o = &t->tile[tile];
  assert_int_equal(t->body[body].first, o->slot);
  assert_int_equal(t->body[body].width, o->width);
  assert_int_equal(t->body[body].lane, lane);
  assert_int_equal(o->carried, v->g->carried[body]);
  assert_int_equal(t->hub_at[body], o->kind == TREE_HUB ? o->at + lane : -1);
  assert_int_equal(t->carried_at[body], o->carried ? o->at + lane : -1);
  if (o->carried) assert_int_equal(o->kind, TREE_HUB);
}

/* Everything in one lane of one tile. */
static void check_items(const struct view *v)
{
  const struct tree *t = v->t;
  int *seen = ints((size_t)(t->joints + t->bodies), 0), carried = 0, hubs = 0, all = 0;
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    int used = 0;
    for (int l = 0; l < o->width; l++) {
      int item = item_of(t, o, l);
      if (item == NOBODY) continue;
      assert_true(item >= 0 && item < (o->kind == TREE_JOINT ? t->joints : t->bodies));
      assert_int_equal(seen[o->kind == TREE_JOINT ? item : t->joints + item]++, 0);
      if (o->kind == TREE_JOINT)
        check_joint(v, i, l, item);
      else
        check_body(v, i, l, item);
      used++;
      carried += o->carried;
      hubs += o->kind == TREE_HUB;
    }
    assert_int_equal(used, o->used);
    assert_true(item_of(t, o, 0) != NOBODY);
    all += used;
  }
  assert_int_equal(all, t->joints + t->bodies);
  assert_int_equal(carried, t->carried);
  assert_int_equal(hubs, t->hubs);
  free(seen);
}

/* Storage in order: rigid joints before soft ones, all joints before hubs. */
static void check_lists(const struct view *v)
{
  const struct tree *t = v->t;
  int *seen = ints((size_t)t->tiles, 0);
  assert_int_equal(t->joint_tiles + t->body_tiles, t->tiles);
  for (int k = 0; k < t->joint_tiles; k++) {
    const struct tree_tile *o = &t->tile[t->joint_tile[k]];
    int end = o->at + o->rows * o->width;
    assert_int_equal(o->kind, TREE_JOINT);
    assert_int_equal(o->soft, k >= t->rigid_tiles);
    assert_true(o->soft ? o->at >= t->rigid && end <= t->rows : end <= t->rigid);
    if (k > 0) assert_true(o->at > t->tile[t->joint_tile[k - 1]].at);
    seen[t->joint_tile[k]]++;
  }
  for (int k = 0; k < t->body_tiles; k++) {
    const struct tree_tile *o = &t->tile[t->body_tile[k]];
    assert_int_not_equal(o->kind, TREE_JOINT);
    if (o->kind == TREE_HUB) assert_true(o->at >= t->rows);
    if (k > 0) assert_true(o->slot > t->tile[t->body_tile[k - 1]].slot);
    seen[t->body_tile[k]]++;
  }
  for (int i = 0; i < t->tiles; i++) assert_int_equal(seen[i], 1);
  free(seen);
}

/* Packs are stored as they are computed. Marks their tiles. */
static void check_packs(const struct view *v, int *packed)
{
  const struct tree *t = v->t;
  int groups = t->owned > 0 ? t->run[t->owned - 1].end : 0;
  for (int i = 0; i < groups; i++) {
    const struct tree_group *o = &t->group[i];
    int first = member_of(t, o, 0);
    int tile = o->kind == TREE_JOINT ? t->tile_of_joint[first] : v->slot_of[t->body[first].first];
    assert_int_equal(t->tile[tile].width, o->width);
    for (int l = 0; l < o->width; l++) assert_int_equal(item_of(t, &t->tile[tile], l), member_of(t, o, l));
    packed[tile] = 1;
  }
}

/* May they share a tile? */
static bool alike(const struct view *v, const struct tree_tile *a, const struct tree_tile *b)
{
  const unsigned *kind = v->g->g.kind;
  if (a->kind != b->kind || a->carried != b->carried) return false;
  if (a->kind != TREE_JOINT) return true;
  if (kind && kind[item_of(v->t, a, 0)] != kind[item_of(v->t, b, 0)]) return false;
  return a->rows == b->rows && a->sides == b->sides && a->soft == b->soft;
}

/* All else in order, kind by kind: full tiles, but for the last. */
static void check_kinds(const struct view *v, const int *packed)
{
  const struct tree *t = v->t;
  int enough = 3 * t->lanes / 8 > 2 ? 3 * t->lanes / 8 : 2;
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    int alone = o->width == 1;
    if (packed[i]) continue;
    for (int l = 1; l < o->used; l++) assert_true(item_of(t, o, l) > item_of(t, o, l - 1));
    if (o->width > 1) assert_true(o->used >= enough);
    for (int k = 0; k < t->tiles; k++) {
      const struct tree_tile *other = &t->tile[k];
      if (k == i || packed[k] || !alike(v, o, other)) continue;
      alone += o->width == 1 && other->width == 1;
      if (k < i) assert_true(other->used == t->lanes || (other->width == 1 && o->width == 1));
      if (k < i) assert_true(item_of(t, o, 0) > item_of(t, other, other->used - 1));
    }
    if (t->lanes > 1) assert_true(alone < enough);
  }
}

static void check(const struct view *v)
{
  int *packed = ints((size_t)v->t->tiles, 0);
  check_gaps(v);
  check_items(v);
  check_lists(v);
  check_packs(v, packed);
  check_kinds(v, packed);
  free(packed);
}

TEST(invariants_hold)
{
  with_all_graphs(check);
}

TEST(mechanisms_beside_each_other)
{
  with_all_bags(check);
}

TEST(joints_of_one_kind_share_a_tile)
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
  for (int i = 0; i < t->joint_tiles; i++) assert_int_equal(t->tile[t->joint_tile[i]].used, 1);
  tree_free(t);
  graph_free(&g);
}

/* However irregular a mechanism is: nearly all of its storage is in tiles of many lanes. */
TEST(irregular_mechanisms_are_stored_side_by_side)
{
  struct random random = {31};
  struct graph g;
  double used = 0.0, lanes = 0.0;
  graph_random(&g, &random, 1000, 100);
  struct tree *t = tree_build(&g.g, ISA_LANES_MAX);
  assert_non_null(t);
  for (int i = 0; i < t->tiles; i++) {
    used += t->tile[i].used;
    lanes += t->lanes;
  }
  printf("random graph of 1000: %d tiles; %.0f %% of the lanes in use, if each had %d\n", t->tiles,
         100.0 * used / lanes, t->lanes);
  assert_true(used >= 0.9 * lanes);
  tree_free(t);
  graph_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invariants_hold),
      cmocka_unit_test(mechanisms_beside_each_other),
      cmocka_unit_test(joints_of_one_kind_share_a_tile),
      cmocka_unit_test(irregular_mechanisms_are_stored_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
