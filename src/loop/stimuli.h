/* SPDX-License-Identifier: MIT
 * The stimuli of a loop that runs: which of them play, and since how many steps. */
#ifndef LOOP_STIMULI_H
#define LOOP_STIMULI_H

#include "inputs/stimulus.h"

enum { STIMULI_MAX = 16 };

struct player {
  bool plays, sent; /* sent: it gave the values of this cycle */
  uint64_t steps;   /* steps that it has driven */
};

struct stimuli {
  int count;
  struct player *player;       /* (count) */
  struct input_sample *sample; /* (channels) last samples of all stimuli */
};

#endif
