/* SPDX-License-Identifier: MIT
 * Data that the loop leaves for the log: events and records of misses. Their text is made outside the loop. */
#ifndef LOOP_CYCLE_EVENTS_H
#define LOOP_CYCLE_EVENTS_H

#include "base/ring.h"
#include "rig/rig.h"
#include "telemetry/miss.h"

#include <ali3/stepper.h>
#include <stdint.h>

enum {
  CYCLE_EVENTS = 256, /* events that wait for the reader */
  CYCLE_MISSES = 256, /* records of misses that wait for the reader */
  CYCLE_RIDES = 16,   /* finished rides that wait for the reader */
};

enum cycle_cause {
  CAUSE_WARM,
  CAUSE_COMMAND,
  CAUSE_FAULT,
  CAUSE_EXIT,
  CAUSE_REFUSED,         /* a command; value: the enum command_result */
  CAUSE_INJECT_SWITCHED, /* by a command */
  CAUSE_INJECT_ACTS,     /* an injection starts or stops acting */
  CAUSE_PLATFORM_STATE,  /* a change of the platform; from and to are enum platform_state */
  CAUSE_PLATFORM_SET,    /* a command set a platform parameter */
  CAUSE_RIG,             /* a sign of the rig changed; from and to are enum rig_flag */
  CAUSE_JOG_BEGINS,      /* by a command; code: the part */
  CAUSE_JOG_RESTS,       /* value: how far it went */
  CAUSE_VIOLATED,        /* a step ended ALI3_VIOLATED, the previous one did not */
  CAUSE_UNRESOLVED,      /* a step ended ALI3_UNRESOLVED, the previous one did not; value: report.turn */
};
enum { WARM_DISARMED = 1 }; /* no autostart, because motion needs an arm */

/* A change of state, a reset of the model, a fault injection, or an event of the platform. */
struct cycle_event {
  uint64_t cycle;
  uint32_t from, to; /* enum run_state; equal if the state does not change */
  uint32_t cause;    /* enum cycle_cause */
  /* command, enum fault_code, injection_argument() or index in params_table; CAUSE_WARM: the fault of the last run if
   * it leads to SAFE, else WARM_DISARMED or 0 */
  uint32_t code;
  int32_t port;        /* index in config.port; -1: the loop */
  uint32_t client;     /* client of that port */
  int32_t body, joint; /* worst of the failed or unresolved step; -1: none */
  int32_t input;       /* input that is stale or that the start waits for; -1: none */
  double value;        /* new value of the parameter; FAULT_STUCK: s of a suspension of the machine, or 0 */
  ali3_violation violation; /* the open row, if the step failed or was violated; unresolved: its force */
  struct rig_verdict rig;   /* why: a fault of the rig, a command that it refuses, or a sign that changed */
  uint32_t jog;             /* CAUSE_JOG_RESTS: enum jog_cause; CAUSE_REFUSED: enum jog_answer */
  uint32_t parameter;       /* CAUSE_REFUSED of COMMAND_PLATFORM: index in params_table, */
  double asked, ceiling;    /* and the value asked for, and the largest one that a command may set */
};

struct outbox {
  struct ring events; /* struct cycle_event: loop -> one reader */
  /* Entries struct miss: loop -> one reader, which adds facts that the loop does not know; see miss_judge(). */
  struct ring misses;
  struct ring rides; /* struct ride: loop -> one reader */
};

/* A ride of the motion platform that is over. */
struct ride {
  uint64_t first, last; /* cycles */
  bool parked;          /* it ended in the park pose; false: with the loop */
  struct rig_ride figures;
  struct platform_params params; /* at its end */
};

/* For the one reader. Returns false if there is no event. ring_dropped() of the ring counts events without room. */
static inline bool outbox_next_event(struct outbox *o, struct cycle_event *e)
{
  return ring_pop(&o->events, e);
}
static inline bool outbox_next_miss(struct outbox *o, struct miss *m)
{
  return ring_pop(&o->misses, m);
}

#endif
