/* SPDX-License-Identifier: MIT
 * Set-up only. The code sorts joints by their bodies and cuts them into bundles. The first joint of a bundle gives it
 * its number, so a graph without parallel joints keeps its order. */
#include "dca/bundles.h"
#include "dca/order.h"

#include <stdlib.h>
#include <string.h>

struct parallel {
  int low, high; /* bodies; -2: the joint stays alone */
  int joint;
};

static int by_bodies(const void *pa, const void *pb)
{
  const struct parallel *a = pa, *b = pb;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->joint < b->joint ? -1 : 1;
}

static int sides_of(const struct tree_graph *g, int joint)
{
  return g->sides ? g->sides[joint] : 2;
}

/* next: (joints) the following joint of the bundle, or -1. lead: (joints) it is the first joint of its bundle. */
static bool link_parallel(const struct tree_graph *g, int *next, bool *lead)
{
  struct parallel *p = calloc((size_t)g->joints + 1, sizeof *p);
  if (!p) return false;
  for (int j = 0; j < g->joints; j++) {
    int a = g->ends[j][0], b = g->ends[j][1];
    bool pair = sides_of(g, j) == 2;
    p[j] = (struct parallel){pair ? (a < b ? a : b) : -2, pair ? (a < b ? b : a) : -2, j};
  }
  if (g->joints > 1) qsort(p, (size_t)g->joints, sizeof *p, by_bodies);
  /* A joint follows its predecessor in this order if both have the same bodies and the bundle has room. */
  for (int i = 0, rows = 0; i < g->joints; i++) {
    int own = vertex_size(g, p[i].joint);
    bool parallel = i > 0 && p[i].low != -2 && p[i].low == p[i - 1].low && p[i].high == p[i - 1].high;
    next[p[i].joint] = -1;
    lead[p[i].joint] = !parallel || rows + own > TREE_Y;
    rows = lead[p[i].joint] ? own : rows + own;
    if (!lead[p[i].joint]) next[p[i - 1].joint] = p[i].joint;
  }
  free(p);
  return true;
}

static bool allocate_bundles(const struct tree_graph *g, struct bundles *o)
{
  const size_t joints = (size_t)g->joints + 1;
  o->first = calloc(joints, sizeof *o->first);
  o->member = calloc(joints, sizeof *o->member);
  o->swapped = calloc(joints, sizeof *o->swapped);
  o->ends = calloc(joints, sizeof *o->ends);
  o->first_row = calloc(joints, sizeof *o->first_row);
  o->sides = calloc(joints, sizeof *o->sides);
  o->kind = calloc(joints, sizeof *o->kind);
  o->signature = calloc(joints, sizeof *o->signature);
  o->soft = calloc(joints, sizeof *o->soft);
  o->unit_columns = calloc(joints, sizeof *o->unit_columns);
  return o->first && o->member && o->swapped && o->ends && o->first_row && o->sides && o->kind &&
         o->signature && o->soft && o->unit_columns;
}

/* Members are alike if all their properties in the graph are equal. */
static bool members_are_alike(const struct tree_graph *g, const struct bundles *o, int j, int k)
{
  return vertex_size(g, j) == vertex_size(g, k) && sides_of(g, j) == sides_of(g, k) &&
         o->swapped[j] == o->swapped[k] && (!g->kind || g->kind[j] == g->kind[k]) &&
         (!g->soft || g->soft[j] == g->soft[k]) &&
         (!g->unit_columns || g->unit_columns[j] == g->unit_columns[k]);
}

static bool bundles_are_alike(const struct tree_graph *g, const struct bundles *o, int a, int b)
{
  int count = o->first[a + 1] - o->first[a];
  bool alike = count == o->first[b + 1] - o->first[b];
  for (int i = 0; i < count && alike; i++)
    alike = members_are_alike(g, o, o->member[o->first[a] + i], o->member[o->first[b] + i]);
  return alike;
}

/* Gives equal numbers to bundles of equal kind. */
static bool number_kinds(const struct tree_graph *g, struct bundles *o, int bundles)
{
  int *example = calloc((size_t)bundles + 1, sizeof *example);
  unsigned kinds = 0;
  if (!example) return false;
  for (int b = 0; b < bundles; b++) {
    unsigned kind = 0;
    while (kind < kinds && !bundles_are_alike(g, o, b, example[kind])) kind++;
    if (kind == kinds) example[kinds++] = b;
    o->kind[b] = kind;
  }
  free(example);
  return true;
}

/* Appends bundle b, with the joints from `joint` on. */
static void add_bundle(const struct tree_graph *g, struct bundles *o, int b, int joint, const int *next)
{
  memcpy(o->ends[b], g->ends[joint], sizeof o->ends[b]);
  o->sides[b] = sides_of(g, joint);
  o->soft[b] = true;
  o->unit_columns[b] = g->unit_columns && g->unit_columns[joint];
  o->first[b + 1] = o->first[b];
  o->first_row[b + 1] = o->first_row[b];
  for (int j = joint; j >= 0; j = next[j]) {
    o->member[o->first[b + 1]++] = j;
    o->first_row[b + 1] += vertex_size(g, j);
    o->swapped[j] = o->sides[b] == 2 && g->ends[j][0] != o->ends[b][0];
    o->soft[b] &= g->soft && g->soft[j];
    o->signature[b] = 32 * o->signature[b] + (uint64_t)(4 * vertex_size(g, j) + 2 * o->swapped[j]) +
                      (g->unit_columns && g->unit_columns[j]);
  }
}

bool bundles_build(const struct tree_graph *g, struct bundles *o)
{
  int *next = calloc((size_t)g->joints + 1, sizeof *next), bundles = 0;
  bool *lead = calloc((size_t)g->joints + 1, sizeof *lead);
  *o = (struct bundles){.g = *g};
  bool ok = next && lead && allocate_bundles(g, o) && link_parallel(g, next, lead);
  for (int j = 0; ok && j < g->joints; j++)
    if (lead[j]) add_bundle(g, o, bundles++, j, next);
  ok = ok && number_kinds(g, o, bundles);
  /* Build the graph of the bundles. */
  o->g.joints = bundles;
  o->g.ends = (const int(*)[TREE_SIDES])o->ends;
  o->g.first = o->first_row;
  o->g.sides = o->sides;
  o->g.kind = o->kind;
  o->g.signature = o->signature;
  o->g.soft = o->soft;
  o->g.unit_columns = o->unit_columns;
  free(next);
  free(lead);
  if (!ok) bundles_free(o);
  return ok;
}

void bundles_free(struct bundles *o)
{
  free(o->first);
  free(o->member);
  free(o->swapped);
  free(o->ends);
  free(o->first_row);
  free(o->sides);
  free(o->kind);
  free(o->signature);
  free(o->soft);
  free(o->unit_columns);
  *o = (struct bundles){0};
}
