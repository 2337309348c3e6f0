/* SPDX-License-Identifier: MIT
 * A run as one page with its animation: --view. */
#ifndef ALI3_SIM_FILM_H
#define ALI3_SIM_FILM_H

#include "sim.h"

enum { FILM_RATE = 30, FILM_PLOTS = 16 };

struct film;

/* globs: of the signals that the page plots; NULL: the positions of some joints, and the energy. NULL after printing the
 * reason. */
struct film *film_open(const char *file, const char *globs, const struct settings *s,
                       const struct signals *signals);
/* The values after step `step`; 0: the initial state. */
void film_add(struct film *f, long step, const double *values);
/* A frame whatever its time, without plots. */
void film_add_frame(struct film *f, long number, const double *values);
/* Writes the page and frees the film. False after printing the reason. */
bool film_close(struct film *f);

#endif
