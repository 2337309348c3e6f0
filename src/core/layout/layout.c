/* SPDX-License-Identifier: MIT
 * Set-up: makes the tree with its tiles from the links, and fills the tiles with bodies, offsets and constants for kernels. */
#include "base/arena.h"
#include "dynamics/leaf.h"
#include "layout/layout_parts.h"
#include "math/lanes.h"

#include <stdlib.h>

_Static_assert((int)ROWS_SIDES == (int)TREE_SIDES, "a link is a joint of the tree");
_Static_assert((int)ISA_LANES_MAX == (int)LANES_MOST, "");
_Static_assert((int)BODY_Y == (int)TREE_Y, "in the coordinates of a body");
_Static_assert((int)DELTA_ALPHA == (int)LEAF_NUMBERS, "delta begins as in the tree");

/* The row is the distance along the axis of one joint. It becomes a gap row, with the axis as normal and the zero of the
 * coordinate in its length. */
static bool link_slides(const struct joint_rows *j)
{
  return j->sides == 2 && j->primitives == 1 && j->primitive[0].kind == ROW_COORDINATE &&
         j->coordinates == 1 && j->coordinate[0].kind == COORDINATE_SLIDE && j->side[0][0] == 0 &&
         j->side[0][1] == 1;
}

/* True if the only row is the angle of one joint. */
static bool link_turns(const struct joint_rows *j)
{
  return j->sides == 2 && j->primitives == 1 && j->primitive[0].kind == ROW_COORDINATE &&
         j->coordinates == 1 && j->coordinate[0].kind == COORDINATE_ANGLE && j->side[0][0] == 0 &&
         j->side[0][1] == 1;
}

/* Rows that would need branches in each lane. */
static bool by_lane(const struct joint_rows *j)
{
  bool found = j->sides > 2;
  if (link_slides(j) || link_turns(j)) return false;
  for (int k = 0; k < j->primitives; k++)
    found |= j->primitive[k].kind == ROW_COORDINATE || j->primitive[k].kind == ROW_SLIP ||
             j->primitive[k].kind == ROW_ROLL;
  return found;
}

/* A joint has the constants of its angle even if rows of it are dropped. */
static bool link_has_angle(const struct joint_rows *j)
{
  return !by_lane(j) && j->coordinate[0].kind == COORDINATE_ANGLE;
}

/* Two links may stand in one tile. */
static bool links_are_alike(const struct joint_rows *a, const struct joint_rows *b)
{
  bool same = a->soft == b->soft && a->sides == b->sides && a->count == b->count &&
              a->primitives == b->primitives && (a->drive >= 0) == (b->drive >= 0) &&
              link_slides(a) == link_slides(b) && link_turns(a) == link_turns(b) &&
              link_has_angle(a) == link_has_angle(b);
  for (int k = 0; same && k < a->primitives; k++) same = a->primitive[k].kind == b->primitive[k].kind;
  return same;
}

static unsigned kind_of_link(const struct frozen *f, int link, int *example, unsigned *kinds)
{
  unsigned kind = 0;
  while (kind < *kinds && !links_are_alike(&f->link[link], &f->link[example[kind]])) kind++;
  if (kind == *kinds) example[(*kinds)++] = link;
  return kind;
}

/* The arrays of a graph, one for each property of the links. */
struct graph_room {
  int (*ends)[TREE_SIDES], *first, *sides, *example, *joint_of;
  bool *soft, *unit_columns;
  unsigned *kind;
};

static void free_graph_room(struct graph_room *o)
{
  free(o->ends);
  free(o->first);
  free(o->sides);
  free(o->example);
  free(o->joint_of);
  free(o->soft);
  free(o->unit_columns);
  free(o->kind);
}

/* The links of a model become joints of a graph. False: out of memory. */
static bool make_graph(const ali3_model *m, const struct frozen *f, struct tree_graph *g,
                       struct graph_room *o)
{
  const size_t links = (size_t)f->links + 1;
  unsigned kinds = 0;
  /* Allocate all properties, then fill them link by link. */
  o->ends = calloc(links, sizeof *o->ends);
  o->first = calloc(links, sizeof *o->first);
  o->sides = calloc(links, sizeof *o->sides);
  o->example = calloc(links, sizeof *o->example);
  o->joint_of = calloc(links, sizeof *o->joint_of);
  o->soft = calloc(links, sizeof *o->soft);
  o->unit_columns = calloc(links, sizeof *o->unit_columns);
  o->kind = calloc(links, sizeof *o->kind);
  if (!o->ends || !o->first || !o->sides || !o->example || !o->joint_of || !o->soft || !o->unit_columns ||
      !o->kind)
    return false;
  for (int j = 0; j < f->links; j++) {
    const struct joint_rows *link = &f->link[j];
    for (int side = 0; side < TREE_SIDES; side++)
      o->ends[j][side] = side < link->sides ? link->body[side] : ALI3_GROUND;
    o->first[j + 1] = o->first[j] + link->count;
    o->sides[j] = link->sides;
    o->soft[j] = link->soft;
    o->unit_columns[j] = rows_share_point(link);
    o->kind[j] = kind_of_link(f, j, o->example, &kinds);
  }
  *g = (struct tree_graph){.bodies = m->bodies,
                           .joints = f->links,
                           .ends = (const int(*)[TREE_SIDES])o->ends,
                           .first = o->first,
                           .carried = f->carried,
                           .soft = o->soft,
                           .unit_columns = o->unit_columns,
                           .sides = o->sides,
                           .kind = o->kind,
                           .joint_of = o->joint_of};
  return true;
}

static bool build_tree(const ali3_model *m, struct frozen *f, struct tree_excess *excess)
{
  struct tree_graph g, one;
  struct graph_room room = {0}, room_of_one = {0};
  bool good = make_graph(m, f, &g, &room);
  g.excess = excess;
  /* Copies share the tree of one of them. */
  if (good && m->copies > 0) {
    good = make_graph(m->pattern, m->pattern->frozen, &one, &room_of_one);
    for (int c = 0; c < m->copies && good; c++)
      for (int j = 0; j < one.joints; j++)
        room.joint_of[c * one.joints + j] = layout_link_of_copy(m, f, c, j);
    g.one = &one;
    g.copies = m->copies;
  }
  if (good) f->tree = tree_build(&g, isa_lanes(f->isa), isa_lanes(f->isa));
  free_graph_room(&room);
  free_graph_room(&room_of_one);
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
    f->true_rows += j->count;
  }
}

static struct tree_body ground_of(const struct layout *l)
{
  return l->t->body[l->t->bodies];
}

/* Describes a side of links with these bodies, one in each lane. */
static struct link_side link_side(const struct tree_body *body, int width)
{
  bool aligned = true, same = true, wide = true;
  for (int lane = 0; lane < width; lane++) {
    aligned &= body[lane].first == body->first && body[lane].width == width && body[lane].lane == lane;
    same &= body[lane].first == body->first && body[lane].lane == body->lane;
    wide &= body[lane].width == width;
  }
  struct link_side o = {.how = aligned ? SIDE_BESIDE : same ? SIDE_SAME : wide ? SIDE_WIDE : SIDE_APART};
  o.at[LINK_Y] = body->first * BODY_Y + body->lane;
  o.at[LINK_X] = body->first * X_NUMBERS + body->lane;
  o.at[LINK_FRAME] = body->first * FRAME_NUMBERS + body->lane;
  return o;
}

/* The body of a lane; the ground for an unused lane. */
static struct tree_body body_of(const struct layout *l, int tile, int side, int lane)
{
  int item = stored_item(l->t, &l->t->tile[tile], lane);
  int body = item < 0 ? ALI3_GROUND : l->f->link[item].body[side];
  return body == ALI3_GROUND ? ground_of(l) : l->t->body[body];
}

/* The body tile that has a body of this side in its own lane; -1: none. */
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

/* Gathers bodies, in slots; NULL: not possible. */
static const struct lane_shuffle *shuffle_bodies(struct lane_shuffle *o, const struct tree_body *body,
                                                 int width)
{
  struct lane_at from[ISA_LANES_MAX];
  for (int lane = 0; lane < width; lane++)
    from[lane] = (struct lane_at){(size_t)(body[lane].first + body[lane].lane), (size_t)body[lane].width};
  return lane_shuffle_find(from, width, o);
}

/* Describes the bodies of a side; `o` and `shuffle` have room for them. An unused lane of a body tile rests like the ground. It
 * replaces the ground if all lanes match then. */
static struct link_side take_side(const struct layout *l, int tile, int side, struct tree_body *o,
                                  struct lane_shuffle *shuffle)
{
  const struct tree_tile *t = &l->t->tile[tile];
  int aligned = tile_beside(l, tile, side);
  for (int lane = 0; lane < t->width; lane++) {
    o[lane] = body_of(l, tile, side, lane);
    if (o[lane].first == ground_of(l).first && aligned >= 0 && !lane_is_used(l, aligned, lane))
      o[lane] = (struct tree_body){l->t->tile[aligned].slot, t->width, lane};
  }
  struct link_side own = link_side(o, t->width);
  if (own.how != SIDE_WIDE && own.how != SIDE_APART) return own;
  own.shuffle = t->width > 1 ? shuffle_bodies(shuffle, o, t->width) : NULL;
  if (own.shuffle) own.how = SIDE_SHUFFLED;
  return own;
}

/* The shape that selects the kernels of a tile. */
static enum link_shape link_shape(int rows, int sides, bool point)
{
#define LINK_MATCH(of, name, n, s, p)                                                                        \
  if (rows == (n) && sides == (s) && point == (p)) return of##name;
  LINK_SHAPES(LINK_MATCH, LINK_)
#undef LINK_MATCH
  return sides == 2 ? LINK_PAIR : LINK_OTHER;
}

/* Writes the constants of a link into its lane. */
static void set_constants(const struct joint_rows *j, int width, double *o)
{
  const bool slide = link_slides(j), turn = link_turns(j);
  const struct coordinate *c = j->coordinate;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++, o += width) *o = slide ? c->point[side][i] : j->point[side][i];
  *o = slide ? j->length - c->zero : j->length;
  o += width;
  for (int k = 0; k < j->primitives; k++) {
    for (int i = 0; i < 3; i++, o += width) *o = slide || turn ? c->axis[i] : j->primitive[k].u[i];
    for (int i = 0; i < 3; i++, o += width) *o = slide ? 0.0 : j->primitive[k].v[i];
  }
  if (c->kind != COORDINATE_ANGLE) return;
  for (int i = 0; i < ANGLE_NUMBERS; i++, o += width) *o = c->angle[i];
  *o = c->zero;
}

static int constants_of(const struct joint_rows *j)
{
  return by_lane(j) ? 0 : 7 + 6 * j->primitives + (link_has_angle(j) ? ANGLE_NUMBERS + 1 : 0);
}

/* Fills the angles of a link tile; `joint` has room for its lanes. */
static void fill_angles(const struct layout *l, int tile, int *joint, struct link_tile *o)
{
  const struct tree_tile *t = &l->t->tile[tile];
  const int *item = l->t->item + t->item_first;
  if (!link_has_angle(&l->f->link[item[0]])) return;
  o->angle = o->constant + (7 + 6 * o->primitives) * t->width;
  o->joint = joint;
  for (int lane = 0; lane < t->width; lane++)
    joint[lane] = lane_is_used(l, tile, lane) ? l->f->link[item[lane]].joint[0] : l->m->joints;
}

/* Fills a link tile; `side` and `shuffle` have room for its bodies, `joint` for its lanes. */
static void fill_links(struct layout *l, int tile, struct tree_body *side, struct lane_shuffle *shuffle,
                       int *joint)
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
  o->aligned = true;
  o->body = side;
  o->residual = t->soft ? -1 : l->f->residuals;
  if (!t->soft) l->f->residuals += t->width;
  for (int k = 0; k < j->primitives; k++)
    o->primitive[k] = link_slides(j) ? ROW_GAP : link_turns(j) ? ROW_ANGLE : j->primitive[k].kind;
  for (int s = 0; s < t->sides; s++, side += t->width) {
    o->side[s] = take_side(l, tile, s, side, shuffle++);
    o->aligned &= o->side[s].how == SIDE_BESIDE;
  }
  for (int lane = 0; lane < t->width && !o->lane_by_lane; lane++)
    set_constants(&l->f->link[item[lane_is_used(l, tile, lane) ? lane : 0]], t->width,
                  l->f->link_constant + l->constant + lane);
  for (int lane = 0; lane < t->width; lane++)
    o->stores[lane] = lane_is_used(l, tile, lane) && rows_store(&l->f->link[item[lane]]);
  fill_angles(l, tile, joint, o);
  l->constant += (size_t)(constants_of(j) * t->width);
  l->constant = (l->constant + ISA_LANES_MAX - 1) / ISA_LANES_MAX * ISA_LANES_MAX; /* aligned like vectors */
}

static bool fill_link_tiles(struct layout *l)
{
  const struct tree *t = l->t;
  size_t constants = 0, sides = 0, shuffles = 0, lanes = 0;
  for (int i = 0; i < t->joint_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_joints.tile[i]];
    constants += (size_t)(constants_of(&l->f->link[t->item[tile->item_first]]) * tile->width + ISA_LANES_MAX);
    sides += (size_t)(tile->sides * tile->width);
    shuffles += (size_t)tile->sides;
    lanes += (size_t)tile->width;
  }
  /* Allocate all sides, constants and shuffles. */
  struct tree_body *side = l->f->block[0] = calloc(sides + 1, sizeof *side);
  l->f->link_constant = aligned_zalloc((constants + 1) * sizeof *l->f->link_constant);
  struct lane_shuffle *shuffle = l->f->block[3] = aligned_zalloc((shuffles + 1) * sizeof *shuffle);
  int *joint = l->f->block[4] = calloc(lanes + 1, sizeof *joint);
  if (!side || !shuffle || !joint || !l->f->link_constant) return false;
  for (int i = 0; i < t->joint_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_joints.tile[i]];
    fill_links(l, t->stored_joints.tile[i], side, shuffle, joint);
    side += tile->sides * tile->width;
    shuffle += tile->sides;
    joint += tile->width;
  }
  return true;
}

static void find_tiles(struct frozen *f)
{
  const struct tree *t = f->tree;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_bodies.tile[i]];
    for (int lane = 0; lane < tile->width; lane++)
      if (stored_item(t, tile, lane) >= 0) f->tile_of[stored_item(t, tile, lane)] = t->stored_bodies.tile[i];
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
  /* Fill link tiles first, because body tiles read them. */
  if (ok) {
    find_tiles(f);
    ok = layout_find_axes(m, f) && fill_link_tiles(&l);
    if (ok) body_ends_list(&l);
    if (ok && m->copies > 0) body_ends_copy_order(&l);
    ok = ok && body_tiles_fill(&l) && body_constants_fill(m, f);
    if (ok) layout_mark_steady(m, f);
    if (ok) body_points_find(&l);
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
