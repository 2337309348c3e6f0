/* SPDX-License-Identifier: MIT
 * Requests of a protocol's thread to the thread that keeps states and parameters, and its replies: messages, or the values of the
 * parameters that the protocol shows. Both are ordinary threads; neither waits for the other. */
#ifndef SIGNALS_DESK_H
#define SIGNALS_DESK_H

#include "base/ring.h"
#include "signals/clients.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DESK_LIST(X)                                                                                         \
  X(DESK_STATE_SAVE, "state/save")                                                                           \
  X(DESK_STATE_LOAD, "state/load")                                                                           \
  X(DESK_STATE_LIST, "state/list")                                                                           \
  X(DESK_PARAM_SET, "param/set")                                                                             \
  X(DESK_PARAM_BEGIN, "param/begin")                                                                         \
  X(DESK_PARAM_COMMIT, "param/commit")                                                                       \
  X(DESK_PARAM_ABORT, "param/abort")                                                                         \
  X(DESK_PARAM_GET, "param/get")                                                                             \
  X(DESK_PARAM_LIST, "param/list")                                                                           \
  X(DESK_PARAM_SAVE, "param/save")                                                                           \
  X(DESK_PARAM_LOAD, "param/load")                                                                           \
  X(DESK_RECORD_STOP, "record/stop")                                                                         \
  X(DESK_RECORD_START, "record/start")                                                                       \
  X(DESK_RECORD_SPLIT, "record/split")                                                                       \
  X(DESK_RECORD_MARK, "record/mark")
enum desk_request_code {
#define DESK_ENUM(id, text) id,
  DESK_LIST(DESK_ENUM)
#undef DESK_ENUM
      DESK_REQUESTS
};
/* The orders have the order of enum record_request. */
const char *desk_request_name(unsigned code); /* as in OSC addresses; "?" when unknown */

enum {
  DESK_NAME = 192,   /* bytes of a name, with the 0 at its end */
  DESK_NUMBERS = 10, /* an inertia, and the time of a ramp */
  DESK_TEXT = 400,
};

struct desk_request {
  uint32_t code;       /* enum desk_request_code */
  uint32_t id, client; /* the sender's, returned with each reply */
  char who[CLIENT_NAME];
  char name[DESK_NAME]; /* "": none was given */
  int count;
  double number[DESK_NUMBERS]; /* (count) */
};

enum desk_reply_kind {
  DESK_DONE,  /* the last reply to a request: result and text */
  DESK_VALUE, /* a parameter: name, unit, number (count), least, greatest */
  DESK_FOUND, /* a state: name; number: seconds since 1970, simulated time (s), bytes */
};

struct desk_reply {
  uint32_t kind, code, id, client;
  uint32_t result; /* enum command_result */
  char name[DESK_NAME], unit[32];
  int count;
  double number[DESK_NUMBERS], least, greatest;
  char text[DESK_TEXT]; /* why the request was refused; "" */
};

struct desk {
  struct ring requests;  /* struct desk_request: protocol -> parameter server */
  struct ring replies;   /* struct desk_reply: parameter server -> protocol, which port_wake() wakes */
  int event;             /* eventfd of the parameter server, written after each request */
  _Atomic double *shown; /* (as given to desk_init) newest values of the parameters that the protocol shows */
  _Atomic uint32_t shows; /* changes when the protocol is to show them all again */
};

/* Set-up. event: of the parameter server, which closes it. shown: number of parameters that the protocol shows. False when out of
 * memory. */
bool desk_init(struct desk *d, int event, int shown);
void desk_free(struct desk *d);

/* The parameter server, after it has set values in d->shown, or refused others. */
void desk_show(struct desk *d);

/* The protocol's thread. False: there is no room, or no desk. */
bool desk_ask(struct desk *d, const struct desk_request *r);

#endif
