/* SPDX-License-Identifier: MIT
 * What the kernels have in common with the code around them. */
#ifndef DCA_HUBS_H
#define DCA_HUBS_H

#include "dca/condense.h"

/* Carried bodies of a group whose front is assembled: false if something does not hold one of them. */
bool hubs_are_held(const struct tree *t, const struct tree_work *w, int group);

#endif
