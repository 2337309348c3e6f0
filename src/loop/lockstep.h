/* SPDX-License-Identifier: MIT
 * Steps that a client asks for, one command at a time, and the time that passes with them. RT. */
#ifndef LOOP_LOCKSTEP_H
#define LOOP_LOCKSTEP_H

#include "signals/exchange.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  LOCKSTEP_BUSY_NS = 4000000, /* of steps without a pause, */
  LOCKSTEP_REST_NS = 1000000, /* and of the pause that follows, for threads of lower priority */
};

struct lockstep {
  uint64_t owed;          /* steps still to be made */
  struct answer answer;   /* to the command that asked for them */
  int port;               /* whom to answer */
  bool done;              /* the answer goes out with the next frame */
  uint64_t virtual_ns;    /* time by which inputs age */
  uint64_t busy_since_ns; /* end of the last pause */
  bool waiting;           /* asleep until something comes */
};

/* False: the steps of a command before are not made or answered yet, or the command asks for none. */
bool lockstep_owe(struct lockstep *l, const struct command *command, int port);

/* Before the frame goes out, so that it shows the steps as done; the client hears of it after the frame. running: the state lets
 * the model move; stepped: a step was made. Steps that the state forbids are answered, not kept. */
void lockstep_settle(struct lockstep *l, bool running, bool stepped);

#endif
