/* SPDX-License-Identifier: MIT
 * What the loop leaves for the log: events and records of misses. Text is made outside the loop. */
#ifndef LOOP_CYCLE_EVENTS_H
#define LOOP_CYCLE_EVENTS_H

#include "base/ring.h"
#include "telemetry/miss.h"

#include <ali3/ali3.h>
#include <stdint.h>

enum {
  CYCLE_EVENTS = 256, /* room for events nobody has fetched yet */
  CYCLE_MISSES = 256, /* room for records of misses */
};

enum cycle_cause {
  CAUSE_WARM,
  CAUSE_COMMAND,
  CAUSE_FAULT,
  CAUSE_EXIT,
  CAUSE_REFUSED,         /* a command; value: the enum command_result */
  CAUSE_INJECT_SWITCHED, /* by a command */
  CAUSE_INJECT_ACTS,     /* an injection begins or ends to act */
  CAUSE_PLATFORM_STATE,  /* of the platform, from and to: enum platform_state */
  CAUSE_PLATFORM_SET,    /* one of its parameters, by a command */
  CAUSE_VIOLATED,        /* a step ended ALI3_VIOLATED, the one before did not */
};
enum { WARM_DISARMED = 1 }; /* no autostart, since motion needs an arm */

/* A change of state, a model put back, a fault injection, or something about the platform. */
struct cycle_event {
  uint64_t cycle;
  uint32_t from, to;   /* enum run_state; equal where it stays the same */
  uint32_t cause;      /* enum cycle_cause */
  uint32_t code;       /* the command, the enum fault_code, injection_argument(), a place in params_table;
                        CAUSE_WARM: the fault left by the last run if it leads to SAFE, else WARM_DISARMED or 0 */
  int32_t port;        /* whose doing, index into config.port; -1: the loop's own */
  uint32_t client;     /* of that port */
  int32_t body, joint; /* the worst of the step that failed; -1 none */
  int32_t input;       /* that is lost, or that the start waits for; -1 none */
  double value;        /* that the parameter was set to */
  ali3_violation violation; /* what was open, if the step failed or was violated */
};

struct outbox {
  struct ring events; /* struct cycle_event: loop -> one reader */
  struct ring
      misses; /* struct miss: loop -> one reader, which adds what the loop does not know; see miss_judge() */
};

/* The one reader's thread. False when there is none. What found no room: ring_dropped() of the ring. */
static inline bool outbox_next_event(struct outbox *o, struct cycle_event *e)
{
  return ring_pop(&o->events, e);
}
static inline bool outbox_next_miss(struct outbox *o, struct miss *m)
{
  return ring_pop(&o->misses, m);
}

#endif
