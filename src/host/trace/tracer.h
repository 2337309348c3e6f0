/* SPDX-License-Identifier: MIT
 * The kernel's tracer: an instance of our own below /sys/kernel/tracing/instances, which records who has the loop's
 * processors. The kernel overwrites the oldest events. An ordinary thread reads the rest after a miss; the loop knows
 * nothing of it. Takes the right to write there: root's, unless root made the instance and gave it away. */
#ifndef TRACE_TRACER_H
#define TRACE_TRACER_H

#include "trace/blame.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TRACER_CPUS = 64,
  TRACER_KB = 1024,      /* buffer of each processor, if there are few */
  TRACER_ALL_KB = 8192,  /* of all of them */
  TRACER_EVENTS = 65536, /* that are kept in memory after a read */
};

struct tracer_cpu {
  int cpu, pipe;
  uint64_t since_ns; /* no event is missing since then */
};

struct tracer {
  char folder[160]; /* the instance; "": not open */
  struct trace_format format[TRACE_EVENTS];
  struct tracer_cpu cpu[TRACER_CPUS];
  int cpus;
  struct trace_event *event; /* (events) sorted by time */
  int events;
  uint64_t taken; /* events read so far */
  uint8_t *page;
  size_t page_size;
};

/* Begins to record the processors of the set under this name. Takes about 0.1 s, and interrupts every processor of the
 * machine for some microseconds. On failure returns false with the reason, and what to do, in error[size]. */
bool tracer_open(struct tracer *t, const char *name, const cpu_set_t *cpus, char *error, size_t size);
/* Stops recording and removes the instance. May be called for a tracer that did not open. */
void tracer_close(struct tracer *t);

/* Takes all events that the kernel has kept since the last call, and keeps them beside the older ones. */
void tracer_read(struct tracer *t);
/* Answers from the events read so far; asks for the policy of a thread. The kind is CULPRIT_LOST if events of that time
 * were overwritten. */
void tracer_blame(const struct tracer *t, const struct blame_question *q, struct culprit *out);

#endif
