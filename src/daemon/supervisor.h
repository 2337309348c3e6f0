/* SPDX-License-Identifier: MIT
 * The main thread while the loop runs: takes signals, tells the service manager, writes the log. */
#ifndef DAEMON_SUPERVISOR_H
#define DAEMON_SUPERVISOR_H

#include "rt/cycle.h"

#include <signal.h>

struct supervisor {
  struct cycle *cycle;
  sigset_t signals; /* that ask the daemon to stop; blocked in every thread */

  /* filled by supervisor_run() */
  uint32_t final_state; /* enum run_state, the last before EXIT */

  /* private */
  bool ready;                   /* the service manager was told */
  bool stuck;                   /* the log was told */
  uint64_t cycles, advanced_ns; /* cycle counter last seen to advance, and when */
  uint64_t misses, misses_ns;   /* as last logged, and when */
  uint64_t events_lost, status_ns, stop_ns;
};

/* Blocks the signals that stop the daemon in the calling thread; threads it starts inherit that. */
void supervisor_block_signals(struct supervisor *s);

/* Returns when the loop has ended: by itself, or after a signal. False if it did not end in time after one:
 * then the loop's thread still uses its memory, and only leaving the process helps. */
bool supervisor_run(struct supervisor *s);

#endif
