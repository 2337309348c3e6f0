/* SPDX-License-Identifier: MIT
 * The assembly tree: in which order the bodies and joints of a mechanism are condensed, and where each piece
 * goes. Set-up only; constant afterwards. Knows a graph of bodies joined by rows, nothing of mechanics.
 *
 * The system behind it, with the bodies' increments e kept as unknowns beside the multipliers z,
 *
 *     | delta^-1   J' |  | e |   |   0   |
 *     |    J      -c  |  | z | = | -beta |          <=>     S z = beta,   S = c + J delta J'
 *
 * is quasi-definite: any order of elimination works, as long as a joint comes after at least one of its
 * bodies. One eliminated vertex (a body, or a joint with its rows) is one node; its border is what it is
 * coupled to and comes later; its children are the nodes whose borders it takes over. Three kinds:
 *
 *     leaf   a body before any of its joints: delta is known in closed form, adds -J delta J' to its joints
 *     joint  pivot -(c + D): the merge of paper 1, of as many assemblies as meet there
 *     hub    a body after some of its joints: a 7x7 pivot, so that a star of a thousand bodies stays linear.
 *            Where the joints hold it fast, stiffnesses up to 1/c pass through that pivot and cost digits, as
 *            with a penalty method: only bodies with many rows are hubs, and the solves of a tree with such a hub
 *            are refined. Where each of its assemblies floats no digit is lost (fastness.c).
 *
 * A carried body is one without mass, or with too little: delta does not exist. It is a hub that stays until
 * all its joints have gone, and then has what they hold it by as its pivot; its increment is an unknown that
 * the solution brings, and it may have a right-hand side of its own (paper 4 carries such bodies up its
 * recursion in the same way).
 *
 * Order: rounds. In each, all vertices whose elimination is cheap and that are no neighbours of each other; a
 * chain gives the balanced binary tree of paper 1, figure 8. Nodes are numbered in that order: children
 * before parents.
 *
 * Nodes of one shape are condensed side by side, in groups of `lanes` nodes, those that find no company in
 * groups of one (pack.c). Where subtrees have the same shape a lane owns one of them, and all it needs lies
 * in its own lane; elsewhere numbers are picked from where they are. Bodies and joints are stored side by
 * side in tiles (tiles.c), and with them everything the stepper has of them: as their nodes are grouped where
 * those are part of such subtrees, else by their kind alone, which fills nearly all lanes, however irregular
 * the mechanism.
 *
 * Invariants: 1. child index < parent index; 2. borders are sorted by vertex; 3. children are listed in
 * ascending order: every sum has one order, whatever the groups. */
#ifndef DCA_TREE_H
#define DCA_TREE_H

#include "math/num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TREE_Y = 7,      /* unknowns of a body */
  TREE_SIDES = 4,  /* bodies that a joint may join; most join two */
  TREE_SHORT = 18, /* rows of a body that kernels take at a gulp */
  TREE_EVEN = 126, /* the same of an even front: rows of its border times those of its pivot */
  TREE_FRONTS_MB =
      512,          /* of all fronts; beyond it a step would take seconds, and so would the lists for it */
  TREE_MERGED = 120 /* the same of the leaves of a joint: elements of their updates */
};

struct tree_graph {
  int bodies, joints;
  const int (*ends)[TREE_SIDES]; /* (joints) bodies, all different; < 0: the ground, or none */
  const int *first;    /* (joints + 1) first row of each joint, counted through; first[joints]: all rows */
  const bool *carried; /* (bodies) held up by their joints alone, mass or not; NULL: none */
  const bool *soft;    /* (joints) compliance of the size of what it joins: may go before its bodies, if those
                                    are hubs; NULL: none */
  /* (joints) the first three columns of the Jacobian are -I and I in the first three rows, of sides 0 and 1, and
   * 0 in all others; NULL: of none */
  const bool *unit_columns;
  const int *sides;     /* (joints) blocks in a row of the Jacobian; NULL: 2 everywhere */
  const unsigned *kind; /* (joints) only joints of equal kind share a tile or group; NULL: all alike */
  /* (joints) what a bundle is made of (bundles.h): bodies share a group if those of their joints are equal; NULL: all alike */
  const uint64_t *parts;
  struct tree_excess *excess; /* for tree_build() to fill; NULL: not wanted */
};

/* Why there is no tree: condensation would need too much memory. */
struct tree_excess {
  bool found;
  int body, joint; /* the vertex with the largest front; -1: it is the other */
  int joints;      /* in that front, the vertex included */
  double bytes;    /* of all fronts, at least */
};

/* Where a body is stored: number f of F at `first` F + f `width` + `lane`. */
struct tree_body {
  int first, width, lane;
};

/* Where a joint is stored, lane included: row k at `row` + k `width`; its Jacobian, (rows, sides, 7), element
 * i at `jacobian` + i `width`; its loads on its bodies, (sides, 7), likewise at `end_load`. */
struct tree_joint {
  int row, width;
  size_t jacobian, end_load;
};

enum tree_kind { TREE_LEAF, TREE_JOINT, TREE_HUB };

/* Jacobian blocks that enter a group's fronts: rows of a joint each, on one body. */
struct tree_couple {
  bool unit_columns;       /* see tree_graph */
  int side;                /* of all lanes, if so */
  int rows, stride;        /* from a row to the next, in elements */
  int at;                  /* place in the front: of the rows (leaf, hub), of the hub's columns (joint) */
  int row;                 /* joint: place of the rows in the pivot */
  bool aligned;            /* lane by lane in one tile */
  const struct lane_at *J; /* (width) element 0 of the block */
};

/* One child of each lane. */
struct tree_branch {
  bool aligned;      /* lane by lane in one tile; of one lane: always, see struct tree_group */
  bool leaf;         /* it has no vector */
  int group;         /* of the child of lane 0 */
  int pivot, border; /* of the child */
  const int
      *to; /* (border) place in the front of what is in the child's border; -1: it has none, and 0 there */
  const int
      *into; /* (border (border + 1) / 2) in front: where each element of its update goes; -1: nowhere */
  const struct lane_at *update; /* (width) element 0. Merged leaf: not to be used */
  const struct lane_at *vector; /* (width) */
};

/* How the updates of the children are summed up, all branches aligned. Sources are offsets in front, or in the updates
 * of its leaves one behind the other, if the group is merged with them; children ascending. Of an even front block by
 * block, in the order of its rows, of the pivot, then of each part of the border (one to each part before it, the
 * diagonal one last): how many children add to the block, and for each of its elements where they have it. Of others
 * places in front that nothing adds to (place ..), that one child adds to (place, source, ..), two (place, source,
 * source, ..), and what more there is to add (place, source, ..). */
struct tree_sum {
  bool aligned; /* else there is no list: branch by branch */
  int first;    /* in tree.list */
  int none, one, two, more;
};

/* Where a group finds part of the solution on its border: where it was first written, in the vector of the group that
 * eliminated it, or where a group in between has picked it together. That is what a group does with parts that are not
 * aligned: they go to their place in its own vector. */
struct tree_pull {
  int size;
  bool aligned;                 /* as that of tree_branch */
  const struct lane_at *vector; /* (width) first unknown of the part */
  /* If not aligned: the same in the vector of unknowns, where the groups before have left it; NULL: in too many places
   * there */
  const struct lane_mix *mix;
};

/* Bodies or joints of one kind that are stored side by side. */
struct tree_tile {
  enum tree_kind kind;
  int width;                 /* lanes, or 1 */
  int item_first;            /* in tree.item: a joint or body for each lane; -1: lane not in use */
  int used;                  /* lanes in use, the first one among them */
  int rows, sides;           /* joints: rows, and blocks in a row of the Jacobian */
  bool carried;              /* bodies: all of them are */
  bool soft;                 /* joints */
  int at;                    /* unknown 0 of lane 0 in the vector of unknowns; leaf: -1 */
  int slot;                  /* bodies: `first` of tree_body; joints: -1 */
  size_t jacobian, end_load; /* joints: as tree_joint, lane 0 */
};

/* Nodes of one shape that are condensed side by side. What belongs to a pack is stored like that, too. First what the
 * sweeps look at.
 *
 * A group of one lane reads each number from where it is, whatever the width there: its branches, its pulls and its own unknowns
 * count as aligned, and its kernels look at the stride. */
struct tree_group {
  enum tree_kind kind;
  /* 3 or 5: there are kernels for this front. A joint coupled to no hub, with two children at most, as all that join two
   * bodies: so many rows has every part of it, the pivot and those of the border; and it and its children are aligned. A
   * leaf: so many rows has each of its joints, all with unit columns and aligned. */
  int even;
  int pivot;            /* unknowns eliminated here; 0 for a leaf, whose body is not carried */
  int border;           /* unknowns of the border */
  size_t front, update; /* element 0 of lane 0, see tree_place(); merged leaf: none */
  size_t vector;        /* likewise: right-hand side, then solution, pivot + border */
  /* (pivot) places of its unknowns in the vector of unknowns, of lane 0; if it is not aligned, (pivot, width). Leaf: NULL */
  const int *own;
  /* Places in tree.list. up: if sum.aligned and not leaf_children, how many children add to each place of the vector, and
   * from where in vector; an even front has this for the first place of each part only. down: if near, where in vector the
   * solution on each part of the border is. With one lane, a stride follows each place of down, and of up in an even
   * front. */
  int up, down;
  bool near;          /* all pulls are aligned */
  bool leaf_children; /* all its children are leaves: they bring nothing to a right-hand side */
  bool carried;       /* bodies: all of them are */
  bool aligned;
  bool unit_columns; /* leaf: all its couples have them, in every lane */
  bool merged;       /* joint: condenses its children, too, all of them leaves; leaf: its joint does so */
  int width;         /* lanes, or 1 */
  struct tree_sum sum;
  int pull_first, pull_end;     /* in tree.pull: the border, part by part */
  int child_first, child_end;   /* in tree.branch */
  int couple_first, couple_end; /* in tree.couple */
  const struct tree_body *body; /* (width) leaf, hub: the bodies */
  int member_first; /* in tree.member: a body, or the first joint of a bundle, for each lane; -1: lane not in use */
  int used;         /* lanes in use, the first one among them */
  int level;        /* 0: no children */
  int same_width_first, same_width_end; /* the groups around it that have its width */
  double flops;                         /* estimate of the condensation, all lanes */
};

/* Elements of a lower triangle before a row, row by row. */
static inline int tree_triangle(int row)
{
  return row * (row + 1) / 2;
}

/* Where an element of a group's front is, row >= column, lane 0: the pivot's lower triangle, then the rows of the
 * border, what they have beside the pivot; and elsewhere the lower triangle of the border, which is what the parent
 * gets. */
static inline size_t tree_place(const struct tree_group *o, int row, int column)
{
  size_t width = (size_t)o->width;
  int p = o->pivot;
  if (row < p) return o->front + width * (size_t)(tree_triangle(row) + column);
  if (column < p) return o->front + width * (size_t)(tree_triangle(p) + (row - p) * p + column);
  return o->update + width * (size_t)(tree_triangle(row - p) + column - p);
}

/* Groups first .. end-1: one after the other. */
struct tree_run {
  int first, end;
  double flops;
};

struct tree {
  int bodies, joints;
  int lanes;
  /* storage */
  int rows;                   /* of all joints, those of lanes not in use among them; rigid ones first */
  int rigid;                  /* rows of joints that are not soft, likewise */
  int unknowns;               /* rows, then 7 of each hub */
  size_t jacobian, end_loads; /* doubles; one more double behind each is always 0 */
  int slots;                  /* of bodies, of lanes not in use, and last the ground's */
  struct tree_body *body;     /* (bodies + 1) last: the ground */
  struct tree_joint *joint;   /* (joints) */
  int *hub_at; /* (bodies) offset of a hub in the vector of unknowns, its width that of the body; -1 others */
  int *carried_at;                /* (bodies) likewise, carried bodies only */
  int carried, hubs;              /* how many */
  bool fast;                      /* hubs that are held fast, or carried bodies: solves are to be refined */
  size_t front_size, vector_size; /* doubles */
  double flops, owned_flops;      /* all; of the runs that are owned */
  int nodes, levels;
  /* tiles */
  int tiles;
  struct tree_tile *tile;
  int *item;
  int *body_tile, body_tiles;                /* tiles with bodies, in the order of their storage */
  int *joint_tile, joint_tiles, rigid_tiles; /* with joints, the rigid ones first */
  int *body_run_end,
      *joint_run_end; /* for each place in these lists the next one whose tile has another width */
  int *tile_of_joint; /* (joints) */
  int *
      after; /* (joints) the next one in its bundle (bundles.h), whose rows follow in the same pivot; -1: the last */
  /* groups */
  int groups;
  struct tree_group *group;
  int *member;
  struct tree_branch *branch;
  struct tree_pull *pull;
  struct tree_couple *couple;
  /* schedule of the sweeps: runs 0 .. owned-1 are subtrees and depend on nothing, in any order or at the same
   * time; then one run after the other, of groups that do not depend on each other */
  int runs, owned;
  struct tree_run *run;
  int *own;              /* what groups point into */
  struct lane_at *place; /* likewise couples, branches and pulls */
  struct lane_mix *mix;  /* likewise pulls */
  struct tree_body *place_of_body;
  int *to, *list;
};

/* lanes: 1 .. ISA_LANES_MAX. NULL when out of memory, or when the fronts would exceed TREE_FRONTS_MB: graph->excess tells. */
struct tree *tree_build(const struct tree_graph *graph, int lanes);
void tree_free(struct tree *t);

#endif
