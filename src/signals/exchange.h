/* SPDX-License-Identifier: MIT
 * What the loop and the outside exchange, and the port through which they do it.
 *
 * One port joins the loop to one ordinary thread (OSC, Modbus, ...). Values meet in snapshots (latest wins,
 * never torn), commands and their answers in rings (order kept, drops counted). Neither side ever waits for
 * the other. */
#ifndef SIGNALS_EXCHANGE_H
#define SIGNALS_EXCHANGE_H

#include "base/ring.h"
#include "base/snapshot.h"
#include "signals/bell.h"
#include "signals/clients.h"
#include "signals/states.h"

#include <stdint.h>
#include <stdio.h>

struct command {
  uint32_t code, argument, id, client; /* id and client are the sender's own, given back with the answer */
  uint64_t t_ns;                       /* CLOCK_MONOTONIC of reception */
  double value;                        /* of COMMAND_PLATFORM */
};
struct answer {
  uint32_t code, id, client, result;
};

/* Whose samples of an input count. */
enum { OWNER_NONE = -1 };
struct input_owner {
  int32_t source;  /* SOURCE_OSC, ...; OWNER_NONE: whoever sends first */
  uint32_t client; /* under which the port of that source knows its name */
};

/* What the loop publishes every cycle: a head, and where the values and the owners of the inputs stand. The loop writes it with
 * port_publish(), a thread reads it with port_take_frame(). */
struct frame {
  uint64_t cycle; /* +1 per cycle of the loop, also while paused */
  uint64_t t_ns;  /* CLOCK_MONOTONIC of publication */
  double time;    /* s, simulated */
  uint32_t state; /* enum run_state */
  uint32_t flags; /* enum frame_flag */
  uint32_t fault; /* enum fault_code: latched cause of FAULT or SAFE, in INIT of the last run */
  uint32_t period_us, last_cycle_us, max_cycle_us;
  uint64_t misses;       /* deadlines missed since start */
  uint32_t input_age_ms; /* of the oldest channel that was ever set; UINT32_MAX: none was */
  uint32_t stale_mask; /* bit i: input i (of the first 32 declared inputs) is stale, or recovers from that */
  uint32_t last_command, last_command_id, last_result;
  uint32_t inputs, count;          /* owners; values */
  const double *values;            /* (count) in the order of the signal table */
  const struct input_owner *owner; /* (inputs) as of the cycle of the frame */
};

/* The owner of an input as of the cycle of the frame; OWNER_NONE where the frame names none. */
static inline struct input_owner frame_owner(const struct frame *f, int input)
{
  return (uint32_t)input < f->inputs ? f->owner[input] : (struct input_owner){.source = OWNER_NONE};
}

/* The loop would refuse a sample of the input from this source: the input belongs to another one. */
static inline bool frame_owned_by_other(const struct frame *f, int input, int source)
{
  const int32_t owner = frame_owner(f, input).source;
  return owner != OWNER_NONE && owner != source;
}

/* What a thread writes for the loop: the last value of each input channel it ever received. */
struct input_sample {
  double value;      /* finite: checked by the sender */
  uint64_t t_ns;     /* CLOCK_MONOTONIC of reception; 0: this port never set it */
  uint32_t sequence; /* of the frame it came in, which the peer counts */
  uint32_t counted;  /* bits of `sequence` that count: 16 or 32; 0: it came without a number */
  uint32_t client;   /* who sent it: the number under which port.clients has the name */
};

/* Who may set an input: bits of input_spec.sources. */
enum { SOURCE_OSC = 0, SOURCE_MODBUS = 1, SOURCE_DEVICE = 2 /* the first of them */, DEVICES_MAX = 16 };

/* A sample that a port refused because of the owner of the input: for the log. */
struct refusal {
  uint32_t input;
  struct input_owner owner;
  char client[CLIENT_NAME]; /* whose sample it was */
};

#define PORT_ESTOP (UINT64_C(1) << 32)

/* Values that follow each other. */
struct value_run {
  uint32_t first, count;
};

struct port {
  const char *name;       /* "osc", "modbus" */
  struct snapshot frames; /* loop -> thread: struct frame, its values and owners */
  struct value_run *run;  /* (runs) values that its frames carry, see port_select() */
  int runs;
  struct snapshot inputs; /* thread -> loop: struct input_sample[channels] */
  struct ring commands;   /* thread -> loop: struct command */
  struct ring answers;    /* loop -> thread: struct answer */
  struct ring refusals;   /* thread -> supervisor: struct refusal */
  _Atomic uint64_t
      estop; /* PORT_ESTOP and the client who asks; set by the thread, taken by the loop, 0: needs no room in a
                             ring */
  _Atomic uint32_t stuck; /* the loop is stuck: the fault to show in its place; 0: it is not */
  struct frame shown;     /* the thread's own: the newest frame, as it is to be shown */
  int event;              /* eventfd the loop signals after publishing; -1: the thread polls */
  struct bell *bell;      /* rung with every command; NULL: nobody waits for one */
  int source;             /* SOURCE_OSC, ... */
  struct clients clients; /* what they are called */
  bool paces;             /* its input frames are the beats of the bell */
};

/* Set-up. values = signals->count, channels = signals->channels. event: make an eventfd. False: out of memory
 * or fds. */
bool port_init(struct port *p, const char *name, uint32_t values, uint32_t channels, bool event);
void port_free(struct port *p);
/* Set-up, after port_init(), which selects all values: frames carry those marked in wanted[signals->count]; the others stay
 * undefined. The loop copies the values for every port in every cycle. False when out of memory. */
bool port_select(struct port *p, const bool *wanted, uint32_t values);

/* Thread side: a numbered input frame is there, all its values published, received at t_ns. */
static inline void port_beat(struct port *p, uint64_t t_ns)
{
  if (p->bell && p->paces) bell_beat(p->bell, t_ns);
}

/* Loop side: publishes a copy of the frame, its values and its owners. RT. Whoever is to see it soon is woken afterwards. */
void port_publish(struct port *p, const struct frame *f);
/* Any thread: wakes the thread of the port, where it sleeps on the event. RT. */
void port_wake(struct port *p);

/* Thread side: the newest frame; true if there is something to show. The frame is the port's own copy of the published head, and
 * valid until the next call. While the loop is stuck nobody may believe that it runs: every call then returns true, and the
 * frame says SAFE and names the fault. */
bool port_take_frame(struct port *p, const struct frame **frame);

/* The supervisor: the loop is stuck and shows `fault`, or goes on (0). Wakes the thread. */
void port_show_stuck(struct port *p, uint32_t fault);

/* Thread side: says that a sample of `client` ("127.0.0.1:4711") was refused. Never fails: refusals that do not fit are counted
 * by the ring. */
static inline void port_tell_refusal(struct port *p, uint32_t input, struct input_owner owner,
                                     const char *client)
{
  struct refusal r = {.input = input, .owner = owner};
  snprintf(r.client, sizeof r.client, "%s", client);
  ring_push(&p->refusals, &r);
}

/* Thread side: send a command. False if the ring is full (counted). COMMAND_ESTOP never fails. */
bool port_command(struct port *p, const struct command *c);

/* Thread side: an e-stop. It acts at the next wake-up of the loop, whatever else waits. It takes a place in the ring, for the
 * answer of the loop, only while half of the places are free, so that e-stops never keep a `reset` out. False: it got no place,
 * and acts without an answer. */
bool port_estop(struct port *p, const struct command *c);

#endif
