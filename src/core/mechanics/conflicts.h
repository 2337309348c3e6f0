/* SPDX-License-Identifier: MIT
 * Set-up. Drives and gears whose rows depend on other rows, and the differences of the rates that they prescribe. */
#ifndef MECHANICS_CONFLICTS_H
#define MECHANICS_CONFLICTS_H

#include "mechanics/factor.h"

#include <ali3/mechanics.h>

struct conflicts {
  int count;
  ali3_mechanics_conflict *list;
};

/* f: factorisation of all rows; redundant: (forces) true for forces to inspect. False: out of memory. */
bool conflicts_find(struct conflicts *o, const struct geometry *g, const ali3_data *d, const struct factor *f,
                    const struct rows_used *used, const bool *redundant);
void conflicts_free(struct conflicts *o);

#endif
