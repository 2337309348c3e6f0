/* SPDX-License-Identifier: MIT
 * Set-up: between layout.c, which fills the tiles of links, and body_tiles.c. */
#ifndef LAYOUT_LAYOUT_PARTS_H
#define LAYOUT_LAYOUT_PARTS_H

#include "layout/layout.h"
#include "layout/storage.h"

/* Bits of layout.found, each to be moved up by a side: some bodies find its loads lane by lane; others find them in more places
 * than this tile. */
enum { FOUND_ALIGNED = 1, FOUND_SEPARATE = 1 << ROWS_SIDES };

/* What is only needed while tiles are filled in. */
struct layout {
  const ali3_model *m;
  struct frozen *f;
  const struct tree *t;
  int *end_first;       /* (bodies + 1) link ends of each body, in `end` */
  int *end;             /* ROWS_SIDES * link + side, ascending per body */
  int *fill;            /* (bodies + 1) */
  unsigned char *found; /* (tiles) of link tiles */
  size_t constant;      /* doubles of f->link_constant */
};

static inline bool lane_is_used(const struct layout *l, int tile, int lane)
{
  return stored_item(l->t, &l->t->tile[tile], lane) >= 0;
}

/* What kernels read of the bodies, stored as the tree says: mass and inertia. False: out of memory. */
bool body_constants_fill(const ali3_model *m, struct frozen *f);
/* The link ends of each body. */
void body_ends_list(struct layout *l);
/* Body tiles with their ends, and where links leave their loads, once link tiles are filled. False: out of memory. */
bool body_tiles_fill(struct layout *l);
/* Links and ends with tips, at the end. */
void body_tips_find(struct layout *l);

#endif
