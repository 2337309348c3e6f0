/* SPDX-License-Identifier: MIT
 * Set-up only: puts all that threads share into the order of one walk through the tree. */
#ifndef DCA_SHARED_ORDER_H
#define DCA_SHARED_ORDER_H

#include "dca/tiles.h"

/* Fills position (nodes) with the position of each node in a walk that visits the first child of a node before it and the other
 * children after it: nodes that are near to each other in a mechanism have near positions. False: out of memory. */
bool nodes_walk(const struct nodes *n, int *position);

/* Sorts groups first .. end-1, which do not depend on each other. */
void plan_sort_groups(struct plan *p, int *walk, int first, int end);
/* Sorts the packs, before any group follows them. False: out of memory. */
bool plan_sort_packs(struct plan *p, const int *walk);
/* Fills shared_bodies and shared_joints of t, whose tiles have their offsets. False: out of memory. */
bool store_order(const struct bundles *bundles, const struct nodes *n, const int *walk, struct tree *t);

#endif
