/* SPDX-License-Identifier: MIT
 * Set-up only: turns the plan into the tree that the kernels read. tree_offsets.c sets the offsets of each lane's
 * numbers. */
#include "base/arena.h"
#include "dca/shared_order.h"
#include "dca/tree_parts.h"

#include <limits.h>
#include <stdlib.h>

/* Size of the update of a wide group in front, with the work space of a leaf. */
static size_t wide_update_size(const struct tree_group *o)
{
  const bool leaf = o->kind == TREE_LEAF;
  if (o->width == 1 || (leaf && o->merged)) return 0;
  return (size_t)(o->width * (tree_triangle(o->boundary) +
                              (leaf && (!o->unit_columns || o->as_lone) ? TREE_Y * o->boundary : 0)));
}

/* The first offset from t->front_size on at which an update overlaps none of the groups in b->live. */
static size_t free_update_offset(const struct build *b, size_t size)
{
  const struct tree *t = b->t;
  size_t at = t->front_size;
  for (int k = 0; k < b->lives; k++) {
    const struct tree_group *o = &t->group[b->live[k]];
    if (at + size <= o->update || o->update + wide_update_size(o) <= at) continue;
    at = o->update + wide_update_size(o);
    k = -1; /* compare with all groups again */
  }
  return at;
}

/* Places the updates of a pack in a tree without hubs. Nobody reads an update after the condensation of its parent, so
 * a later group of the run takes its memory. Returns the end of the run. */
static int share_updates(struct build *b, int run)
{
  struct tree *t = b->t;
  const struct tree_run *r = &b->p.run[run];
  size_t end = t->front_size;
  b->lives = 0;
  for (int i = r->first; i < r->end; i++) {
    struct tree_group *o = &t->group[i];
    const struct node *a = template_of(b, i);
    const size_t size = wide_update_size(o);
    o->update = free_update_offset(b, size);
    if (end < o->update + size) end = o->update + size;
    /* the children are read until now */
    for (int c = a->child_first; c < a->child_end; c++)
      for (int k = 0; k < b->lives; k++)
        if (b->live[k] == b->p.group_of[b->n.child[c]]) b->live[k--] = b->live[--b->lives];
    if (size > 0) b->live[b->lives++] = i;
  }
  t->front_size = end;
  return r->end;
}

/* Sets offsets in front and vector: numbers for the sweeps first, then updates for the parents. */
static void place_wide(struct build *b)
{
  struct tree *t = b->t;
  for (int i = 0; i < t->groups; i++) {
    struct tree_group *o = &t->group[i];
    if (o->width == 1 || o->kind == TREE_LEAF) continue;
    o->front = t->front_size;
    t->front_size += (size_t)(o->width * (tree_triangle(o->pivot) + o->boundary * o->pivot));
    o->vector = t->vector_size;
    t->vector_size += (size_t)(o->width * (o->pivot + o->boundary));
  }
  int next = 0;
  for (int r = 0; r < b->p.packs && t->hubs == 0; r++) next = share_updates(b, r);
  for (; next < t->groups; next++) {
    t->group[next].update = t->front_size;
    t->front_size += wide_update_size(&t->group[next]);
  }
}

/* Sets these offsets for lone groups, in whole vectors. Kernels read up to a vector past the last number of an update: other
 * threads may write the next one. */
static void place_lone(struct build *b)
{
  struct tree *t = b->t;
  const int vector = t->vector;
  for (int i = 0; i < t->groups; i++) {
    struct tree_group *o = &t->group[i];
    const bool leaf = o->kind == TREE_LEAF;
    if (o->width > 1) continue;
    o->padded = tree_round_up(o->boundary, vector);
    o->front = t->front_size;
    t->front_size += (size_t)(leaf ? 2 * TREE_Y * o->padded
                                   : tree_round_up(tree_triangle(o->pivot), vector) +
                                         (o->pivot + ROW_NUMBERS) * o->padded);
    if (leaf) continue;
    o->vector = t->vector_size;
    t->vector_size += (size_t)(tree_round_up(o->pivot, vector) + o->padded);
  }
  /* Updates follow. */
  for (int i = 0; i < t->groups; i++) {
    struct tree_group *o = &t->group[i];
    if (o->width > 1) continue;
    o->columns = t->front_size;
    t->front_size += (size_t)(tree_column(vector, o->padded, o->padded) + o->padded + vector);
    o->update = t->front_size;
    if (o->packs) t->front_size += (size_t)tree_round_up(tree_triangle(o->boundary), vector);
  }
  t->front_size += (size_t)vector;
  t->vector_size += (size_t)vector;
}

/* Returns true if the parent of a lone child can add whole columns: the parent is lone, and its front has the vertices of
 * the child's boundary in the same order. */
static bool columns_fit(const struct build *b, int parent, const struct node *child)
{
  const struct node *a = template_of(b, parent);
  int last = -1;
  if (b->p.group[parent].width > 1) return false;
  for (int i = child->boundary_first; i < child->boundary_end; i++) {
    const int row = nodes_front_row(&b->n, a, b->n.boundary[i].vertex);
    if (row <= last) return false;
    last = row;
  }
  return true;
}

/* Chooses how lone groups store their updates. Boundaries are sorted by vertex, for equal shapes of the groups side by
 * side. The boundary of a lone group with a lone parent is sorted by rank: then its order is that of the parent's. */
static bool arrange_lone(struct build *b)
{
  const struct nodes *n = &b->n;
  if (!plan_sort_boundaries(&b->n, &b->p)) return false;
  for (int i = 0; i < n->count; i++) {
    const int group = b->p.group_of[i], parent = n->node[i].parent;
    if (b->p.group[group].width == 1 && parent >= 0)
      b->t->group[group].packs = !columns_fit(b, b->p.group_of[parent], &n->node[i]);
  }
  return true;
}

static void describe_group(struct build *b, int group)
{
  const struct group_plan *p = &b->p.group[group];
  const struct node *a = template_of(b, group);
  const struct tree_graph *g = &b->bundles.g;
  struct tree_group *o = &b->t->group[group];
  bool joint = a->kind == TREE_JOINT;
  /* The template determines all fields that the lanes share. */
  *o = (struct tree_group){.kind = a->kind,
                           .width = p->width,
                           .member_first = b->members,
                           .used = p->used,
                           .pivot = a->pivot,
                           .boundary = a->front - a->pivot,
                           .supernode = b->n.after[a->vertex] >= 0,
                           .packs = o->packs,
                           .as_lone = p->as_lone};
  o->carried = !joint && g->carried && g->carried[a->vertex - g->joints];
  /* Members of each lane. */
  for (int l = 0; l < p->width; l++) {
    int v = p->node[l] < 0 ? -1 : b->n.node[p->node[l]].vertex;
    b->t->member[b->members++] = v < 0 ? -1 : joint ? b->bundles.member[b->bundles.first[v]] : v - g->joints;
    if (p->node[l] >= 0) o->flops += b->n.node[p->node[l]].flops;
  }
  b->t->flops += o->flops;
}

/* Returns true if the group has an even front, and its children are even leaves, few enough, lane by lane. */
static bool may_merge(const struct build *b, int group)
{
  const struct tree_group *o = &b->t->group[group];
  const struct node *a = template_of(b, group);
  int elements = 0;
  bool may = o->kind == TREE_JOINT && !o->supernode && !o->as_lone && o->aligned &&
             o->couple_first == o->couple_end && b->p.group[group].packed &&
             o->boundary * o->pivot <= TREE_EVEN && a->child_end - a->child_first <= 2;
  for (int i = a->boundary_first; i < a->boundary_end; i++) may &= b->n.boundary[i].size == o->pivot;
  for (int c = a->child_first; c < a->child_end; c++) {
    const struct tree_group *child = &b->t->group[b->p.group_of[b->n.child[c]]];
    may &= child->kind == TREE_LEAF && child->even == o->pivot && !child->as_lone && child->width == o->width;
    elements += tree_triangle(child->boundary);
  }
  return may && elements > 0 && elements <= TREE_MERGED;
}

static void merge_leaves(struct build *b, int group)
{
  const struct node *a = template_of(b, group);
  if (!may_merge(b, group)) return;
  b->t->group[group].merged = true;
  for (int c = a->child_first; c < a->child_end; c++) b->t->group[b->p.group_of[b->n.child[c]]].merged = true;
}

static bool allocate_tree(struct build *b)
{
  struct tree *t = b->t;
  size_t boundaries = 1, blocks = 1, children = 1, unknowns = 1, members = 1, owns = 1, couples = 1,
         shifts = 1, groups = (size_t)t->groups + 1, largest = 1;
  /* Sizes, from the templates of all groups. */
  for (int i = 0; i < t->groups; i++) {
    const struct node *a = template_of(b, i);
    size_t width = (size_t)b->p.group[i].width;
    if ((size_t)a->front > largest) largest = (size_t)a->front;
    boundaries += width * (size_t)(a->boundary_end - a->boundary_first);
    blocks += (size_t)(a->boundary_end - a->boundary_first);
    children += width * (size_t)(a->child_end - a->child_first);
    for (int c = a->child_first; c < a->child_end; c++) {
      size_t n = (size_t)template_of(b, b->p.group_of[b->n.child[c]])->front;
      unknowns += n + n * (n + 1) / 2;
      shifts += width == 1 ? n / (size_t)t->vector + 2 : 0;
    }
    members += width;
    owns += width * (size_t)a->pivot;
    for (int e = a->boundary_first; e < a->boundary_end; e++)
      if (b->n.boundary[e].couple >= 0) couples += (size_t)bundle_of_edge(b, a, &b->n.boundary[e]).count;
  }
  /* Allocate one array of each kind for the whole tree. */
  b->found_in = calloc(boundaries, sizeof(int));
  b->unused = calloc((size_t)t->slots, sizeof(bool));
  b->live = calloc(groups, sizeof(int));
  b->band_of_run = calloc((size_t)b->p.runs + 1, sizeof(int));
  b->run_of_group = calloc(groups, sizeof(int));
  b->run_of_unknown = calloc((size_t)t->unknowns + 1, sizeof(int));
  t->group = calloc(groups, sizeof *t->group);
  t->member = calloc(members, sizeof *t->member);
  t->contribution = calloc(children, sizeof *t->contribution);
  t->gather = calloc(boundaries, sizeof *t->gather);
  t->couple = calloc(couples, sizeof *t->couple);
  t->own = calloc(owns, sizeof *t->own);
  t->offset = calloc(2 * (children + boundaries) + (size_t)t->lanes * couples, sizeof *t->offset);
  t->shuffle = aligned_zalloc((blocks + couples) * sizeof *t->shuffle);
  t->shift = aligned_zalloc(shifts * sizeof *t->shift);
  t->group_body = calloc(members, sizeof *t->group_body);
  t->to = calloc(unknowns, sizeof *t->to);
  t->run = calloc((size_t)b->p.runs + 1, sizeof *t->run);
  t->band = calloc((size_t)b->p.bands + 1, sizeof *t->band);
  return lists_open(&b->lists, largest) && b->found_in && b->unused && b->live && b->band_of_run &&
         b->run_of_group && b->run_of_unknown && t->group && t->member && t->contribution && t->gather &&
         t->couple && t->own && t->offset && t->shuffle && t->shift && t->group_body && t->to && t->run &&
         t->band;
}

static void lay_runs(struct build *b)
{
  struct tree *t = b->t;
  t->runs = b->p.runs;
  t->packs = b->p.packs;
  t->bands = b->p.bands;
  for (int r = 0; r < t->runs; r++) {
    t->run[r] = b->p.run[r];
    for (int i = t->run[r].first; i < t->run[r].end; i++) t->run[r].flops += t->group[i].flops;
  }
  for (int i = 0; i < t->bands; i++) t->band[i] = b->p.band[i];
}

static void find_group_runs(struct tree *t)
{
  for (int first = 0, end; first < t->groups; first = end) {
    for (end = first; end < t->groups && t->group[end].width == t->group[first].width;) end++;
    for (int i = first; i < end; i++) {
      t->group[i].same_width_first = first;
      t->group[i].same_width_end = end;
    }
  }
}

static bool lay_out_groups(struct build *b)
{
  struct tree *t = b->t;
  if (!arrange_lone(b)) return false;
  for (int i = 0; i < t->groups; i++) describe_group(b, i);
  find_group_runs(t);
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *o = &t->tile[t->stored_bodies.tile[i]];
    for (int l = 0; l < o->width; l++) b->unused[o->slot + l] = t->item[o->item_first + l] < 0;
  }
  for (int i = 0; i < t->groups; i++) tree_lay_bodies(b, i);
  for (int i = 0; i < t->groups; i++) merge_leaves(b, i);
  place_wide(b);
  place_lone(b);
  if (t->front_size > INT_MAX || t->jacobian > INT_MAX) return false; /* offsets in tree.list are ints */
  for (int i = 0; i < t->groups; i++) tree_lay_children(b, i);
  tree_lay_gathers(b);
  for (int i = 0; i < t->groups; i++)
    if (!lists_lay(&b->lists, t, &t->group[i])) return false;
  t->list = b->lists.list.item;
  b->lists.list.item = NULL;
  lay_runs(b);
  return true;
}

struct tree *tree_build(const struct tree_graph *g, int lanes, int vector)
{
  struct build b = {.g = g};
  struct tree *t = calloc(1, sizeof *t);
  bool ok =
      t && bundles_build(g, &b.bundles) &&
      (g->one ? plan_copies(&b.bundles, g, lanes, &b.n, &b.p) : plan_best(&b.bundles.g, lanes, &b.n, &b.p)) &&
      plan_bands(&b.n, &b.p);
  if (!ok && g->excess && g->excess->joint >= 0 && b.bundles.first)
    g->excess->joint = b.bundles.member[b.bundles.first[g->excess->joint]];
  /* Choose the order, give all numbers an offset, then lay out the groups. */
  if (ok) {
    *t = (struct tree){.bodies = g->bodies,
                       .joints = g->joints,
                       .lanes = lanes,
                       .vector = vector,
                       .nodes = b.n.count,
                       .groups = b.p.groups};
    b.t = t;
    int *walk = calloc((size_t)b.n.count + 1, sizeof *walk);
    ok = walk && nodes_walk(&b.n, walk) && nodes_judge_conditioning(&b.n, &t->ill_conditioned) &&
         store_build(g, &b.bundles, &b.n, &b.p, walk, t) && store_order(&b.bundles, &b.n, walk, t) &&
         allocate_tree(&b) && lay_out_groups(&b);
    free(walk);
    free(b.unused);
    free(b.found_in);
    free(b.live);
    free(b.band_of_run);
    free(b.run_of_group);
    free(b.run_of_unknown);
    lists_close(&b.lists);
    plan_free(&b.p);
    nodes_free(&b.n);
  }
  bundles_free(&b.bundles);
  if (ok) return t;
  tree_free(t);
  return NULL;
}
