/* SPDX-License-Identifier: MIT
 * Set-up only: shapes of nodes, fronts and subtrees, and the cost of a group. A shape is a hash: nodes of one shape may share a
 * group. */
#ifndef DCA_SHAPES_H
#define DCA_SHAPES_H

#include "dca/nodes.h"

/* Fills shape (nodes) with the shape of each node's subtree. */
void shapes_of_subtrees(const struct nodes *n, uint64_t *shape);

/* Returns the shape of a node's front, including the lanes and groups of its children. Counts go into the hash first:
 * without them the numbers of one child could be read as numbers of the next child. */
uint64_t shape_of_front(const struct nodes *n, const struct plan *p, int node);

/* Returns true if the subtree of node jB fits into the subtree of jA, with the boundaries of B mapped to boundaries of A.
 * Then match (nodes) gives for each node of B its node of A. The function also fills the positions of B's boundaries. */
bool shape_embed(struct nodes *n, int *match, int jA, int jB);

/* Operations in full lanes that take as long as a group, measured on an EPYC with AVX-512 at 33 GFLOP/s. A group has an overhead,
 * and adds up the update of its boundary once for each child. */
struct tree_cost plan_group_cost(const struct nodes *n, const struct group_plan *o);

#endif
