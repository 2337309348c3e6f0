/* SPDX-License-Identifier: MIT
 * What every tree is, whatever its graph and however many lanes. The tree says nothing of vertices in the
 * fronts of its groups; from the last group to the first they are found out here: what each place of each
 * vector stands for. */
#include "dca/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct search {
  const struct view *v;
  int *unknown;  /* (vector_size) which unknown each double of a vector stands for; NOBODY: not in use */
  int *claimed;  /* (groups, lanes) parents */
  int *end_used; /* (joints, TREE_SIDES) */
};

/* Group that has the unknown in its pivot. */
static int pivot_group(const struct view *v, int unknown)
{
  const struct tree *t = v->t;
  const struct tree_tile *o = &t->tile[v->owner[unknown]];
  int item = item_of(t, o, (unknown - o->at) % o->width);
  assert_true(item != NOBODY);
  return v->group_of[o->kind == TREE_JOINT ? item : t->joints + item];
}

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

static bool lane_in_use(const struct tree *t, int tile, int lane)
{
  return item_of(t, &t->tile[tile], lane) != NOBODY;
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

/* A zero, or a lane that is not in use. */
static bool no_member(const struct tree *t, const struct lane_at *p, const int *of)
{
  return p->stride == 0 || member_of(t, &t->group[of[p->at]], (int)(p->at % p->stride)) == NOBODY;
}

static bool no_item(const struct tree *t, const struct lane_at *p, const int *of)
{
  return p->stride == 0 || !lane_in_use(t, of[p->at], (int)(p->at % p->stride));
}

/* The zero behind `size` doubles, if it is no lane. */
static void check_zero(const struct lane_at *p, int width, size_t size)
{
  if (p->stride)
    assert_int_equal(p->stride, width);
  else
    assert_int_equal(p->at, size);
}

static void check_no_group(const struct tree *t, const struct lane_at *p, const int *of, size_t size)
{
  assert_true(no_member(t, p, of));
  check_zero(p, p->stride ? t->group[of[p->at]].width : 0, size);
}

static void check_no_block(const struct view *v, const struct lane_at *p)
{
  assert_true(no_item(v->t, p, v->block_of));
  check_zero(p, p->stride ? v->t->tile[v->block_of[p->at]].width : 0, v->t->jacobian);
}

/* What is above a lane: not in another pack, and if the lane is not in use or the two are in one pack, the
 * same lane. */
static void check_above(const struct view *v, int group, int lane, const struct lane_at *p)
{
  const struct tree *t = v->t;
  int above = v->vector_of[p->at], run = v->run_of[above];
  assert_true(above > group);
  assert_int_equal(p->stride, t->group[above].width);
  if (run < t->owned) assert_int_equal(run, v->run_of[group]);
  if (run < t->owned) assert_int_equal(p->at % p->stride, lane);
  if (member_of(t, &t->group[group], lane) == NOBODY) assert_true(run < t->owned);
}

/* Only what a group eliminates and what it has picked together is in its vector after a sweep. */
static void check_written(const struct tree *t, int group, size_t place)
{
  const struct tree_group *o = &t->group[group];
  int at = (int)(place - o->vector) / o->width - o->pivot;
  for (int r = o->pull_first; r < o->pull_end && at >= 0; at -= t->pull[r++].size)
    if (at < t->pull[r].size) assert_false(t->pull[r].aligned);
}

/* What a group takes from the vector of unknowns itself is the same. */
static void check_mix(const struct search *s, const struct tree_group *o, const struct tree_pull *pull,
                      int at)
{
  const struct lane_mix *mix = pull->mix;
  assert_false(pull->aligned);
  for (int l = 0; l < o->width; l++) {
    int place = (int)mix->lane[l] / o->width, lane = (int)mix->lane[l] % o->width;
    bool tile = place < mix->tiles;
    assert_in_range(place, 0, mix->places - 1);
    for (int k = 0; k < pull->size; k++) {
      int own = s->unknown[o->vector + (size_t)((at + k) * o->width + l)];
      int there = (int)mix->at[place] + (tile ? k * o->width + lane : k);
      assert_in_range(there, 0, s->v->t->unknowns - 1);
      if (own != NOBODY) assert_int_equal(there, own);
    }
  }
}

/* What the border of a group is, from the vectors of those above. */
static void find_unknowns(struct search *s)
{
  const struct view *v = s->v;
  const struct tree *t = v->t;
  s->unknown = ints(t->vector_size, NOBODY);
  for (int i = t->groups - 1; i >= 0; i--) {
    const struct tree_group *o = &t->group[i];
    int at = o->pivot;
    if (o->kind == TREE_LEAF) assert_int_equal(o->pull_first, o->pull_end);
    for (int l = 0; l < o->width; l++)
      for (int k = 0; k < o->pivot && member_of(t, o, l) != NOBODY; k++)
        s->unknown[o->vector + (size_t)(k * o->width + l)] = (int)(o->at[l].at + (size_t)k * o->at[l].stride);
    for (int r = o->pull_first; r < o->pull_end; r++) {
      const struct tree_pull *pull = &t->pull[r];
      assert_int_equal(pull->aligned, o->width == 1 || in_row(pull->vector, o->width));
      for (int l = 0; l < o->width; l++) {
        const struct lane_at *p = &pull->vector[l];
        if (no_member(t, p, v->vector_of)) {
          check_no_group(t, p, v->vector_of, t->vector_size);
          continue;
        }
        check_above(v, i, l, p);
        check_written(t, v->vector_of[p->at], p->at);
        for (int k = 0; k < pull->size; k++) {
          size_t place = p->at + (size_t)k * p->stride;
          assert_int_equal(v->vector_of[place], v->vector_of[p->at]);
          s->unknown[o->vector + (size_t)((at + k) * o->width + l)] = s->unknown[place];
        }
      }
      if (pull->mix) check_mix(s, o, pull, at);
      at += pull->size;
    }
    if (o->kind != TREE_LEAF) assert_int_equal(at, o->pivot + o->border);
  }
}

/* The unknown at place k of the front of a lane. */
static int unknown_at(const struct search *s, const struct tree_group *o, int lane, int k)
{
  assert_true(k >= 0 && k < o->pivot + o->border);
  return s->unknown[o->vector + (size_t)(k * o->width + lane)];
}

/* The joint whose rows on one side a lane's block holds. */
static int find_block(const struct view *v, const struct tree_couple *c, const struct lane_at *p, int *side)
{
  const struct tree *t = v->t;
  const struct tree_tile *o = &t->tile[v->block_of[p->at]];
  size_t offset = p->at - o->jacobian, block = offset / p->stride;
  int lane = (int)(offset % p->stride);
  assert_int_equal(p->stride, o->width);
  assert_int_equal(c->rows, o->rows);
  assert_int_equal(c->stride, TREE_Y * o->sides);
  assert_int_equal(block % TREE_Y, 0);
  *side = (int)(block / TREE_Y);
  assert_true(*side < o->sides);
  assert_true(item_of(t, o, lane) != NOBODY);
  return item_of(t, o, lane);
}

static void check_couple(struct search *s, const struct tree_group *o, const struct tree_couple *c, int lane)
{
  const struct view *v = s->v;
  const struct tree *t = v->t;
  int side, j = find_block(v, c, &c->J[lane], &side), body = v->g->ends[j][side];
  const struct tree_joint *joint = &t->joint[j];
  assert_true(body >= 0);
  assert_int_equal(member_of(t, o, lane), o->kind == TREE_JOINT ? j : body);
  s->end_used[TREE_SIDES * j + side]++;
  for (int k = 0; k < c->rows && o->kind == TREE_HUB; k++)
    assert_int_equal(unknown_at(s, o, lane, c->at + k), joint->row + k * joint->width);
  for (int y = 0; y < TREE_Y && o->kind == TREE_JOINT; y++)
    assert_int_equal(unknown_at(s, o, lane, c->at + y), t->hub_at[body] + y * t->body[body].width);
}

/* Every end of every joint on a body is used by exactly one node. */
static void check_couples(struct search *s)
{
  const struct view *v = s->v;
  const struct tree *t = v->t;
  s->end_used = ints(TREE_SIDES * (size_t)t->joints, 0);
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    for (int a = o->couple_first; a < o->couple_end; a++) {
      const struct tree_couple *c = &t->couple[a];
      assert_int_equal(c->aligned, in_row(c->J, o->width));
      for (int l = 0; l < o->width; l++)
        if (member_of(t, o, l) == NOBODY || no_item(t, &c->J[l], v->block_of))
          check_no_block(v, &c->J[l]);
        else
          check_couple(s, o, c, l);
    }
  }
  for (int j = 0; j < t->joints; j++)
    for (int side = 0; side < TREE_SIDES; side++)
      assert_int_equal(s->end_used[TREE_SIDES * j + side], v->g->ends[j][side] >= 0);
}

/* The unknown of place k in the border of a child; of a leaf, which has no vector, by its joints. */
static int border_unknown(const struct search *s, const struct tree_group *o, int lane, int k)
{
  if (o->kind != TREE_LEAF) return unknown_at(s, o, lane, o->pivot + k);
  for (int a = o->couple_first; a < o->couple_end; a++) {
    const struct tree_couple *c = &s->v->t->couple[a];
    int side;
    if (k < c->at || k >= c->at + c->rows) continue;
    if (no_item(s->v->t, &c->J[lane], s->v->block_of)) return NOBODY;
    const struct tree_joint *j = &s->v->t->joint[find_block(s->v, c, &c->J[lane], &side)];
    return j->row + (k - c->at) * j->width;
  }
  fail_msg("a leaf is coupled to nothing at %d", k);
  return NOBODY;
}

/* The group, and the lane in it, of a child; NOBODY: the lane has none. */
static int find_child(const struct view *v, const struct tree_group *o, const struct tree_branch *r, int lane,
                      int *lane_below)
{
  const struct tree *t = v->t;
  const struct lane_at *p = &r->update[lane];
  *lane_below = lane;
  if (o->fused) return member_of(t, &t->group[r->group], lane) == NOBODY ? NOBODY : r->group;
  if (no_member(t, p, v->front_of)) {
    check_no_group(t, p, v->front_of, t->front_size);
    return NOBODY;
  }
  int below = v->front_of[p->at];
  assert_int_equal(p->stride, t->group[below].width);
  *lane_below = (int)(p->at - t->group[below].update);
  if (lane == 0) assert_int_equal(below, r->group);
  return below;
}

/* Returns its group. */
static int check_child(struct search *s, int group, const struct tree_branch *r, int lane)
{
  const struct tree *t = s->v->t;
  const struct tree_group *o = &t->group[group];
  int lane_below, below = find_child(s->v, o, r, lane, &lane_below);
  const struct tree_group *child = &t->group[below];
  assert_true(below < group); /* children before parents */
  assert_true(lane_below < child->width);
  assert_int_equal(child->kind == TREE_LEAF && child->fused, o->fused);
  assert_true(member_of(t, child, lane_below) != NOBODY);
  assert_int_equal(r->leaf, child->kind == TREE_LEAF);
  assert_int_equal(r->pivot, child->pivot);
  assert_int_equal(r->border, child->border);
  if (!r->leaf) {
    assert_int_equal(r->vector[lane].at, child->vector + (size_t)lane_below);
    assert_int_equal(r->vector[lane].stride, child->width);
  }
  s->claimed[below * t->lanes + lane_below]++;
  bool own = false;
  for (int k = 0; k < r->border; k++) {
    int u = border_unknown(s, child, lane_below, k);
    if (u == NOBODY) continue;
    assert_int_equal(unknown_at(s, o, lane, r->to[k]), u);
    own |= pivot_group(s->v, u) == group;
  }
  assert_true(own);
  return below;
}

static void check_branch(struct search *s, int group, const struct tree_branch *r, int *level)
{
  const struct view *v = s->v;
  const struct tree *t = v->t;
  const struct tree_group *o = &t->group[group];
  const int *into = r->into;
  if (o->fused) assert_true(r->aligned && t->group[r->group].width == o->width);
  if (!o->fused) assert_int_equal(r->aligned, o->width == 1 || in_row(r->update, o->width));
  if (r->aligned && !r->leaf && o->width > 1) assert_true(in_row(r->vector, o->width));
  for (int i = 0; i < r->border; i++) {
    assert_true(r->to[i] >= -1 && r->to[i] < o->pivot + o->border);
    for (int k = 0; k <= i; k++) {
      if (r->to[i] < 0 || r->to[k] < 0) {
        assert_int_equal(*into++, -1);
        continue;
      }
      int low = r->to[i] < r->to[k] ? r->to[i] : r->to[k], high = r->to[i] + r->to[k] - low;
      assert_int_equal(*into++, tree_place(o, high, low));
    }
  }
  for (int l = 0, lane_below; l < o->width; l++)
    if (find_child(v, o, r, l, &lane_below) == NOBODY) {
      if (!r->leaf) check_no_group(t, &r->vector[l], v->vector_of, t->vector_size);
    } else {
      assert_true(member_of(t, o, l) != NOBODY);
      int below = check_child(s, group, r, l);
      if (t->group[below].level >= *level) *level = t->group[below].level + 1;
    }
}

/* What the kernels of even fronts rely on. */
static void check_even(const struct tree *t, const struct tree_group *o)
{
  bool leaf = o->kind == TREE_LEAF;
  if (o->fused) assert_true(o->even > 0);
  if (o->even == 0) return;
  assert_true(o->even == 3 || o->even == 5);
  assert_true(o->aligned && o->kind != TREE_HUB);
  for (int a = o->couple_first; a < o->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    assert_true(leaf && c->point && c->aligned);
    assert_int_equal(c->rows, o->even);
    assert_int_equal(c->at, (a - o->couple_first) * o->even);
  }
  if (leaf) {
    assert_true(o->border <= TREE_SHORT);
    return;
  }
  assert_true(o->sum.aligned);
  assert_true(o->border * o->even <= TREE_EVEN);
  assert_int_equal(o->pivot, o->even);
  assert_true(o->child_end - o->child_first <= 2);
  int elements = 0;
  for (int r = o->pull_first; r < o->pull_end; r++) assert_int_equal(t->pull[r].size, o->even);
  for (int r = o->child_first; r < o->child_end; r++) elements += tree_triangle(t->branch[r].border);
  if (o->fused) assert_true(o->bare && elements <= TREE_FUSED);
}

/* Everyone with a border is the child of one parent. */
static void check_branches(struct search *s)
{
  const struct tree *t = s->v->t;
  int levels = 0;
  s->claimed = ints((size_t)(t->groups * t->lanes), 0);
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *o = &t->group[i];
    int level = 0;
    bool bare = true, aligned = true;
    for (int b = o->child_first; b < o->child_end; b++) {
      check_branch(s, i, &t->branch[b], &level);
      bare &= t->branch[b].leaf;
      aligned &= t->branch[b].aligned;
    }
    assert_int_equal(o->bare, bare);
    assert_int_equal(o->sum.aligned, o->kind != TREE_LEAF && aligned);
    assert_int_equal(o->level, level);
    check_even(t, o);
    if (level >= levels) levels = level + 1;
  }
  assert_int_equal(t->levels, levels);
  for (int i = 0; i < t->groups; i++)
    for (int l = 0; l < t->group[i].width; l++) {
      const struct tree_group *o = &t->group[i];
      bool border = false;
      if (member_of(t, o, l) == NOBODY) continue;
      for (int k = 0; k < o->border; k++) border |= border_unknown(s, o, l, k) != NOBODY;
      assert_int_equal(s->claimed[i * t->lanes + l], border);
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
  struct search s = {.v = v};
  check_members(v);
  find_unknowns(&s);
  check_couples(&s);
  check_branches(&s);
  check_runs(v);
  check_order(v);
  free(s.unknown);
  free(s.claimed);
  free(s.end_used);
}

static void invariants_hold(void **state)
{
  (void)state;
  with_all_graphs(check);
}

static void mechanisms_beside_each_other(void **state)
{
  (void)state;
  with_all_bags(check);
}

static void joints_of_one_kind_share_a_group(void **state)
{
  (void)state;
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
static void a_chain_of_carried_bodies_is_a_balanced_tree_too(void **state)
{
  (void)state;
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
  printf("%s of %d to %d: %.2f times the flops, %.2f times the groups, %d to %d levels\n", name, n, 2 * n,
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

static void the_same_graph_gives_the_same_tree(void **state)
{
  (void)state;
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
