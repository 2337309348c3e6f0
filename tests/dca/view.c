/* SPDX-License-Identifier: MIT */
#include "dca/view.h"
#include "check.h"

#include <stdlib.h>

int *ints(size_t n, int value)
{
  int *p = malloc((n + 1) * sizeof *p);
  assert_non_null(p);
  for (size_t i = 0; i <= n; i++) p[i] = value;
  return p;
}

/* Marks count places from `at` on, which nobody else has. */
static void claim(int *of, size_t at, size_t count, size_t end, int width, int who)
{
  assert_int_equal(at % (size_t)width, 0);
  assert_true(at + count <= end);
  for (size_t i = at; i < at + count; i++) {
    assert_int_equal(of[i], NOBODY);
    of[i] = who;
  }
}

int unclaimed(const int *of, size_t n)
{
  int count = 0;
  for (size_t i = 0; i < n; i++) count += of[i] == NOBODY;
  return count;
}

static void claim_tiles(struct view *v)
{
  const struct tree *t = v->t;
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    size_t width = (size_t)o->width, unknowns = o->kind == TREE_JOINT ? (size_t)o->rows : TREE_Y;
    assert_true(o->width == 1 || o->width == t->lanes);
    if (o->kind == TREE_LEAF)
      assert_int_equal(o->at, -1);
    else
      claim(v->owner, (size_t)o->at, width * unknowns, (size_t)t->unknowns, o->width, i);
    if (o->kind == TREE_JOINT) {
      size_t sides = (size_t)o->sides;
      assert_int_equal(o->slot, -1);
      claim(v->block_of, o->jacobian, width * unknowns * sides * TREE_Y, t->jacobian, o->width, i);
      claim(v->load_of, o->load, width * sides * TREE_Y, t->load, o->width, i);
    } else {
      claim(v->slot_of, (size_t)o->slot, width, (size_t)t->slots, o->width, i);
    }
  }
}

static void claim_groups(struct view *v)
{
  const struct tree *t = v->t;
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    size_t width = (size_t)o->width, pivot = (size_t)o->pivot, border = (size_t)o->border;
    size_t update = border * (border + 1) / 2;
    assert_true(o->width == 1 || o->width == t->lanes);
    if (o->kind != TREE_LEAF) {
      size_t own = pivot * (pivot + 1) / 2 + border * pivot;
      claim(v->front_of, o->front, width * own, t->front_size, o->width, i);
      claim(v->vector_of, o->vector, width * (pivot + border), t->vector_size, o->width, i);
    } else if (!o->point) { /* work space */
      claim(v->front_of, o->update + width * update, width * border * TREE_Y, t->front_size, o->width, i);
    }
    if (o->kind != TREE_LEAF || !o->fused)
      claim(v->front_of, o->update, width * update, t->front_size, o->width, i);
    for (int l = 0; l < o->width; l++) {
      int member = member_of(t, o, l);
      if (member == NOBODY) continue;
      assert_true(member >= 0 && member < (o->kind == TREE_JOINT ? t->joints : t->bodies));
      claim(v->group_of, (size_t)(o->kind == TREE_JOINT ? member : t->joints + member), 1,
            (size_t)(t->joints + t->bodies), 1, i);
    }
  }
  for (int r = 0; r < t->runs; r++)
    for (int i = t->run[r].first; i < t->run[r].end; i++)
      claim(v->run_of, (size_t)i, 1, (size_t)t->groups, 1, r);
}

void view_new(struct view *v, const struct graph *g, int lanes)
{
  struct tree *t = tree_build(&g->g, lanes);
  assert_non_null(t);
  *v = (struct view){.g = g, .t = t};
  assert_int_equal(t->lanes, lanes);
  assert_int_equal(t->bodies, g->g.bodies);
  assert_int_equal(t->joints, g->g.joints);
  v->front_of = ints(t->front_size, NOBODY);
  v->vector_of = ints(t->vector_size, NOBODY);
  v->block_of = ints(t->jacobian, NOBODY);
  v->load_of = ints(t->load, NOBODY);
  v->owner = ints((size_t)t->unknowns, NOBODY);
  v->slot_of = ints((size_t)t->slots, NOBODY);
  v->group_of = ints((size_t)(t->joints + t->bodies), NOBODY);
  v->run_of = ints((size_t)t->groups, NOBODY);
  claim_tiles(v);
  claim_groups(v);
}

void view_free(struct view *v)
{
  free(v->front_of);
  free(v->vector_of);
  free(v->block_of);
  free(v->load_of);
  free(v->owner);
  free(v->slot_of);
  free(v->group_of);
  free(v->run_of);
  tree_free((struct tree *)v->t);
}

bool in_row(const struct lane_at *p, int width)
{
  for (int l = 0; l < width; l++)
    if (p[l].stride != (size_t)width || p[l].at != p[0].at + (size_t)l) return false;
  return p[0].at % (size_t)width == 0;
}

void with_all_lanes(const struct graph *g, view_check *check)
{
  for (int i = 0; i < LANES_COUNT; i++) {
    struct view v;
    view_new(&v, g, all_lanes[i]);
    check(&v);
    view_free(&v);
  }
}

#define CHECK(build)                                                                                         \
  do {                                                                                                       \
    struct graph g;                                                                                          \
    build;                                                                                                   \
    with_all_lanes(&g, check);                                                                               \
    graph_shuffle(&g, &random);                                                                              \
    with_all_lanes(&g, check);                                                                               \
    graph_free(&g);                                                                                          \
  } while (0)

void with_all_graphs(view_check *check)
{
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
  for (int i = 0; i < 100; i += 2) CHECK(graph_random(&g, &random, 1 + i, i / 2));
  for (int i = 0; i < 100; i += 2) CHECK(graph_carried(&g, &random, 3 + i, i / 5));
  for (int i = 0; i < 30; i++) CHECK((graph_carried(&g, &random, 3 + i, i / 5), graph_tell_soft(&g)));
}

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

void with_all_bags(view_check *check)
{
  struct random random = {23};
  struct graph g;
  for (int i = 0; i < 100; i++) {
    graph_bag(&g, &random, 3 + random_below(&random, 36));
    with_all_lanes(&g, check);
    graph_free(&g);
  }
}
