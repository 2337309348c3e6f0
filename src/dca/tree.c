/* SPDX-License-Identifier: MIT
 * From an elimination order to nodes with places for everything. */
#include "dca/order.h"

#include <stdlib.h>

static _Thread_local const int *sort_rank; /* qsort has no context argument */

static int by_rank(const void *a, const void *b)
{
  return sort_rank[*(const int *)a] - sort_rank[*(const int *)b];
}

static void sort_by_rank(struct list *l, const int *rank)
{
  sort_rank = rank;
  if (l->count > 1) qsort(l->item, (size_t)l->count, sizeof(int), by_rank);
}

struct build {
  const struct tree_graph *g;
  struct order o;
  struct tree *t;
  int *place; /* (vertices) offset in the front being laid out */
  int *at;    /* (vertices) offset in the vector of unknowns; -1: leaf */
  int borders, children, couples;
};

static bool is_leaf(const struct build *b, int v)
{
  int body = v - b->g->joints;
  if (body >= 0 && b->g->carried && b->g->carried[body]) return false;
  return body >= 0 && b->o.child[v].count == 0;
}

static bool count_and_allocate(struct build *b)
{
  struct tree *t = b->t;
  int n = b->o.vertices;
  size_t borders = 0, children = 0;
  for (int v = 0; v < n; v++) {
    borders += (size_t)b->o.border[v].count;
    children += (size_t)b->o.child[v].count;
  }
  t->nodes = n;
  t->node = calloc((size_t)n + 1, sizeof *t->node);
  t->border = calloc(borders + 1, sizeof *t->border);
  t->child = calloc(children + 1, sizeof *t->child);
  t->couple = calloc(TREE_SIDES * (size_t)t->joints + 1, sizeof *t->couple);
  t->carried_at = calloc((size_t)t->bodies + 1, sizeof *t->carried_at);
  t->order = calloc((size_t)n + 1, sizeof *t->order);
  b->place = calloc((size_t)n + 1, sizeof *b->place);
  b->at = calloc((size_t)n + 1, sizeof *b->at);
  return t->node && t->border && t->child && t->couple && t->carried_at && t->order && b->place && b->at;
}

static void place_unknowns(struct build *b)
{
  const struct tree_graph *g = b->g;
  int at = g->first[g->joints];
  for (int j = 0; j < g->joints; j++) b->at[j] = g->first[j];
  for (int v = g->joints; v < b->o.vertices; v++) {
    b->at[v] = is_leaf(b, v) ? -1 : at;
    if (!is_leaf(b, v)) at += TREE_Y;
    int body = v - g->joints;
    bool carried = g->carried && g->carried[body];
    b->t->carried_at[body] = carried ? b->at[v] : -1;
    b->t->carried += carried;
  }
  b->t->unknowns = at;
}

static struct tree_couple couple(const struct build *b, int joint, int side, int at)
{
  const struct tree_graph *g = b->g;
  size_t J = g->jacobian ? g->jacobian[joint] : 2 * TREE_Y * (size_t)g->first[joint];
  return (struct tree_couple){.J = J + TREE_Y * (size_t)side,
                              .rows = vertex_size(g, joint),
                              .stride = TREE_Y * (g->sides ? g->sides[joint] : 2),
                              .at = at};
}

/* Jacobian blocks first used at this node. */
static void lay_couples(struct build *b, struct tree_node *node, int v)
{
  const struct tree_graph *g = b->g;
  struct tree *t = b->t;
  node->couple_first = b->couples;
  if (node->kind == TREE_JOINT) {
    for (int side = 0; side < TREE_SIDES; side++) {
      int body = g->ends[v][side];
      if (body >= 0 && b->o.rank[g->joints + body] > b->o.rank[v])
        t->couple[b->couples++] = couple(b, v, side, b->place[g->joints + body]);
    }
  } else {
    for (int i = 0; i < b->o.border[v].count; i++) {
      int j = b->o.border[v].item[i];
      if (j >= g->joints) continue; /* another hub, reached through an eliminated joint */
      for (int side = 0; side < TREE_SIDES; side++)
        if (g->ends[j][side] == v - g->joints) t->couple[b->couples++] = couple(b, j, side, b->place[j]);
    }
  }
  node->couple_end = b->couples;
}

static void lay_node(struct build *b, int rank)
{
  const struct tree_graph *g = b->g;
  struct tree *t = b->t;
  int v = b->o.vertex[rank];
  struct list *border = &b->o.border[v], *child = &b->o.child[v];
  struct tree_node *node = &t->node[rank];
  sort_by_rank(border, b->o.rank);
  sort_by_rank(child, b->o.rank);
  node->kind = v < g->joints ? TREE_JOINT : is_leaf(b, v) ? TREE_LEAF : TREE_HUB;
  node->index = v < g->joints ? v : v - g->joints;
  node->pivot = node->kind == TREE_LEAF ? 0 : vertex_size(g, v);
  node->at = b->at[v];
  node->parent = border->count ? b->o.rank[border->item[0]] : -1;

  int front = node->pivot;
  b->place[v] = 0;
  node->border_first = b->borders;
  for (int i = 0; i < border->count; i++) {
    int u = border->item[i], size = vertex_size(g, u);
    b->place[u] = front;
    t->border[b->borders++] = (struct tree_border){.size = size, .at = b->at[u]};
    front += size;
  }
  node->border_end = b->borders;
  node->border = front - node->pivot;

  node->child_first = b->children;
  for (int i = 0; i < child->count; i++) {
    int r = b->o.rank[child->item[i]];
    struct tree_node *below = &t->node[r];
    t->child[b->children++] = r;
    if (below->level >= node->level) node->level = below->level + 1;
    for (int k = 0; k < b->o.border[child->item[i]].count; k++)
      t->border[below->border_first + k].parent_at = b->place[b->o.border[child->item[i]].item[k]];
  }
  node->child_end = b->children;
  lay_couples(b, node, v);

  double p = node->pivot, m = node->border;
  node->flops =
      node->kind == TREE_LEAF ? m * (2 * 13 + 7 * (m + 1)) : p * p * p / 3 + p * p * m * 2 + p * m * (m + 1);
  node->front = t->front_size;
  node->vector = t->vector_size;
  /* a leaf keeps delta J' (border x 7) behind its matrix */
  t->front_size +=
      (size_t)front * (size_t)front + (node->kind == TREE_LEAF ? (size_t)(TREE_Y * node->border) : 0);
  t->vector_size += (size_t)front;
  t->flops += node->flops;
  if (node->level >= t->levels) t->levels = node->level + 1;
}

static bool lay_levels(struct tree *t)
{
  t->level_first = calloc((size_t)t->levels + 2, sizeof *t->level_first);
  t->level_flops = calloc((size_t)t->levels + 1, sizeof *t->level_flops);
  int *fill = calloc((size_t)t->levels + 2, sizeof *fill);
  bool ok = t->level_first && t->level_flops && fill;
  if (ok) {
    for (int i = 0; i < t->nodes; i++) {
      t->level_first[t->node[i].level + 1]++;
      t->level_flops[t->node[i].level] += t->node[i].flops;
    }
    for (int l = 0; l < t->levels; l++) fill[l + 1] = t->level_first[l + 1] += t->level_first[l];
    for (int i = 0; i < t->nodes; i++) t->order[fill[t->node[i].level]++] = i;
  }
  free(fill);
  return ok;
}

struct tree *tree_build(const struct tree_graph *g)
{
  struct build b = {.g = g};
  if (!order_compute(g, &b.o)) return NULL;
  b.t = calloc(1, sizeof *b.t);
  bool ok = b.t != NULL;
  if (ok) {
    *b.t = (struct tree){.bodies = g->bodies, .joints = g->joints, .rows = g->first[g->joints]};
    ok = count_and_allocate(&b);
  }
  if (ok) {
    place_unknowns(&b);
    for (int rank = 0; rank < b.t->nodes; rank++) lay_node(&b, rank);
    ok = lay_levels(b.t);
  }
  free(b.place);
  free(b.at);
  order_free(&b.o);
  if (!ok) {
    tree_free(b.t);
    return NULL;
  }
  return b.t;
}

void tree_free(struct tree *t)
{
  if (!t) return;
  free(t->node);
  free(t->border);
  free(t->child);
  free(t->couple);
  free(t->carried_at);
  free(t->order);
  free(t->level_first);
  free(t->level_flops);
  free(t);
}
