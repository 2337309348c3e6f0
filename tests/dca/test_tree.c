/* SPDX-License-Identifier: MIT
 * What every tree is, whatever its graph and however many lanes. The tree says nothing of vertices in the fronts of its
 * tiles; from the last tile to the first they are found out here: what each place of each vector stands for. */
#include "dca/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NOBODY = -1 };

struct view {
  const struct graph *g;
  const struct tree *t;
  int *front_of;  /* (front_size + 1) tile whose front holds each double */
  int *vector_of; /* (vector_size + 1) */
  int *block_of;  /* (jacobian) tile */
  int *unknown;   /* (vector_size + 1) which unknown each double of a vector stands for; NOBODY: not in use */
  int *owner;     /* (unknowns) tile */
  int *claimed;   /* (tiles, lanes) parents */
  int *end_used;  /* (joints, TREE_SIDES) */
};

static int *ints(size_t n, int value)
{
  int *p = malloc((n + 1) * sizeof *p);
  assert_non_null(p);
  for (size_t i = 0; i <= n; i++) p[i] = value;
  return p;
}

static void view_free(struct view *v)
{
  free(v->front_of);
  free(v->vector_of);
  free(v->block_of);
  free(v->unknown);
  free(v->owner);
  free(v->claimed);
  free(v->end_used);
}

static int item_of(const struct tree *t, const struct tree_tile *o, int lane)
{
  return t->item[o->item_first + lane];
}

/* Marks count doubles from `at` on, which nobody else has. */
static void claim(int *of, size_t at, size_t count, size_t end, int width, int tile)
{
  if (width > 1) assert_int_equal(at % (size_t)width, 0);
  assert_true(at + count <= end);
  for (size_t i = at; i < at + count; i++) {
    assert_int_equal(of[i], NOBODY);
    of[i] = tile;
  }
}

static int unclaimed(const int *of, size_t n)
{
  int count = 0;
  for (size_t i = 0; i < n; i++) count += of[i] == NOBODY;
  return count;
}

/* No two things in the same place, vectors at multiples of the lanes, and no waste but to get there. */
static void check_places(struct view *v)
{
  const struct tree *t = v->t;
  int *slot = ints((size_t)t->slots, NOBODY), *load = ints(t->load, NOBODY);
  v->front_of = ints(t->front_size, NOBODY);
  v->vector_of = ints(t->vector_size, NOBODY);
  v->block_of = ints(t->jacobian, NOBODY);
  v->owner = ints((size_t)t->unknowns, NOBODY);
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    size_t width = (size_t)o->width, n = (size_t)(o->pivot + o->border);
    assert_true(o->width == 1 || o->width == t->lanes);
    claim(v->front_of, o->front, width * n * (n + 1) / 2, t->front_size, o->width, i);
    if (o->kind == TREE_LEAF) /* work space */
      claim(v->front_of, o->front + width * n * (n + 1) / 2, width * n * TREE_Y, t->front_size, o->width, i);
    else
      claim(v->vector_of, o->vector, width * n, t->vector_size, o->width, i);
    if (o->kind != TREE_LEAF)
      claim(v->owner, (size_t)o->at, width * (size_t)o->pivot, (size_t)t->unknowns, o->width, i);
    if (o->kind == TREE_JOINT) {
      claim(v->block_of, o->jacobian, width * (size_t)(o->pivot * o->sides * TREE_Y), t->jacobian, o->width,
            i);
      claim(load, o->load, width * (size_t)(o->sides * TREE_Y), t->load, o->width, i);
      assert_true(o->soft ? o->at >= t->rigid : o->at + o->pivot * o->width <= t->rigid);
      assert_true(o->at + o->pivot * o->width <= t->rows);
    } else {
      claim(slot, (size_t)o->slot, width, (size_t)t->slots, o->width, i);
      if (o->kind == TREE_HUB) assert_true(o->at >= t->rows);
    }
  }
  assert_int_equal(unclaimed(v->front_of, t->front_size), 0);
  assert_int_equal(unclaimed(v->vector_of, t->vector_size), 0);
  assert_int_equal(unclaimed(v->block_of, t->jacobian), 0);
  assert_int_equal(unclaimed(load, t->load), 0);
  assert_int_equal(slot[t->slots - 1], NOBODY); /* the ground */
  assert_int_equal(t->body[t->bodies].first, t->slots - 1);
  assert_int_equal(t->body[t->bodies].width, 1);
  assert_true(unclaimed(slot, (size_t)t->slots) <= t->lanes);
  assert_true(unclaimed(v->owner, (size_t)t->unknowns) <= 2 * (t->lanes - 1));
  free(slot);
  free(load);
}

static void check_joint(const struct view *v, int tile, int lane, int joint)
{
  const struct tree_tile *o = &v->t->tile[tile];
  const struct tree_joint *j = &v->t->joint[joint];
  const struct graph *g = v->g;
  assert_int_equal(v->t->tile_of_joint[joint], tile);
  assert_int_equal(o->pivot, g->first[joint + 1] - g->first[joint]);
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
  assert_int_equal(o->pivot, o->kind == TREE_HUB ? TREE_Y : 0);
  assert_int_equal(t->hub_at[body], o->kind == TREE_HUB ? o->at + lane : -1);
  assert_int_equal(t->carried_at[body], o->carried ? o->at + lane : -1);
  if (o->carried) assert_int_equal(o->kind, TREE_HUB);
  if (o->carried) assert_int_equal(o->couple_first, o->couple_end);
}

/* Everything in one lane of one tile. */
static void check_items(const struct view *v)
{
  const struct tree *t = v->t;
  int *seen = ints((size_t)(t->joints + t->bodies), 0), carried = 0, hubs = 0, nodes = 0;
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
    nodes += used;
  }
  assert_int_equal(nodes, t->joints + t->bodies);
  assert_int_equal(nodes, t->nodes);
  assert_int_equal(carried, t->carried);
  assert_int_equal(hubs, t->hubs);
  free(seen);
}

/* Storage in order: rigid joints before soft ones. */
static void check_lists(const struct view *v)
{
  const struct tree *t = v->t;
  int *seen = ints((size_t)t->tiles, 0);
  for (int k = 0; k < t->joint_tiles; k++) {
    const struct tree_tile *o = &t->tile[t->joint_tile[k]];
    assert_int_equal(o->kind, TREE_JOINT);
    assert_int_equal(o->soft, k >= t->rigid_tiles);
    if (k > 0) assert_true(o->at > t->tile[t->joint_tile[k - 1]].at);
    seen[t->joint_tile[k]]++;
  }
  for (int k = 0; k < t->body_tiles; k++) {
    const struct tree_tile *o = &t->tile[t->body_tile[k]];
    if (k > 0) assert_true(o->slot > t->tile[t->body_tile[k - 1]].slot);
    seen[t->body_tile[k]]++;
  }
  for (int i = 0; i < t->tiles; i++) assert_int_equal(seen[i], 1);
  free(seen);
}

static bool in_row(const struct lane_at *p, int width)
{
  for (int l = 0; l < width; l++)
    if (p[l].stride != (size_t)width || p[l].at != p[0].at + (size_t)l) return false;
  return p[0].at % (size_t)width == 0;
}

/* A zero, or a lane that is not in use. */
static bool nothing(const struct view *v, const struct lane_at *p, const int *of)
{
  return p->stride == 0 || item_of(v->t, &v->t->tile[of[p->at]], (int)(p->at % p->stride)) == NOBODY;
}

/* A lane that has nothing there: a zero, or a lane of the tile `of` at that place that is not in use. */
static void check_nothing(const struct view *v, const struct lane_at *p, const int *of, size_t size)
{
  assert_true(nothing(v, p, of));
  if (p->stride)
    assert_int_equal(p->stride, v->t->tile[of[p->at]].width);
  else
    assert_int_equal(p->at, size);
}

/* What the border of a tile is, from the vectors of the parents. */
static void find_unknowns(struct view *v)
{
  const struct tree *t = v->t;
  v->unknown = ints(t->vector_size, NOBODY);
  for (int i = t->tiles - 1; i >= 0; i--) {
    const struct tree_tile *o = &t->tile[i];
    int at = o->pivot;
    if (o->kind == TREE_LEAF) assert_int_equal(o->pull_first, o->pull_end);
    for (int l = 0; l < o->width; l++)
      for (int k = 0; k < o->pivot && item_of(t, o, l) != NOBODY; k++)
        v->unknown[o->vector + (size_t)(k * o->width + l)] = o->at + k * o->width + l;
    for (int r = o->pull_first; r < o->pull_end; r++) {
      const struct tree_pull *pull = &t->pull[r];
      if (pull->aligned) assert_true(in_row(pull->vector, o->width));
      for (int l = 0; l < o->width; l++) {
        const struct lane_at *p = &pull->vector[l];
        if (nothing(v, p, v->vector_of)) {
          check_nothing(v, p, v->vector_of, t->vector_size);
          continue;
        }
        int above = v->vector_of[p->at];
        assert_true(above > i);
        assert_int_equal(p->stride, t->tile[above].width);
        for (int k = 0; k < pull->size; k++) {
          assert_int_equal(v->vector_of[p->at + (size_t)k * p->stride], above);
          v->unknown[o->vector + (size_t)((at + k) * o->width + l)] =
              v->unknown[p->at + (size_t)k * p->stride];
        }
      }
      at += pull->size;
    }
    if (o->kind != TREE_LEAF) assert_int_equal(at, o->pivot + o->border);
  }
}

/* The unknown at place k of the front of a lane. */
static int unknown_at(const struct view *v, const struct tree_tile *o, int lane, int k)
{
  assert_true(k >= 0 && k < o->pivot + o->border);
  return v->unknown[o->vector + (size_t)(k * o->width + lane)];
}

/* The joint whose rows on one side a lane's block holds. */
static int find_block(const struct view *v, const struct tree_couple *c, const struct lane_at *p, int *side)
{
  const struct tree *t = v->t;
  const struct tree_tile *o = &t->tile[v->block_of[p->at]];
  size_t offset = p->at - o->jacobian, block = offset / p->stride;
  int lane = (int)(offset % p->stride);
  assert_int_equal(p->stride, o->width);
  assert_int_equal(c->rows, o->pivot);
  assert_int_equal(c->stride, TREE_Y * o->sides);
  assert_int_equal(block % TREE_Y, 0);
  *side = (int)(block / TREE_Y);
  assert_true(*side < o->sides);
  assert_true(item_of(t, o, lane) != NOBODY);
  return item_of(t, o, lane);
}

/* Every end of every joint on a body is used by exactly one node. */
static void check_couples(struct view *v)
{
  const struct tree *t = v->t;
  v->end_used = ints(TREE_SIDES * (size_t)t->joints, 0);
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    for (int a = o->couple_first; a < o->couple_end; a++) {
      const struct tree_couple *c = &t->couple[a];
      if (c->aligned) assert_true(in_row(c->J, o->width));
      for (int l = 0; l < o->width; l++) {
        int side;
        if (item_of(t, o, l) == NOBODY || nothing(v, &c->J[l], v->block_of)) {
          check_nothing(v, &c->J[l], v->block_of, t->jacobian);
          continue;
        }
        int j = find_block(v, c, &c->J[l], &side), body = v->g->ends[j][side];
        const struct tree_joint *joint = &t->joint[j];
        assert_true(body >= 0);
        assert_int_equal(item_of(t, o, l), o->kind == TREE_JOINT ? j : body);
        v->end_used[TREE_SIDES * j + side]++;
        for (int k = 0; k < c->rows && o->kind == TREE_HUB; k++)
          assert_int_equal(unknown_at(v, o, l, c->at + k), joint->row + k * joint->width);
        for (int y = 0; y < TREE_Y && o->kind == TREE_JOINT; y++)
          assert_int_equal(unknown_at(v, o, l, c->at + y), t->hub_at[body] + y * t->body[body].width);
      }
    }
  }
  for (int j = 0; j < t->joints; j++)
    for (int side = 0; side < TREE_SIDES; side++)
      assert_int_equal(v->end_used[TREE_SIDES * j + side], v->g->ends[j][side] >= 0);
}

/* The unknown of place k in the border of a child; of a leaf, which has no vector, by its joints. */
static int border_unknown(const struct view *v, const struct tree_tile *o, int lane, int k)
{
  if (o->kind != TREE_LEAF) return unknown_at(v, o, lane, o->pivot + k);
  for (int a = o->couple_first; a < o->couple_end; a++) {
    const struct tree_couple *c = &v->t->couple[a];
    int side;
    if (k < c->at || k >= c->at + c->rows) continue;
    if (nothing(v, &c->J[lane], v->block_of)) return NOBODY;
    const struct tree_joint *j = &v->t->joint[find_block(v, c, &c->J[lane], &side)];
    return j->row + (k - c->at) * j->width;
  }
  fail_msg("a leaf is coupled to nothing at %d", k);
  return NOBODY;
}

/* Returns its tile. */
static int check_child(struct view *v, int tile, const struct tree_branch *r, int lane)
{
  const struct tree *t = v->t;
  const struct tree_tile *o = &t->tile[tile];
  const struct lane_at *p = &r->front[lane];
  int below = v->front_of[p->at], lane_below = (int)(p->at - t->tile[below].front);
  const struct tree_tile *child = &t->tile[below];
  assert_true(below < tile); /* children before parents */
  assert_true(lane_below < child->width);
  assert_int_equal(p->stride, child->width);
  assert_true(item_of(t, child, lane_below) != NOBODY);
  assert_int_equal(r->leaf, child->kind == TREE_LEAF);
  assert_int_equal(r->pivot, child->pivot);
  assert_int_equal(r->border, child->border);
  if (!r->leaf) {
    assert_int_equal(r->vector[lane].at, child->vector + (size_t)lane_below);
    assert_int_equal(r->vector[lane].stride, child->width);
  }
  v->claimed[below * t->lanes + lane_below]++;
  bool own = false;
  for (int k = 0; k < r->border; k++) {
    int u = border_unknown(v, child, lane_below, k);
    if (u == NOBODY) continue; /* whatever the place: it brings 0 */
    assert_int_equal(unknown_at(v, o, lane, r->to[k]), u);
    own |= v->owner[u] == tile;
  }
  assert_true(own);
  return below;
}

/* Everyone with a border is the child of one parent. */
static void check_branches(struct view *v)
{
  const struct tree *t = v->t;
  v->claimed = ints((size_t)(t->tiles * t->lanes), 0);
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    int level = 0;
    for (int b = o->child_first; b < o->child_end; b++) {
      const struct tree_branch *r = &t->branch[b];
      if (r->aligned) assert_true(in_row(r->front, o->width));
      if (r->aligned && !r->leaf) assert_true(in_row(r->vector, o->width));
      for (int k = 0; k < r->border; k++) assert_true(r->to[k] >= 0 && r->to[k] < o->pivot + o->border);
      for (int l = 0; l < o->width; l++)
        if (item_of(t, o, l) == NOBODY || nothing(v, &r->front[l], v->front_of)) {
          check_nothing(v, &r->front[l], v->front_of, t->front_size);
          if (!r->leaf) check_nothing(v, &r->vector[l], v->vector_of, t->vector_size);
        } else {
          int below = check_child(v, i, r, l);
          if (t->tile[below].level >= level) level = t->tile[below].level + 1;
        }
    }
    assert_int_equal(o->level, level);
    assert_true(o->level < t->levels);
  }
  for (int i = 0; i < t->tiles; i++)
    for (int l = 0; l < t->tile[i].width; l++) {
      const struct tree_tile *o = &t->tile[i];
      bool border = false;
      if (item_of(t, o, l) == NOBODY) continue;
      for (int k = 0; k < o->border; k++) border |= border_unknown(v, o, l, k) != NOBODY;
      assert_int_equal(v->claimed[i * t->lanes + l], border);
    }
}

/* The runs are all tiles in order; what an owned run needs is in itself, what another needs in those before. */
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
      const struct tree_tile *o = &t->tile[i];
      sum += o->flops;
      for (int b = o->child_first; b < o->child_end; b++)
        for (int l = 0; l < o->width; l++) {
          const struct lane_at *p = &t->branch[b].front[l];
          if (p->stride == 0) continue;
          int below = v->front_of[p->at];
          assert_true(k < t->owned ? below >= run->first && below < i : below < run->first);
        }
    }
    assert_true(fabs(sum - run->flops) <= 1e-9 * sum);
    flops += sum;
  }
  assert_int_equal(next, t->tiles);
  assert_true(fabs(flops - t->flops) <= 1e-9 * flops);
}

/* A joint with any body that is not carried comes behind one of those, unless it is soft; a carried body behind all
 * its joints. */
static void check_order(const struct view *v)
{
  const struct tree *t = v->t;
  int *of_body = ints((size_t)t->bodies, 0);
  for (int i = 0; i < t->tiles; i++)
    for (int l = 0; l < t->tile[i].width && t->tile[i].kind != TREE_JOINT; l++)
      if (item_of(t, &t->tile[i], l) != NOBODY) of_body[item_of(t, &t->tile[i], l)] = i;
  for (int j = 0; j < t->joints; j++) {
    int able = 0, before = 0;
    for (int side = 0; side < v->g->sides[j]; side++) {
      int b = v->g->ends[j][side];
      if (b < 0) continue;
      if (v->g->carried[b]) assert_true(of_body[b] > t->tile_of_joint[j]);
      able += !v->g->carried[b];
      before += of_body[b] < t->tile_of_joint[j];
    }
    assert_true(before > 0 || able == 0 || (v->g->g.soft && v->g->soft[j]));
  }
  free(of_body);
}

static void check_lanes(const struct graph *g, int lanes)
{
  struct tree *t = tree_build(&g->g, lanes);
  assert_non_null(t);
  struct view v = {.g = g, .t = t};
  assert_int_equal(t->lanes, lanes);
  assert_int_equal(t->bodies, g->g.bodies);
  assert_int_equal(t->joints, g->g.joints);
  check_places(&v);
  check_items(&v);
  check_lists(&v);
  find_unknowns(&v);
  check_couples(&v);
  check_branches(&v);
  check_runs(&v);
  check_order(&v);
  view_free(&v);
  tree_free(t);
}

static const int all_lanes[] = {1, 2, 4, 8};
enum { LANES_COUNT = sizeof all_lanes / sizeof *all_lanes };

static void check(struct graph *g)
{
  for (int i = 0; i < LANES_COUNT; i++) check_lanes(g, all_lanes[i]);
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
  CHECK(graph_chain(&g, 1000, 3));
  for (int n = 2; n < 60; n++) CHECK(graph_chain(&g, n, 1 + n % 6));
  CHECK(graph_ring(&g, 33, 3));
  CHECK(graph_ring(&g, 256, 5));
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
  for (int i = 0; i < 30; i++) CHECK((graph_carried(&g, &random, 3 + i, i / 5), graph_tell_soft(&g)));
}

/* Many small mechanisms, each of a few kinds, some with a leg more: subtrees that fit into others. */
static void graph_bag(struct graph *g, struct random *random, int parts)
{
  struct graph part[40];
  struct random shape[2] = {{random_next(random)}, {random_next(random)}};
  int bodies = 2 + random_below(random, 8), extra = random_below(random, 4);
  for (int i = 0; i < parts; i++) {
    struct random same = shape[random_below(random, 6) == 0];
    if (random_below(random, 8) == 0)
      graph_carried(&part[i], &same, bodies + 1, extra);
    else
      graph_random(&part[i], &same, bodies, extra);
    if (random_below(random, 3) == 0)
      graph_join(&part[i], GROUND, random_below(random, bodies), 1 + random_below(random, 6));
    if (random_below(random, 3) == 0) part[i].g.joints--;
    graph_numbers(&part[i], &same, 1e-11, 0.0, false);
  }
  graph_beside(g, part, parts);
  for (int i = 0; i < parts; i++) graph_free(&part[i]);
}

static void mechanisms_beside_each_other(void **state)
{
  (void)state;
  struct random random = {23};
  struct graph g;
  for (int i = 0; i < 150; i++) {
    graph_bag(&g, &random, 3 + random_below(&random, 36));
    check(&g);
    graph_free(&g);
  }
}

static void joints_of_one_kind_share_a_tile(void **state)
{
  (void)state;
  struct random random = {29};
  struct graph g;
  unsigned kind[200];
  for (int i = 0; i < 200; i++) kind[i] = (unsigned)random_below(&random, 2);
  graph_chain(&g, 200, 3);
  g.g.kind = kind;
  check(&g);
  for (int i = 0; i < 200; i++) kind[i] = (unsigned)i;
  check(&g);
  struct tree *t = tree_build(&g.g, 8);
  assert_non_null(t);
  for (int i = 0; i < t->joint_tiles; i++) assert_int_equal(t->tile[t->joint_tile[i]].used, 1);
  tree_free(t);
  graph_free(&g);
}

/* Copies of a mechanism, twice as many as there are lanes: they are packed whole, no lane is left empty, and all that they need lies
 * in their own lanes. */
static void copies_fill_all_lanes(void **state)
{
  (void)state;
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
      for (int i = 0; i < t->tiles; i++) {
        const struct tree_tile *o = &t->tile[i];
        assert_int_equal(o->used, all_lanes[k]);
        for (int r = o->child_first; r < o->child_end; r++) assert_true(t->branch[r].aligned);
        for (int r = o->pull_first; r < o->pull_end; r++) assert_true(t->pull[r].aligned);
        for (int r = o->couple_first; r < o->couple_end; r++) assert_true(t->couple[r].aligned);
      }
      tree_free(t);
    }
    check(&g);
    for (int i = 0; i < 2 * ISA_LANES_MAX; i++) graph_free(&part[i]);
    graph_free(&g);
  }
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
  struct cost c = {t->flops, t->tiles * t->lanes, t->levels};
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
  printf("%s of %d to %d: %.2f times the flops, %.2f times the tiles, %d to %d levels\n", name, n, 2 * n,
         big.flops / small.flops, big.lanes / small.lanes, small.levels, big.levels);
  assert_true(big.flops <= 2.2 * small.flops);
  assert_true(big.lanes <= 2.2 * small.lanes);
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

/* In a pack, what a tile needs from its children and its parent, where that is in the pack too, is one plain load.
 * Returns how many pulls are such. */
static int check_packs(const struct graph *g, const struct tree *t)
{
  struct view v = {.g = g, .t = t};
  int within = 0;
  check_places(&v);
  for (int r = 0; r < t->owned; r++)
    for (int i = t->run[r].first; i < t->run[r].end; i++) {
      const struct tree_tile *o = &t->tile[i];
      for (int b = o->child_first; b < o->child_end; b++) assert_true(t->branch[b].aligned);
      for (int p = o->pull_first; p < o->pull_end; p++) {
        if (v.vector_of[t->pull[p].vector[0].at] >= t->run[r].end) continue;
        assert_true(t->pull[p].aligned);
        within++;
      }
    }
  view_free(&v);
  return within;
}

/* Lanes that are in use, in percent of all, and if every tile had all lanes: at least so many. Frees g. */
static int check_use(const char *name, struct graph *g, double least, double least_wide)
{
  struct tree *t = tree_build(&g->g, ISA_LANES_MAX);
  assert_non_null(t);
  double use = 100.0 * tree_utilisation(t, false), wide = 100.0 * tree_utilisation(t, true);
  printf("%s: %d nodes in %d tiles, %d packs; %.0f %% of their lanes in use, %.0f %% if each had %d\n", name,
         t->nodes, t->tiles, t->owned, use, wide, t->lanes);
  assert_true(use >= least);
  assert_true(wide >= least_wide);
  int within = check_packs(g, t);
  tree_free(t);
  graph_free(g);
  return within;
}

static void lanes_are_in_use(void **state)
{
  (void)state;
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

static void the_same_graph_gives_the_same_tree(void **state)
{
  (void)state;
  struct random random = {17};
  struct graph g;
  graph_random(&g, &random, 200, 80);
  struct tree *a = tree_build(&g.g, 8), *b = tree_build(&g.g, 8);
  assert_true(a && b);
  assert_int_equal(a->tiles, b->tiles);
  assert_int_equal(a->runs, b->runs);
  assert_int_equal(a->front_size, b->front_size);
  assert_memory_equal(a->body, b->body, (size_t)a->bodies * sizeof *a->body);
  assert_memory_equal(a->joint, b->joint, (size_t)a->joints * sizeof *a->joint);
  for (int i = 0; i < a->tiles; i++) {
    const struct tree_tile *o = &a->tile[i], *same = &b->tile[i];
    assert_int_equal(o->kind, same->kind);
    assert_int_equal(o->width, same->width);
    assert_int_equal(o->at, same->at);
    assert_int_equal(o->front, same->front);
    for (int l = 0; l < o->width; l++) assert_int_equal(item_of(a, o, l), item_of(b, same, l));
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
      cmocka_unit_test(joints_of_one_kind_share_a_tile),
      cmocka_unit_test(copies_fill_all_lanes),
      cmocka_unit_test(lanes_are_in_use),
      cmocka_unit_test(a_chain_is_a_balanced_tree),
      cmocka_unit_test(a_chain_of_carried_bodies_is_a_balanced_tree_too),
      cmocka_unit_test(cost_is_linear),
      cmocka_unit_test(the_same_graph_gives_the_same_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
