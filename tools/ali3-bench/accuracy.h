/* SPDX-License-Identifier: MIT
 * Work-precision: the error of every method over the time of a step. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <stdbool.h>

/* Runs the mechanism of each file with every method and number of substeps, and prints the tables, or JSON. The reference is
 * FILE.csv beside FILE.json or FILE.yaml, or a run with steps 32 times finer. False: a run failed; the reason is on stderr. */
bool accuracy_bench(char *const *file, int files, bool json);

#endif
