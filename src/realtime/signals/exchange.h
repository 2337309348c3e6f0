/* SPDX-License-Identifier: MIT
 * Data that the loop exchanges with other threads, and the port that they use.
 *
 * A port connects the loop with one ordinary thread (OSC, Modbus, ...). Values go through snapshots (the latest wins,
 * never torn), commands and answers through rings (in order, drops counted). Neither side waits for the other. */
#ifndef SIGNALS_EXCHANGE_H
#define SIGNALS_EXCHANGE_H

#include "base/ring.h"
#include "base/snapshot.h"
#include "signals/clients.h"
#include "signals/desk.h"
#include "signals/states.h"
#include "signals/wakeup.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct command {
  uint32_t code, argument, id, client; /* id and client are the sender's, returned with the answer */
  uint64_t t_ns;                       /* CLOCK_MONOTONIC of reception */
  /* COMMAND_PLATFORM: the new value. COMMAND_JOG: fraction of full speed. COMMAND_RECORD, COMMAND_SAVE, COMMAND_LOAD: the
   * result that the loop shows; LOAD with RESULT_OK loads. */
  double value;
  uint32_t number; /* COMMAND_JOG: see COMMAND_HAND */
  /* COMMAND_PLATFORM: number of the rows of params_table behind `argument` that change with it, and their values. */
  uint32_t more;
  double next[2];
};
struct answer {
  uint32_t code, id, client, result;
  uint64_t cycle; /* the cycle whose frame shows the steps of a command as made; 0: no steps */
};

/* The source and client whose samples of an input count. */
enum { OWNER_NONE = -1 };
struct input_owner {
  int32_t source;  /* SOURCE_OSC, ...; OWNER_NONE: the first that sends */
  uint32_t client; /* number under which the port of that source knows its name */
};

/* The condition of an input in the cycle of a frame. */
struct input_note {
  uint32_t state;  /* enum input_state */
  uint32_t limits; /* enum input_limit */
  uint32_t age_ms; /* age of its oldest channel ever set; UINT32_MAX: none was set */
};

/* A frame: the loop publishes it in every cycle by port_publish(), a thread reads it by port_take_frame(). The head
 * points to the values and to the owners of the inputs. */
struct frame {
  uint64_t cycle; /* +1 per cycle of the loop, also in PAUSED */
  uint64_t t_ns;  /* CLOCK_MONOTONIC of publication */
  double time;    /* s, simulated */
  uint32_t state; /* enum run_state */
  uint32_t flags; /* enum frame_flag */
  uint32_t fault; /* enum fault_code: latched cause of FAULT or SAFE; in INIT: of the last run */
  uint32_t period_us, last_cycle_us, max_cycle_us;
  uint64_t misses;       /* deadlines missed since start */
  uint32_t input_age_ms; /* age of the oldest channel ever set; UINT32_MAX: none was set */
  uint32_t stale_mask;   /* bit i: input i of the first 32 declared inputs is stale or recovering */
  uint32_t last_command, last_command_id, last_result;
  uint32_t recorder, recorder_lost; /* enum recorder_state; cycles that it lost */
  uint32_t inputs, count;           /* number of owners; number of values */
  const double *values;             /* (count) in the order of the signal table */
  const struct input_owner *owner;  /* (inputs) in the cycle of the frame */
  const struct input_note *note;    /* (inputs) NULL: the frame has none */
  const double *written; /* (channels) newest sample of each channel as it came; NAN: it was never set */
  uint32_t channels;
};

/* The owner of an input in the cycle of the frame; OWNER_NONE if the frame names none. */
static inline struct input_owner frame_owner(const struct frame *f, int input)
{
  return (uint32_t)input < f->inputs ? f->owner[input] : (struct input_owner){.source = OWNER_NONE};
}

/* The condition of an input, and the newest sample of a channel; as if never set if the frame has none. */
static inline struct input_note frame_note(const struct frame *f, int input)
{
  return f->note && (uint32_t)input < f->inputs ? f->note[input] : (struct input_note){.age_ms = UINT32_MAX};
}
static inline double frame_written(const struct frame *f, int channel)
{
  return (uint32_t)channel < f->channels ? f->written[channel] : (double)NAN;
}

/* True if the input belongs to another source, so that the loop would refuse a sample from this one. */
static inline bool frame_owned_by_other(const struct frame *f, int input, int source)
{
  const int32_t owner = frame_owner(f, input).source;
  return owner != OWNER_NONE && owner != source;
}

/* Samples of a thread for the loop: the last value of each input channel that it ever received. */
struct input_sample {
  double value;      /* finite: checked by the sender */
  uint64_t t_ns;     /* CLOCK_MONOTONIC of reception; 0: never set by this port */
  uint32_t sequence; /* of its frame, counted by the peer */
  uint32_t counted;  /* width of `sequence`: 16 or 32 bits; 0: no number */
  uint32_t client;   /* sender: its number in port.clients */
  uint64_t alive_ns; /* last sign of life of the sender without a sample, such as a heartbeat; 0: none */
};

/* Sources of inputs: bits of input_spec.sources. */
enum {
  SOURCE_OSC = 0,
  SOURCE_MODBUS = 1,
  SOURCE_DEVICE = 2 /* index of the first device */,
  DEVICES_MAX = 16,
  SOURCE_PACKETS = SOURCE_DEVICE + DEVICES_MAX,
  SOURCE_INNER /* the daemon itself: stimuli */
};
enum { PORTS_MAX = 4 + DEVICES_MAX }; /* one of each protocol and device, and one of the daemon itself */

/* A sample that a port refused because of the owner of the input; for the log. */
struct refusal {
  uint32_t input;
  struct input_owner owner;
  char client[CLIENT_NAME]; /* sender of the sample */
};

/* A message that a port does not take; for the log. The texts are printable. */
enum stray_kind {
  STRAY_UNKNOWN = 1, /* address */
  STRAY_TYPES,
  STRAY_MALFORMED, /* datagram; `address` is its beginning */
  STRAY_NONFINITE, /* a number is NaN or infinite */
  STRAY_READER,    /* the sender has too little access; `expected` is what it needs */
  STRAY_STRANGER,  /* the sender has no access; `address` is its host */
  STRAY_LOCKED,    /* a write in SAFE or FAULT; `address` is the client */
  STRAY_NAME,      /* it names something that does not exist; `expected` is the name */
  STRAY_REFUSED,   /* any other reason: `expected` */
  STRAY_KINDS
};
struct stray {
  uint32_t kind;
  char address[CLIENT_NAME], types[24]; /* as they came, cut off */
  char expected[120];                   /* the reason, if `kind` does not tell it */
  char client[CLIENT_NAME];
};

#define PORT_ESTOP (UINT64_C(1) << 32)

/* Consecutive values. */
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
  struct ring strays;     /* thread -> supervisor: struct stray */
  /* PORT_ESTOP and the client; set by the thread, taken by the loop; 0: none. Needs no room in a ring. */
  _Atomic uint64_t estop;
  _Atomic uint32_t stuck;  /* fault to show while the loop is stuck; 0: it is not stuck */
  struct frame shown;      /* the thread's own copy of the newest frame, as clients see it */
  int event;               /* eventfd that the loop signals after publishing; -1: the thread polls */
  struct desk *desk;       /* requests to the thread of states and parameters; NULL: nobody takes them */
  struct wakeup *wakeup;   /* sent with every command; NULL: nobody waits for it */
  int source;              /* SOURCE_OSC, ... */
  struct clients clients;  /* names of its clients */
  bool paces;              /* its input frames are beats */
  struct port *const *all; /* (ports) all ports of the daemon, for the names of owners; NULL: this one only */
  int ports;
};

/* Set-up. values = signals->count, channels = signals->channels. event: make an eventfd. Returns false when out of
 * memory or descriptors. */
bool port_init(struct port *p, const char *name, uint32_t values, uint32_t channels, bool event);
void port_free(struct port *p);
/* Set-up, after port_init(), which selects all values: frames then carry only the values marked in
 * wanted[signals->count], and the others are undefined. This matters because the loop copies the values for every port
 * in every cycle. Returns false when out of memory. */
bool port_select(struct port *p, const bool *wanted, uint32_t values);

/* Thread side: a numbered input frame was received at t_ns, and all its values are published. */
static inline void port_beat(struct port *p, uint64_t t_ns)
{
  if (p->wakeup && p->paces) wakeup_beat(p->wakeup, t_ns);
}

/* Loop side. RT: publishes a copy of the frame, its values and its owners. port_wake() then wakes the thread. */
void port_publish(struct port *p, const struct frame *f);
/* Any thread. RT: wakes the thread of the port if it sleeps on the event. */
void port_wake(struct port *p);

/* Thread side: gets the newest frame; returns true if there is something to show. The frame is the port's own copy of
 * the published head, valid until the next call. While the loop is stuck every call returns true, and the frame says
 * SAFE with the fault. */
bool port_take_frame(struct port *p, const struct frame **frame);

/* The supervisor: the loop is stuck and `fault` is shown, or it runs again (0). Wakes the thread. */
void port_show_stuck(struct port *p, uint32_t fault);

/* Any ordinary thread: the owner of an input as "osc 10.0.0.2:9000", "device plc" or "packet rig"; "" for nobody. */
void port_owner_text(const struct port *p, struct input_owner owner, char *text, size_t size);
/* A client of a port, with `between` between the protocol and its name. */
void port_client_text(const struct port *p, const char *between, const char *client, char *text, size_t size);
/* The port that takes inputs from this source; NULL: none. */
const struct port *port_of_source(struct port *const *port, int ports, int source);

/* Thread side: reports a refused sample of `client` ("127.0.0.1:4711"). Never fails: the ring counts refusals without
 * room. */
static inline void port_tell_refusal(struct port *p, uint32_t input, struct input_owner owner,
                                     const char *client)
{
  struct refusal r = {.input = input, .owner = owner};
  snprintf(r.client, sizeof r.client, "%s", client);
  ring_push(&p->refusals, &r);
}

/* Thread side: a stranger was turned away; a message `what` of a client was refused for a reason, which may be "". Both leave
 * room for other entries in a flood. */
void port_tell_stranger(struct port *p, const struct sockaddr *from);
void port_tell_stray(struct port *p, enum stray_kind kind, const char *what, const char *reason,
                     const char *client);

/* Thread side: sends a command. Returns false if the ring is full, which is counted. */
bool port_command(struct port *p, const struct command *c);

/* Thread side: an e-stop. It acts at the next wake-up of the loop, whatever else waits. It takes a place in the ring
 * for the loop's answer only while half of the places are free, so that e-stops never keep a `reset` out. Returns false
 * if it got no place; it then acts without an answer. */
bool port_estop(struct port *p, const struct command *c);

#endif
