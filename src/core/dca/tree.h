/* SPDX-License-Identifier: MIT
 * The assembly tree: the order in which bodies and joints of a mechanism are condensed, and the offset of each number.
 * Set-up builds the tree; it is constant afterwards. It knows a graph of bodies joined by rows, and no mechanics.
 *
 * The condensed system S z = beta comes from a larger one, which keeps the bodies' increments e as unknowns beside the
 * multipliers z:
 *
 *     | delta^-1   J' |  | e |   |   0   |
 *     |    J      -c  |  | z | = | -beta |          <=>     S z = beta,   S = c + J delta J'
 *
 * The larger matrix is quasi-definite. Any order of elimination works if each joint comes after at least one of its
 * bodies. A vertex is a body or a joint with its rows. Each eliminated vertex makes one node. The boundary of a node is
 * the set of later vertices to which its vertex is coupled. The children of a node are the nodes whose boundaries it
 * takes over. There are three kinds of nodes:
 *
 *     leaf   a body before all of its joints: delta is known in closed form; the leaf adds -J delta J' to its joints
 *     joint  pivot -(c + D): the merge of paper 1, for all assemblies that meet at the joint
 *     hub    a body after some of its joints: a 7x7 pivot, so that the cost of a star stays linear in its bodies.
 *            Where the joints hold a hub fast, stiffnesses up to 1/c pass through its pivot and cost digits, as in a
 *            penalty method. So only bodies with many rows are hubs, and the solves of a tree with a fast hub are
 *            refined. A hub loses no digit where each of its assemblies floats (conditioning.c).
 *
 * A carried body has no mass, or too little: delta does not exist. A carried body is a hub that stays until all its
 * joints are eliminated. Its pivot is then the stiffness by which the joints hold it. The solution contains its
 * increment as an unknown, and the body may have a right-hand side of its own. Paper 4 carries such bodies up its
 * recursion.
 *
 * The order has rounds. A round eliminates all vertices whose elimination is cheap and that are not neighbours of each
 * other. For a chain this gives the balanced binary tree of paper 1, figure 8. Nodes are numbered in this order,
 * children before parents. Lone joints whose fronts are nested become one node, a supernode (supernodes.c).
 *
 * Groups condense `lanes` nodes of one shape side by side. A node without company makes a group of one lane (pack.c).
 * Where subtrees have the same shape, each lane owns one subtree, and all its numbers lie in its own lane. Elsewhere
 * the kernels gather numbers from other lanes. Tiles store bodies and joints side by side (tiles.c), with all data
 * that the stepper keeps for them. Inside packed subtrees a tile follows the group. All other joints have tiles by kind
 * alone, which fills nearly all lanes for any mechanism, and bodies have the lanes of their inner joints where they can.
 *
 * Invariants: 1. A child's index is below its parent's. 2. Boundaries are sorted by vertex. 3. Children are listed in
 * ascending order, so every sum has one order for all groupings. */
#ifndef DCA_TREE_H
#define DCA_TREE_H

#include "math/num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TREE_Y = 7,      /* unknowns of a body */
  TREE_UNIT = 3,   /* columns that the Jacobian of a joint with unit columns does not store */
  TREE_SIDES = 4,  /* bodies that a joint may join; most join two */
  TREE_SHORT = 18, /* rows of a body that kernels process at once */
  TREE_EVEN = 126, /* limit for an even front: rows of its boundary times rows of its pivot */
  /* limit for all fronts: a larger tree would need seconds for a step, and too much memory for its lists */
  TREE_FRONTS_MB = 512,
  TREE_MERGED = 120 /* limit for the leaves of a joint: elements of their updates */
};

struct tree_graph {
  int bodies, joints;
  const int (*ends)[TREE_SIDES]; /* (joints) bodies, all different; < 0: the ground or no body */
  const int *first;              /* (joints + 1) first row of each joint; first[joints]: number of all rows */
  const bool *carried;           /* (bodies) held by their joints alone, with or without mass; NULL: none */
  /* (joints) the compliance is as large as that of the joined bodies: the joint may go before its bodies if they are
   * hubs; NULL: none */
  const bool *soft;
  /* (joints) sides 0 and 1 have -I and I in the first three rows of the first three columns of the Jacobian, and 0 in
   * all further rows of these columns; NULL: none */
  const bool *unit_columns;
  const int *sides;     /* (joints) blocks in a row of the Jacobian; NULL: 2 for each */
  const unsigned *kind; /* (joints) only joints of equal kind share a tile or group; NULL: all alike */
  /* (joints) identifies the members of a bundle (bundles.h): bodies share a group if the signatures of their joints
   * are equal; NULL: all alike */
  const uint64_t *signature;
  struct tree_excess *excess; /* tree_build() fills it; NULL: not wanted */
  /* `one` is the graph of a single mechanism, and this graph repeats it `copies` times. Each copy has a lane of its own.
   * Body b of copy c has the number c one->bodies + b, and joint j of copy c is joint_of[c one->joints + j]. NULL: no copies */
  const struct tree_graph *one;
  const int *joint_of;
  int copies;
};

/* Why there is no tree: condensation would need too much memory. */
struct tree_excess {
  bool found;
  int body, joint; /* the vertex with the largest front; the other one is -1 */
  int joints;      /* joints in this front, including the vertex */
  double bytes;    /* lower bound for all fronts */
};

/* A body in storage: number f of an array F is at `first` F + f `width` + `lane`. */
struct tree_body {
  int first, width, lane;
};

/* A joint in storage, lane included: row k is at `row` + k `width`. Element y of row k of its Jacobian at a side is at
 * `jacobian` + ((k sides + side) columns + y) `width`, with 7 columns. A joint with unit columns has 4, and no elements
 * y < TREE_UNIT. Element i of its loads on its bodies, (sides, 7), is at `end_load` + i `width`. */
struct tree_joint {
  int row, width;
  size_t jacobian, end_load;
};

/* Columns y < TREE_UNIT of a row at a body. UNIT_MINUS + y, UNIT_PLUS + y: -1 or 1 in column y, else 0. UNIT_NONE: stored. */
enum unit_row {
  UNIT_NONE,
  UNIT_ZERO,
  UNIT_MINUS,
  UNIT_PLUS = UNIT_MINUS + TREE_UNIT,
  UNIT_ROWS = UNIT_PLUS + TREE_UNIT
};

enum tree_kind { TREE_LEAF, TREE_JOINT, TREE_HUB };

/* Jacobian blocks that enter a group's fronts: the rows of one joint at one body in each lane. */
struct tree_couple {
  bool unit_columns; /* see tree_graph */
  int side;          /* for all lanes; valid with unit_columns */
  int rows, stride;  /* from a row to the next, in elements */
  int at;            /* first row of the front: of the rows (leaf, hub) or of the hub's columns (joint) */
  int row;           /* joint: first row in the pivot */
  bool aligned;      /* lane by lane in one tile */
  const struct lane_at *J; /* (width) element 0 of the block, also if it is not stored */
  bool stores_all;         /* the joints have no unit columns */
  signed char unit
      [LANES_MOST]; /* without stores_all, the number in unit columns: -1 or 1; 0: the lane has no block */
  /* If not aligned: how to gather elements of the block; NULL: they lie in too many tiles */
  const struct lane_shuffle *shuffle;
};

/* Rows of a child that one vector of a lone parent's boundary adds up: a load at `from` and a shuffle. */
struct tree_shift {
  int to, from; /* first row of the vector; first row of the child */
  /* row after `from` for each lane; the number of lanes: none */
  long long lane[LANES_MOST] __attribute__((aligned(64)));
};

/* One child of each lane. */
struct tree_contribution {
  bool aligned; /* lane by lane in one tile; always true with one lane, see struct tree_group */
  bool leaf;    /* the child has no vector */
  bool whole; /* lone parent: all lanes of the child's group are children, and their boundary is the pivot */
  int group;  /* group of the child in lane 0 */
  int boundary; /* rows of the child's boundary */
  int inner;    /* rows of these that are in the pivot of the parent; with shifts they come first */
  /* (boundary) row of the front of each boundary unknown of the child; -1: none, and its number is 0 */
  const int *to;
  /* (boundary (boundary + 1) / 2) in front: destination of each element of the child's update; -1: none. NULL: the
   * parent adds whole columns, by shifts */
  const int *into;
  const struct tree_shift *shift; /* (shifts) ascending */
  int shifts;
  const struct lane_at *update; /* (width) element 0; unused for a merged leaf */
  const struct lane_at *vector; /* (width) first unknown of the boundary */
};

/* List of the sums over the children's updates, for a group whose contributions are all aligned. A source is an offset in
 * front. In a merged group a source is an offset in the updates of its leaves, which lie one behind the other.
 * Children ascend, so the order of the sums is fixed.
 *
 * Even front: one record per block, `count` and then `count` sources for each element. The rows of blocks ascend,
 * pivot first. A row has one block for each vertex before it, and the diagonal block last.
 *
 * Other fronts: four runs of records. They hold the elements without a source (offset ..), with one (offset, source,
 * ..), with two (offset, source, source, ..), and one record for each further source (offset, source, ..). */
struct tree_sum {
  bool aligned; /* false: there is no list, and the kernels go contribution by contribution */
  int first;    /* in tree.list */
  int none, one, two, more;
};

/* A group finds the solution of a block of its boundary in the vector of the ancestor that solved it, in the vector of
 * a group in between that gathered it, or in its own vector. A group gathers each block that is not aligned
 * into its own vector. */
struct tree_gather {
  int size;
  bool aligned;                 /* see tree_contribution */
  const struct lane_at *vector; /* (width) first unknown of the block */
  /* If not aligned: how to gather the block from the vector of unknowns, where earlier groups left it; NULL: the block
   * lies in too many tiles there */
  const struct lane_shuffle *shuffle;
};

/* Bodies or joints of one kind that are stored side by side. */
struct tree_tile {
  enum tree_kind kind;
  int width;                 /* lanes, or 1 */
  int item_first;            /* in tree.item: a joint or body for each lane; -1: lane unused */
  int used;                  /* number of used lanes; the first lane is always used */
  int rows, sides;           /* joints: rows, and blocks in a row of the Jacobian */
  bool carried;              /* bodies: all of them are carried */
  bool soft, unit_columns;   /* joints */
  int at;                    /* offset of unknown 0 of lane 0 in the vector of unknowns; leaf: -1 */
  int slot;                  /* bodies: `first` of tree_body; joints: -1 */
  size_t jacobian, end_load; /* joints: see tree_joint, for lane 0 */
};

/* Nodes of one shape that are condensed side by side. The bodies and joints of a pack are stored in the lanes of its
 * groups. The first fields are for the sweeps.
 *
 * A group of one lane is lone: a vector holds rows of its boundary, which lone_lanes.c explains. It reads each number
 * where it lies, whatever the width there. Its contributions, gathers and own unknowns count as aligned. */
struct tree_group {
  enum tree_kind kind;
  /* 3 or 5: the kernels have special code for this front; 0: they have none. A joint: it is coupled to no hub, has two
   * children at most (as every joint of two bodies), and each block of its front, pivot and boundary, has this number of
   * rows. The group and its children are aligned. A leaf: each of its joints has this number of rows, unit columns,
   * and aligned blocks. */
  int even;
  int pivot;            /* unknowns eliminated here; 0 for a leaf */
  int boundary;         /* unknowns of the boundary */
  size_t front, update; /* offset of element 0 of lane 0, see tree_offset(); merged leaf: none */
  size_t vector;        /* offset of element 0 of lane 0: right-hand side, then solution, pivot + boundary */
  /* (pivot) offsets of the group's unknowns in the vector of unknowns, for lane 0; (pivot, width) if the group is not
   * aligned. Leaf: NULL */
  const int *own;
  /* Indices in tree.list at which records begin. up: if sum.aligned and not leaf_children, the number of children that
   * add to each element of the vector, and their offsets in vector. An even front has such a record for the first
   * element of each block only. down: if near, the offset in vector of the solution on each block of the boundary.
   * Lone leaf, up: for each of the (padded) rows, offset and stride in the Jacobian and enum unit_row; stride 0: none. Lone joint
   * or hub, up: for each child but leaves and whole groups, (pivot + padded) offsets in vector. down: where each of the (padded)
   * numbers of the boundary's solution lies in vector. */
  int up, down;
  int padded;         /* lone: boundary, rounded up to whole vectors */
  size_t columns;     /* lone: offset of the update by columns, see tree_column() */
  bool packs;         /* lone: its parent does not add columns, so the update is stored row by row, too */
  bool near;          /* all gathers are aligned */
  bool whole;         /* lone: some of its children are added as whole groups */
  bool leaf_children; /* all children are leaves, which add nothing to a right-hand side */
  bool carried;       /* bodies: all of them are carried */
  bool aligned;
  bool supernode;    /* joint: the pivot has the rows of several vertices (supernodes.c) */
  bool unit_columns; /* leaf: all its couples have unit columns, in every lane */
  /* joint: condenses its children, too, which are all leaves; leaf: its joint condenses it */
  bool merged;
  bool as_lone; /* the group adds in the order of the lone kernels (repeated.c) */
  int width;    /* lanes, or 1 */
  struct tree_sum sum;
  int gather_first, gather_end; /* in tree.gather: the boundary, block by block */
  int child_first, child_end;   /* in tree.contribution */
  int couple_first, couple_end; /* in tree.couple */
  const struct tree_body *body; /* (width) leaf, hub: the bodies */
  /* in tree.member: a body, or the first joint of a bundle, for each lane; -1: lane unused */
  int member_first;
  int used;                             /* number of used lanes; the first lane is always used */
  int level;                            /* 0: no children */
  int same_width_first, same_width_end; /* neighbouring groups, this one included, that have its width */
  double flops;                         /* estimate of the condensation, all lanes */
};

/* Number of elements above a row of a lower triangle that is stored row by row. */
static inline int tree_triangle(int row)
{
  return row * (row + 1) / 2;
}

static inline int tree_round_up(int n, int vector)
{
  return (n + vector - 1) / vector * vector;
}

/* Row 0 of column j of a lone update, relative to its offset. A column begins with the vector of its diagonal element,
 * so rows of earlier vectors are not stored. padded: rows of column 0. */
static inline int tree_column(int vector, int padded, int j)
{
  const int q = j / vector, start = vector * q;
  return start * padded - vector * start * (q - 1) / 2 + (j - start) * (padded - start) - start;
}

/* Groups first .. end-1, which run one after the other. cost: estimated times of one condensation, and of one sweep up
 * or down; the unit is the time of one operation in full lanes. */
struct tree_cost {
  double condense, sweep;
};
struct tree_run {
  int first, end;
  double flops; /* of one condensation */
  struct tree_cost cost;
};

/* Runs first .. end-1. separate: none depends on another, so threads may share them. Otherwise they follow one after the
 * other; the groups in one of them do not depend on each other. */
struct tree_band {
  int first, end;
  bool separate;
  struct tree_cost cost; /* of all its runs */
};

/* Sweeps for each condensation, up or down: those of a step of three iterations and three projections. */
enum { TREE_SWEEPS = 12 };

/* Work of a run or band in a step. A share does equal work in all bands if it can: the numbers of its runs then stay in
 * its cache. */
static inline double tree_work_of(struct tree_cost c)
{
  return c.condense + TREE_SWEEPS * c.sweep;
}

/* The share that does a run of a band, if `before` is the work of the runs before it and `all` that of the band: a share
 * gets consecutive runs. */
static inline int tree_share_of(double before, double work, double all, int shares)
{
  const int share = all > 0.0 ? (int)(shares * ((before + 0.5 * work) / all)) : 0;
  return share < shares ? share : shares - 1;
}

/* Tiles in an order. run_end: for each position, the next position whose tile has another width. */
struct tree_order {
  int *tile, *run_end;
};

struct tree {
  int bodies, joints;
  int lanes;
  int vector; /* lanes of the instruction set */
  /* storage */
  int rows;                   /* rows of all joints, unused lanes included; rigid joints first */
  int rigid;                  /* rows of joints that are not soft, unused lanes included */
  int unknowns;               /* rows, then 7 for each hub */
  size_t jacobian, end_loads; /* doubles; one more double follows each array and is always 0 */
  int slots;                  /* for bodies and unused lanes; the last one is the ground's */
  struct tree_body *body;     /* (bodies + 1) last: the ground */
  struct tree_joint *joint;   /* (joints) */
  /* (bodies) offset of a hub in the vector of unknowns, with the width of the body; -1: no hub */
  int *hub_at;
  /* (bodies) offset of a carried body in the vector of unknowns; -1: not carried */
  int *carried_at;
  int carried, hubs;    /* numbers of these bodies */
  bool ill_conditioned; /* joints hold some hubs fast, or some bodies are carried: refine the solves */
  size_t front_size, vector_size; /* doubles */
  double flops;                   /* of one condensation */
  int nodes, levels;
  /* tiles */
  int tiles;
  struct tree_tile *tile;
  int *item;
  int body_tiles, joint_tiles, rigid_tiles; /* tiles with bodies, with joints, with rigid joints */
  /* These tiles in the order of their storage, and in that in which threads share them (shared_order.c); rigid joints first */
  struct tree_order stored_bodies, stored_joints, shared_bodies, shared_joints;
  int *tile_of_joint; /* (joints) */
  /* (joints) the next joint of the bundle (bundles.h) or supernode, whose rows follow in its pivot; -1: last one */
  int *after;
  /* groups */
  int groups;
  struct tree_group *group;
  int *member;
  struct tree_contribution *contribution;
  struct tree_gather *gather;
  struct tree_couple *couple;
  /* Schedule of the sweeps, from the leaves to the root. Runs 0 .. packs-1 are packs of subtrees. Each run belongs to one
   * band, and depends on bands before it alone. bands.c makes them. */
  int runs, packs, bands;
  struct tree_run *run;
  struct tree_band *band;
  int *own;                     /* storage for tree_group.own */
  struct lane_at *offset;       /* storage for offsets of couples, contributions and gathers */
  struct lane_shuffle *shuffle; /* storage for shuffles of gathers */
  struct tree_shift *shift;
  struct tree_body *group_body; /* storage for tree_group.body */
  int *to, *list;
};

/* Offset of an element of a group's front, row >= column, lane 0. First comes the pivot's lower triangle. Then come the
 * columns of the pivot in the boundary, row by row; in a lone group column by column. The lower triangle of the boundary
 * lies elsewhere: it is the update for the parent. */
static inline size_t tree_offset(const struct tree *t, const struct tree_group *o, int row, int column)
{
  const int p = o->pivot, width = o->width;
  const bool lone = width == 1;
  if (row < p) return o->front + (size_t)(width * (tree_triangle(row) + column));
  if (column < p && lone)
    return o->front + (size_t)(tree_round_up(tree_triangle(p), t->vector) + o->padded * column + row - p);
  if (column < p) return o->front + (size_t)(width * (tree_triangle(p) + (row - p) * p + column));
  if (lone) return o->columns + (size_t)(tree_column(t->vector, o->padded, column - p) + row - p);
  return o->update + (size_t)(width * (tree_triangle(row - p) + column - p));
}

/* Builds the tree. vector: lanes of the instruction set that computes it. lanes: largest number of nodes side by side,
 * `vector` or 1. Returns NULL if memory runs out, or if the fronts would exceed TREE_FRONTS_MB; graph->excess then
 * gives their size. */
struct tree *tree_build(const struct tree_graph *graph, int lanes, int vector);
void tree_free(struct tree *t);

#endif
