/* SPDX-License-Identifier: MIT
 * A problem from a model. */
#ifndef COORDINATES_PROBLEM_MAKE_H
#define COORDINATES_PROBLEM_MAKE_H

#include "coordinates/problem.h"

/* `d` has been reset. False, with the reason in *why, where the model is not suitable. */
bool problem_make(struct problem *p, const struct description *kind, const ali3_model *m, const ali3_data *d,
                  struct lab_refusal *why);

#endif
