/* SPDX-License-Identifier: MIT
 * What only an ordinary thread can know of the time around a missed deadline: was the process stopped, the machine
 * suspended, a debugger attached, the wall clock set, the processor taken away by a hypervisor? The supervisor looks once in
 * a tick; what it saw is kept for as long as records may come that ask for it. */
#ifndef JOURNAL_SURROUNDINGS_H
#define JOURNAL_SURROUNDINGS_H

#include "journal/wall_clock.h"
#include "telemetry/miss.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One look. */
struct sight {
  struct clocks clocks;
  uint64_t stolen_ns;          /* by hypervisors so far; 0 where /proc/stat is hidden */
  uint32_t debugger;           /* that holds the loop's thread; 0: none */
  bool continued;              /* SIGCONT has come since the look before */
  uint64_t continued_since_ns; /* it was not there yet; 0: at the look before */
};

/* The time between two looks. */
struct stretch {
  uint64_t from_ns, to_ns;
  uint64_t stopped_ns;                         /* at least; 0: shorter than two ticks, or not at all */
  uint64_t continued_from_ns, continued_to_ns; /* SIGCONT came between them; 0: none did */
  uint64_t asleep_ns, stolen_ns;
  int64_t wall_step_ns;
  uint32_t debugger;
};

enum { STRETCHES = 256 }; /* 5 s of ticks */
struct surroundings {
  uint64_t tick_ns; /* between two looks, if nothing is in the way */
  struct sight last;
  bool begun;
  unsigned count; /* stretches so far; the last one is at (count - 1) % STRETCHES */
  struct stretch stretch[STRETCHES];
};

/* Adds what has happened since the look before, and returns it. Pure, as is the next. */
const struct stretch *surroundings_add(struct surroundings *s, const struct sight *sight);
/* Fills in the part of a record that is the ordinary thread's. */
void surroundings_explain(const struct surroundings *s, struct miss *m);

/* Looks at the host. cpu: the one the loop is kept on, -1: several; loop: its thread. */
struct eyes {
  int stat; /* /proc/stat; -1: hidden */
  int status;
  int cpu;
};
void eyes_open(struct eyes *e, pid_t loop, int cpu);
void eyes_look(const struct eyes *e, struct sight *sight); /* all but `continued` */
void eyes_close(struct eyes *e);

/* Of the text of /proc/stat: the column "steal" of this processor, or of all (-1), in ticks. */
uint64_t stolen_ticks(const char *stat, int cpu);

#endif
