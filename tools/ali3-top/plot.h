/* SPDX-License-Identifier: MIT
 * Distributions as a picture, drawn by gnuplot. */
#ifndef ALI3_TOP_PLOT_H
#define ALI3_TOP_PLOT_H

#include "collect.h"
#include "options.h"

#include <stdio.h>

/* Looks once and draws. Returns the exit status. */
int plot(const struct options *o);
/* The input of gnuplot, which writes the picture to its standard output. */
void plot_script(const struct picture *p, FILE *out);

#endif
