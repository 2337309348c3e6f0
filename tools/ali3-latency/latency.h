/* SPDX-License-Identifier: MIT
 * ali3-latency: how long a bench waits for the answer of a running daemon. An input is set, and the time
 * taken until the daemon shows it as the one that acts: over OSC in its stream "input", over Modbus in a
 * register of its map. */
#ifndef ALI3_LATENCY_H
#define ALI3_LATENCY_H

#include "config/settings.h"

#include <stdint.h>
#include <stdio.h>

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* What is toggled: one channel of an input between 0 and `value`. */
struct toggle {
  const struct settings *settings;
  int signal;       /* of the channel, in the signal table */
  int channel;      /* likewise, counted from the first channel of all */
  double value;     /* SI */
  uint64_t wait_ns; /* for an answer, until it counts as lost */
};

/* A way to the daemon and back. */
struct probe {
  const char *name;
  /* NULL on failure, the reason in error[size]. */
  void *(*open)(const struct toggle *t, char *error, size_t size);
  void (*close)(void *probe);
  /* Sets the channel and waits until it is shown: the time that took. 0: it was not shown in time.
   * UINT64_MAX: the connection is gone, the reason in error. */
  uint64_t (*ask)(void *probe, double value, char *error, size_t size);
};
extern const struct probe probe_osc, probe_modbus;

struct samples {
  double *us; /* (count) sorted by samples_sort() */
  int count, lost;
};
void samples_sort(struct samples *s);
/* Of sorted ones; NaN if there are none. The value that a part of `fraction` does not exceed. */
double samples_percentile(const struct samples *s, double fraction);
void samples_print(const struct samples *s, const char *name, FILE *out);

#endif
