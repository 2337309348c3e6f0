/* SPDX-License-Identifier: MIT
 * Set-up. Which bodies are carried by their joints (dca/tree.h). */
#ifndef STEPPER_CARRY_H
#define STEPPER_CARRY_H

#include "stepper/stepper.h"

/* Fills f->carried and f->typical from the links of f. False: out of memory. */
bool carry_find(const ali3_model *m, struct frozen *f);

#endif
