/* SPDX-License-Identifier: MIT
 * Set-up. Parts of the mechanism: sets of bodies that rigid links connect. */
#ifndef MECHANICS_PARTS_H
#define MECHANICS_PARTS_H

#include "kernels/data.h"

#include <ali3/mechanics.h>

struct parts {
  int count;
  int *of_body;              /* (bodies) */
  int *of_link;              /* (links) part of a link; for a soft link the part of its first body */
  ali3_mechanics_part *part; /* (count) filled here: bodies, joints, forces, rows, grounded, sprung */
};

/* False: out of memory. */
bool parts_new(struct parts *p, const ali3_model *m);
void parts_free(struct parts *p);

#endif
