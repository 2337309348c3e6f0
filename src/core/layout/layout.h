/* SPDX-License-Identifier: MIT
 * Set-up: the offsets of bodies and links in the storage of tiles. */
#ifndef LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_H

#include "layout/frozen.h"

/* Builds the tree, and fills links, tiles and constants of f. False: out of memory, or an excess was found. */
bool layout_build(const ali3_model *m, struct frozen *f, struct tree_excess *excess);
void layout_free(struct frozen *f);
/* The link of copy `copy` that is `link` of the pattern. */
static inline int layout_link_of_copy(const ali3_model *m, const struct frozen *f, int copy, int link)
{
  const struct frozen *one = m->pattern->frozen;
  const int joints = m->pattern->joints, rigid = one->rigid_links - joints,
            soft = one->links - one->rigid_links;
  if (link < joints) return copy * joints + link;
  if (link < one->rigid_links) return m->joints + copy * rigid + link - joints;
  return f->rigid_links + copy * soft + link - one->rigid_links;
}
/* Fills frozen.axes. False: out of memory. */
bool layout_find_axes(const ali3_model *m, struct frozen *f);
/* Marks tiles with steady bodies. */
void layout_mark_steady(const ali3_model *m, struct frozen *f);
/* Fills frozen.carried and frozen.typical from the links of f. False: out of memory. */
bool layout_find_carried(const ali3_model *m, struct frozen *f);

#endif
