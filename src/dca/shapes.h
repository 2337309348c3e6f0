/* SPDX-License-Identifier: MIT
 * Set-up only: which nodes, fronts and subtrees have one shape. A shape is a hash: nodes of one shape may share a group. */
#ifndef DCA_SHAPES_H
#define DCA_SHAPES_H

#include "dca/nodes.h"

/* Fills shape (nodes) for the subtree of each node. */
void shapes_of_subtrees(const struct nodes *n, uint64_t *shape);

/* Shape of a node's front, with its children as they are laid out in their groups. Counts go first: without them the
 * numbers of one child might be read as those of the next. */
uint64_t shape_of_front(const struct nodes *n, const struct plan *p, int node);

/* True if the subtree of node jB fits into the subtree of jA, with the borders of B mapped to those of A. Then match (nodes) of
 * each node of B is its node of A. The slots of B's borders are filled in on the way. */
bool shape_embed(struct nodes *n, int *match, int jA, int jB);

#endif
