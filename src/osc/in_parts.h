/* SPDX-License-Identifier: MIT
 * What the files of osc_in share: in.c takes datagrams and dispatches, inputs.c sets channels, commands.c talks to
 * the loop, requests.c answers what this thread knows by itself. */
#ifndef OSC_IN_PARTS_H
#define OSC_IN_PARTS_H

#include "osc/addresses.h"
#include "osc/in.h"
#include "osc/parse.h"
#include "wire/peers.h"

enum {
  OSC_PLACES = 256, /* more than can be under way in both rings of a port, in a datagram, and steps owed */
  OSC_COMMANDS_MAX =
      64, /* of a datagram: what goes into the ring of a port; others would take the places of those under way */
  OSC_SYNCS = 32
};
_Static_assert((int)OSC_PLACES <= (int)CLIENTS_NAMED,
               "a place is a client's number, under which it has a name");

enum verdict {
  ACCEPTED,
  UNKNOWN,
  WRONG_TYPES,
  NONFINITE,
  REPEATED,
  LATE,
  BAD_CHECKSUM,
  REFUSED, /* the input has another owner */
  DENIED,  /* the sender may only read */
};

/* A message on its way to a handler. */
struct request {
  const char *address, *tail; /* whole; below the prefix */
  const struct osc_arguments *a;
  struct osc_sender from;
  enum access access;
};

struct osc_owner { /* of an input: the first who sets it, until it is silent */
  struct inet_address at;
  uint64_t t_ns;    /* of its last value; 0: nobody */
  uint64_t told_ns; /* when another one was last told; 0: never */
};

struct osc_in {
  const struct osc_config *config;
  const struct signals *signals;
  const struct osc_space *space;
  struct port *port;
  struct counters *counters;
  struct osc_out *out;

  /* inputs */
  struct input_sample *sample; /* (channels) last value of each channel ever received */
  int *input_of;               /* (channels) index of the input */
  struct osc_owner *owner;     /* (inputs) */
  bool changed;                /* sample is newer than what the loop was given */
  bool beat;                   /* and a frame is in it that may pace the loop */
  bool framed;                 /* a frame was received: its number and its sender */
  int32_t sequence;
  struct inet_address framed_by;

  /* commands; a command's client is its place */
  uint32_t next_place; /* goes round */
  uint64_t serial;     /* of the next command */
  struct {
    struct osc_sender from;
    uint64_t serial;
    bool awaited; /* an answer is to go there */
  } place[OSC_PLACES];
  struct {
    struct osc_sender from;
    int32_t id;
    uint64_t serial; /* all commands of the sender before this one are to be answered first */
  } sync[OSC_SYNCS]; /* (syncs) those not answered yet, the oldest first */
  int syncs;

  char estop[OSC_PREFIX_MAX + sizeof "/cmd/estop"]; /* the address */
  uint64_t estop_ns;                                /* when the last one came; 0: none has */

  /* of the datagram in hand */
  struct once {
    bool estop;              /* one e-stop in it was passed on: osc_in_estop() */
    bool ping, status, sync; /* asked for; the last ping and the last sync are answered */
    int32_t ping_id;
    int64_t ping_t;
    size_t ping_bytes, status_bytes; /* of the question */
  } once;
  int commands;
  struct command command[OSC_COMMANDS_MAX];
  struct osc_datagram datagram;
  struct osc_arguments arguments;
};

/* Handlers of the addresses of the list, one for each that is received; then that of addresses with signals. */
#define OSC_HANDLER(address, types, flags, unit, text, handler)                                              \
  enum verdict handler(struct osc_in *in, const struct request *r);
OSC_ADDRESS_LIST(OSC_HANDLER, OSC_NO_ROW)
#undef OSC_HANDLER
enum verdict osc_on_node(struct osc_in *in, const struct request *r, const struct osc_node *node);

/* The request number of an e-stop, whatever else is in it. */
int32_t osc_estop_id(struct osc_in *in, const struct osc_raw *m);
/* Passes an e-stop to the loop, before all that waits. */
void osc_raise_estop(struct osc_in *in, const struct osc_sender *from, int32_t id);
/* Answers the questions of the datagram that get one answer, however often it asks. */
void osc_answer_once(struct osc_in *in, const struct osc_sender *to);

void osc_acknowledge(struct osc_in *in, const struct osc_sender *to, const char *what, int32_t id,
                     unsigned result);
/* Sends the commands of the datagram, after its inputs. */
void osc_send_commands(struct osc_in *in);
/* Answers those whose commands are all answered. */
void osc_answer_syncs(struct osc_in *in);

#endif
