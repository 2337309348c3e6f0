/* SPDX-License-Identifier: MIT */
#include "dca/taken.h"
#include "check.h"

#include <stdlib.h>

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

int find_child(const struct view *v, const struct tree_group *o, const struct tree_branch *r, int lane,
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

void check_taken(const struct view *v)
{
  struct search s = {.v = v};
  find_unknowns(&s);
  check_couples(&s);
  check_branches(&s);
  free(s.unknown);
  free(s.claimed);
  free(s.end_used);
}
