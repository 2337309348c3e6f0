/* SPDX-License-Identifier: MIT
 * Set-up: where everything lies. */
#ifndef LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_H

#include "layout/frozen.h"

/* Links, tiles and constants of f, from the tree. False: out of memory, or an excess was found. */
bool layout_build(const ali3_model *m, struct frozen *f, struct tree_excess *excess);
void layout_free(struct frozen *f);
/* frozen.axes; false: out of memory. */
bool layout_find_axes(const ali3_model *m, struct frozen *f);
/* frozen.carried and frozen.typical, from the links of f. False: out of memory. */
bool layout_find_carried(const ali3_model *m, struct frozen *f);

#endif
