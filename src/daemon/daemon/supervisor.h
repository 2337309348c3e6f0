/* SPDX-License-Identifier: MIT
 * The main thread while the loop runs: takes signals, watches the loop, informs the service manager, writes the log. */
#ifndef DAEMON_SUPERVISOR_H
#define DAEMON_SUPERVISOR_H

#include "daemon/loop_thread.h"
#include "daemon/reload.h"
#include "daemon/service.h"
#include "daemon/stall.h"
#include "journal/condition_log.h"
#include "journal/device_log.h"
#include "journal/host_history.h"
#include "journal/input_log.h"
#include "journal/misses.h"
#include "journal/recorder_log.h"
#include "journal/ride_log.h"
#include "journal/stray_log.h"
#include "log/log_limits.h"
#include "loop/cycle.h"
#include "parameters/param_server.h"
#include "restart/restart.h"
#include "transport/endpoint.h"

#include <signal.h>

struct supervisor {
  struct cycle *cycle;
  struct loop_thread thread;         /* thread of the loop */
  bool traces;                       /* the kernel's trace shall name who causes a miss */
  int workers;                       /* threads beside the loop */
  const char *miss_log;              /* path; NULL: none */
  int miss_log_mb;                   /* size at which a new one is begun */
  struct param_server *param_server; /* states and parameters */
  struct restart *restart;           /* restart_begin() was called */
  const struct endpoint *endpoint;   /* (endpoints) running or off */
  int endpoints;
  sigset_t signals;    /* signals that it takes; blocked in every thread */
  bool hangup_reloads; /* SIGHUP: reload the file instead of stopping */

  /* Filled by supervisor_run(). */
  uint32_t final_state; /* enum run_state, the last one before EXIT */

  /* private */
  struct host_history host;
  struct host_probe probe;
  struct misses misses;
  struct tracer tracer;
  struct ride_log rides;
  struct stall stall;
  struct reload reload;
  struct service service;
  struct device_log devices;
  struct log_limits limits;
  struct input_log inputs;
  struct recorder_log recorder;
  struct stray_log strays;
  struct condition_log conditions;
  bool ready;                  /* the service manager knows that the daemon is ready */
  bool continued;              /* SIGCONT has come */
  uint64_t continued_since_ns; /* SIGCONT had not come at this time */
  uint64_t quiet_ns;           /* no signal waited at this time */
  bool shown_stuck;            /* the ports say SAFE in place of the loop */
  uint64_t stuck_cycle;        /* cycle at which the loop was declared stuck */
  uint64_t ran_ns;             /* processor time of the loop's thread at the last look */
  uint64_t feed_ns, fed_ns;    /* interval of feeding the watchdog (0: none), and last time */
  uint64_t events_lost, notes_lost, status_ns;
  uint64_t stop_ns;     /* time of the order to stop; 0: none */
  uint64_t waits_ns;    /* start of the wait for the end */
  uint64_t waited_ns;   /* part of the wait that this thread has watched */
  uint64_t parks_cycle; /* last cycle seen in that wait */
  bool parks;           /* the platform may park before the end */
};

/* Blocks the signals of the supervisor in the calling thread; threads that it starts inherit the mask. */
void supervisor_block_signals(struct supervisor *s);

/* Call before supervisor_run(), after cycle, thread and reload are set. Returns false if the miss log cannot be
 * written; the log then has the reason. Call supervisor_close() in both cases. */
bool supervisor_open(struct supervisor *s);
void supervisor_close(struct supervisor *s);

/* Logs what the parameter server has left, and tells the frame ring. */
void supervisor_note(struct supervisor *s);

/* Returns when the loop has ended, by itself or after a signal. Returns false if it did not end in time after a signal:
 * its thread then still uses its memory, and the process must exit. */
bool supervisor_run(struct supervisor *s);

#endif
