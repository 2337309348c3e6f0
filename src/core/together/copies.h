/* SPDX-License-Identifier: MIT
 * Several runs of mechanisms of one structure, side by side. Each run is computed in one lane of a model of all runs, and has the
 * bits of a single run. Between two steps the data of each run hold its state. */
#ifndef TOGETHER_COPIES_H
#define TOGETHER_COPIES_H

#include "kernels/data.h"

struct copies;

/* Set-up. The models are frozen, and their data begin a run, at the same time. `whole`: after a step, data have all numbers, for
 * forces, reactions and energies; else the states of the bodies alone. NULL: the models do not fit, or no memory; why: a few
 * words. */
struct copies *copies_new(const ali3_model *const *of, ali3_data *const *data, int count, bool whole,
                          char *why, size_t size);
void copies_free(struct copies *k);

/* RT. ali3_step() of each run. status: (count). A run makes its step by itself if its verdict is more than ALI3_OK, or in doubt.
 * False: too many runs did, so lanes no longer pay. The data then have all numbers, and the runs go on by themselves. */
bool copies_step(struct copies *k, int *status);

#endif
