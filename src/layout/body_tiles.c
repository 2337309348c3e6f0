/* SPDX-License-Identifier: MIT
 * Set-up: tiles of bodies, their link ends, and the ends with a point that body kernels evaluate. */
#include "base/arena.h"
#include "layout/layout_parts.h"
#include "math/lanes.h"

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

static int ends_of(const struct layout *l, int tile)
{
  const struct tree_tile *t = &l->t->tile[tile];
  int most = 0;
  for (int lane = 0; lane < t->width; lane++) {
    int body = stored_item(l->t, t, lane), ends = body < 0 ? 0 : l->end_first[body + 1] - l->end_first[body];
    if (ends > most) most = ends;
  }
  return most;
}

/* Place of the load of end `e` of a body; the zero after all loads if the body has fewer ends. */
static struct lane_at load_of_end(const struct layout *l, int body, int e)
{
  int at = l->end_first[body] + e;
  if (at >= l->end_first[body + 1]) return (struct lane_at){.at = l->t->end_loads};
  const struct joint_rows *j = &l->f->link[l->end[at] / ROWS_SIDES];
  int side = l->end[at] % ROWS_SIDES;
  return (struct lane_at){.at = j->end_load + (size_t)(BODY_Y * side * j->stride),
                          .stride = (size_t)j->stride};
}

/* Fills end `e` of the bodies of a tile; `load` and `mix` have room for its lanes. A lane that is unused or has fewer ends
 * reads a zero. It reads an unused link instead if the lanes match then. */
static void fill_end(const struct layout *l, int tile, int e, struct lane_at *load, struct lane_mix *mix,
                     struct body_end *o)
{
  const struct tree_tile *t = &l->t->tile[tile];
  const int *item = l->t->item + t->item_first;
  int at = l->end_first[item[0]] + e, width = t->width;
  int from = at < l->end_first[item[0] + 1] ? l->t->tile_of_joint[l->end[at] / ROWS_SIDES] : -1;
  o->load = load;
  o->aligned = from >= 0 && l->t->tile[from].width == width;
  size_t base =
      o->aligned ? l->t->tile[from].end_load + (size_t)(BODY_Y * (l->end[at] % ROWS_SIDES) * width) : 0;
  for (int lane = 0; lane < width; lane++) {
    const struct lane_at aligned = {.at = base + (size_t)lane, .stride = (size_t)width};
    load[lane] =
        lane_is_used(l, tile, lane) ? load_of_end(l, item[lane], e) : (struct lane_at){.at = l->t->end_loads};
    if (!load[lane].stride && o->aligned && !lane_is_used(l, from, lane)) load[lane] = aligned;
    o->aligned &= load[lane].at == aligned.at && load[lane].stride == aligned.stride;
  }
  if (o->aligned || width == 1) return;
  struct lane_at place[ISA_LANES_MAX];
  for (int lane = 0; lane < width; lane++) {
    place[lane] = load[lane];
    if (!place[lane].stride) place[lane].stride = 1; /* a whole row of zeros */
  }
  o->mix = lane_mix_find(place, width, mix);
}

/* The link tile whose lanes match end `e` of a body tile, and its side; -1: there is none. */
static int tile_of_end(const struct layout *l, int tile, int e, int *side)
{
  const int *item = l->t->item + l->t->tile[tile].item_first;
  if (!l->f->body_tile[tile].end[e].aligned) return -1;
  int end = l->end[l->end_first[item[0]] + e];
  *side = end % ROWS_SIDES;
  return l->t->tile_of_joint[end / ROWS_SIDES];
}

/* Fills an end of a link with tips. */
static void fill_tip(struct body_tile *o, struct body_end *end, const struct link_tile *link, int side)
{
  end->point = link->constant + 3 * side * link->tile->width;
  end->row = (size_t)link->tile->at;
  end->side = side;
  o->has_tips = true;
}

static void fill_tips(const struct layout *l, int tile)
{
  struct body_tile *o = &l->f->body_tile[tile];
  struct body_end *end = l->ends + (o->end - l->ends);
  int side;
  o->tips_all = o->ends > 0;
  for (int e = 0; e < o->ends; e++, end++) {
    int from = tile_of_end(l, tile, e, &side);
    if (from >= 0 && l->f->link_tile[from].has_tips) fill_tip(o, end, &l->f->link_tile[from], side);
    o->tips_all &= end->point != NULL;
  }
  o->self_contained = o->tips_all && !o->carried && !o->loaded;
}

/* A link tile has tips if its links are rigid and spherical, and its lanes match the bodies of both sides. */
void body_tips_find(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  int side;
  for (int i = 0; i < t->body_tiles && !f->switches; i++)
    for (int tile = t->body_tile[i], e = 0; e < f->body_tile[tile].ends; e++) {
      int from = tile_of_end(l, tile, e, &side);
      if (from >= 0) l->found[from] |= (unsigned char)(1 << side);
    }
  for (int i = 0; i < t->joint_tiles; i++) {
    struct link_tile *o = &f->link_tile[t->joint_tile[i]];
    o->has_tips =
        l->found[t->joint_tile[i]] == 3 && o->shape == LINK_SPHERICAL && !o->tile->soft && o->aligned;
  }
  for (int i = 0; i < t->body_tiles; i++) fill_tips(l, t->body_tile[i]);
}

static bool is_diagonal(const double M[9])
{
  bool zeros = true;
  for (int i = 0; i < 9; i++) zeros &= i % 4 == 0 || M[i] == 0.0;
  return zeros;
}

bool body_tiles_fill(struct layout *l)
{
  const struct tree *t = l->t;
  struct frozen *f = l->f;
  size_t ends = 0, places = 0;
  for (int i = 0; i < t->body_tiles; i++) {
    int own = f->body_tile[t->body_tile[i]].ends = ends_of(l, t->body_tile[i]);
    ends += (size_t)own;
    places += (size_t)(own * t->tile[t->body_tile[i]].width);
  }
  struct body_end *end = l->ends = f->block[1] = calloc(ends + 1, sizeof *end);
  struct lane_at *load = f->block[2] = calloc(places + 1, sizeof *load);
  struct lane_mix *mix = f->block[4] = aligned_zalloc((ends + 1) * sizeof *mix);
  if (!end || !load || !mix) return false;
  /* Fill each tile: its ends, then properties of all of its bodies. */
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->body_tile[i]];
    struct body_tile *o = &f->body_tile[t->body_tile[i]];
    o->end = end;
    body_tile_place(o, tile->slot);
    o->at = tile->at;
    o->carried = tile->carried;
    o->aligned = o->ends > 0;
    o->diagonal = true;
    for (int e = 0; e < o->ends; e++, load += tile->width, end++) {
      fill_end(l, t->body_tile[i], e, load, mix++, end);
      o->aligned &= end->aligned;
      if (e < 2) o->end_load[e] = end->load->at;
    }
    for (int lane = 0; lane < tile->width; lane++) {
      int body = stored_item(t, tile, lane);
      if (body < 0) continue;
      o->loaded |= f->loads_first[body + 1] > f->loads_first[body];
      o->diagonal &= is_diagonal(l->m->body[body].inertia) && is_diagonal(l->m->body[body].inertia_inverse);
    }
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
