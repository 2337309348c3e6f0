/* SPDX-License-Identifier: MIT
 * One sample of the host: its clocks and two files of /proc that stay open. If a file is hidden, its part stays 0. */
#ifndef JOURNAL_HOST_PROBE_H
#define JOURNAL_HOST_PROBE_H

#include "log/wall_clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_sample {
  struct clocks clocks;
  uint64_t stolen_ns;          /* time taken by hypervisors so far; 0 if /proc/stat is hidden */
  uint32_t debugger;           /* process that traces the loop's thread; 0: none */
  bool continued;              /* SIGCONT has come since the last sample */
  uint64_t continued_since_ns; /* SIGCONT had not come at this time; 0: at the last sample */
};

/* cpu: CPU of the loop, -1 for several; loop: its thread. */
struct host_probe {
  int stat; /* /proc/stat; -1: hidden */
  int status;
  int cpu;
};
void host_probe_open(struct host_probe *e, pid_t loop, int cpu);
void host_probe_read(const struct host_probe *e,
                     struct host_sample *sample); /* all members except `continued` */
void host_probe_close(struct host_probe *e);

/* Reads column "steal" from the text of /proc/stat, for this processor or for all (-1), in ticks. */
uint64_t stolen_ticks(const char *stat, int cpu);

#endif
