/* SPDX-License-Identifier: MIT
 * Set-up: where everything lies. From the links to the tree with its tiles, and what tiles are made of: bodies and
 * places that kernels take numbers from, constants. */
#include "stepper/layout.h"
#include "base/arena.h"
#include "math/lanes.h"
#include "stepper/kernels.h"
#include "stepper/storage.h"

#include <stdlib.h>

_Static_assert((int)ROWS_SIDES == (int)TREE_SIDES, "a link is a joint of the tree");
_Static_assert((int)ISA_LANES_MAX == (int)LANES_MOST, "");
_Static_assert((int)BODY_Y == (int)TREE_Y, "in the coordinates of a body");
_Static_assert((int)DELTA_ALPHA == (int)TREE_DELTA_N + 1, "delta begins as in the tree");

/* The distance along the axis of one joint: the row is that of a gap, with the axis as the normal and the zero of the
 * coordinate in its length. */
static bool slides(const struct joint_rows *j)
{
  return j->sides == 2 && j->primitives == 1 && j->primitive[0].kind == ROW_COORDINATE &&
         j->coordinates == 1 && j->coordinate[0].kind == COORDINATE_SLIDE && j->slot[0][0] == 0 &&
         j->slot[0][1] == 1;
}

/* Rows for which lanes would have to branch. */
static bool by_lane(const struct joint_rows *j)
{
  bool found = j->sides > 2;
  if (slides(j)) return false;
  for (int k = 0; k < j->primitives; k++)
    found |= j->primitive[k].kind == ROW_COORDINATE || j->primitive[k].kind == ROW_SLIP;
  return found;
}

/* Whether two links may lie in one tile. */
static bool alike(const struct joint_rows *a, const struct joint_rows *b)
{
  bool same = a->soft == b->soft && a->sides == b->sides && a->count == b->count &&
              a->primitives == b->primitives && (a->drive >= 0) == (b->drive >= 0) && slides(a) == slides(b);
  for (int k = 0; same && k < a->primitives; k++) same = a->primitive[k].kind == b->primitive[k].kind;
  return same;
}

static unsigned kind_of(const struct frozen *f, int link, int *example, unsigned *kinds)
{
  unsigned kind = 0;
  while (kind < *kinds && !alike(&f->link[link], &f->link[example[kind]])) kind++;
  if (kind == *kinds) example[(*kinds)++] = link;
  return kind;
}

static bool build_tree(const ali3_model *m, struct frozen *f, struct tree_excess *excess)
{
  struct tree_graph g = {.bodies = m->bodies, .joints = f->links, .carried = f->carried, .excess = excess};
  size_t links = (size_t)f->links + 1;
  int(*ends)[TREE_SIDES] = calloc(links, sizeof *ends);
  int *first = calloc(links, sizeof *first), *sides = calloc(links, sizeof *sides),
      *example = calloc(links, sizeof *example);
  bool *soft = calloc(links, sizeof *soft), *point = calloc(links, sizeof *point);
  unsigned *kind = calloc(links, sizeof *kind), kinds = 0;
  if (ends && first && sides && example && soft && point && kind) {
    for (int j = 0; j < f->links; j++) {
      const struct joint_rows *link = &f->link[j];
      for (int side = 0; side < TREE_SIDES; side++)
        ends[j][side] = side < link->sides ? link->body[side] : ALI3_GROUND;
      first[j + 1] = first[j] + link->count;
      sides[j] = link->sides;
      soft[j] = link->soft;
      point[j] = rows_share_point(link);
      kind[j] = kind_of(f, j, example, &kinds);
    }
    g.ends = (const int(*)[TREE_SIDES])ends;
    g.first = first;
    g.sides = sides;
    g.soft = soft;
    g.point = point;
    g.kind = kind;
    f->tree = tree_build(&g, isa_lanes(f->isa));
  }
  free(ends);
  free(first);
  free(sides);
  free(example);
  free(soft);
  free(point);
  free(kind);
  return f->tree != NULL;
}

static void place_links(struct frozen *f)
{
  f->rows = f->tree->rows;
  f->rigid = f->tree->rigid;
  for (int i = 0; i < f->links; i++) {
    const struct tree_joint *at = &f->tree->joint[i];
    struct joint_rows *j = &f->link[i];
    j->first = at->row;
    j->stride = at->width;
    j->jacobian = at->jacobian;
    j->end_load = at->end_load;
    f->true_rows += j->count;
  }
}

/* What is only needed while tiles are filled in. */
struct layout {
  const ali3_model *m;
  struct frozen *f;
  const struct tree *t;
  int *end_first;        /* (bodies + 1) link ends of each body, in `end` */
  int *end;              /* ROWS_SIDES * link + side, ascending per body */
  int *fill;             /* (bodies + 1) */
  unsigned char *found;  /* (tiles) of link tiles: bits of the sides of which all bodies have an end there */
  struct body_end *ends; /* of all body tiles */
  size_t constant;       /* doubles of f->link_constant */
};

static bool is_used(const struct layout *l, int tile, int lane)
{
  return stored_item(l->t, &l->t->tile[tile], lane) >= 0;
}

static struct tree_body ground_of(const struct layout *l)
{
  return l->t->body[l->t->bodies];
}

/* The body of a lane that has one, else the ground. */
static struct tree_body body_of(const struct layout *l, int tile, int side, int lane)
{
  int item = stored_item(l->t, &l->t->tile[tile], lane);
  int body = item < 0 ? ALI3_GROUND : l->f->link[item].body[side];
  return body == ALI3_GROUND ? ground_of(l) : l->t->body[body];
}

/* A body tile in which some lane of a side finds its body in the same lane; -1: none. */
static int tile_beside(const struct layout *l, int tile, int side)
{
  const struct tree_tile *t = &l->t->tile[tile];
  for (int lane = 0; lane < t->width; lane++) {
    int item = stored_item(l->t, t, lane), body = item < 0 ? ALI3_GROUND : l->f->link[item].body[side];
    if (body == ALI3_GROUND) continue;
    const struct tree_body *o = &l->t->body[body];
    if (o->width == t->width && o->lane == lane) return l->f->tile_of[body];
  }
  return -1;
}

/* Of bodies, in slots. */
static const struct lane_mix *mix_bodies(struct lane_mix *o, const struct tree_body *body, int width)
{
  struct lane_at from[ISA_LANES_MAX];
  for (int lane = 0; lane < width; lane++)
    from[lane] = (struct lane_at){(size_t)(body[lane].first + body[lane].lane), (size_t)body[lane].width};
  return lane_mix_find(from, width, o);
}

/* The bodies of a side; `o` and `mix` have room for them. A body that is not in use rests as the ground does: where one lies beside
 * those of the other lanes it takes the ground's place, and all lie side by side. */
static struct link_side take_side(const struct layout *l, int tile, int side, struct tree_body *o,
                                  struct lane_mix *mix)
{
  const struct tree_tile *t = &l->t->tile[tile];
  int beside = tile_beside(l, tile, side);
  for (int lane = 0; lane < t->width; lane++) {
    o[lane] = body_of(l, tile, side, lane);
    if (o[lane].first == ground_of(l).first && beside >= 0 && !is_used(l, beside, lane))
      o[lane] = (struct tree_body){l->t->tile[beside].slot, t->width, lane};
  }
  struct link_side own = link_side(o, t->width);
  if (own.how != SIDE_WIDE && own.how != SIDE_APART) return own;
  own.mix = t->width > 1 ? mix_bodies(mix, o, t->width) : NULL;
  if (own.mix) own.how = SIDE_MIXED;
  return own;
}

/* The constants of a link in its lane. */
static void set_constants(const struct joint_rows *j, int width, double *o)
{
  const bool slide = slides(j);
  const struct coordinate *c = j->coordinate;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++, o += width) *o = slide ? c->point[side][i] : j->point[side][i];
  *o = slide ? j->length - j->ratio[0] * c->zero : j->length;
  o += width;
  for (int k = 0; k < j->primitives; k++) {
    for (int i = 0; i < 3; i++, o += width) *o = slide ? j->ratio[0] * c->axis[i] : j->primitive[k].u[i];
    for (int i = 0; i < 3; i++, o += width) *o = slide ? 0.0 : j->primitive[k].v[i];
  }
}

static int constants_of(const struct joint_rows *j)
{
  return by_lane(j) ? 0 : 7 + 6 * j->primitives;
}

/* The links of a tile; `side` and `mix` have room for its bodies. */
static void fill_links(struct layout *l, int tile, struct tree_body *side, struct lane_mix *mix)
{
  const struct tree_tile *t = &l->t->tile[tile];
  const int *item = l->t->item + t->item_first;
  const struct joint_rows *j = &l->f->link[item[0]];
  struct link_tile *o = &l->f->link_tile[tile];
  o->tile = t;
  o->shape = link_shape(t->rows, t->sides, rows_share_point(j));
  o->lane_by_lane = by_lane(j);
  o->drives = j->drive >= 0;
  o->point = rows_share_point(j);
  o->primitives = j->primitives;
  o->constant = l->f->link_constant + l->constant;
  o->beside = true;
  o->body = side;
  o->residual = t->soft ? -1 : l->f->residuals;
  if (!t->soft) l->f->residuals += t->width;
  for (int k = 0; k < j->primitives; k++) o->primitive[k] = slides(j) ? ROW_GAP : j->primitive[k].kind;
  for (int s = 0; s < t->sides; s++, side += t->width) {
    o->side[s] = take_side(l, tile, s, side, mix++);
    o->beside &= o->side[s].how == SIDE_BESIDE;
  }
  for (int lane = 0; lane < t->width && !o->lane_by_lane; lane++)
    set_constants(&l->f->link[item[is_used(l, tile, lane) ? lane : 0]], t->width,
                  l->f->link_constant + l->constant + lane);
  l->constant += (size_t)(constants_of(j) * t->width);
  l->constant = (l->constant + ISA_LANES_MAX - 1) / ISA_LANES_MAX * ISA_LANES_MAX; /* as vectors lie */
}

static bool fill_link_tiles(struct layout *l)
{
  const struct tree *t = l->t;
  size_t constants = 0, sides = 0, mixes = 0;
  for (int i = 0; i < t->joint_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->joint_tile[i]];
    constants += (size_t)(constants_of(&l->f->link[t->item[tile->item_first]]) * tile->width + ISA_LANES_MAX);
    sides += (size_t)(tile->sides * tile->width);
    mixes += (size_t)tile->sides;
  }
  struct tree_body *side = l->f->block[0] = calloc(sides + 1, sizeof *side);
  l->f->link_constant = aligned_zalloc((constants + 1) * sizeof *l->f->link_constant);
  struct lane_mix *mix = l->f->block[3] = aligned_zalloc((mixes + 1) * sizeof *mix);
  if (!side || !mix || !l->f->link_constant) return false;
  for (int i = 0; i < t->joint_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->joint_tile[i]];
    fill_links(l, t->joint_tile[i], side, mix);
    side += tile->sides * tile->width;
    mix += tile->sides;
  }
  return true;
}

static void list_ends(struct layout *l)
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

/* Where end `e` of a body is loaded from; the zero behind all loads if it has fewer. */
static struct lane_at end_of(const struct layout *l, int body, int e)
{
  int at = l->end_first[body] + e;
  if (at >= l->end_first[body + 1]) return (struct lane_at){.at = l->t->end_loads};
  const struct joint_rows *j = &l->f->link[l->end[at] / ROWS_SIDES];
  int side = l->end[at] % ROWS_SIDES;
  return (struct lane_at){.at = j->end_load + (size_t)(BODY_Y * side * j->stride),
                          .stride = (size_t)j->stride};
}

/* End `e` of the bodies of a tile; `push` and `mix` have room for its lanes. A lane not in use, or with fewer ends, is loaded by
 * nothing, and where that lies beside the others by a link that is not in use. */
static void fill_end(const struct layout *l, int tile, int e, struct lane_at *push, struct lane_mix *mix,
                     struct body_end *o)
{
  const struct tree_tile *t = &l->t->tile[tile];
  const int *item = l->t->item + t->item_first;
  int at = l->end_first[item[0]] + e, width = t->width;
  int from = at < l->end_first[item[0] + 1] ? l->t->tile_of_joint[l->end[at] / ROWS_SIDES] : -1;
  o->load = push;
  o->aligned = from >= 0 && l->t->tile[from].width == width;
  size_t base =
      o->aligned ? l->t->tile[from].end_load + (size_t)(BODY_Y * (l->end[at] % ROWS_SIDES) * width) : 0;
  for (int lane = 0; lane < width; lane++) {
    const struct lane_at beside = {.at = base + (size_t)lane, .stride = (size_t)width};
    push[lane] = is_used(l, tile, lane) ? end_of(l, item[lane], e) : (struct lane_at){.at = l->t->end_loads};
    if (!push[lane].stride && o->aligned && !is_used(l, from, lane)) push[lane] = beside;
    o->aligned &= push[lane].at == beside.at && push[lane].stride == beside.stride;
  }
  if (o->aligned || width == 1) return;
  struct lane_at place[ISA_LANES_MAX];
  for (int lane = 0; lane < width; lane++) {
    place[lane] = push[lane];
    if (!place[lane].stride) place[lane].stride = 1; /* a whole row of zeros */
  }
  o->mix = lane_mix_find(place, width, mix);
}

/* The link tile that an end of all bodies of a tile is of, lane by lane, and its side; -1: there is none. */
static int tile_of_end(const struct layout *l, int tile, int e, int *side)
{
  const int *item = l->t->item + l->t->tile[tile].item_first;
  if (!l->f->body_tile[tile].end[e].aligned) return -1;
  int end = l->end[l->end_first[item[0]] + e];
  *side = end % ROWS_SIDES;
  return l->t->tile_of_joint[end / ROWS_SIDES];
}

/* An end of a link with tips. */
static void fill_tip(struct body_tile *o, struct body_end *end, const struct link_tile *link, int side)
{
  end->point = link->constant + 3 * side * link->tile->width;
  end->row = (size_t)link->tile->at;
  end->side = side;
  o->tips = true;
}

static void fill_tips(const struct layout *l, int tile)
{
  struct body_tile *o = &l->f->body_tile[tile];
  struct body_end *end = l->ends + (o->end - l->ends);
  int side;
  o->tips_all = o->ends > 0;
  for (int e = 0; e < o->ends; e++, end++) {
    int from = tile_of_end(l, tile, e, &side);
    if (from >= 0 && l->f->link_tile[from].tips) fill_tip(o, end, &l->f->link_tile[from], side);
    o->tips_all &= end->point != NULL;
  }
  o->self_contained = o->tips_all && !o->carried && !o->loaded;
}

/* Links of which the bodies do the point: rigid ones that lie beside those of both sides. Each side is found once. */
static void find_tips(struct layout *l)
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
    o->tips = l->found[t->joint_tile[i]] == 3 && o->shape == LINK_SPHERICAL && !o->tile->soft && o->beside;
  }
  for (int i = 0; i < t->body_tiles; i++) fill_tips(l, t->body_tile[i]);
}

static bool is_diagonal(const double M[9])
{
  bool zeros = true;
  for (int i = 0; i < 9; i++) zeros &= i % 4 == 0 || M[i] == 0.0;
  return zeros;
}

static bool fill_body_tiles(struct layout *l)
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
  struct lane_at *push = f->block[2] = calloc(places + 1, sizeof *push);
  struct lane_mix *mix = f->block[4] = aligned_zalloc((ends + 1) * sizeof *mix);
  if (!end || !push || !mix) return false;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->body_tile[i]];
    struct body_tile *o = &f->body_tile[t->body_tile[i]];
    o->end = end;
    body_tile_place(o, tile->slot);
    o->at = tile->at;
    o->carried = tile->carried;
    o->aligned = o->ends > 0;
    o->diagonal = true;
    for (int e = 0; e < o->ends; e++, push += tile->width, end++) {
      fill_end(l, t->body_tile[i], e, push, mix++, end);
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

static bool fill_constants(const ali3_model *m, struct frozen *f)
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

static void find_tiles(struct frozen *f)
{
  const struct tree *t = f->tree;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->body_tile[i]];
    for (int lane = 0; lane < tile->width; lane++)
      if (stored_item(t, tile, lane) >= 0) f->tile_of[stored_item(t, tile, lane)] = t->body_tile[i];
  }
}

static bool fill_tiles(const ali3_model *m, struct frozen *f)
{
  size_t tiles = (size_t)f->tree->tiles + 1, bodies = (size_t)m->bodies + 1, links = (size_t)f->links + 1;
  struct layout l = {.m = m, .f = f, .t = f->tree};
  l.end_first = calloc(bodies, sizeof *l.end_first);
  l.end = calloc(ROWS_SIDES * links, sizeof *l.end);
  l.fill = calloc(bodies, sizeof *l.fill);
  l.found = calloc(tiles, sizeof *l.found);
  f->link_tile = calloc(tiles, sizeof *f->link_tile);
  f->body_tile = calloc(tiles, sizeof *f->body_tile);
  f->tile_of = calloc(bodies, sizeof *f->tile_of);
  bool ok = l.end_first && l.end && l.fill && l.found && f->link_tile && f->body_tile && f->tile_of;
  if (ok) {
    find_tiles(f);
    list_ends(&l);
    ok = fill_link_tiles(&l) && fill_body_tiles(&l) && fill_constants(m, f) && layout_find_axes(m, f);
    if (ok) find_tips(&l);
  }
  free(l.end_first);
  free(l.end);
  free(l.fill);
  free(l.found);
  return ok;
}

bool layout_build(const ali3_model *m, struct frozen *f, struct tree_excess *excess)
{
  if (!build_tree(m, f, excess)) return false;
  place_links(f);
  f->solver = tree_solver(f->tree, f->isa);
  f->kernels[0] = step_kernels(f->isa, 1);
  f->kernels[1] = step_kernels(f->isa, isa_lanes(f->isa));
  return fill_tiles(m, f);
}

void layout_free(struct frozen *f)
{
  tree_free(f->tree);
  free(f->link_tile);
  free(f->body_tile);
  free(f->tile_of);
  free(f->constant);
  free(f->axes);
  free(f->link_constant);
  for (size_t i = 0; i < sizeof f->block / sizeof *f->block; i++) free(f->block[i]);
}
