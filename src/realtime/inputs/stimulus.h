/* SPDX-License-Identifier: MIT
 * A table of measured values that drives inputs: one row for each time, one column for each channel. The loop and the tools
 * read it by the time since its start, so that equal steps get equal bits. */
#ifndef INPUTS_STIMULUS_H
#define INPUTS_STIMULUS_H

#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stimulus {
  char *name;
  bool held; /* a value holds until the next row; otherwise the values lie on straight lines */
  bool
      loops; /* the last row is the first one of the next round; otherwise the stimulus ends with the last row */
  bool with_motion; /* it begins with each start of the motion from the initial state; otherwise on command */
  int rows, columns;
  double *time;  /* (rows) s, ascending */
  double *value; /* (rows, columns) */
  int *channel;  /* (columns) channels of the signals */
};

/* Set-up. Reads a CSV file whose first line names the columns: "time", and channels of inputs by their signals, such as
 * input.push.force.x. Other columns are left out, so that a recorded table drives a run. Names may have units and quotes, as in
 * "time [s]". The file is regular and has at most 64 MB. False with one sentence in error, which
 * begins with FILE:LINE. The caller calls stimulus_free() in both cases. */
bool stimulus_read(struct stimulus *s, const char *file, const struct signals *signals, char *error,
                   size_t size);
void stimulus_free(struct stimulus *s);

/* RT. True until `t`, s since the start, is behind the last row. */
static inline bool stimulus_lasts(const struct stimulus *s, double t)
{
  return s->loops || t <= s->time[s->rows - 1];
}
/* RT. Writes the values as samples of a client: to[channels]. */
void stimulus_write(const struct stimulus *s, double t, struct input_sample *to, uint64_t t_ns);

#endif
