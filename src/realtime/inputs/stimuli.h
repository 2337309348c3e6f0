/* SPDX-License-Identifier: MIT
 * The stimuli of a loop that runs. A stimulus that plays is one more client of the inputs: in each cycle it sends the values for
 * the end of the next step. Its time advances with the steps. RT except stimuli_init() and stimuli_free(). */
#ifndef INPUTS_STIMULI_H
#define INPUTS_STIMULI_H

#include "inputs/stimulus.h"

enum { STIMULI_MAX = 16 };

struct player {
  bool plays, sent; /* sent: it gave the values of this cycle */
  uint64_t steps;   /* steps that it has driven */
};

struct stimuli {
  int count, channels;
  const struct stimulus *table; /* (count) */
  struct port *port;            /* nobody else sends inputs through it */
  double period;                /* s */
  struct player *player;        /* (count) */
  struct input_sample *sample;  /* (channels) last samples of all stimuli */
};

/* Set-up. port NULL: no stimuli. The objects must outlive the result. Returns false when out of memory. */
bool stimuli_init(struct stimuli *all, const struct stimulus *table, int count, struct port *port,
                  int channels, uint64_t period_ns);
void stimuli_free(struct stimuli *all);
/* Ahead of inputs_take(). stepped: the model has made a step since the last call. */
void stimuli_play(struct stimuli *all, bool stepped, uint64_t t_ns);
/* The model is in its initial state again. Returns true if first values were sent, so that inputs_take() must take them. */
bool stimuli_rewind(struct stimuli *all, uint64_t t_ns);
/* Starts or stops stimulus argument / 2 by the lowest bit; it acts from the next cycle on. Returns false: there is none. */
bool stimuli_switch(struct stimuli *all, uint32_t argument);

#endif
