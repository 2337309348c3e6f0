/* SPDX-License-Identifier: MIT
 * Set-up only. Nodes that are computed side by side in a pack are stored like that. Of all others the front
 * does not matter: bodies share a tile with bodies, joints with joints of their kind, in their order. */
#include "dca/tiles.h"

#include <stdlib.h>

struct store {
  const struct nodes *n;
  const struct plan *p;
  struct tree *t;
  int items;
};

/* All tiles with many lanes, then all with one: so every tile of many begins at a multiple of them. */
static void place_tiles(struct store *s, enum tree_kind kind, bool soft,
                        void (*place)(struct tree *t, int tile))
{
  for (int wide = 1; wide >= 0; wide--)
    for (int i = 0; i < s->t->tiles; i++) {
      const struct tree_tile *t = &s->t->tile[i];
      if (t->kind == kind && t->soft == soft && (t->width > 1) == wide) place(s->t, i);
    }
}

static int align_up(int n, int lanes)
{
  return (n + lanes - 1) / lanes * lanes;
}

static void place_joint(struct tree *t, int tile)
{
  struct tree_tile *o = &t->tile[tile];
  o->at = t->rows;
  t->rows += o->rows * o->width;
  o->jacobian = t->jacobian;
  t->jacobian += (size_t)(TREE_Y * o->rows * o->sides * o->width);
  o->end_load = t->end_loads;
  t->end_loads += (size_t)(TREE_Y * o->sides * o->width);
  t->joint_tile[t->joint_tiles++] = tile;
}

static void place_body(struct tree *t, int tile)
{
  t->tile[tile].slot = t->slots;
  t->slots += t->tile[tile].width;
  t->body_tile[t->body_tiles++] = tile;
}

static void place_hub(struct tree *t, int tile)
{
  t->tile[tile].at = t->unknowns;
  t->unknowns += TREE_Y * t->tile[tile].width;
}

static void find_tile_runs(const struct tree *t, const int *tile, int count, int *run_end)
{
  for (int i = count - 1; i >= 0; i--) {
    bool same = i + 1 < count && t->tile[tile[i]].width == t->tile[tile[i + 1]].width;
    run_end[i] = same ? run_end[i + 1] : i + 1;
  }
}

static void place_all(struct store *s)
{
  struct tree *t = s->t;
  place_tiles(s, TREE_JOINT, false, place_joint);
  t->rigid = t->rows;
  t->rigid_tiles = t->joint_tiles;
  t->rows = align_up(t->rows, t->lanes);
  t->jacobian = (size_t)align_up((int)t->jacobian, t->lanes);
  t->end_loads = (size_t)align_up((int)t->end_loads, t->lanes);
  place_tiles(s, TREE_JOINT, true, place_joint);
  place_tiles(s, TREE_LEAF, false, place_body);
  t->slots = align_up(t->slots, t->lanes);
  place_tiles(s, TREE_HUB, false, place_body);
  t->unknowns = align_up(t->rows, t->lanes);
  place_tiles(s, TREE_HUB, false, place_hub);
  find_tile_runs(t, t->body_tile, t->body_tiles, t->body_run_end);
  find_tile_runs(t, t->joint_tile, t->joint_tiles, t->joint_run_end);
}

static void place_items(struct tree *t)
{
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    /* Each item's place follows from its tile and its lane. */
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
  /* One more slot at the end: the ground. */
  t->body[t->bodies] = (struct tree_body){t->slots, 1, 0};
  t->slots++;
}

/* A tile of nodes: a lane each, -1 not in use; the first one says what it is. */
static void add_tile(struct store *s, const int *node, int lanes)
{
  const struct tree_graph *g = s->n->graph;
  const struct node *a = &s->n->node[node[0]];
  struct tree_tile *o = &s->t->tile[s->t->tiles++];
  bool joint = a->kind == TREE_JOINT;
  *o = (struct tree_tile){.kind = a->kind, .width = lanes, .item_first = s->items, .at = -1, .slot = -1};
  if (joint) {
    o->rows = a->pivot;
    o->sides = joint_sides(g, a->vertex);
    o->soft = g->soft && g->soft[a->vertex];
  } else {
    o->carried = g->carried && g->carried[a->vertex - g->joints];
  }
  for (int l = 0; l < lanes; l++) {
    int v = node[l] < 0 ? -1 : s->n->node[node[l]].vertex;
    s->t->item[s->items++] = v < 0 ? -1 : joint ? v : v - g->joints;
    o->used += v >= 0;
  }
}

/* A node that is in no pack. */
struct single {
  uint64_t kind;
  int ends; /* of joints at a body: tiles take the time of the body that has most */
  int vertex, node;
};

static int by_kind(const void *pa, const void *pb)
{
  const struct single *a = pa, *b = pb;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->ends != b->ends) return a->ends - b->ends;
  return a->vertex - b->vertex;
}

static void add_singles(struct store *s, struct single *single, int count)
{
  int lanes = s->p->lanes;
  if (count > 1) qsort(single, (size_t)count, sizeof *single, by_kind);
  for (int first = 0, end; first < count; first = end) {
    int node[ISA_LANES_MAX];
    for (end = first + 1; end < count && end < first + lanes; end++)
      if (single[end].kind != single[first].kind) break;
    if (end - first < plan_enough(lanes)) end = first + 1;
    for (int l = 0; l < ISA_LANES_MAX; l++) node[l] = first + l < end ? single[first + l].node : -1;
    add_tile(s, node, end - first > 1 ? lanes : 1);
  }
}

static int *count_ends(const struct tree_graph *g)
{
  int *ends = calloc((size_t)g->bodies + 1, sizeof *ends);
  for (int j = 0; j < g->joints && ends; j++)
    for (int side = 0; side < joint_sides(g, j); side++)
      if (g->ends[j][side] >= 0) ends[g->ends[j][side]]++;
  return ends;
}

static bool allocate_tiles(struct store *s)
{
  struct tree *t = s->t;
  size_t nodes = (size_t)s->n->count + 1, bodies = (size_t)t->bodies + 1, joints = (size_t)t->joints + 1;
  t->tile = calloc(nodes, sizeof *t->tile);
  t->item = calloc(nodes * (size_t)t->lanes, sizeof *t->item);
  t->body = calloc(bodies, sizeof *t->body);
  t->joint = calloc(joints, sizeof *t->joint);
  t->tile_of_joint = calloc(joints, sizeof *t->tile_of_joint);
  t->hub_at = calloc(bodies, sizeof *t->hub_at);
  t->carried_at = calloc(bodies, sizeof *t->carried_at);
  t->body_tile = calloc(nodes, sizeof *t->body_tile);
  t->joint_tile = calloc(nodes, sizeof *t->joint_tile);
  t->body_run_end = calloc(nodes, sizeof *t->body_run_end);
  t->joint_run_end = calloc(nodes, sizeof *t->joint_run_end);
  return t->tile && t->item && t->body && t->joint && t->tile_of_joint && t->hub_at && t->carried_at &&
         t->body_tile && t->joint_tile && t->body_run_end && t->joint_run_end;
}

bool store_build(const struct nodes *n, const struct plan *p, struct tree *t)
{
  struct store s = {.n = n, .p = p, .t = t};
  struct single *single = calloc((size_t)n->count + 1, sizeof *single);
  int singles = 0, *ends = count_ends(n->graph);
  bool good = single && ends && allocate_tiles(&s);
  /* Packed groups keep their lanes; all other nodes are collected one by one. */
  for (int i = 0; good && i < p->groups; i++) {
    const struct group_plan *o = &p->group[i];
    if (o->packed) add_tile(&s, o->node, o->width);
    for (int l = 0; l < o->width && !o->packed; l++)
      if (o->node[l] >= 0) {
        const struct node *a = &n->node[o->node[l]];
        int body = a->vertex - n->graph->joints;
        single[singles++] = (struct single){nodes_class(n, a), body < 0 ? 0 : ends[body], a->vertex, o->node[l]};
      }
  }
  /* Single nodes are sorted by kind, and only then places are known. */
  if (good) {
    add_singles(&s, single, singles);
    place_all(&s);
    place_items(t);
  }
  free(single);
  free(ends);
  return good;
}
