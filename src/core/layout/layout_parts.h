/* SPDX-License-Identifier: MIT
 * Set-up: state that layout.c, which fills tiles of links, and body_tiles.c share. */
#ifndef LAYOUT_LAYOUT_PARTS_H
#define LAYOUT_LAYOUT_PARTS_H

#include "layout/layout.h"
#include "layout/storage.h"

/* Bits of layout.found, shifted by the side: some bodies find the loads of the tile lane by lane; some find loads in more tiles
 * than this one. */
enum { FOUND_ALIGNED = 1, FOUND_SEPARATE = 1 << ROWS_SIDES };

/* State that exists only while tiles are filled in. */
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

/* Fills mass and inertia of the bodies for kernels, in the storage of the tree. False: out of memory. */
bool body_constants_fill(const ali3_model *m, struct frozen *f);
/* Lists the link ends of each body. */
void body_ends_list(struct layout *l);
/* Copies: brings the ends of each body into the order in which a body of the pattern adds their loads. */
void body_ends_copy_order(struct layout *l);
/* Fills body tiles with their ends, and the offsets of the loads of links, after the link tiles. False: out of memory. */
bool body_tiles_fill(struct layout *l);
/* Fills in the ends whose points body kernels evaluate, after all tiles. */
void body_points_find(struct layout *l);

#endif
