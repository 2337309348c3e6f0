/* SPDX-License-Identifier: MIT
 * Set-up only. A tile stores the nodes of a packed group in the group's lanes. All other bodies and joints have tiles
 * by kind alone, whatever their fronts: bodies with bodies, joints with joints, in the order of a walk through the tree.
 *
 * Each body takes one joint as its inner joint, and is the outer body of that joint. If all outer bodies of a tile of joints are
 * of one kind, a tile of bodies stores them in the lanes of these joints: links then load one side without a gather. */
#include "dca/tiles.h"

#include <limits.h>
#include <stdlib.h>

enum { MANY = 6 }; /* a body with more joints gains little from one of them, and has no inner joint */

struct store {
  const struct tree_graph *g; /* graph of the joints */
  const struct bundles *bundles;
  const struct nodes *n; /* nodes of the bundles */
  const struct plan *p;
  const int *walk; /* (nodes) */
  struct tree *t;
  int items;
  int *ends;       /* (bodies) joints at the body */
  int *outer_side; /* (joints) side of the outer body; -1: it has none */
  int *kind;       /* (bodies) equal numbers may share a tile; -1: the body has its tile */
};

/* Places all tiles with many lanes before tiles with one, so that each tile of many lanes begins at a multiple of
 * them. */
static void place_tiles(struct store *s, enum tree_kind kind, bool soft,
                        void (*place)(struct tree *t, int tile))
{
  for (int wide = 1; wide >= 0; wide--)
    for (int i = 0; i < s->t->tiles; i++) {
      const struct tree_tile *t = &s->t->tile[i];
      if (t->kind == kind && t->soft == soft && (t->width > 1) == wide) place(s->t, i);
    }
}

static void place_joint(struct tree *t, int tile)
{
  struct tree_tile *o = &t->tile[tile];
  o->at = t->rows;
  t->rows += o->rows * o->width;
  const int unit = o->unit_columns ? TREE_UNIT : 0;
  o->jacobian = t->jacobian - (size_t)(unit * o->width);
  t->jacobian += (size_t)((TREE_Y - unit) * o->rows * o->sides * o->width);
  o->end_load = t->end_loads;
  t->end_loads += (size_t)(TREE_Y * o->sides * o->width);
  t->stored_joints.tile[t->joint_tiles++] = tile;
}

static void place_body(struct tree *t, int tile)
{
  t->tile[tile].slot = t->slots;
  t->slots += t->tile[tile].width;
  t->stored_bodies.tile[t->body_tiles++] = tile;
}

static void place_hub(struct tree *t, int tile)
{
  t->tile[tile].at = t->unknowns;
  t->unknowns += TREE_Y * t->tile[tile].width;
}

void order_find_runs(const struct tree *t, struct tree_order *o, int first, int end)
{
  const int *tile = o->tile;
  for (int i = end - 1; i >= first; i--) {
    bool same = i + 1 < end && t->tile[tile[i]].width == t->tile[tile[i + 1]].width;
    o->run_end[i] = same ? o->run_end[i + 1] : i + 1;
  }
}

static void place_all(struct store *s)
{
  struct tree *t = s->t;
  t->jacobian = (size_t)(TREE_UNIT * t->lanes); /* so that no offset is negative */
  place_tiles(s, TREE_JOINT, false, place_joint);
  t->rigid = t->rows;
  t->rigid_tiles = t->joint_tiles;
  t->rows = tree_round_up(t->rows, t->lanes);
  t->jacobian = (size_t)tree_round_up((int)t->jacobian, t->lanes);
  t->end_loads = (size_t)tree_round_up((int)t->end_loads, t->lanes);
  place_tiles(s, TREE_JOINT, true, place_joint);
  place_tiles(s, TREE_LEAF, false, place_body);
  t->slots = tree_round_up(t->slots, t->lanes);
  place_tiles(s, TREE_HUB, false, place_body);
  t->unknowns = tree_round_up(t->rows, t->lanes);
  place_tiles(s, TREE_HUB, false, place_hub);
  order_find_runs(t, &t->stored_bodies, 0, t->body_tiles);
  order_find_runs(t, &t->stored_joints, 0, t->joint_tiles);
}

static void place_items(struct tree *t)
{
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    /* The tile and the lane determine where each item lies. */
    for (int l = 0; l < o->width; l++) {
      int item = t->item[o->item_first + l];
      if (item < 0) continue;
      if (o->kind == TREE_JOINT) {
        t->joint[item] =
            (struct tree_joint){o->at + l, o->width, o->jacobian + (size_t)l, o->end_load + (size_t)l};
        t->tile_of_joint[item] = i;
        continue;
      }
      t->body[item] = (struct tree_body){o->slot, o->width, l};
      t->hub_at[item] = o->kind == TREE_HUB ? o->at + l : -1;
      t->carried_at[item] = o->carried ? o->at + l : -1;
      t->carried += o->carried;
      t->hubs += o->kind == TREE_HUB;
    }
  }
  /* The last slot is the ground's. */
  t->body[t->bodies] = (struct tree_body){t->slots, 1, 0};
  t->slots++;
}

/* Adds a tile of joints or bodies, one in each lane; -1: lane unused. The first item gives the tile its properties. */
static void add_tile(struct store *s, enum tree_kind kind, const int *item, int lanes)
{
  const struct tree_graph *g = s->g;
  struct tree_tile *o = &s->t->tile[s->t->tiles++];
  *o = (struct tree_tile){.kind = kind, .width = lanes, .item_first = s->items, .at = -1, .slot = -1};
  if (kind == TREE_JOINT) {
    o->rows = vertex_size(g, item[0]);
    o->sides = joint_sides(g, item[0]);
    o->soft = g->soft && g->soft[item[0]];
    o->unit_columns = g->unit_columns && g->unit_columns[item[0]];
  } else {
    o->carried = g->carried && g->carried[item[0]];
  }
  for (int l = 0; l < lanes; l++) {
    s->t->item[s->items++] = item[l];
    o->used += item[l] >= 0;
  }
}

static int item_of_node(const struct store *s, const struct node *a, int m)
{
  if (a->kind == TREE_JOINT) return joint_of_node(s->bundles, s->n, a, m);
  return m == 0 ? a->vertex - s->bundles->g.joints : -1;
}

/* Adds the tiles of a packed group: one tile of bodies, or one for each joint of the nodes. */
static void add_nodes(struct store *s, const struct group_plan *p)
{
  const struct node *a = &s->n->node[p->node[0]];
  for (int m = 0; item_of_node(s, a, m) >= 0; m++) {
    int item[ISA_LANES_MAX];
    for (int l = 0; l < p->width; l++)
      item[l] = p->node[l] < 0 ? -1 : item_of_node(s, &s->n->node[p->node[l]], m);
    add_tile(s, a->kind, item, p->width);
  }
}

/* A joint or body whose node is in no pack. */
struct single {
  int kind[4]; /* only those of equal kind share a tile */
  int outer;   /* joint: side and kind of its outer body */
  int ends;    /* joints at the (outer) body: the body with most joints determines the time of its tile */
  int walk;    /* position of its node; joints of one node have one position */
  int item;
};

static int compare_kinds(const struct single *a, const struct single *b)
{
  for (int i = 0; i < 4; i++)
    if (a->kind[i] != b->kind[i]) return a->kind[i] < b->kind[i] ? -1 : 1;
  return 0;
}

static int by_kind(const void *pa, const void *pb)
{
  const struct single *a = pa, *b = pb;
  int order = compare_kinds(a, b);
  if (order) return order;
  if (a->outer != b->outer) return a->outer < b->outer ? -1 : 1;
  if (a->ends != b->ends) return a->ends - b->ends;
  return a->walk != b->walk ? a->walk - b->walk : a->item - b->item;
}

/* Adds the tiles of sorted singles. */
static void add_singles(struct store *s, const struct single *single, int count)
{
  int lanes = s->p->lanes;
  for (int first = 0, end; first < count; first = end) {
    int item[ISA_LANES_MAX];
    for (end = first + 1; end < count && end < first + lanes; end++)
      if (compare_kinds(&single[end], &single[first])) break;
    if (end - first < plan_enough(lanes)) end = first + 1;
    for (int l = 0; l < ISA_LANES_MAX; l++) item[l] = first + l < end ? single[first + l].item : -1;
    add_tile(s, (enum tree_kind)single[first].kind[0], item, end - first > 1 ? lanes : 1);
  }
}

/* Adds the singles of a node: its body, or its joints. Returns their number. */
static int add_single(struct store *s, const struct node *a, struct single *o)
{
  const struct tree_graph *g = s->g;
  const int walk = s->walk[a - s->n->node];
  int count = 0;
  for (int item; (item = item_of_node(s, a, count)) >= 0; count++) {
    if (a->kind != TREE_JOINT) {
      /* sort_by_outer() sorts joints when the kinds of all bodies are known. */
      const int carried = g->carried && g->carried[item];
      *o++ = (struct single){{(int)a->kind, carried}, 0, s->ends[item], walk, item};
      s->kind[item] = 2 * (int)a->kind + carried;
      continue;
    }
    const bool soft = g->soft && g->soft[item], unit = g->unit_columns && g->unit_columns[item];
    const int kind = g->kind ? (int)g->kind[item] : 0, size = 4 * vertex_size(g, item) + 2 * unit + soft;
    *o++ = (struct single){{TREE_JOINT, kind, size, joint_sides(g, item)}, 0, 0, walk, item};
  }
  return count;
}

/* Adds a tile of the outer bodies on this side of a tile of joints, if these are all bodies of the side. */
static void add_beside(struct store *s, const struct tree_tile *t, int side)
{
  int item[ISA_LANES_MAX], used = 0, kind = -1;
  for (int l = 0; l < t->width; l++) {
    const int joint = s->t->item[t->item_first + l];
    const int body = item[l] = joint < 0 ? -1 : s->g->ends[joint][side];
    if (body < 0) continue;
    if (used++ == 0) kind = s->kind[body];
    if (kind < 0 || s->kind[body] != kind || s->outer_side[joint] != side) return;
  }
  /* Lane 0 of a tile is always in use. */
  if (used < plan_enough(s->p->lanes) || item[0] < 0) return;
  add_tile(s, (enum tree_kind)(kind / 2), item, t->width);
  for (int l = 0; l < t->width; l++)
    if (item[l] >= 0) s->kind[item[l]] = -1;
}

/* Rigid joints without an outer body come last, in the order of the walk. Soft joints are sorted by their bodies, too: so the
 * spring of a joint has the lane of that joint. */
static void sort_by_outer(const struct store *s, struct single *o)
{
  const int outer = s->outer_side[o->item], side = outer < 0 ? 1 : outer, body = s->g->ends[o->item][side];
  const bool soft = s->g->soft && s->g->soft[o->item], sorted = body >= 0 && (outer >= 0 || soft);
  o->outer = sorted ? TREE_SIDES * s->kind[body] + side : INT_MAX;
  o->ends = sorted ? s->ends[body] : 0;
}

static void add_all_singles(struct store *s, struct single *single, int count)
{
  int leaves = 0, joints = 0, left = 0;
  for (int i = 0; i < count; i++) {
    leaves += single[i].kind[0] == TREE_LEAF;
    joints += single[i].kind[0] == TREE_JOINT;
    if (single[i].kind[0] == TREE_JOINT) sort_by_outer(s, &single[i]);
  }
  /* Joints first, then their outer bodies, then all other bodies. */
  if (count > 1) qsort(single, (size_t)count, sizeof *single, by_kind);
  add_singles(s, single + leaves, joints);
  for (int i = 0, tiles = s->t->tiles; i < tiles; i++)
    for (int side = 0; side < s->t->tile[i].sides && s->t->tile[i].width > 1; side++)
      add_beside(s, &s->t->tile[i], side);
  for (int i = 0; i < count; i++)
    if (single[i].kind[0] != TREE_JOINT && s->kind[single[i].item] >= 0) single[left++] = single[i];
  add_singles(s, single, left);
}

/* Counts the joints at each body, and finds outer bodies. The last side of a joint has precedence: most models describe a tree
 * from the ground outwards. */
static bool find_outer_bodies(struct store *s)
{
  const struct tree_graph *g = s->g;
  s->ends = calloc((size_t)g->bodies + 1, sizeof *s->ends);
  s->kind = calloc((size_t)g->bodies + 1, sizeof *s->kind);
  s->outer_side = calloc((size_t)g->joints + 1, sizeof *s->outer_side);
  if (!s->ends || !s->kind || !s->outer_side) return false;
  /* A body that has its inner joint has the kind -1. */
  for (int j = 0; j < g->joints; j++) {
    s->outer_side[j] = -1;
    for (int side = joint_sides(g, j) - 1; side >= 0; side--) {
      const int body = g->ends[j][side];
      if (body < 0) continue;
      s->ends[body]++;
      if (s->kind[body] < 0 || s->outer_side[j] >= 0) continue;
      s->kind[body] = -1;
      s->outer_side[j] = side;
    }
  }
  for (int j = 0; j < g->joints; j++)
    if (s->outer_side[j] >= 0 && s->ends[g->ends[j][s->outer_side[j]]] > MANY) s->outer_side[j] = -1;
  return true;
}

bool order_allocate(struct tree_order *o, size_t tiles)
{
  o->tile = calloc(tiles + 1, sizeof *o->tile);
  o->run_end = calloc(tiles + 1, sizeof *o->run_end);
  return o->tile && o->run_end;
}

static bool allocate_tiles(struct store *s)
{
  struct tree *t = s->t;
  size_t bodies = (size_t)t->bodies + 1, joints = (size_t)t->joints + 1, items = bodies + joints;
  /* In the worst case each item is a tile of its own. */
  t->tile = calloc(items, sizeof *t->tile);
  t->item = calloc(items * (size_t)t->lanes, sizeof *t->item);
  t->body = calloc(bodies, sizeof *t->body);
  t->joint = calloc(joints, sizeof *t->joint);
  t->tile_of_joint = calloc(joints, sizeof *t->tile_of_joint);
  t->after = calloc(joints, sizeof *t->after);
  t->hub_at = calloc(bodies, sizeof *t->hub_at);
  t->carried_at = calloc(bodies, sizeof *t->carried_at);
  return t->tile && t->item && t->body && t->joint && t->tile_of_joint && t->after && t->hub_at &&
         t->carried_at && order_allocate(&t->stored_bodies, items) &&
         order_allocate(&t->stored_joints, items);
}

static void link_joints(const struct store *s)
{
  for (int i = 0; i < s->n->count; i++) {
    const struct node *a = &s->n->node[i];
    for (int m = 0, joint; a->kind == TREE_JOINT && (joint = item_of_node(s, a, m)) >= 0; m++)
      s->t->after[joint] = item_of_node(s, a, m + 1);
  }
}

bool store_build(const struct tree_graph *g, const struct bundles *bundles, const struct nodes *n,
                 const struct plan *p, const int *walk, struct tree *t)
{
  struct store s = {.g = g, .bundles = bundles, .n = n, .p = p, .walk = walk, .t = t};
  struct single *single = calloc((size_t)(g->bodies + g->joints) + 1, sizeof *single);
  int singles = 0;
  bool good = find_outer_bodies(&s) && single && allocate_tiles(&s);
  /* Keep the lanes of packed groups, and collect all other nodes one by one. */
  for (int i = 0; good && i < p->groups; i++) {
    const struct group_plan *o = &p->group[i];
    if (o->packed) add_nodes(&s, o);
    for (int l = 0; l < o->width && !o->packed; l++)
      if (o->node[l] >= 0) singles += add_single(&s, &n->node[o->node[l]], single + singles);
  }
  /* Sort the single nodes by kind. After that all offsets are known. */
  if (good) {
    add_all_singles(&s, single, singles);
    place_all(&s);
    place_items(t);
    link_joints(&s);
  }
  free(single);
  free(s.ends);
  free(s.outer_side);
  free(s.kind);
  return good;
}
