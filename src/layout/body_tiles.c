/* SPDX-License-Identifier: MIT
 * Set-up: tiles of bodies, their link ends, and which of these ends have a point that the bodies evaluate. */
#include "base/arena.h"
#include "layout/layout_parts.h"

#include <stdlib.h>

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

static bool on_ground(const struct layout *l, int tile, int lane, int side)
{
  const int link = stored_item(l->t, &l->t->tile[tile], lane);
  return link >= 0 && l->f->link[link].body[side] == ALI3_GROUND;
}

/* Whether end `e` of all bodies of a tile lies lane by lane in one tile: *link, on its side *side. Where a body has no such end
 * that link is not in use, or stands on the ground there (*grounded), which asks for no load. */
static bool end_is_aligned(const struct layout *l, int tile, int e, int *link, int *side, bool *grounded)
{
  const int first = end_of_lane(l, tile, 0, e);
  if (first < 0) return false;
  *side = first % ROWS_SIDES;
  *link = l->t->tile_of_joint[first / ROWS_SIDES];
  bool aligned = l->t->tile[*link].width == l->t->tile[tile].width;
  *grounded = false;
  for (int lane = 0; aligned && lane < l->t->tile[tile].width; lane++) {
    const int end = end_of_lane(l, tile, lane, e), item = stored_item(l->t, &l->t->tile[*link], lane);
    const bool ground = on_ground(l, *link, lane, *side);
    aligned = item < 0 || ground ? end < 0 : end == ROWS_SIDES * item + *side;
    *grounded |= ground;
  }
  return aligned;
}

/* Which sides of links are read lane by lane, some with lanes on the ground: `found`. */
static void find_sides(struct layout *l)
{
  int link, side;
  bool grounded;
  for (int i = 0; i < l->t->body_tiles; i++)
    for (int e = 0, tile = l->t->body_tile[i]; e < l->f->body_tile[tile].ends; e++)
      if (end_is_aligned(l, tile, e, &link, &side, &grounded))
        l->found[link] |= (unsigned char)((grounded ? FOUND_GROUNDED : FOUND_SIDE) << side);
}

static bool side_has_bodies(const struct layout *l, int tile, int side)
{
  bool found = false;
  for (int lane = 0; lane < l->t->tile[tile].width; lane++)
    found |= lane_is_used(l, tile, lane) && !on_ground(l, tile, lane, side);
  return found;
}

static int align_load(int numbers)
{
  return (numbers + ISA_LANES_MAX - 1) / ISA_LANES_MAX * ISA_LANES_MAX;
}

/* keep: room for all sides. */
static void place_loads(struct layout *l, double *keep)
{
  for (int i = 0; i < l->t->joint_tiles; i++) {
    const int tile = l->t->joint_tile[i], width = l->t->tile[tile].width;
    for (int side = 0; side < l->t->tile[tile].sides; side++, keep += ISA_LANES_MAX) {
      struct link_side *o = &l->f->link_tile[tile].side[side];
      const bool aligned = l->found[tile] & (FOUND_SIDE | FOUND_GROUNDED) << side;
      o->load = aligned ? LOAD_BESIDE : side_has_bodies(l, tile, side) ? LOAD_ROWS : LOAD_NOWHERE;
      o->load_at = l->f->end_loads;
      if (o->load != LOAD_NOWHERE) l->f->end_loads += align_load(width * (aligned ? BODY_Y : ROW_NUMBERS));
      /* lanes on the ground */
      if (l->found[tile] & FOUND_GROUNDED << side) o->keep = keep;
      for (int lane = 0; lane < width; lane++) keep[lane] = on_ground(l, tile, lane, side) ? 0.0 : 1.0;
    }
  }
}

/* Where the load on end `at` of layout.end is, which is a row. */
static int row_of_end(const struct layout *l, int at)
{
  const int link = at / ROWS_SIDES, tile = l->t->tile_of_joint[link];
  const int lane = l->t->joint[link].row - l->t->tile[tile].at;
  return l->f->link_tile[tile].side[at % ROWS_SIDES].load_at + ROW_NUMBERS * lane;
}

/* The ends of a tile; `end` and `row` have room for them. */
static void fill_ends(const struct layout *l, int tile, struct body_end *end, int *row)
{
  struct body_tile *o = &l->f->body_tile[tile];
  const int most = o->ends, width = l->t->tile[tile].width;
  int link, side;
  bool grounded;
  *o = (struct body_tile){.end = end, .row = row};
  for (int i = 0; i < most * width; i++) row[i] = l->f->end_loads;
  for (int e = 0; e < most; e++)
    if (end_is_aligned(l, tile, e, &link, &side, &grounded))
      end[o->ends++] = (struct body_end){link, side, l->f->link_tile[link].side[side].load_at, NULL, 0};
  /* what lies elsewhere, lane by lane */
  for (int lane = 0; lane < width; lane++) {
    int rows = 0;
    for (int e = 0; e < most; e++) {
      const int at = end_of_lane(l, tile, lane, e);
      if (at < 0 || end_is_aligned(l, tile, e, &link, &side, &grounded)) continue;
      row[width * rows++ + lane] = row_of_end(l, at);
    }
    if (rows > o->rows) o->rows = rows;
  }
}

/* An end of a link with tips. */
static void fill_tip(struct body_tile *o, struct body_end *end, const struct link_tile *link)
{
  end->point = link->constant + 3 * end->side * link->tile->width;
  end->row = (size_t)link->tile->at;
  o->has_tips = true;
}

static void fill_tips(const struct layout *l, struct body_tile *o, struct body_end *end)
{
  o->tips_all = o->ends > 0 && o->rows == 0;
  for (int e = 0; e < o->ends; e++) {
    const struct link_tile *link = &l->f->link_tile[end[e].link];
    if (link->has_tips) fill_tip(o, &end[e], link);
    o->tips_all &= end[e].point != NULL;
  }
  o->self_contained = o->tips_all && !o->carried && !o->loaded;
}

/* Links of which the bodies do the point: rigid ones that lie beside those of both sides. */
void body_tips_find(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  for (int i = 0; i < t->joint_tiles; i++) {
    struct link_tile *o = &f->link_tile[t->joint_tile[i]];
    o->has_tips = !f->switches && l->found[t->joint_tile[i]] == 3 * FOUND_SIDE &&
                  o->shape == LINK_SPHERICAL && !o->tile->soft && o->aligned;
  }
  struct body_end *end = f->block[1];
  for (int i = 0; i < t->body_tiles; i++) {
    struct body_tile *o = &f->body_tile[t->body_tile[i]];
    fill_tips(l, o, end);
    end += o->ends;
  }
}

static bool is_diagonal(const double M[9])
{
  bool zeros = true;
  for (int i = 0; i < 9; i++) zeros &= i % 4 == 0 || M[i] == 0.0;
  return zeros;
}

/* What is so of all bodies of a tile. */
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
    o->diagonal &= is_diagonal(l->m->body[body].inertia) && is_diagonal(l->m->body[body].inertia_inverse);
  }
}

bool body_tiles_fill(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  size_t ends = 0, rows = 0, sides = 0;
  for (int i = 0; i < t->body_tiles; i++) {
    const int tile = t->body_tile[i], own = f->body_tile[tile].ends = ends_of(l, tile);
    ends += (size_t)own;
    rows += (size_t)(own * t->tile[tile].width);
  }
  for (int i = 0; i < t->joint_tiles; i++) sides += (size_t)t->tile[t->joint_tile[i]].sides;
  struct body_end *end = f->block[1] = calloc(ends + 1, sizeof *end);
  int *row = f->block[2] = calloc(rows + 1, sizeof *row);
  double *keep = f->block[5] = aligned_zalloc((sides + 1) * ISA_LANES_MAX * sizeof *keep);
  if (!end || !row || !keep) return false;
  /* where links leave their loads, then where bodies find them */
  find_sides(l);
  place_loads(l, keep);
  for (int i = 0; i < t->body_tiles; i++) {
    const int tile = t->body_tile[i], width = t->tile[tile].width;
    const int most = f->body_tile[tile].ends;
    fill_ends(l, tile, end, row);
    end += f->body_tile[tile].ends;
    row += most * width;
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
    const struct tree_tile *tile = &t->tile[t->body_tile[i]];
    double *o = f->constant + BODY_NUMBERS * tile->slot;
    for (int lane = 0; lane < tile->width; lane++) {
      int body = stored_item(t, tile, lane);
      if (body < 0) continue;
      const struct body *b = &m->body[body];
      o[BODY_MASS * tile->width + lane] = b->mass;
      for (int k = 0; k < 9; k++) o[(BODY_INERTIA + k) * tile->width + lane] = b->inertia[k];
    }
  }
  return true;
}
