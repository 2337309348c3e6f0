/* SPDX-License-Identifier: MIT
 * ali3-latency: measures how long a bench waits for the answer of a running daemon. It sets an input and times until
 * the daemon shows it as the acting value: over OSC in the stream "input", over Modbus in a register of the map. */
#ifndef ALI3_LATENCY_H
#define ALI3_LATENCY_H

#include "settings/settings.h"

#include <stdint.h>
#include <stdio.h>

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* The toggled value: one channel of an input alternates between `rest` and `value`, both within its range. */
struct toggle {
  const struct settings *settings;
  int signal;         /* index of the channel in the signal table */
  int channel;        /* index of the channel among all channels */
  double rest, value; /* in SI units; rest is 0 where the range has it */
  uint64_t wait_ns;   /* time after which an answer counts as lost */
};

/* A connection to the daemon. */
struct probe {
  const char *name;
  /* Returns NULL on failure, with the reason in error[size]. */
  void *(*open)(const struct toggle *t, char *error, size_t size);
  void (*close)(void *probe);
  /* Sets the channel and waits until the daemon shows it. Returns that time in ns; 0: not shown in time, with what the
   * daemon showed instead in error; UINT64_MAX: the connection is gone, with the reason in error. */
  uint64_t (*ask)(void *probe, double value, char *error, size_t size);
};
extern const struct probe probe_osc, probe_modbus;

struct samples {
  double *us; /* (count) samples_sort() sorts them */
  int count, lost;
};
void samples_sort(struct samples *s);
/* The value that this fraction of the sorted samples does not exceed; NaN without samples. */
double samples_percentile(const struct samples *s, double fraction);
void samples_print(const struct samples *s, const char *name, FILE *out);

#endif
