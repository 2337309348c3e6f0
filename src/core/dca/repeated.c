/* SPDX-License-Identifier: MIT
 * Set-up only: the tree of several equal mechanisms. Each mechanism is one lane of every group. A copy is eliminated in the
 * order of one mechanism. A group whose node is lone in that mechanism adds in the order of the lone kernels
 * (group_plan.as_lone), so each lane has the bits of one mechanism. */
#include "dca/bundles.h"
#include "dca/nodes.h"

#include <stdlib.h>
#include <string.h>

struct copying {
  const struct bundles *one, *all; /* one mechanism, and all copies of it */
  const struct tree_graph *g;      /* graph of all copies, before the bundles */
  struct nodes from;               /* nodes of one mechanism */
  struct plan single;
  int *bundle_of; /* (joints of all) */
  int lanes;
};

/* Vertex v of one mechanism, in copy c. */
static int vertex_of_copy(const struct copying *k, int v, int c)
{
  const int bundles = k->one->g.joints;
  if (v >= bundles) return k->all->g.joints + c * k->one->g.bodies + (v - bundles);
  return k->bundle_of[k->g->joint_of[c * k->g->one->joints + k->one->member[k->one->first[v]]]];
}

/* The boundaries and children of all nodes of one copy, in the order in which the lanes of a single mechanism take them. */
static void copy_node(const struct copying *k, int i, int c, struct nodes *o)
{
  const struct node *a = &k->from.node[i];
  const int copies = k->g->copies, blocks = a->boundary_end - a->boundary_first;
  const int children = a->child_end - a->child_first;
  /* the node */
  struct node *to = &o->node[i * copies + c];
  *to = *a;
  to->vertex = vertex_of_copy(k, a->vertex, c);
  to->parent = a->parent < 0 ? -1 : a->parent * copies + c;
  to->boundary_first = copies * a->boundary_first + c * blocks;
  to->boundary_end = to->boundary_first + blocks;
  to->child_first = copies * a->child_first + c * children;
  to->child_end = to->child_first + children;
  /* its boundary, children and vertices */
  for (int e = 0; e < blocks; e++) {
    struct edge *edge = &o->boundary[to->boundary_first + e];
    *edge = k->from.boundary[a->boundary_first + e];
    edge->vertex = vertex_of_copy(k, edge->vertex, c);
    edge->position = e;
  }
  for (int e = 0; e < children; e++)
    o->child[to->child_first + e] = k->from.child[a->child_first + e] * copies + c;
  for (int v = a->vertex; v >= 0; v = k->from.after[v])
    o->after[vertex_of_copy(k, v, c)] = k->from.after[v] < 0 ? -1 : vertex_of_copy(k, k->from.after[v], c);
}

/* In a filled pack, a node takes its boundary in the order of the template. */
static void sort_by_position(struct nodes *n, const struct node *a)
{
  struct edge *boundary = n->boundary + a->boundary_first;
  for (int i = 1; i < a->boundary_end - a->boundary_first; i++) {
    const struct edge e = boundary[i];
    int to = i;
    for (; to > 0 && boundary[to - 1].position > e.position; to--) boundary[to] = boundary[to - 1];
    boundary[to] = e;
  }
  for (int at = a->pivot, i = 0; i < a->boundary_end - a->boundary_first; at += boundary[i++].size)
    boundary[i].at = at;
}

/* A leaf of a pack whose nodes have different numbers of joints adds up all columns, as lone leaves do. */
static bool adds_as_lone(const struct copying *k, const struct group_plan *from)
{
  const struct node *first = &k->from.node[from->node[0]];
  bool differ = false;
  for (int l = 1; l < from->width; l++) {
    const struct node *a = from->node[l] < 0 ? first : &k->from.node[from->node[l]];
    differ |= a->boundary_end - a->boundary_first != first->boundary_end - first->boundary_first;
  }
  return from->width == 1 || (differ && first->kind == TREE_LEAF);
}

/* A group for each node, children before parents: the order of the schedule of one mechanism. */
static void plan_groups(const struct copying *k, struct plan *p)
{
  for (int i = 0; i < k->single.groups; i++) {
    const struct group_plan *from = &k->single.group[i];
    const bool as_lone = adds_as_lone(k, from);
    for (int l = 0; l < from->width; l++) {
      if (from->node[l] < 0) continue;
      struct group_plan *o = &p->group[p->groups];
      *o = (struct group_plan){.width = p->lanes, .used = k->g->copies, .packed = true, .as_lone = as_lone};
      for (int c = 0; c < ISA_LANES_MAX; c++) {
        const int node = o->node[c] = c < k->g->copies ? from->node[l] * k->g->copies + c : -1;
        if (node < 0) continue;
        p->group_of[node] = p->groups;
        p->lane_of[node] = c;
      }
      p->groups++;
    }
  }
  p->run[0] = (struct tree_run){.first = 0, .end = p->groups};
  p->runs = p->packs = 1;
}

static bool copy_nodes(struct copying *k, struct nodes *n, struct plan *p)
{
  const int copies = k->g->copies, count = k->from.count * copies;
  const size_t room = (size_t)count + 2;
  const struct node *last = &k->from.node[k->from.count - 1];
  *n = (struct nodes){.graph = &k->all->g, .count = count};
  *p = (struct plan){.lanes = k->lanes};
  /* Allocate the plan and the nodes. */
  p->group = calloc(room, sizeof *p->group);
  p->group_of = calloc(room, sizeof *p->group_of);
  p->lane_of = calloc(room, sizeof *p->lane_of);
  p->run = calloc(room, sizeof *p->run);
  p->band = calloc(room, sizeof *p->band);
  if (!nodes_allocate(n, count, (size_t)(copies * last->boundary_end), (size_t)(copies * last->child_end)) ||
      !p->group || !p->group_of || !p->lane_of || !p->run || !p->band)
    return false;
  /* Copy the nodes one by one. */
  for (int i = 0; i < k->from.count; i++) {
    sort_by_position(&k->from, &k->from.node[i]);
    for (int c = 0; c < copies; c++) copy_node(k, i, c, n);
  }
  plan_groups(k, p);
  return true;
}

bool plan_copies(const struct bundles *all, const struct tree_graph *g, int lanes, struct nodes *n,
                 struct plan *p)
{
  struct bundles one;
  struct copying k = {.one = &one, .all = all, .g = g, .lanes = lanes};
  *n = (struct nodes){0};
  *p = (struct plan){0};
  /* the plan of one mechanism */
  if (!bundles_build(g->one, &one)) return false;
  k.bundle_of = calloc((size_t)g->joints + 1, sizeof *k.bundle_of);
  bool ok = k.bundle_of && plan_best(&one.g, lanes, &k.from, &k.single);
  if (ok) {
    /* then all copies of it */
    for (int v = 0; v < all->g.joints; v++)
      for (int i = all->first[v]; i < all->first[v + 1]; i++) k.bundle_of[all->member[i]] = v;
    ok = plan_bands(&k.from, &k.single) && plan_sort_boundaries(&k.from, &k.single) && copy_nodes(&k, n, p);
    plan_free(&k.single);
    nodes_free(&k.from);
  }
  if (!ok) {
    plan_free(p);
    nodes_free(n);
  }
  bundles_free(&one);
  free(k.bundle_of);
  return ok;
}
