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

#include <stdint.h>
#include <stdio.h>

/* States of the daemon; codes are part of the OSC and Modbus interfaces and never change. */
#define RUN_STATE_LIST(X)                                                                                    \
  X(STATE_INIT, 0, "INIT")                                                                                   \
  X(STATE_STOPPED, 1, "STOPPED")                                                                             \
  X(STATE_READY, 2, "READY")                                                                                 \
  X(STATE_RUNNING, 3, "RUNNING")                                                                             \
  X(STATE_PAUSED, 4, "PAUSED")                                                                               \
  X(STATE_FAULT, 5, "FAULT")                                                                                 \
  X(STATE_SAFE, 6, "SAFE")                                                                                   \
  X(STATE_EXIT, 7, "EXIT")
enum run_state {
#define RUN_STATE_ENUM(id, code, text) id = (code),
  RUN_STATE_LIST(RUN_STATE_ENUM)
#undef RUN_STATE_ENUM
};
const char *run_state_name(unsigned state); /* "?" when unknown */

/* Commands; codes as above. */
#define COMMAND_LIST(X)                                                                                      \
  X(COMMAND_INIT, 1, "init")                                                                                 \
  X(COMMAND_ARM, 2, "arm")                                                                                   \
  X(COMMAND_RUN, 3, "run")                                                                                   \
  X(COMMAND_PAUSE, 4, "pause")                                                                               \
  X(COMMAND_STOP, 5, "stop")                                                                                 \
  X(COMMAND_RESET, 6, "reset")                                                                               \
  X(COMMAND_PARK, 7, "park")                                                                                 \
  X(COMMAND_ESTOP, 8, "estop")                                                                               \
  X(COMMAND_STEP, 9, "step")                                                                                 \
  X(COMMAND_CLEAR, 10, "clear")                                                                              \
  X(COMMAND_INJECT, 11, "inject")     /* argument: twice the index of an injection, plus 1 for on */         \
  X(COMMAND_PLATFORM, 12, "platform") /* argument: a parameter of the motion platform, which becomes value */
enum command_code {
#define COMMAND_ENUM(id, code, text) id = (code),
  COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
};
const char *command_name(unsigned code); /* "?" when unknown */
int command_from_name(const char *name); /* code, or 0 */

enum command_result {
  RESULT_OK = 0,
  RESULT_WRONG_STATE = 1,
  RESULT_NOT_AUTHORISED = 2,
  RESULT_BAD_ARGUMENT = 3,
  RESULT_NOT_READY = 4, /* the state is right, but an input that is required is not fresh */
  RESULT_BUSY = 5,      /* it found no room among those that wait, and is dropped */
  RESULT_TOO_SOON =
      6, /* an arm after a stop, less than 0.5 s after STOPPED was shown or an arm or run was refused */
};

struct command {
  uint32_t code, argument, id, client; /* id and client are the sender's own, given back with the answer */
  uint64_t t_ns;                       /* CLOCK_MONOTONIC of reception */
  double value;                        /* of COMMAND_PLATFORM */
};
struct answer {
  uint32_t code, id, client, result;
};

/* Flag bits of a frame; also bits of Modbus input register 3 and discrete inputs 0-15. */
enum frame_flag {
  FLAG_READY = 1 << 0,
  FLAG_RUNNING = 1 << 1,
  FLAG_PAUSED = 1 << 2,
  FLAG_FAULT = 1 << 3,
  FLAG_SAFE = 1 << 4,
  FLAG_ESTOP = 1 << 5,
  FLAG_INPUT_STALE = 1 << 6,
  FLAG_OVERRUN = 1 << 7, /* the last cycle missed its deadline */
  FLAG_LIMIT = 1 << 8,  /* an input was clamped in the last cycle, or slowed; or the platform is at a limit */
  FLAG_PARKED = 1 << 9, /* the motion platform is at rest in its park pose */
  FLAG_ENGAGED = 1 << 10,  /* it has been at neutral since it left that */
  FLAG_LOCKSTEP = 1 << 11, /* steps are asked for */
  FLAG_NOT_REALTIME = 1 << 12,
  FLAG_INJECTED = 1 << 13, /* a fault injection acts */
  FLAG_WITHHELD =
      1 << 14, /* the motion platform's outputs are withheld until the first arm: its pose is not known */
  FLAG_VIOLATED =
      1 << 15, /* after the last step a joint, drive or gear was open by more than the tolerance */
};

/* Whose samples of an input count. */
enum { OWNER_NONE = -1 };
struct input_owner {
  int32_t source;  /* SOURCE_OSC, ...; OWNER_NONE: whoever sends first */
  uint32_t client; /* under which the port of that source knows its name */
};

/* What the loop publishes every cycle. Behind the values: an owner for each input, see frame_owner(). */
struct frame {
  uint64_t cycle; /* +1 per cycle of the loop, also while paused */
  uint64_t t_ns;  /* CLOCK_MONOTONIC of publication */
  double time;    /* s, simulated */
  uint32_t state; /* enum run_state */
  uint32_t flags; /* enum frame_flag */
  uint32_t
      fault; /* latched cause of FAULT or SAFE, in INIT of the last run; enum fault_code in rt/machine.h; 0 none */
  uint32_t period_us, last_cycle_us, max_cycle_us;
  uint64_t misses;       /* deadlines missed since start */
  uint32_t input_age_ms; /* of the oldest channel that was ever set; UINT32_MAX: none was */
  uint32_t stale_mask; /* bit i: input i (of the first 32 declared inputs) is stale, or recovers from that */
  uint32_t last_command, last_command_id, last_result;
  uint32_t inputs; /* owners behind the values */
  uint32_t count;  /* values */
  double values[]; /* (count) in the order of the signal table */
};

/* Where the owners of the inputs of a frame stand (frame->inputs), once frame->count is set. */
static inline struct input_owner *frame_owners(struct frame *f)
{
  return (struct input_owner *)(void *)(f->values + f->count);
}

/* The owner of an input as of the cycle of the frame; OWNER_NONE where the frame names none. */
static inline struct input_owner frame_owner(const struct frame *f, int input)
{
  const struct input_owner none = {.source = OWNER_NONE};
  const struct input_owner *owners = (const struct input_owner *)(const void *)(f->values + f->count);
  return (uint32_t)input < f->inputs ? owners[input] : none;
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

struct port {
  const char *name;       /* "osc", "modbus" */
  struct snapshot frames; /* loop -> thread: struct frame */
  struct snapshot inputs; /* thread -> loop: struct input_sample[channels] */
  struct ring commands;   /* thread -> loop: struct command */
  struct ring answers;    /* loop -> thread: struct answer */
  struct ring refusals;   /* thread -> supervisor: struct refusal */
  _Atomic uint64_t
      estop; /* PORT_ESTOP and the client who asks; set by the thread, taken by the loop, 0: needs no room in a
                             ring */
  _Atomic uint32_t stuck; /* the loop stands still: the fault to show in its place; 0: it does not */
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

/* Thread side: a numbered input frame is there, all its values published, received at t_ns. */
static inline void port_beat(struct port *p, uint64_t t_ns)
{
  if (p->bell && p->paces) bell_beat(p->bell, t_ns);
}

/* Thread side: the newest frame; true if there is something to show. While the loop stands still nobody is to believe that
 * it runs: the frame then says SAFE, again and again, with the fault it is said to stand still for. */
bool port_take_frame(struct port *p, const struct frame **frame);

/* Whoever watches the loop: it stands still and shows `fault`, or goes on (0). Wakes the thread. */
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

/* Thread side: an e-stop, which acts at the next wake-up of the loop, whatever waits. It takes a place in the ring, for the answer
 * of the loop, only while half of them are free, so that e-stops never keep a `reset` out. False: it has none, and acts
 * without an answer. */
bool port_estop(struct port *p, const struct command *c);

#endif
