/* SPDX-License-Identifier: MIT
 * Set-up. Which bodies rigid links connect to each other. */
#ifndef MECHANICS_PARTS_H
#define MECHANICS_PARTS_H

#include "stepper/data.h"

#include <ali3/mechanics.h>

struct parts {
  int count;
  int *of_body;              /* (bodies) */
  int *of_link;              /* (links) of soft ones that of their first body */
  ali3_mechanics_part *part; /* (count) counted here: bodies, joints, forces, rows, grounded, sprung */
};

/* False: out of memory. */
bool parts_new(struct parts *p, const ali3_model *m);
void parts_free(struct parts *p);

#endif
