/* SPDX-License-Identifier: MIT
 * ali3-sim --batch: what its runs have in common, as a table for people, and as a picture. Both read the rows of the output, so
 * that they also count rows that --resume has kept. */
#ifndef SIM_BATCH_REPORT_H
#define SIM_BATCH_REPORT_H

#include "sim.h"
#include "sweep.h"

/* Prints how the runs ended, and the least and the greatest value of each quantity with its run. With o->png it draws the
 * quantities over the first parameter that is a number, by gnuplot. head: the first line of the output. False after printing the
 * reason. */
bool batch_report(const struct options *o, const struct sweep *s, const char *head);

#endif
