/* SPDX-License-Identifier: MIT
 * Set-up only: storage for everything, tile by tile, and where each tile finds what it needs. */
#include "dca/nodes.h"

#include <stdlib.h>
#include <string.h>

struct build {
  const struct tree_graph *g;
  struct nodes n;
  struct plan p;
  struct tree *t;
  int branches, pulls, couples, items, places, tos;
  struct list list; /* becomes tree.list */
  int *source[2],
      *count; /* (largest front, elements) first two children that add to a place, and how many do */
  struct list more;
};

static const struct node *template_of(const struct build *b, int tile)
{
  return &b->n.node[b->p.tile[tile].node[0]];
}

/* All tiles with many lanes, then all with one: so every tile of many begins at a multiple of them. */
static void place_tiles(struct build *b, enum tree_kind kind, bool soft,
                        void (*place)(struct build *b, int tile))
{
  for (int wide = 1; wide >= 0; wide--)
    for (int i = 0; i < b->t->tiles; i++) {
      struct tree_tile *t = &b->t->tile[i];
      if (t->kind == kind && t->soft == soft && (t->width > 1) == wide) place(b, i);
    }
}

static int align(int n, int lanes)
{
  return (n + lanes - 1) / lanes * lanes;
}

static void place_joint(struct build *b, int tile)
{
  struct tree *t = b->t;
  struct tree_tile *o = &t->tile[tile];
  o->at = t->rows;
  t->rows += o->pivot * o->width;
  t->joint_tile[t->joint_tiles++] = tile;
}

static void place_body(struct build *b, int tile)
{
  struct tree *t = b->t;
  t->tile[tile].slot = t->slots;
  t->slots += t->tile[tile].width;
  t->body_tile[t->body_tiles++] = tile;
}

static void place_hub(struct build *b, int tile)
{
  struct tree *t = b->t;
  t->tile[tile].at = t->unknowns;
  t->unknowns += TREE_Y * t->tile[tile].width;
}

/* Offsets that need no order but that of width. */
static void place_numbers(struct build *b, bool wide)
{
  struct tree *t = b->t;
  for (int i = 0; i < t->tiles; i++) {
    struct tree_tile *o = &t->tile[i];
    size_t width = (size_t)o->width, n = (size_t)(o->pivot + o->border);
    if ((o->width > 1) != wide) continue;
    o->front = t->front_size;
    t->front_size += width * (n * (n + 1) / 2 + (o->kind == TREE_LEAF ? TREE_Y * n : 0));
    o->vector = t->vector_size;
    if (o->kind != TREE_LEAF) t->vector_size += width * n;
    if (o->kind != TREE_JOINT) continue;
    o->jacobian = t->jacobian;
    t->jacobian += width * (size_t)(TREE_Y * o->pivot * o->sides);
    o->load = t->load;
    t->load += width * (size_t)(TREE_Y * o->sides);
  }
}

static void describe_tile(struct build *b, int tile)
{
  const struct tile_plan *p = &b->p.tile[tile];
  const struct node *a = template_of(b, tile);
  const struct tree_graph *g = b->g;
  struct tree_tile *o = &b->t->tile[tile];
  bool joint = a->kind == TREE_JOINT;
  *o = (struct tree_tile){.kind = a->kind,
                          .width = p->width,
                          .item_first = b->items,
                          .used = p->used,
                          .pivot = a->pivot,
                          .border = a->front - a->pivot,
                          .at = -1,
                          .slot = -1};
  if (joint) {
    o->sides = joint_sides(g, a->vertex);
    o->soft = g->soft && g->soft[a->vertex];
  } else {
    o->carried = g->carried && g->carried[a->vertex - g->joints];
  }
  for (int l = 0; l < p->width; l++) {
    int v = p->node[l] < 0 ? -1 : b->n.node[p->node[l]].vertex;
    b->t->item[b->items++] = v < 0 ? -1 : joint ? v : v - g->joints;
    if (p->node[l] >= 0) o->flops += b->n.node[p->node[l]].flops;
  }
  b->t->flops += o->flops;
}

static void place_items(struct build *b)
{
  struct tree *t = b->t;
  for (int i = 0; i < t->tiles; i++) {
    const struct tree_tile *o = &t->tile[i];
    for (int l = 0; l < o->width; l++) {
      int item = t->item[o->item_first + l];
      if (item < 0) continue;
      if (o->kind == TREE_JOINT) {
        t->joint[item] =
            (struct tree_joint){o->at + l, o->width, o->jacobian + (size_t)l, o->load + (size_t)l};
        continue;
      }
      t->body[item] = (struct tree_body){o->slot, o->width, l};
      t->hub_at[item] = o->kind == TREE_HUB ? o->at + l : -1;
      t->carried_at[item] = o->carried ? o->at + l : -1;
      t->carried += o->carried;
      t->hubs += o->kind == TREE_HUB;
    }
  }
  t->body[t->bodies] = (struct tree_body){t->slots, 1, 0};
  t->slots++;
}

/* Takes the places of one thing a tile refers to, a lane each. Lanes that have none take what lies beside that of the
 * first lane, if it belongs to a lane not in use there, whose numbers are 0; so the whole stays one plain load. */
struct places {
  struct lane_at *at;
  int width;
  const struct tree_tile *first; /* tile in whose lane 0 the first lane finds it */
  bool own; /* every lane of it belongs to the same lane here, and its numbers are multiplied by 0 */
  bool used[ISA_LANES_MAX];
};

static bool close_places(struct build *b, const struct places *p, size_t zero)
{
  size_t width = (size_t)p->width;
  if (!p->used[0]) p->at[0] = (struct lane_at){zero, 0};
  bool aligned = p->at[0].stride == width && p->at[0].at % width == 0;
  for (int l = 1; l < p->width; l++) {
    if (!p->used[l]) {
      bool beside = aligned && p->first && p->first->width == p->width &&
                    (p->own || b->t->item[p->first->item_first + l] < 0);
      p->at[l] = beside ? (struct lane_at){p->at[0].at + (size_t)l, width} : (struct lane_at){zero, 0};
    }
    aligned &= p->at[l].stride == width && p->at[l].at == p->at[0].at + (size_t)l;
  }
  return aligned;
}

static struct places take_places(struct build *b, int width)
{
  struct places p = {.at = b->t->place + b->places, .width = width};
  b->places += width;
  return p;
}

/* The node that lane l of a tile has as child c of the template; -1: none. */
static int child_of(const struct build *b, int tile, int c, int l)
{
  const struct tile_plan *p = &b->p.tile[tile];
  const struct node *a = template_of(b, tile);
  int below = b->n.child[a->child_first + c];
  if (p->node[l] < 0) return -1;
  if (p->packed) return b->p.tile[b->p.tile_of[below]].node[l];
  return b->n.child[b->n.node[p->node[l]].child_first + c];
}

static void lay_branch(struct build *b, int tile, int c)
{
  struct tree *t = b->t;
  struct tree_tile *o = &t->tile[tile];
  const struct node *a = template_of(b, tile);
  int child = b->n.child[a->child_first + c];
  const struct node *layout = template_of(b, b->p.tile_of[child]);
  struct tree_branch *r = &t->branch[b->branches++];
  *r = (struct tree_branch){
      .leaf = layout->kind == TREE_LEAF, .pivot = layout->pivot, .border = layout->front - layout->pivot};
  r->to = t->to + b->tos;
  for (int i = layout->border_first; i < layout->border_end; i++) {
    int place = plan_place(&b->n, a, &b->n.node[child], i - layout->border_first);
    /* what it has not is 0, and 0 fits anywhere */
    for (int k = 0; k < b->n.border[i].size; k++) t->to[b->tos++] = place < 0 ? 0 : place + k;
  }
  r->into = t->to + b->tos;
  for (int i = 0; i < r->border; i++)
    for (int k = 0; k <= i; k++) {
      int row = r->to[i] > r->to[k] ? r->to[i] : r->to[k], column = r->to[i] + r->to[k] - row;
      t->to[b->tos++] = row * (row + 1) / 2 + column;
    }
  struct places front = take_places(b, o->width), vector = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    int node = child_of(b, tile, c, l);
    if (node < 0) continue;
    const struct tree_tile *from = &t->tile[b->p.tile_of[node]];
    size_t lane = (size_t)b->p.lane_of[node], width = (size_t)from->width;
    if (o->level <= from->level) o->level = from->level + 1; /* of any lane, not of the first alone */
    front.at[l] = (struct lane_at){from->front + lane, width};
    vector.at[l] = (struct lane_at){from->vector + lane, width};
    front.used[l] = vector.used[l] = true;
    if (l == 0 && lane == 0) front.first = vector.first = from;
  }
  r->aligned = close_places(b, &front, t->front_size);
  close_places(b, &vector, t->vector_size);
  r->front = front.at;
  r->vector = vector.at;
}

/* The border of lane l that takes slot `slot` of the template; NULL: none. */
static const struct edge *edge_of(const struct build *b, int tile, int slot, int l)
{
  int node = b->p.tile[tile].node[l];
  if (node < 0) return NULL;
  const struct node *a = &b->n.node[node];
  for (int i = a->border_first; i < a->border_end; i++)
    if (b->n.border[i].slot == slot) return &b->n.border[i];
  return NULL;
}

static void lay_pull(struct build *b, int tile, int slot)
{
  struct tree *t = b->t;
  const struct tree_tile *o = &t->tile[tile];
  struct tree_pull *r = &t->pull[b->pulls++];
  r->size = b->n.border[template_of(b, tile)->border_first + slot].size;
  struct places p = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, tile, slot, l);
    if (!e) continue;
    int parent = b->n.node[b->p.tile[tile].node[l]].parent;
    int above = b->p.tile_of[parent], place = 0;
    if (e->vertex != b->n.node[parent].vertex) /* where the template of the parent's tile has it */
      for (int i = b->n.node[parent].border_first; i < b->n.node[parent].border_end; i++)
        if (b->n.border[i].vertex == e->vertex)
          place = b->n.border[template_of(b, above)->border_first + b->n.border[i].slot].at;
    const struct tree_tile *from = &t->tile[above];
    p.at[l] = (struct lane_at){from->vector + (size_t)(place * from->width + b->p.lane_of[parent]),
                               (size_t)from->width};
    p.used[l] = true;
    if (l == 0 && b->p.lane_of[parent] == 0) {
      p.first = from;
      p.own = b->p.tile[above].packed;
    }
  }
  r->aligned = close_places(b, &p, t->vector_size);
  r->vector = p.at;
}

static void lay_couple(struct build *b, int tile, int slot)
{
  struct tree *t = b->t;
  const struct tree_tile *o = &t->tile[tile];
  const struct node *a = template_of(b, tile);
  const struct edge *f = &b->n.border[a->border_first + slot];
  if (f->couple < 0) return;
  int joint = a->kind == TREE_JOINT ? a->vertex : f->vertex;
  struct tree_couple *r = &t->couple[b->couples++];
  *r = (struct tree_couple){
      .rows = vertex_size(b->g, joint), .stride = TREE_Y * joint_sides(b->g, joint), .at = f->at};
  struct places p = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, tile, slot, l);
    if (!e || e->couple < 0) continue;
    joint = a->kind == TREE_JOINT ? b->n.node[b->p.tile[tile].node[l]].vertex : e->vertex;
    const struct tree_joint *j = &t->joint[joint];
    p.at[l] = (struct lane_at){j->jacobian + (size_t)(TREE_Y * e->couple * j->width), (size_t)j->width};
    p.used[l] = true;
    if (l == 0 && t->item[t->tile[t->tile_of_joint[joint]].item_first] == joint)
      p.first = &t->tile[t->tile_of_joint[joint]];
  }
  r->aligned = close_places(b, &p, t->jacobian);
  r->J = p.at;
}

/* Notes that child element `source` is added to place `to`. */
static bool add_source(struct build *b, int to, int source)
{
  int k = b->count[to]++;
  if (k < 2) {
    b->source[k][to] = source;
    return true;
  }
  return list_push(&b->more, to) && list_push(&b->more, source);
}

static bool close_sum(struct build *b, int places, struct tree_sum *o)
{
  bool good = true;
  o->first = b->list.count;
  for (int kind = 0; kind <= 2; kind++)
    for (int i = 0; i < places && good; i++) {
      int count = b->count[i] < 2 ? b->count[i] : 2;
      if (count != kind) continue;
      *(kind == 0 ? &o->none : kind == 1 ? &o->one : &o->two) += 1;
      good = list_push(&b->list, i);
      for (int k = 0; k < kind && good; k++) good = list_push(&b->list, b->source[k][i]);
    }
  for (int i = 0; i < b->more.count && good; i++) good = list_push(&b->list, b->more.item[i]);
  o->more = b->more.count / 2;
  return good;
}

static void open_sum(struct build *b, int places)
{
  memset(b->count, 0, (size_t)places * sizeof *b->count);
  b->more.count = 0;
}

static bool lay_sum(struct build *b, int tile)
{
  struct tree *t = b->t;
  struct tree_tile *o = &t->tile[tile];
  int n = o->pivot + o->border;
  bool good = true;
  o->sum.aligned = o->kind != TREE_LEAF;
  for (int r = o->child_first; r < o->child_end; r++) o->sum.aligned &= t->branch[r].aligned;
  if (o->sum.aligned) {
    open_sum(b, n * (n + 1) / 2);
    for (int r = o->child_first; r < o->child_end; r++) {
      const struct tree_branch *c = &t->branch[r];
      const int *into = c->into;
      for (int i = 0; i < c->border; i++)
        for (int k = 0; k <= i && good; k++) {
          int row = c->pivot + i, e = row * (row + 1) / 2 + c->pivot + k;
          good = add_source(b, *into++, (int)c->front->at + e * o->width);
        }
    }
    good = good && close_sum(b, n * (n + 1) / 2, &o->sum);
  }
  return good;
}

static void lay_tile(struct build *b, int tile)
{
  struct tree_tile *o = &b->t->tile[tile];
  const struct node *a = template_of(b, tile);
  o->child_first = b->branches;
  for (int c = 0; c < a->child_end - a->child_first; c++) lay_branch(b, tile, c);
  o->child_end = b->branches;
  o->bare = true;
  for (int r = o->child_first; r < o->child_end; r++) o->bare &= b->t->branch[r].leaf;
  o->pull_first = b->pulls;
  for (int i = 0; i < a->border_end - a->border_first && o->kind != TREE_LEAF; i++) lay_pull(b, tile, i);
  o->pull_end = b->pulls;
  o->couple_first = b->couples;
  for (int i = 0; i < a->border_end - a->border_first; i++) lay_couple(b, tile, i);
  o->couple_end = b->couples;
  if (b->t->levels <= o->level) b->t->levels = o->level + 1;
}

static bool allocate(struct build *b)
{
  struct tree *t = b->t;
  size_t borders = 1, children = 1, unknowns = 1, items = 1, bodies = (size_t)t->bodies + 1,
         joints = (size_t)t->joints + 1, tiles = (size_t)t->tiles + 1, lanes = (size_t)t->lanes, largest = 1;
  for (int i = 0; i < t->tiles; i++) {
    const struct node *a = template_of(b, i);
    if ((size_t)a->front > largest) largest = (size_t)a->front;
    borders += (size_t)(a->border_end - a->border_first);
    children += (size_t)(a->child_end - a->child_first);
    for (int c = a->child_first; c < a->child_end; c++) {
      size_t n = (size_t)template_of(b, b->p.tile_of[b->n.child[c]])->front;
      unknowns += n + n * (n + 1) / 2;
    }
    items += (size_t)b->p.tile[i].width;
  }
  largest *= (largest + 1) / 2 + 1;
  b->count = calloc(largest, sizeof(int));
  for (int k = 0; k < 2; k++) b->source[k] = calloc(largest, sizeof(int));
  t->tile = calloc(tiles, sizeof *t->tile);
  t->item = calloc(items, sizeof *t->item);
  t->branch = calloc(children, sizeof *t->branch);
  t->pull = calloc(borders, sizeof *t->pull);
  t->couple = calloc(borders, sizeof *t->couple);
  t->place = calloc(lanes * 2 * (children + borders), sizeof *t->place);
  t->to = calloc(unknowns, sizeof *t->to);
  t->body = calloc(bodies, sizeof *t->body);
  t->joint = calloc(joints, sizeof *t->joint);
  t->tile_of_joint = calloc(joints, sizeof *t->tile_of_joint);
  t->hub_at = calloc(bodies, sizeof *t->hub_at);
  t->carried_at = calloc(bodies, sizeof *t->carried_at);
  t->body_tile = calloc(tiles, sizeof *t->body_tile);
  t->joint_tile = calloc(tiles, sizeof *t->joint_tile);
  t->run = calloc((size_t)b->p.runs + 1, sizeof *t->run);
  return b->count && b->source[0] && b->source[1] && t->tile && t->item && t->branch && t->pull &&
         t->couple && t->place && t->to && t->body && t->joint && t->tile_of_joint && t->hub_at &&
         t->carried_at && t->body_tile && t->joint_tile && t->run;
}

static void lay_runs(struct build *b)
{
  struct tree *t = b->t;
  t->runs = b->p.runs;
  t->owned = b->p.owned;
  for (int r = 0; r < t->runs; r++) {
    t->run[r] = b->p.run[r];
    for (int i = t->run[r].first; i < t->run[r].end; i++) t->run[r].flops += t->tile[i].flops;
  }
}

static bool lay(struct build *b)
{
  struct tree *t = b->t;
  for (int i = 0; i < t->tiles; i++) describe_tile(b, i);
  place_tiles(b, TREE_JOINT, false, place_joint);
  t->rigid = t->rows;
  t->rigid_tiles = t->joint_tiles;
  t->rows = align(t->rows, t->lanes);
  place_tiles(b, TREE_JOINT, true, place_joint);
  place_tiles(b, TREE_LEAF, false, place_body);
  t->slots = align(t->slots, t->lanes);
  place_tiles(b, TREE_HUB, false, place_body);
  t->unknowns = align(t->rows, t->lanes);
  place_tiles(b, TREE_HUB, false, place_hub);
  place_numbers(b, true);
  place_numbers(b, false);
  place_items(b);
  for (int i = 0; i < t->tiles; i++)
    for (int l = 0; l < t->tile[i].width && t->tile[i].kind == TREE_JOINT; l++)
      if (t->item[t->tile[i].item_first + l] >= 0) t->tile_of_joint[t->item[t->tile[i].item_first + l]] = i;
  for (int i = 0; i < t->tiles; i++) {
    lay_tile(b, i);
    if (!lay_sum(b, i)) return false;
  }
  t->list = b->list.item;
  b->list.item = NULL;
  lay_runs(b);
  return true;
}

struct tree *tree_build(const struct tree_graph *g, int lanes)
{
  struct build b = {.g = g};
  struct tree *t = calloc(1, sizeof *t);
  bool ok = t && nodes_build(g, &b.n);
  if (ok && !plan_build(&b.n, lanes, &b.p)) {
    nodes_free(&b.n);
    ok = false;
  }
  if (ok) {
    *t = (struct tree){
        .bodies = g->bodies, .joints = g->joints, .lanes = lanes, .nodes = b.n.count, .tiles = b.p.tiles};
    b.t = t;
    ok = allocate(&b);
    ok = ok && lay(&b);
    free(b.list.item);
    free(b.more.item);
    free(b.count);
    free(b.source[0]);
    free(b.source[1]);
    plan_free(&b.p);
    nodes_free(&b.n);
  }
  if (ok) return t;
  tree_free(t);
  return NULL;
}

void tree_free(struct tree *t)
{
  if (!t) return;
  free(t->tile);
  free(t->item);
  free(t->branch);
  free(t->pull);
  free(t->couple);
  free(t->place);
  free(t->to);
  free(t->list);
  free(t->body);
  free(t->joint);
  free(t->tile_of_joint);
  free(t->hub_at);
  free(t->carried_at);
  free(t->body_tile);
  free(t->joint_tile);
  free(t->run);
  free(t);
}
