/* SPDX-License-Identifier: MIT
 * What the loop publishes: the head of the frames, their values, and the last answer. RT. */
#ifndef LOOP_OUTPUT_H
#define LOOP_OUTPUT_H

#include "signals/exchange.h"

struct output {
  struct frame *head; /* of the values last observed */
  double *values;     /* (signals->count)  filled by the phase observe */
  struct answer last; /* to the last command that was answered */
};

/* Answers a command through the port that it came from. */
void output_answer(struct output *o, struct port *port, const struct answer *a);

#endif
