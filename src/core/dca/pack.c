/* SPDX-License-Identifier: MIT
 * Set-up only: chooses the subtrees that are computed side by side, the largest before smaller ones. A pack holds up to
 * `lanes` subtrees of one shape side by side, node by node. Each lane owns a subtree and never gathers numbers from
 * another lane. A nearly full pack is filled up with subtrees that lack some nodes, such as subtrees at the ends of a
 * chain. In their lane the missing nodes are unused. Packs of a large mechanism stay small enough for many workers.
 *
 * bands.c groups the remaining nodes. */
#include "dca/shapes.h"

#include <stdlib.h>
#include <string.h>

enum {
  LOOKS = 64,    /* candidates that fill_up() looks at */
  TRIES = 8,     /* candidates that may fail there */
  DEEPEST = 4096 /* levels of a subtree that shape_embed() may descend */
};
/* flops of a tree that keeps many workers busy; smallest number of packs for it */
static const double LARGE = 2e6, PIECES = 16.0;

struct packing {
  struct nodes *n;
  struct plan *p;
  uint64_t *hash; /* (nodes) shape of each subtree */
  int *match;     /* (nodes) node of the template */
  int *group;     /* (nodes) group of a node of the template, while a pack is made */
  bool *covered;
  int *stack, *list; /* (nodes) */
  int *sorted;       /* (nodes) */
};

/* Lists the nodes of a subtree in k->list, ascending. */
static int list_subtree(struct packing *k, int root)
{
  const struct nodes *n = k->n;
  int depth = 0, count = 0;
  k->stack[depth++] = root;
  while (depth) {
    const struct node *a = &n->node[k->list[count++] = k->stack[--depth]];
    for (int c = a->child_first; c < a->child_end; c++) k->stack[depth++] = n->child[c];
  }
  return count;
}

static void number_boundary(struct nodes *n, const struct node *a)
{
  for (int i = a->boundary_first; i < a->boundary_end; i++) n->boundary[i].position = i - a->boundary_first;
}

static void packing_free(struct packing *k, int root)
{
  int count = list_subtree(k, root);
  for (int i = 0; i < count; i++) number_boundary(k->n, &k->n->node[k->list[i]]);
}

/* Calls shape_embed() with the boundaries of the roots mapped in order. If A has one boundary more, the function tries each
 * position for the missing one. */
static bool embed_root(struct packing *k, int jA, int jB)
{
  struct nodes *n = k->n;
  const struct node *A = &n->node[jA], *B = &n->node[jB];
  int have = A->boundary_end - A->boundary_first, need = B->boundary_end - B->boundary_first;
  if (need > have || have > need + 1) return false;
  /* need: no boundary is missing, or the last one */
  for (int left_out = have > need ? 0 : need; left_out <= need; left_out++) {
    for (int i = 0; i < need; i++) n->boundary[B->boundary_first + i].position = i + (i >= left_out);
    if (shape_embed(n, k->match, jA, jB)) return true;
  }
  packing_free(k, jB);
  return false;
}

static int new_group(struct packing *k, int width)
{
  struct group_plan *t = &k->p->group[k->p->groups];
  *t = (struct group_plan){.width = width};
  for (int l = 0; l < ISA_LANES_MAX; l++) t->node[l] = -1;
  return k->p->groups++;
}

static void put_node(struct packing *k, int group, int lane, int node)
{
  struct group_plan *t = &k->p->group[group];
  t->node[lane] = node;
  t->used++;
  k->p->group_of[node] = group;
  k->p->lane_of[node] = lane;
  k->covered[node] = true;
}

static void make_pack(struct packing *k, const int *root, int lanes)
{
  struct plan *p = k->p;
  int count = list_subtree(k, root[0]);
  struct tree_run *run = &p->run[p->runs++];
  *run = (struct tree_run){.first = p->groups};
  /* children directly before their parents, for locality */
  for (int i = count - 1; i >= 0; i--) {
    int a = k->list[i];
    k->group[a] = new_group(k, p->lanes);
    p->group[k->group[a]].packed = true;
    put_node(k, k->group[a], 0, a);
  }
  for (int l = 1; l < lanes; l++) {
    count = list_subtree(k, root[l]);
    for (int i = 0; i < count; i++) put_node(k, k->group[k->match[k->list[i]]], l, k->list[i]);
  }
  run->end = p->groups;
}

static int by_shape(const void *pa, const void *pb, void *packing)
{
  const struct packing *k = packing;
  int a = *(const int *)pa, b = *(const int *)pb;
  const struct node *node = k->n->node;
  if (node[a].size != node[b].size) return node[b].size - node[a].size;
  if (k->hash[a] != k->hash[b]) return k->hash[a] < k->hash[b] ? -1 : 1;
  return a - b;
}

/* Returns true if node b is part of the subtree of a root. No root is smaller than b. */
static bool is_inside(const struct packing *k, int b, const int *root, int count)
{
  const struct node *node = k->n->node;
  for (; b >= 0 && node[b].size <= node[root[0]].size; b = node[b].parent)
    for (int i = 0; i < count; i++)
      if (b == root[i]) return true;
  return false;
}

/* Appends subtrees that fit into root[0], from sorted position `from` in direction `way`. They have at least three
 * quarters of its size. Returns the new count. */
static int fill_up(struct packing *k, int from, int way, int *root, int count)
{
  const struct nodes *n = k->n;
  int tries = 0, size = n->node[root[0]].size;
  for (int i = from, looks = 0; i >= 0 && i < n->count && looks < LOOKS; i += way, looks++) {
    int b = k->sorted[i];
    if (count == k->p->lanes || tries == TRIES) break;
    if (4 * n->node[b].size < 3 * size || n->node[b].size > size) break;
    if (k->covered[b] || is_inside(k, b, root, count)) continue;
    if (embed_root(k, root[0], b))
      root[count++] = b;
    else
      tries++;
  }
  return count;
}

static bool nearly_full(const struct packing *k, int count)
{
  return 4 * count >= 3 * k->p->lanes;
}

/* Packs one class of subtrees, sorted[first .. end-1]. */
static void pack_class(struct packing *k, int first, int end, double most_flops)
{
  const struct nodes *n = k->n;
  int root[ISA_LANES_MAX], count = 0, lanes = k->p->lanes;
  if (n->node[k->sorted[first]].subtree_flops * lanes > most_flops) return;
  if (n->node[k->sorted[first]].level > DEEPEST) return;
  /* Copies of a whole mechanism always share a pack. */
  if (n->node[k->sorted[first]].parent >= 0 && !plan_front_fits(n->node[k->sorted[first]].widest, lanes))
    return;
  if (n->node[k->sorted[first]].size == 1) return; /* no subtree: grouped by level */
  for (int i = first; i < end; i++) {
    int b = k->sorted[i];
    if (k->covered[b] || (count && !embed_root(k, root[0], b))) continue;
    root[count++] = b;
    if (count < lanes) continue;
    make_pack(k, root, count);
    count = 0;
  }
  if (count == 0) return;
  if (2 * count >= lanes) count = fill_up(k, end, 1, root, count);
  if (2 * count >= lanes) count = fill_up(k, first - 1, -1, root, count);
  if (nearly_full(k, count) && count > 1)
    make_pack(k, root, count);
  else
    for (int i = 1; i < count; i++) packing_free(k, root[i]);
}

static void pack_subtrees(struct packing *k)
{
  const struct nodes *n = k->n;
  double flops = 0.0, most;
  for (int i = 0; i < n->count; i++) {
    flops += n->node[i].flops;
    k->sorted[i] = i;
  }
  most = flops > LARGE ? flops / PIECES : flops;
  qsort_r(k->sorted, (size_t)n->count, sizeof(int), by_shape, k);
  for (int first = 0, end; first < n->count; first = end) {
    int a = k->sorted[first];
    for (end = first + 1; end < n->count; end++) {
      int b = k->sorted[end];
      if (n->node[a].size != n->node[b].size || k->hash[a] != k->hash[b]) break;
    }
    if (end - first > 1) pack_class(k, first, end, most);
  }
  k->p->packs = k->p->runs;
}

/* A group costs as much as one of its lanes. The kernels of its bodies or links cost as much as KERNELS flops. */
static double node_cost(const struct nodes *n, const struct plan *p)
{
  const double KERNELS = 2000.0;
  double sum = 0.0;
  for (int i = 0; i < p->groups; i++) sum += KERNELS + n->node[p->group[i].node[0]].flops;
  return sum;
}

bool plan_build(struct nodes *n, int lanes, struct plan *p)
{
  size_t room = (size_t)n->count + 1;
  /* Allocate the plan and the work space. */
  *p = (struct plan){.lanes = lanes};
  p->group = calloc(room, sizeof *p->group);
  p->group_of = calloc(room, sizeof(int));
  p->lane_of = calloc(room, sizeof(int));
  p->run = calloc(room, sizeof *p->run);
  p->band = calloc(room + 1, sizeof *p->band);
  struct packing k = {.n = n, .p = p};
  k.hash = calloc(room, sizeof *k.hash);
  k.match = calloc(room, sizeof(int));
  k.group = calloc(room, sizeof(int));
  k.covered = calloc(room, sizeof(bool));
  k.stack = calloc(room, sizeof(int));
  k.list = calloc(room, sizeof(int));
  k.sorted = calloc(room, sizeof(int));
  bool ok = p->group && p->group_of && p->lane_of && p->run && p->band && k.hash && k.match && k.group &&
            k.covered && k.stack && k.list && k.sorted;
  /* Pack whole subtrees, then group the remaining nodes level by level. */
  if (ok) {
    for (int i = 0; i < n->count; i++) {
      number_boundary(n, &n->node[i]);
      p->group_of[i] = -1;
    }
    shapes_of_subtrees(n, k.hash);
    if (lanes > 1) pack_subtrees(&k);
    ok = plan_levels(n, p);
    p->cost = node_cost(n, p);
  }
  /* Free the work space, also after a failure. */
  free(k.hash);
  free(k.match);
  free(k.group);
  free(k.covered);
  free(k.stack);
  free(k.list);
  free(k.sorted);
  if (!ok) plan_free(p);
  return ok;
}

void plan_free(struct plan *p)
{
  free(p->group);
  free(p->group_of);
  free(p->lane_of);
  free(p->run);
  free(p->band);
  *p = (struct plan){0};
}
