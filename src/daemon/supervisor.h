/* SPDX-License-Identifier: MIT
 * The main thread while the loop runs: takes signals, watches the loop, tells the service manager, writes the log. */
#ifndef DAEMON_SUPERVISOR_H
#define DAEMON_SUPERVISOR_H

#include "daemon/input_log.h"
#include "daemon/loop_thread.h"
#include "daemon/reload.h"
#include "daemon/stall.h"
#include "journal/device_log.h"
#include "journal/host_history.h"
#include "journal/log_limits.h"
#include "journal/misses.h"
#include "loop/cycle.h"
#include "restart/restart.h"
#include "transport/endpoint.h"

#include <signal.h>

struct supervisor {
  struct cycle *cycle;
  struct loop_thread thread;       /* of the loop */
  const char *miss_log;            /* path; NULL: none */
  int miss_log_mb;                 /* at which a new one is begun */
  struct restart *restart;         /* begun */
  const struct endpoint *endpoint; /* (endpoints) started, or off */
  int endpoints;
  sigset_t signals;    /* that it takes; blocked in every thread */
  bool hangup_reloads; /* SIGHUP: read the file again, in place of stop */

  /* filled by supervisor_run() */
  uint32_t final_state; /* enum run_state, the last before EXIT */

  /* private */
  struct host_history host;
  struct host_probe probe;
  struct misses misses;
  struct stall stall;
  struct reload reload;
  struct device_log devices;
  struct log_limits limits;
  struct input_log inputs;
  bool ready;                  /* the service manager was told */
  bool continued;              /* SIGCONT has come */
  uint64_t continued_since_ns; /* it was not there yet */
  uint64_t quiet_ns;           /* no signal was there */
  bool shown_stuck;            /* the ports say SAFE for the loop */
  uint64_t stuck_cycle;        /* at which it was declared stuck */
  uint64_t ran_ns;             /* of the loop's thread, at the last look */
  uint64_t feed_ns, fed_ns;    /* the watchdog: how often (0: there is none), and when last */
  uint64_t events_lost, status_ns;
  uint64_t stop_ns;     /* told to end; 0: not */
  uint64_t waits_ns;    /* since when it is waited for */
  uint64_t waited_ns;   /* as far as it was looked at */
  uint64_t parks_cycle; /* the last that was seen meanwhile */
  bool parks;           /* it may park the platform before */
};

/* Blocks the signals the supervisor takes in the calling thread; threads it starts inherit that. */
void supervisor_block_signals(struct supervisor *s);

/* Before supervisor_run(), which expects cycle, thread and reload to be there. False if the miss log cannot be written, which
 * is said. supervisor_close() is due either way. */
bool supervisor_open(struct supervisor *s);
void supervisor_close(struct supervisor *s);

/* Returns when the loop has ended: by itself, or after a signal. False if it did not end in time after one:
 * then the loop's thread still uses its memory, and only leaving the process helps. */
bool supervisor_run(struct supervisor *s);

#endif
