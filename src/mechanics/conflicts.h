/* SPDX-License-Identifier: MIT
 * Set-up. Drives and gears whose rows depend on others, and whether the rates they prescribe agree. */
#ifndef MECHANICS_CONFLICTS_H
#define MECHANICS_CONFLICTS_H

#include "mechanics/factor.h"

#include <ali3/mechanics.h>

struct conflicts {
  int count;
  ali3_mechanics_conflict *list;
};

/* f: of all rows; redundant (forces): those to look at. False: out of memory. */
bool conflicts_find(struct conflicts *o, const struct geometry *g, const ali3_data *d, const struct factor *f,
                    const struct rows_used *used, const bool *redundant);
void conflicts_free(struct conflicts *o);

#endif
