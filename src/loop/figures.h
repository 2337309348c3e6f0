/* SPDX-License-Identifier: MIT
 * The loop's own figures as signals: a test can log them and judge by them like any other. */
#ifndef LOOP_FIGURES_H
#define LOOP_FIGURES_H

#include "loop/cycle.h"

/* Set-up. Their names and units, for signals_new_with(): loop.cycle, loop.cycle.max, ... The levels are those of the
 * model. What *list points to is the caller's to free() with the list itself; NULL when out of memory. */
struct signal *figures_list(const ali3_model *m, int *count);
void figures_free(struct signal *list, int count);

/* RT. Their values, as of the end of the cycle before. */
void figures_take(const struct cycle *c, double *value);

#endif
