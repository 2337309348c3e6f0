/* SPDX-License-Identifier: MIT
 * Steps on command, one command at a time, and the simulated time of inputs. RT. */
#ifndef LOOP_LOCKSTEP_H
#define LOOP_LOCKSTEP_H

#include "signals/exchange.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  LOCKSTEP_BUSY_NS = 4000000, /* time of steps without a pause */
  LOCKSTEP_REST_NS = 1000000, /* pause after it, for threads of lower priority */
};

struct lockstep {
  uint64_t owed;          /* steps still to make */
  struct answer answer;   /* answer to their command */
  int port;               /* port of that command */
  bool done;              /* the answer goes out after the next frame */
  uint64_t virtual_ns;    /* time by which inputs age */
  uint64_t busy_since_ns; /* end of the last pause */
  bool waiting;           /* asleep until something comes */
};

/* Returns false if steps of an earlier command are not made or answered yet, or if the command asks for none. */
bool lockstep_owe(struct lockstep *l, const struct command *command, int port);

/* Call before the frame goes out, so that the frame shows the steps as made; the client gets the answer after the
 * frame. running: the state lets the model move; stepped: a step was made. Steps that the state forbids are answered,
 * not kept. */
void lockstep_settle(struct lockstep *l, bool running, bool stepped);

#endif
