/* SPDX-License-Identifier: MIT
 * The state machine of the daemon: which command is valid in which state, and the effect of a fault. Pure: no clock, no
 * I/O; it does not know who sent a command. The loop owns it and carries out its results. */
#ifndef MOTION_MACHINE_H
#define MOTION_MACHINE_H

#include "machine/rearm.h"
#include "signals/states.h"

#include <stdbool.h>

/* The action of the loop on the model. */
enum machine_action {
  ACTION_NONE,
  ACTION_RESTORE, /* return the model to its initial state */
  ACTION_LOAD,    /* put the model into the state that was handed over */
};

struct machine {
  enum run_state state;
  enum fault_code
      fault;          /* latched cause of FAULT and SAFE; in INIT: the stop that the last run left latched */
  int misses;         /* consecutive misses */
  bool waits;         /* an input is required; set by the caller */
  bool lockstep;      /* the loop steps on command */
  bool loaded;        /* the model has a state that was loaded: the next motion begins from it */
  bool disarmed;      /* since FAULT, SAFE or an end without an order: `run` needs an `arm` first */
  struct rearm rearm; /* while disarmed: the earliest time of that arm */
  bool stop_shown;    /* in FAULT and SAFE: a frame has shown this stop, */
  uint64_t stop_ns;   /* at this time. A reset that was received before it means another stop, or none. */
};

/* All functions are RT and belong to the loop's thread. */

void machine_init(struct machine *m, bool lockstep);

/* Set-up, after machine_init(): the state that the last run left. fault: the latched stop, which a reset must clear;
 * FAULT_NONE: none. disarmed: motion needs an arm even with autostart; must be true with a fault. */
void machine_keep(struct machine *m, enum fault_code fault, bool disarmed);

/* Ends the warm-up: INIT leads to SAFE if a stop is latched, to RUNNING with autostart unless disarmed, else to
 * STOPPED. Does nothing in other states. */
enum machine_action machine_warm(struct machine *m, bool autostart);

/* After machine_warm(), with a state to continue from: RUNNING becomes STOPPED, so that nothing moves by itself. Returns true
 * if the model must take the state now; false in SAFE, where a stop is latched. */
bool machine_resume(struct machine *m);

/* Judges a command that was received at t_ns. ready: all required inputs are fresh. Returns an enum command_result; if
 * it is RESULT_OK, *action tells what to do. While disarmed an arm gets RESULT_TOO_SOON unless rearm_is_due(), and a reset gets
 * it if it was received before a frame showed the stop. */
enum command_result machine_command(struct machine *m, uint32_t code, bool ready, uint64_t t_ns,
                                    enum machine_action *action);

/* True if a stop is latched. */
static inline bool machine_is_stopped(const struct machine *m)
{
  return m->state == STATE_FAULT || m->state == STATE_SAFE;
}

/* A frame with this state and fault was published at t_ns. */
static inline void machine_shown(struct machine *m, uint32_t state, uint32_t fault, uint64_t t_ns)
{
  if (m->disarmed && state == STATE_STOPPED) rearm_shown(&m->rearm, t_ns);
  if (!machine_is_stopped(m) || m->stop_shown || state != m->state || fault != m->fault) return;
  m->stop_shown = true;
  m->stop_ns = t_ns;
}

/* A fault: latches the cause and changes the state according to FAULT_LIST. In FAULT and SAFE only an e-stop has an
 * effect. In EXIT an e-stop is latched for the next start, and the state stays. */
void machine_trip(struct machine *m, enum fault_code fault);

/* Counts the deadline of a cycle as met or missed. max_misses in a row in RUNNING trip FAULT_MISSES; 0: never. */
void machine_deadline(struct machine *m, bool missed, int max_misses);

/* The loop must end. */
void machine_exit(struct machine *m);

/* True in a state in which the model moves. */
static inline bool machine_steps(const struct machine *m)
{
  return m->state == STATE_RUNNING;
}

/* The flag bits of a frame that follow from the state. */
uint32_t machine_flags(const struct machine *m);

#endif
