/* SPDX-License-Identifier: MIT
 * Set-up only: the order in which threads share the work. A thread gets a consecutive part of each list: of the packs, of the
 * groups of a level, of the tiles of bodies, and of those of joints. All these lists are in the order of one walk through the
 * tree. So a thread finds most numbers that it reads in its own cache: it wrote them in an earlier stage. */
#include "dca/shared_order.h"

#include <stdlib.h>
#include <string.h>

/* On the stack, ~i stands for node i after the visit of its first child. */
bool nodes_walk(const struct nodes *n, int *position)
{
  /* Begin with the roots. */
  int *stack = calloc(2 * (size_t)n->count + 1, sizeof *stack);
  int depth = 0, next = 0;
  if (!stack) return false;
  for (int i = n->count - 1; i >= 0; i--)
    if (n->node[i].parent < 0) stack[depth++] = i;
  /* Go down the last node on the stack, or number it. */
  while (depth > 0) {
    const int i = stack[--depth];
    if (i < 0) {
      position[~i] = next++;
      continue;
    }
    const struct node *a = &n->node[i];
    for (int c = a->child_end - 1; c > a->child_first; c--) stack[depth++] = n->child[c];
    stack[depth++] = ~i;
    if (a->child_end > a->child_first) stack[depth++] = n->child[a->child_first];
  }
  free(stack);
  return true;
}

/* --- groups --- */

static double walk_of_group(const struct group_plan *o, const int *walk)
{
  double sum = 0.0;
  for (int l = 0; l < o->width; l++)
    if (o->node[l] >= 0) sum += walk[o->node[l]];
  return sum / o->used;
}

/* Group i of the plan has moved to its position. */
static void name_group(struct plan *p, int i)
{
  const struct group_plan *o = &p->group[i];
  for (int l = 0; l < o->width; l++)
    if (o->node[l] >= 0) p->group_of[o->node[l]] = i;
}

static int by_walk(const void *pa, const void *pb, void *walk)
{
  const struct group_plan *a = pa, *b = pb;
  const double at_a = walk_of_group(a, walk), at_b = walk_of_group(b, walk);
  if (at_a != at_b) return at_a < at_b ? -1 : 1;
  return a->node[0] - b->node[0];
}

void plan_sort_groups(struct plan *p, int *walk, int first, int end)
{
  if (end - first > 1) qsort_r(&p->group[first], (size_t)(end - first), sizeof *p->group, by_walk, walk);
  for (int i = first; i < end; i++) name_group(p, i);
}

/* --- packs --- */

struct pack {
  struct tree_run run;
  double walk; /* mean of its groups */
};

static int by_walk_of_pack(const void *pa, const void *pb)
{
  const struct pack *a = pa, *b = pb;
  if (a->walk != b->walk) return a->walk < b->walk ? -1 : 1;
  return a->run.first - b->run.first;
}

bool plan_sort_packs(struct plan *p, const int *walk)
{
  if (p->packs < 2) return true;
  /* Find the position of each pack. */
  const size_t groups = (size_t)p->run[p->packs - 1].end;
  struct pack *pack = calloc((size_t)p->packs, sizeof *pack);
  struct group_plan *old = malloc(groups * sizeof *old);
  const bool good = pack && old;
  if (good) memcpy(old, p->group, groups * sizeof *old);
  for (int i = 0; i < p->packs && good; i++) {
    const struct tree_run *run = &p->run[i];
    pack[i].run = *run;
    for (int g = run->first; g < run->end; g++)
      pack[i].walk += walk_of_group(&old[g], walk) / (run->end - run->first);
  }
  /* Move the groups. */
  if (good) qsort(pack, (size_t)p->packs, sizeof *pack, by_walk_of_pack);
  for (int i = 0, next = 0; i < p->packs && good; i++) {
    p->run[i] = pack[i].run;
    p->run[i].first = next;
    for (int g = pack[i].run.first; g < pack[i].run.end; g++, next++) {
      p->group[next] = old[g];
      name_group(p, next);
    }
    p->run[i].end = next;
  }
  free(pack);
  free(old);
  return good;
}

/* --- tiles --- */

struct tile_walks {
  const struct tree *t;
  double *walk; /* (tiles) mean of its items */
};

static int by_walk_of_tile(const void *pa, const void *pb, void *walks)
{
  const struct tile_walks *o = walks;
  const int a = *(const int *)pa, b = *(const int *)pb;
  if (o->walk[a] != o->walk[b]) return o->walk[a] < o->walk[b] ? -1 : 1;
  return a - b;
}

/* Takes the means of the positions of their items for these tiles. walk: (bodies) or (joints) */
static void add_walks(const struct tile_walks *o, const int *tile, int tiles, const int *walk)
{
  for (int i = 0; i < tiles; i++) {
    const struct tree_tile *t = &o->t->tile[tile[i]];
    for (int l = 0; l < t->width; l++) {
      const int item = o->t->item[t->item_first + l];
      if (item >= 0) o->walk[tile[i]] += (double)walk[item] / t->used;
    }
  }
}

static void sort_tiles(struct tile_walks *o, const int *tile, struct tree_order *order, int first, int end)
{
  if (first == end) return;
  memcpy(order->tile + first, tile + first, (size_t)(end - first) * sizeof *tile);
  qsort_r(order->tile + first, (size_t)(end - first), sizeof *tile, by_walk_of_tile, o);
  order_find_runs(o->t, order, first, end);
}

bool store_order(const struct bundles *bundles, const struct nodes *n, const int *walk, struct tree *t)
{
  struct tile_walks o = {t, calloc((size_t)t->tiles + 1, sizeof *o.walk)};
  int *body = calloc((size_t)t->bodies + (size_t)t->joints + 1, sizeof *body), *joint = body + t->bodies;
  const bool good = order_allocate(&t->shared_bodies, (size_t)t->body_tiles) &&
                    order_allocate(&t->shared_joints, (size_t)t->joint_tiles) && o.walk && body;
  /* Find the positions of all bodies and joints. */
  for (int i = 0; i < n->count && good; i++) {
    const struct node *a = &n->node[i];
    if (a->kind != TREE_JOINT) body[a->vertex - bundles->g.joints] = walk[i];
    for (int m = 0, own; a->kind == TREE_JOINT && (own = joint_of_node(bundles, n, a, m)) >= 0; m++)
      joint[own] = walk[i];
  }
  /* Sort the tiles. */
  if (good) {
    add_walks(&o, t->stored_bodies.tile, t->body_tiles, body);
    add_walks(&o, t->stored_joints.tile, t->joint_tiles, joint);
    sort_tiles(&o, t->stored_bodies.tile, &t->shared_bodies, 0, t->body_tiles);
    sort_tiles(&o, t->stored_joints.tile, &t->shared_joints, 0, t->rigid_tiles);
    sort_tiles(&o, t->stored_joints.tile, &t->shared_joints, t->rigid_tiles, t->joint_tiles);
  }
  free(body);
  free(o.walk);
  return good;
}
