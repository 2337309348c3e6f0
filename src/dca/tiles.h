/* SPDX-License-Identifier: MIT
 * Set-up only: the bodies and joints that are stored side by side, and their places. */
#ifndef DCA_TILES_H
#define DCA_TILES_H

#include "dca/bundles.h"
#include "dca/nodes.h"

/* Fills the tiles of t and the places of bodies and joints. False: out of memory. */
bool store_build(const struct tree_graph *graph, const struct bundles *bundles, const struct nodes *n,
                 const struct plan *p, struct tree *t);

#endif
