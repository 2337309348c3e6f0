/* SPDX-License-Identifier: MIT
 * The state machine of the daemon: which command is valid in which state, and what a fault does. Pure: no
 * clock, no I/O, no knowledge of who asked. The loop owns it and carries its verdicts out. */
#ifndef LOOP_MACHINE_H
#define LOOP_MACHINE_H

#include "loop/rearm.h"
#include "signals/states.h"

#include <stdbool.h>

/* What the loop has to do about the model. */
enum machine_action {
  ACTION_NONE,
  ACTION_RESTORE, /* put the model into its initial state */
};

struct machine {
  enum run_state state;
  enum fault_code
      fault;     /* latched cause of FAULT and SAFE; in INIT: of the stop that the last run left latched */
  int misses;    /* consecutive ones so far */
  bool waits;    /* some input is required: the caller's to set */
  bool lockstep; /* steps are asked for */
  bool disarmed; /* by FAULT, SAFE, or an end that nobody ordered: `run` needs an `arm` before it */
  struct rearm rearm; /* while disarmed: when that arm may come */
};

/* All functions are RT and belong to the loop's thread. */

void machine_init(struct machine *m, bool lockstep);

/* Set-up, after machine_init(): what the last run left behind. fault: the stop that it left latched, which a reset has to clear
 * again; FAULT_NONE: none. disarmed: motion needs an arm, whatever autostart says; true with every fault. */
void machine_keep(struct machine *m, enum fault_code fault, bool disarmed);

/* The warm-up is over: INIT leads to SAFE where a stop is still latched, else to STOPPED, or to RUNNING with autostart unless
 * disarmed. In other states nothing happens. */
enum machine_action machine_warm(struct machine *m, bool autostart);

/* Judges a command that was received at t_ns. ready: all inputs that are required are fresh. Returns an enum command_result;
 * *action says what is to be done if it is RESULT_OK. While disarmed an arm is RESULT_TOO_SOON unless rearm_is_due(). */
enum command_result machine_command(struct machine *m, uint32_t code, bool ready, uint64_t t_ns,
                                    enum machine_action *action);

/* A frame that shows `state` was published at t_ns. */
static inline void machine_shown(struct machine *m, uint32_t state, uint64_t t_ns)
{
  if (m->disarmed && state == STATE_STOPPED) rearm_shown(&m->rearm, t_ns);
}

/* Something has gone wrong: latches the cause and goes where FAULT_LIST says. In FAULT and SAFE only an
 * e-stop still changes anything. In EXIT only an e-stop does: the state stays, the fault is latched for the next start. */
void machine_trip(struct machine *m, enum fault_code fault);

/* Counts the deadline of a cycle as kept or missed. max_misses in a row in RUNNING trip FAULT_MISSES; 0: they never do. */
void machine_deadline(struct machine *m, bool missed, int max_misses);

/* The loop is told to end. */
void machine_exit(struct machine *m);

/* True where the model moves. */
static inline bool machine_steps(const struct machine *m)
{
  return m->state == STATE_RUNNING;
}

/* The flag bits of a frame that follow from the state alone. */
uint32_t machine_flags(const struct machine *m);

#endif
