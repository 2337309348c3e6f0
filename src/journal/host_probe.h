/* SPDX-License-Identifier: MIT
 * One sample of the host: its clocks, and two files of /proc that stay open. A part whose file is hidden
 * stays 0. */
#ifndef JOURNAL_HOST_PROBE_H
#define JOURNAL_HOST_PROBE_H

#include "journal/wall_clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_sample {
  struct clocks clocks;
  uint64_t stolen_ns;          /* by hypervisors so far; 0 where /proc/stat is hidden */
  uint32_t debugger;           /* that traces the loop's thread; 0: none */
  bool continued;              /* SIGCONT has come since the sample before */
  uint64_t continued_since_ns; /* it was not there yet; 0: at the sample before */
};

/* cpu: the one the loop is kept on, -1: several; loop: its thread. */
struct host_probe {
  int stat; /* /proc/stat; -1: hidden */
  int status;
  int cpu;
};
void host_probe_open(struct host_probe *e, pid_t loop, int cpu);
void host_probe_read(const struct host_probe *e, struct host_sample *sample); /* all but `continued` */
void host_probe_close(struct host_probe *e);

/* Reads the text of /proc/stat: the column "steal" of this processor, or of all (-1), in ticks. */
uint64_t stolen_ticks(const char *stat, int cpu);

#endif
