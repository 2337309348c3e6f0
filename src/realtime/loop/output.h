/* SPDX-License-Identifier: MIT
 * The output of the loop: the head of the frames, their values, and the last answer. RT. */
#ifndef LOOP_OUTPUT_H
#define LOOP_OUTPUT_H

#include "signals/exchange.h"

struct output {
  struct frame *head; /* for the last observed values */
  double *values;     /* (signals->count)  filled by the phase observe */
  struct answer last; /* last answer to a command */
};

/* Answers a command through its port. */
void output_answer(struct output *o, struct port *port, const struct answer *a);

#endif
