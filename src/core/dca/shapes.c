/* SPDX-License-Identifier: MIT
 * Set-up only: shapes of nodes, fronts and subtrees, and the search for a subtree that fits into another one. */
#include "dca/shapes.h"

static uint64_t hash_mix(uint64_t h, uint64_t x)
{
  h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

static const struct edge *edge_at(const struct nodes *n, const struct node *a, int i)
{
  return &n->boundary[a->boundary_first + i];
}

/* The index of vertex v in the boundary of a; -1: none. Boundaries are sorted by vertex until lone groups sort theirs. */
static int find_boundary(const struct nodes *n, const struct node *a, int v)
{
  int low = a->boundary_first, high = a->boundary_end;
  while (low < high) {
    int middle = (low + high) / 2;
    if (n->boundary[middle].vertex < v)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < a->boundary_end && n->boundary[low].vertex == v) return low - a->boundary_first;
  for (low = a->boundary_first; low < a->boundary_end && n->boundary[low].vertex != v;) low++;
  return low < a->boundary_end ? low - a->boundary_first : -1;
}

int nodes_front_row(const struct nodes *n, const struct node *a, int v)
{
  int at = 0;
  for (int own = a->vertex; own >= 0; own = n->after[own]) {
    if (own == v) return at;
    at += vertex_size(n->graph, own);
  }
  return edge_at(n, a, find_boundary(n, a, v))->at;
}

/* Hash of the eliminated vertices, without their boundaries. */
uint64_t nodes_class(const struct nodes *n, const struct node *a)
{
  const struct tree_graph *g = n->graph;
  uint64_t h = hash_mix((uint64_t)a->kind, (uint64_t)a->pivot);
  if (a->kind == TREE_JOINT) {
    for (int v = a->vertex; v >= 0; v = n->after[v]) {
      if (v != a->vertex) h = hash_mix(h, (uint64_t)vertex_size(g, v));
      h = hash_mix(h, g->kind ? g->kind[v] : 0);
      h = hash_mix(h, g->soft && g->soft[v]);
      h = hash_mix(h, (uint64_t)joint_sides(g, v));
    }
    return h;
  }
  return hash_mix(h, g->carried && g->carried[a->vertex - g->joints]);
}

/* Rows and stride of a boundary's Jacobian block; 0: none. */
static uint64_t couple_shape(const struct nodes *n, const struct node *a, const struct edge *e)
{
  const struct tree_graph *g = n->graph;
  if (e->couple < 0) return 0;
  int joint = a->kind == TREE_JOINT ? a->vertex : e->vertex;
  bool unit_columns = g->unit_columns && g->unit_columns[joint];
  uint64_t h = hash_mix(1, (uint64_t)vertex_size(g, joint));
  h = hash_mix(h, g->signature ? g->signature[joint] : 0);
  h = hash_mix(h, (uint64_t)joint_sides(g, joint));
  return hash_mix(h, (uint64_t)(unit_columns ? 2 + e->couple : 0));
}

static uint64_t shape_of_node(const struct nodes *n, const struct node *a)
{
  uint64_t h = hash_mix(nodes_class(n, a), (uint64_t)(a->boundary_end - a->boundary_first));
  for (int i = a->boundary_first; i < a->boundary_end; i++) {
    const struct edge *e = &n->boundary[i];
    h = hash_mix(h, (uint64_t)e->size);
    h = hash_mix(h, vertex_is_body(n, e->vertex));
    h = hash_mix(h, couple_shape(n, a, e));
  }
  return h;
}

void shapes_of_subtrees(const struct nodes *n, uint64_t *shape)
{
  for (int i = 0; i < n->count; i++) {
    const struct node *a = &n->node[i];
    uint64_t h = shape_of_node(n, a);
    for (int c = a->child_first; c < a->child_end; c++) {
      const struct node *b = &n->node[n->child[c]];
      h = hash_mix(h, shape[n->child[c]]);
      for (int e = b->boundary_first; e < b->boundary_end; e++)
        h = hash_mix(h, (uint64_t)nodes_front_row(n, a, n->boundary[e].vertex));
    }
    shape[i] = h;
  }
}

/* Maps the boundaries of child b of B to boundaries of child a of A, by the map from B's boundaries to A's. */
static bool map_child(struct nodes *n, const struct node *A, const struct node *B, const struct node *a,
                      const struct node *b)
{
  for (int i = b->boundary_first; i < b->boundary_end; i++) {
    struct edge *e = &n->boundary[i];
    int v = A->vertex, u = B->vertex;
    for (; u >= 0 && u != e->vertex; u = n->after[u]) v = n->after[v];
    if (u < 0) v = edge_at(n, A, edge_at(n, B, find_boundary(n, B, e->vertex))->position)->vertex;
    e->position = find_boundary(n, a, v);
    if (e->position < 0) return false;
  }
  return true;
}

bool shape_embed(struct nodes *n, int *match, int jA, int jB)
{
  const struct node *A = &n->node[jA], *B = &n->node[jB];
  /* Same kind and size, and each block of B's boundary has an equal block in A's. */
  if (nodes_class(n, A) != nodes_class(n, B)) return false;
  for (int i = B->boundary_first; i < B->boundary_end; i++) {
    const struct edge *e = &n->boundary[i], *f = edge_at(n, A, e->position);
    if (e->size != f->size || vertex_is_body(n, e->vertex) != vertex_is_body(n, f->vertex)) return false;
    if (e->couple >= 0 && couple_shape(n, A, f) != couple_shape(n, B, e)) return false;
  }
  /* Each child of B takes the next child of A into which it fits. */
  int next = A->child_first;
  for (int c = B->child_first; c < B->child_end; c++) {
    int b = n->child[c];
    bool found = false;
    for (; next < A->child_end && !found; next++)
      found = map_child(n, A, B, &n->node[n->child[next]], &n->node[b]) &&
              shape_embed(n, match, n->child[next], b);
    if (!found) return false;
  }
  match[jB] = jA;
  return true;
}

int plan_front_row(const struct nodes *n, const struct node *parent, const struct node *child, int position)
{
  for (int i = child->boundary_first; i < child->boundary_end; i++)
    if (n->boundary[i].position == position) return nodes_front_row(n, parent, n->boundary[i].vertex);
  return -1;
}

uint64_t shape_of_front(const struct nodes *n, const struct plan *p, int node)
{
  const struct node *a = &n->node[node];
  uint64_t h = hash_mix(shape_of_node(n, a), (uint64_t)(a->child_end - a->child_first));
  for (int c = a->child_first; c < a->child_end; c++) {
    const struct node *b = &n->node[n->child[c]];
    const struct node *layout = &n->node[p->group[p->group_of[n->child[c]]].node[0]];
    h = hash_mix(h, (uint64_t)layout->pivot);
    h = hash_mix(h, layout->kind == TREE_LEAF);
    h = hash_mix(h, (uint64_t)(layout->boundary_end - layout->boundary_first));
    for (int i = 0; i < layout->boundary_end - layout->boundary_first; i++) {
      h = hash_mix(h, (uint64_t)edge_at(n, layout, i)->size);
      h = hash_mix(h, (uint64_t)plan_front_row(n, a, b, i));
    }
  }
  return h;
}

struct tree_cost plan_group_cost(const struct nodes *n, const struct group_plan *o)
{
  const struct node *a = &n->node[o->node[0]];
  const double boundary = a->front - a->pivot, factors = a->pivot * (0.5 * a->pivot + boundary),
               update = 0.5 * boundary * boundary;
  struct tree_cost c;
  if (o->width == 1)
    c = (struct tree_cost){4000.0 + 1.1 * a->flops + 15.0 * update, 400.0 + 4.0 * factors};
  else if (o->packed)
    c = (struct tree_cost){300.0 + o->width * a->flops, 300.0 + 3.0 * o->width * factors};
  else
    c = (struct tree_cost){2000.0 + o->width * (a->flops + 12.0 * update), 300.0 + 3.0 * o->width * factors};
  if (a->kind == TREE_LEAF) c.sweep = 0.0;
  return c;
}
