/* SPDX-License-Identifier: MIT
 * Builds nodes with boundaries and children from an elimination order. Boundaries are sorted by vertex, not by rank, so that
 * the left and the right half of a repetitive mechanism get the same shape. */
#include "dca/nodes.h"

#include <math.h>
#include <stdlib.h>

static int compare_ints(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static void sort_ints(struct list *l)
{
  if (l->count > 1) qsort(l->item, (size_t)l->count, sizeof(int), compare_ints);
}

static bool node_is_carried(const struct tree_graph *g, int body)
{
  return g->carried && g->carried[body];
}

/* The side at which a joint has a body; -1: none. */
static int side_of_body(const struct tree_graph *g, int joint, int body)
{
  for (int side = 0; side < TREE_SIDES; side++)
    if (g->ends[joint][side] == body) return side;
  return -1;
}

/* A Jacobian block enters at the node of the earlier of its two vertices. */
static int couple_of(const struct tree_graph *g, int v, int u)
{
  if (v < g->joints && u >= g->joints) return side_of_body(g, v, u - g->joints);
  if (v >= g->joints && u < g->joints) return side_of_body(g, u, v - g->joints);
  return -1;
}

static void build_node(struct nodes *n, const struct order *o, int rank, int *boundaries, int *children)
{
  const struct tree_graph *g = n->graph;
  struct node *a = &n->node[rank];
  int v = o->vertex[rank], at;
  struct list *boundary = &o->boundary[v], *child = &o->child[v];
  /* Kind: a body without children is a leaf if it is not carried. A leaf has no pivot. */
  bool body = v >= g->joints;
  sort_ints(boundary);
  a->vertex = v;
  a->kind = !body                                                     ? TREE_JOINT
            : child->count == 0 && !node_is_carried(g, v - g->joints) ? TREE_LEAF
                                                                      : TREE_HUB;
  a->pivot = a->kind == TREE_LEAF ? 0 : vertex_size(g, v);
  a->parent = -1;
  /* Boundary, in ascending order of vertices. The parent is the vertex of the boundary that is eliminated first. */
  at = a->pivot;
  a->boundary_first = *boundaries;
  for (int i = 0; i < boundary->count; i++) {
    int u = boundary->item[i], size = vertex_size(g, u);
    n->boundary[(*boundaries)++] =
        (struct edge){.vertex = u, .size = size, .at = at, .couple = couple_of(g, v, u)};
    if (a->parent < 0 || o->rank[u] < a->parent) a->parent = o->rank[u];
    at += size;
  }
  a->boundary_end = *boundaries;
  a->front = at;
  /* Children. */
  a->child_first = *children;
  for (int i = 0; i < child->count; i++) n->child[(*children)++] = o->rank[child->item[i]];
  a->child_end = *children;
  nodes_close(n, a);
}

void nodes_close(const struct nodes *n, struct node *a)
{
  const int children = a->child_end - a->child_first;
  /* Children in ascending order. This order fixes the order of sums. */
  if (children > 1) qsort(n->child + a->child_first, (size_t)children, sizeof(int), compare_ints);
  /* Cost of elimination, for the node alone and for its subtree: whole numbers, so that sums and comparisons of plans are
   * exact, and copies of a mechanism side by side have the plan of one. */
  double p = a->pivot, m = a->front - a->pivot;
  a->flops = a->kind == TREE_LEAF ? m * (2 * 13 + 7 * (m + 1))
                                  : floor(p * p * p / 3) + p * p * m * 2 + p * m * (m + 1);
  a->subtree_flops = a->flops;
  a->level = 0;
  a->size = 1;
  a->widest = a->front;
  for (int i = a->child_first; i < a->child_end; i++) {
    const struct node *below = &n->node[n->child[i]];
    if (below->level >= a->level) a->level = below->level + 1;
    a->size += below->size;
    if (a->widest < below->widest) a->widest = below->widest;
    a->subtree_flops += below->subtree_flops;
  }
}

bool nodes_allocate(struct nodes *n, int nodes, size_t boundaries, size_t children)
{
  n->node = calloc((size_t)nodes + 1, sizeof *n->node);
  n->boundary = calloc(boundaries + 1, sizeof *n->boundary);
  n->child = calloc(children + 1, sizeof *n->child);
  const size_t vertices = (size_t)n->graph->joints + (size_t)n->graph->bodies;
  n->after = malloc((vertices + 1) * sizeof *n->after);
  if (!n->node || !n->boundary || !n->child || !n->after) return false;
  for (size_t v = 0; v < vertices; v++) n->after[v] = -1;
  return true;
}

bool nodes_build(const struct tree_graph *g, struct order_rule rule, struct nodes *n)
{
  struct order o;
  size_t boundaries = 0, children = 0;
  int b = 0, c = 0;
  *n = (struct nodes){.graph = g};
  /* Compute the elimination order. */
  if (!order_compute(g, rule, &o)) return false;
  n->count = o.vertices;
  /* Allocate all boundaries and children. */
  for (int v = 0; v < o.vertices; v++) {
    boundaries += (size_t)o.boundary[v].count;
    children += (size_t)o.child[v].count;
  }
  bool ok = nodes_allocate(n, n->count, boundaries, children);
  /* Build the nodes by rank, so that children come before parents. */
  for (int rank = 0; ok && rank < n->count; rank++) build_node(n, &o, rank, &b, &c);
  order_free(&o);
  if (!ok) nodes_free(n);
  return ok;
}

void nodes_sort_boundary(struct nodes *n, int i, const int *rank)
{
  const struct node *a = &n->node[i];
  struct edge *boundary = n->boundary + a->boundary_first;
  const int count = a->boundary_end - a->boundary_first;
  for (int k = 1; k < count; k++) {
    const struct edge e = boundary[k];
    int to = k;
    for (; to > 0 && rank[boundary[to - 1].vertex] > rank[e.vertex]; to--) boundary[to] = boundary[to - 1];
    boundary[to] = e;
  }
  for (int k = 0, at = a->pivot; k < count; at += boundary[k++].size) {
    boundary[k].at = at;
    boundary[k].position = k;
  }
}

bool plan_sort_boundaries(struct nodes *n, const struct plan *p)
{
  int *rank = calloc((size_t)n->graph->joints + (size_t)n->graph->bodies + 1, sizeof *rank);
  if (!rank) return false;
  for (int i = 0, next = 0; i < n->count; i++)
    for (int v = n->node[i].vertex; v >= 0; v = n->after[v]) rank[v] = next++;
  for (int i = 0; i < n->count; i++) {
    const int parent = n->node[i].parent;
    const bool lone = p->group[p->group_of[i]].width == 1;
    if (lone && (parent < 0 || p->group[p->group_of[parent]].width == 1)) nodes_sort_boundary(n, i, rank);
  }
  free(rank);
  return true;
}

void nodes_free(struct nodes *n)
{
  free(n->node);
  free(n->boundary);
  free(n->child);
  free(n->after);
  *n = (struct nodes){0};
}
