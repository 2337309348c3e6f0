/* SPDX-License-Identifier: MIT
 * Set-up: tiles of bodies, their link ends, and the ends with a point that body kernels evaluate. */
#include "base/arena.h"
#include "layout/layout_parts.h"

#include <stdlib.h>

/* The bodies of this side of the tile of a link lie in the lanes of their links. */
static bool end_is_beside(const struct frozen *f, int link, int side)
{
  return f->link_tile[f->tree->tile_of_joint[link]].side[side].how == SIDE_BESIDE;
}

/* Brings ends beside the body to the front: then all bodies of a tile find such an end at one position. */
static void sort_ends(struct layout *l, int body)
{
  for (int at = l->end_first[body], i = at; i < l->end_first[body + 1]; i++) {
    const int e = l->end[i];
    if (!end_is_beside(l->f, e / ROWS_SIDES, e % ROWS_SIDES)) continue;
    for (int k = i; k > at; k--) l->end[k] = l->end[k - 1];
    l->end[at++] = e;
  }
}

void body_ends_list(struct layout *l)
{
  const struct frozen *f = l->f;
  for (int j = 0; j < f->links; j++)
    for (int side = 0; side < f->link[j].sides; side++)
      if (f->link[j].body[side] >= 0) l->end_first[f->link[j].body[side] + 1]++;
  for (int b = 0; b < l->m->bodies; b++) l->fill[b + 1] = l->end_first[b + 1] += l->end_first[b];
  for (int j = 0; j < f->links; j++)
    for (int side = 0; side < f->link[j].sides; side++)
      if (f->link[j].body[side] >= 0) l->end[l->fill[f->link[j].body[side]]++] = ROWS_SIDES * j + side;
  for (int b = 0; b < l->m->bodies; b++) sort_ends(l, b);
}

/* A body of the pattern finds this end in a tile, and so adds it before those of which it has a row. */
static bool end_is_whole(const ali3_model *m, int body, int link, int side)
{
  const struct frozen *f = m->frozen;
  const struct body_tile *o = &f->body_tile[f->tile_of[body]];
  for (int e = 0; e < o->ends; e++)
    if (o->end[e].link == f->tree->tile_of_joint[link] && o->end[e].side == side &&
        o->end[e].load == f->link_tile[o->end[e].link].side[side].load_at)
      return true;
  return false;
}

void body_ends_copy_order(struct layout *l)
{
  const ali3_model *one = l->m->pattern;
  int at = 0;
  for (int b = 0; b < l->m->bodies; b++)
    for (int pass = 0; pass < 4; pass++) /* whole ends, then rows; of these, ends beside the body first */
      for (int j = 0; j < one->frozen->links; j++)
        for (int side = 0; side < one->frozen->link[j].sides; side++) {
          if (one->frozen->link[j].body[side] != b % one->bodies) continue;
          if (end_is_whole(one, b % one->bodies, j, side) != (pass < 2)) continue;
          if (end_is_beside(one->frozen, j, side) != (pass % 2 == 0)) continue;
          l->end[at++] = ROWS_SIDES * layout_link_of_copy(l->m, l->f, b / one->bodies, j) + side;
        }
}

/* End `e` of the body in a lane, as in layout.end; -1: it has none. */
static int end_of_lane(const struct layout *l, int tile, int lane, int e)
{
  const int body = stored_item(l->t, &l->t->tile[tile], lane);
  const int at = body < 0 ? -1 : l->end_first[body] + e;
  return body < 0 || at >= l->end_first[body + 1] ? -1 : l->end[at];
}

/* The most ends of a body of a tile. */
static int ends_of(const struct layout *l, int tile)
{
  int most = 0;
  for (int lane = 0; lane < l->t->tile[tile].width; lane++)
    while (end_of_lane(l, tile, lane, most) >= 0) most++;
  return most;
}

static int lane_of_link(const struct layout *l, int link)
{
  return l->t->joint[link].row - l->t->tile[l->t->tile_of_joint[link]].at;
}

/* Offset of the load on end `at` of layout.end, a row. */
static int row_of_end(const struct layout *l, int at)
{
  const int link = at / ROWS_SIDES, tile = l->t->tile_of_joint[link];
  return l->f->link_tile[tile].side[at % ROWS_SIDES].load_at + ROW_NUMBERS * lane_of_link(l, link);
}

static int align_load(int numbers)
{
  return (numbers + ISA_LANES_MAX - 1) / ISA_LANES_MAX * ISA_LANES_MAX;
}

static bool on_ground(const struct layout *l, int tile, int lane, int side)
{
  const int link = stored_item(l->t, &l->t->tile[tile], lane);
  return link < 0 || l->f->link[link].body[side] == ALI3_GROUND;
}

/* Where end `e` of the bodies of a tile is, if that is one side of one tile of links. */
struct whole_end {
  int link, side;          /* -1: it is in several tiles */
  bool aligned;            /* lane by lane */
  int lane[ISA_LANES_MAX]; /* where each body finds it; the width of the tile where it has none */
};

static struct whole_end find_end(const struct layout *l, int tile, int e)
{
  const int width = l->t->tile[tile].width, none = -1;
  struct whole_end o = {.link = none, .side = none};
  bool whole = true;
  for (int lane = 0; lane < width; lane++) {
    const int at = end_of_lane(l, tile, lane, e), j = at / ROWS_SIDES, side = at % ROWS_SIDES;
    o.lane[lane] = width;
    if (at < 0) continue;
    if (o.link < 0) {
      o.link = l->t->tile_of_joint[j];
      o.side = side;
    }
    whole &= l->t->tile_of_joint[j] == o.link && side == o.side && l->t->tile[o.link].width == width;
    o.lane[lane] = lane_of_link(l, j);
  }
  if (!whole) o.link = none;
  /* A body without this end may find there what is not in use. */
  o.aligned = o.link >= 0;
  for (int lane = 0; lane < width && o.aligned; lane++) {
    const bool unused = o.lane[lane] == width && stored_item(l->t, &l->t->tile[o.link], lane) < 0;
    o.aligned = o.lane[lane] == lane || unused;
  }
  return o;
}

/* Sides that some tile of bodies does not find as a whole, and sides that are found lane by lane: `found`. */
static void find_sides(struct layout *l)
{
  for (int i = 0; i < l->t->body_tiles; i++)
    for (int e = 0, tile = l->t->stored_bodies.tile[i]; e < l->f->body_tile[tile].ends; e++) {
      const struct whole_end end = find_end(l, tile, e);
      if (end.aligned) l->found[end.link] |= (unsigned char)(FOUND_ALIGNED << end.side);
      for (int lane = 0; lane < l->t->tile[tile].width && end.link < 0; lane++) {
        const int at = end_of_lane(l, tile, lane, e);
        if (at >= 0)
          l->found[l->t->tile_of_joint[at / ROWS_SIDES]] |=
              (unsigned char)(FOUND_SEPARATE << at % ROWS_SIDES);
      }
    }
}

/* A copy has the bits of the pattern, in which other kernels may evaluate the points of a link. */
static bool pattern_has_points(const struct layout *l, int tile)
{
  const ali3_model *one = l->m->pattern;
  if (l->m->copies == 0) return true;
  return one->frozen->link_tile[one->frozen->tree->tile_of_joint[stored_item(l->t, &l->t->tile[tile], 0)]]
      .has_points;
}

/* A link tile has points if its links are rigid and spherical, and its lanes match the bodies of both sides. */
static void find_points(struct layout *l)
{
  for (int i = 0; i < l->t->joint_tiles; i++) {
    const int tile = l->t->stored_joints.tile[i];
    struct link_tile *o = &l->f->link_tile[tile];
    o->has_points = !l->f->switches && l->found[tile] == 3 * FOUND_ALIGNED && o->shape == LINK_SPHERICAL &&
                    !o->tile->soft && o->aligned && pattern_has_points(l, tile);
  }
}

static bool side_has_bodies(const struct layout *l, int tile, int side)
{
  bool found = false;
  for (int lane = 0; lane < l->t->tile[tile].width; lane++) found |= !on_ground(l, tile, lane, side);
  return found;
}

/* Places the loads of links with points, or those of all others, from `at` on. Returns where they end. */
static int place_loads(struct layout *l, bool points, int at)
{
  for (int i = 0; i < l->t->joint_tiles; i++) {
    const int tile = l->t->stored_joints.tile[i], width = l->t->tile[tile].width;
    for (int side = 0; side < l->t->tile[tile].sides && l->f->link_tile[tile].has_points == points; side++) {
      struct link_side *o = &l->f->link_tile[tile].side[side];
      const bool separate = l->found[tile] & FOUND_SEPARATE << side;
      o->load = !side_has_bodies(l, tile, side) ? LOAD_NOWHERE : separate ? LOAD_ROWS : LOAD_TILE;
      o->load_at = at;
      if (o->load != LOAD_NOWHERE) at += align_load(width * (separate ? ROW_NUMBERS : BODY_Y));
    }
  }
  return at;
}

/* Sums of end loads have the order of the pattern, of which a copy has all ends in its lane. */
static void add_like_pattern(const struct layout *l, int tile, struct body_tile *o)
{
  const ali3_model *one = l->m->pattern;
  const int body = stored_item(l->t, &l->t->tile[tile], 0) % one->bodies;
  const struct body_tile *from = &one->frozen->body_tile[one->frozen->tile_of[body]];
  const struct tree_body *at = &one->frozen->tree->body[body];
  int whole = 0;
  for (int e = 0; e < from->ends; e++) whole += !from->end[e].lane || from->end[e].lane[at->lane] < at->width;
  o->aligned &= from->aligned;
  o->separate = at->width > 1 && o->ends - whole > 1 ? o->ends - whole : 0;
}

/* The ends of a tile; `end`, `row` and `lane` have room for them. */
static void fill_ends(const struct layout *l, int tile, struct body_end *end, int *row, long long *lane_of)
{
  struct body_tile *o = &l->f->body_tile[tile];
  const int most = o->ends, width = l->t->tile[tile].width;
  int rows[ISA_LANES_MAX] = {0};
  *o = (struct body_tile){.end = end, .row = row, .aligned = true};
  for (int i = 0; i < most * width; i++) row[i] = l->f->end_loads;
  for (int e = 0; e < most; e++) {
    const struct whole_end whole = find_end(l, tile, e);
    const struct link_side *side = whole.link < 0 ? NULL : &l->f->link_tile[whole.link].side[whole.side];
    /* as a tile */
    if (side && side->load == LOAD_TILE) {
      end[o->ends++] = (struct body_end){.link = whole.link,
                                         .side = whole.side,
                                         .load = side->load_at,
                                         .lane = whole.aligned ? NULL : lane_of};
      for (int lane = 0; lane < width; lane++) lane_of[lane] = whole.lane[lane];
      lane_of += ISA_LANES_MAX;
      o->aligned &= whole.aligned;
      continue;
    }
    /* lane by lane */
    for (int lane = 0; lane < width; lane++) {
      const int at = end_of_lane(l, tile, lane, e);
      if (at >= 0) row[width * rows[lane]++ + lane] = row_of_end(l, at);
      if (rows[lane] > o->rows) o->rows = rows[lane];
    }
  }
  o->aligned &= o->ends > 0 && o->rows == 0;
  if (l->m->copies > 0) add_like_pattern(l, tile, o);
}

/* Fills an end of a link with points. */
static void fill_point(struct body_tile *o, struct body_end *end, const struct link_tile *link)
{
  end->point = link->constant + 3 * end->side * link->tile->width;
  end->row = (size_t)link->tile->at;
  o->has_points = true;
}

static void fill_points(const struct layout *l, struct body_tile *o, struct body_end *end)
{
  o->all_points = o->aligned;
  for (int e = 0; e < o->ends; e++) {
    const struct link_tile *link = &l->f->link_tile[end[e].link];
    if (link->has_points && !end[e].lane) fill_point(o, &end[e], link);
    o->all_points &= end[e].point != NULL;
  }
  o->self_contained = o->all_points && !o->carried && !o->loaded;
}

void body_points_find(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  struct body_end *end = f->block[1];
  for (int i = 0; i < t->body_tiles; i++) {
    struct body_tile *o = &f->body_tile[t->stored_bodies.tile[i]];
    fill_points(l, o, end);
    end += o->ends;
  }
}

static bool is_diagonal(const double M[9])
{
  bool zeros = true;
  for (int i = 0; i < 9; i++) zeros &= i % 4 == 0 || M[i] == 0.0;
  return zeros;
}

/* Fills the properties that all bodies of a tile have. */
static void fill_bodies(const struct layout *l, int tile)
{
  const struct tree_tile *t = &l->t->tile[tile];
  struct body_tile *o = &l->f->body_tile[tile];
  body_tile_place(o, t->slot);
  o->at = t->at;
  o->carried = t->carried;
  o->diagonal = true;
  for (int lane = 0; lane < t->width; lane++) {
    int body = stored_item(l->t, t, lane);
    if (body < 0) continue;
    o->loaded |= l->f->loads_first[body + 1] > l->f->loads_first[body];
    o->diagonal &=
        is_diagonal(l->m->body[body].spec.inertia) && is_diagonal(l->m->body[body].inertia_inverse);
  }
}

bool body_tiles_fill(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  size_t ends = 0, rows = 0;
  for (int i = 0; i < t->body_tiles; i++) {
    const int tile = t->stored_bodies.tile[i], own = f->body_tile[tile].ends = ends_of(l, tile);
    ends += (size_t)own;
    rows += (size_t)(own * t->tile[tile].width);
  }
  struct body_end *end = f->block[1] = calloc(ends + 1, sizeof *end);
  int *row = f->block[2] = calloc(rows + 1, sizeof *row);
  long long *lane = f->block[5] = aligned_zalloc((ends + 1) * ISA_LANES_MAX * sizeof *lane);
  if (!end || !row || !lane) return false;
  /* Place the loads of the links, then list where bodies find them. */
  find_sides(l);
  find_points(l);
  f->end_loads = place_loads(l, false, 0);
  f->point_loads = place_loads(l, true, f->end_loads + ROW_NUMBERS) - f->end_loads - ROW_NUMBERS;
  for (int i = 0; i < t->body_tiles; i++) {
    const int tile = t->stored_bodies.tile[i], most = f->body_tile[tile].ends;
    fill_ends(l, tile, end, row, lane);
    end += f->body_tile[tile].ends;
    row += most * t->tile[tile].width;
    lane += (size_t)most * ISA_LANES_MAX;
    fill_bodies(l, tile);
  }
  return true;
}

bool body_constants_fill(const ali3_model *m, struct frozen *f)
{
  const struct tree *t = f->tree;
  f->constant = aligned_zalloc((size_t)(BODY_NUMBERS * t->slots) * sizeof *f->constant);
  if (!f->constant) return false;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_bodies.tile[i]];
    double *o = f->constant + BODY_NUMBERS * tile->slot;
    for (int lane = 0; lane < tile->width; lane++) {
      int body = stored_item(t, tile, lane);
      if (body < 0) continue;
      const struct body *b = &m->body[body];
      o[BODY_MASS * tile->width + lane] = b->spec.mass;
      for (int k = 0; k < 9; k++) o[(BODY_INERTIA + k) * tile->width + lane] = b->spec.inertia[k];
    }
  }
  return true;
}
