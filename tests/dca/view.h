/* SPDX-License-Identifier: MIT
 * A tree as its tests look at it: whose each place in its storage is. And graphs to build trees of. */
#ifndef DCA_VIEW_H
#define DCA_VIEW_H

#include "dca/graphs.h"

enum { NOBODY = -1 };

struct view {
  const struct graph *g;
  const struct tree *t;
  int *front_of;  /* (front_size) group whose front holds each double */
  int *vector_of; /* (vector_size) */
  int *block_of;  /* (jacobian) tile */
  int *load_of;   /* (load) */
  int *owner;     /* (unknowns) tile */
  int *slot_of;   /* (slots) tile */
  int *group_of;  /* (joints, then bodies) */
  int *run_of;    /* (groups) */
};

/* Builds the tree. No two things in the same place, those of many lanes at multiples of them; all vertices in
 * groups. */
void view_new(struct view *v, const struct graph *g, int lanes);
void view_free(struct view *v);

static const int all_lanes[] = {1, 2, 4, 8};
enum { LANES_COUNT = sizeof all_lanes / sizeof *all_lanes };

typedef void view_check(const struct view *v);
/* With any number of lanes. */
void with_all_lanes(const struct graph *g, view_check *check);
/* Topologies of all kinds; many small mechanisms, some with something more or less: subtrees that fit into
 * others. */
void with_all_graphs(view_check *check);
void with_all_bags(view_check *check);

int *ints(size_t n, int value); /* one more than n */
int unclaimed(const int *of, size_t n);

/* The joint or body in a lane; NOBODY: not in use. */
static inline int item_of(const struct tree *t, const struct tree_tile *o, int lane)
{
  return t->item[o->item_first + lane];
}

static inline bool lane_in_use(const struct tree *t, int tile, int lane)
{
  return item_of(t, &t->tile[tile], lane) != NOBODY;
}

static inline int member_of(const struct tree *t, const struct tree_group *o, int lane)
{
  return t->member[o->member_first + lane];
}

/* Lane by lane side by side, from a multiple of the lanes on. */
bool in_row(const struct lane_at *p, int width);

#endif
