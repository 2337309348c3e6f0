/* SPDX-License-Identifier: MIT
 * Set-up. Moves to a position nearby, whose rank separates singular positions from permanent redundancy. */
#ifndef MECHANICS_NEARBY_H
#define MECHANICS_NEARBY_H

#include "mechanics/factor.h"

/* Moves all bodies a small step along the constraints. f: factorisation of the used rows, without drives, at the start. The
 * step is equal in every run. False: out of memory. */
bool nearby_move(struct geometry *g, const struct factor *f, const struct rows_used *used,
                 const int *part_of_body, int parts);

/* One stride along the constraints. */
struct stride {
  double length; /* rad, or lengths of the body: largest motion of a body in a part */
  double
      *way; /* (bodies, 6) the last stride, whose direction goes on (0: any); filled. NULL: any direction */
  bool *reached; /* (parts) filled: the part is on its constraints. NULL: not wanted */
};
/* Moves all bodies like nearby_move(), by a stride. False: out of memory. */
bool nearby_stride(struct geometry *g, const struct factor *f, const struct rows_used *used,
                   const int *part_of_body, int parts, struct stride *s);

#endif
