/* SPDX-License-Identifier: MIT
 * Set-up only: amalgamation. A joint whose boundary is its parent and the boundary of its parent leaves an update that has
 * exactly the parent's front. Both are then one dense matrix, and one node with both pivots, a supernode, eliminates it:
 * the update of the first joint is neither stored nor added up. Trusses, grids and the last joints of most mechanisms
 * have long chains of such nodes.
 *
 * Only lone nodes become supernodes: groups of many lanes have faster kernels for joints of three and five rows. */
#include "dca/nodes.h"

#include <stdlib.h>

struct amalgamation {
  const struct nodes *n;
  int *below; /* (nodes) the child that the node absorbs; -1: none */
  int *host;  /* (nodes) the node that absorbs it, in the end; itself: none does */
  int *id;    /* (nodes) number in the new tree */
};

/* A joint whose front has no block of the Jacobian. */
static bool is_plain_joint(const struct nodes *n, const struct node *a)
{
  bool plain = a->kind == TREE_JOINT;
  for (int e = a->boundary_first; e < a->boundary_end; e++) plain &= n->boundary[e].couple < 0;
  return plain;
}

static bool node_is_lone(const struct plan *p, int node)
{
  return p->group[p->group_of[node]].width == 1;
}

/* Chooses the nodes that their parents absorb. Returns their number. pivot: (nodes) scratch. */
static int choose_absorbed(struct amalgamation *k, const struct plan *p, int *pivot)
{
  const struct nodes *n = k->n;
  int absorbed = 0;
  for (int i = 0; i < n->count; i++) {
    k->below[i] = -1;
    k->host[i] = i;
    pivot[i] = n->node[i].pivot;
  }
  for (int i = 0; i < n->count; i++) {
    const struct node *a = &n->node[i];
    const int above = a->parent;
    if (above < 0 || k->below[above] >= 0 || pivot[i] + pivot[above] > TREE_Y) continue;
    if (a->front - a->pivot != n->node[above].front) continue;
    if (!node_is_lone(p, i) || !node_is_lone(p, above)) continue;
    if (!is_plain_joint(n, a) || !is_plain_joint(n, &n->node[above])) continue;
    k->below[above] = i;
    k->host[i] = above;
    pivot[above] += pivot[i];
    absorbed++;
  }
  /* Parents come after their children. */
  for (int i = n->count - 1; i >= 0; i--) k->host[i] = k->host[k->host[i]];
  return absorbed;
}

/* Adds the vertices and children of node i and of what it absorbs to the new node a, the lowest node first. */
static void join_node(const struct amalgamation *k, int i, struct nodes *o, struct node *a, int *last)
{
  const struct node *from = &k->n->node[i];
  if (k->below[i] >= 0) join_node(k, k->below[i], o, a, last);
  if (*last < 0)
    a->vertex = from->vertex;
  else
    o->after[*last] = from->vertex;
  *last = from->vertex;
  a->pivot += from->pivot;
  for (int c = from->child_first; c < from->child_end; c++)
    if (k->n->child[c] != k->below[i]) o->child[a->child_end++] = k->id[k->n->child[c]];
}

static void build_supernode(const struct amalgamation *k, int i, struct nodes *o, int *boundaries,
                            int *children)
{
  const struct node *from = &k->n->node[i];
  struct node *a = &o->node[k->id[i]];
  int last = -1;
  *a = (struct node){.kind = from->kind,
                     .parent = from->parent < 0 ? -1 : k->id[k->host[from->parent]],
                     .boundary_first = *boundaries,
                     .child_first = *children,
                     .child_end = *children};
  join_node(k, i, o, a, &last);
  /* The boundary is that of the highest node, behind all pivots. */
  for (int e = from->boundary_first; e < from->boundary_end; e++) {
    struct edge *edge = &o->boundary[(*boundaries)++];
    *edge = k->n->boundary[e];
    edge->at += a->pivot - from->pivot;
  }
  a->boundary_end = *boundaries;
  a->front = from->front + a->pivot - from->pivot;
  *children = a->child_end;
  nodes_close(o, a);
}

bool nodes_amalgamate(const struct nodes *n, const struct plan *p, struct nodes *o, int *absorbed)
{
  const size_t room = (size_t)n->count + 1;
  struct amalgamation k = {.n = n};
  int *pivot = calloc(room, sizeof *pivot), boundaries = 0, children = 0;
  k.below = calloc(room, sizeof *k.below);
  k.host = calloc(room, sizeof *k.host);
  k.id = calloc(room, sizeof *k.id);
  bool ok = pivot && k.below && k.host && k.id;
  *o = (struct nodes){.graph = n->graph};
  *absorbed = ok ? choose_absorbed(&k, p, pivot) : 0;
  /* A tree of fewer nodes. Vertices, boundaries and children need no more room than before. */
  if (ok && *absorbed > 0) {
    ok = nodes_allocate(o, n->count, (size_t)n->node[n->count - 1].boundary_end,
                        (size_t)n->node[n->count - 1].child_end);
    for (int i = 0; i < n->count; i++)
      if (k.host[i] == i) k.id[i] = o->count++;
    for (int i = 0; ok && i < n->count; i++)
      if (k.host[i] == i) build_supernode(&k, i, o, &boundaries, &children);
  }
  free(pivot);
  free(k.below);
  free(k.host);
  free(k.id);
  if (!ok) nodes_free(o);
  return ok;
}
