/* SPDX-License-Identifier: MIT
 * The frame ring: every cycle of the last seconds with all of its signals, in a file in /dev/shm. The daemon writes it, any
 * number of programs read it. Fixed layout, offsets in place of pointers, host byte order.
 *
 *   head | table of signals | table of inputs | texts | flat model | events | states | slots
 *
 * Slot n is at slots_at + n % slots * slot_bytes. Its sequence is 2n+1 while it is written and 2n+2 once it is whole, so a
 * reader sees that a slot was overtaken. Events and states have sequences of the same kind. */
#ifndef FRAMES_LAYOUT_H
#define FRAMES_LAYOUT_H

#include "telemetry/book.h"

#include <stddef.h>
#include <stdint.h>

#define FRAMES_MAGIC UINT64_C(0x314d415246334c41) /* "AL3FRAM1" */
enum {
  FRAMES_VERSION = 3,
  FRAMES_EVENTS = 4096,
  FRAMES_STATES = 4,
  FRAMES_EVENT_TEXT = 160,
  FRAMES_HASH = 32,
  FRAMES_ISA = 12
};

/* A signal or an input by offsets of its texts, which end with a 0. Signals are the parts of quantities: body.A.position.x is
 * part 0 of 3 of the quantity body.A.position. An input has the unit "" and one part. */
struct frames_name {
  uint64_t name_at, unit_at, quantity_at;
  uint32_t part, parts;
};

struct frames_head {
  /* Constant; magic is written last. */
  uint64_t magic;
  uint32_t version, head_bytes;
  uint64_t size; /* bytes of the file */
  int64_t pid;
  uint64_t start_ns;  /* as in the telemetry block of the instance */
  uint64_t start_utc; /* ns since 1970 at that time */
  uint64_t period_ns;
  uint32_t signals, inputs;
  uint64_t signals_at, inputs_at; /* struct frames_name each */
  uint64_t texts_at, texts_bytes; /* all names, units, and the texts below */
  uint64_t version_at, model_at;  /* texts: version and build of the daemon; name of the model */
  uint64_t config_at;             /* text: path of the configuration */
  uint64_t yaml_at;               /* text: the configuration as it was read, as YAML */
  uint64_t extras_at;             /* text: JSON that pictures need beside the model; "": nothing */
  uint64_t record_at;             /* text: the section record, lines "KEY VALUE"; "": none */
  uint64_t flat_at, flat_bytes;   /* the model as bytes: ali3/flat.h */
  uint8_t hash[FRAMES_HASH];      /* SHA-256 of the flat model */
  char isa[FRAMES_ISA];           /* instruction set of the steps */
  uint32_t workers;               /* filled in before the telemetry is ready */
  uint32_t channel_first,
      channels;               /* the signals that hold the values of the inputs as they acted on the model */
  uint32_t tuning;            /* numbers of the motion platform's parameters in a slot; 0: no platform */
  uint64_t events_at, events; /* struct frames_event each */
  uint64_t states_at, states,
      state_bytes;                      /* struct frames_state each, with the bytes of model and platform */
  uint64_t model_bytes, platform_bytes; /* in a state */
  uint64_t slots_at, slots, slot_bytes;
  uint64_t input_at, tuning_at, values_at; /* in a slot: struct frames_input each; double each; double each */

  /* Change all the time. */
  _Alignas(64) _Atomic uint64_t slots_written;
  _Alignas(64) _Atomic uint64_t events_written;
  _Alignas(64) _Atomic uint64_t states_written;
};

/* The state of model and platform after a cycle; 0: before the first one. */
struct frames_state {
  _Atomic uint64_t sequence;
  uint64_t cycle;
  /* then model_bytes of ali3_state_save(), and platform_bytes of the motion platform */
};

/* Bits of frames_slot.action: what the loop did to the model in this cycle. A replay does it again. */
enum frames_action {
  FRAMES_STEPPED = 1,  /* a step was computed */
  FRAMES_RESTORED = 2, /* the model went back to its initial state before the step */
  FRAMES_TUNED = 4,    /* a set of parameters came in before the step */
  FRAMES_LOADED = 8,   /* a state was loaded before the step */
  FRAMES_WARMING = 16, /* the step belonged to the warm-up and was taken back */
  FRAMES_VOID = 32,    /* a worker was lost in the step: its results were dropped */
};

struct frames_input {
  uint32_t age_ms; /* age of its oldest channel; UINT32_MAX: none was ever set */
  uint32_t state;  /* enum input_state, and enum input_limit from bit 8 */
};

struct frames_slot {
  _Atomic uint64_t sequence;
  uint64_t cycle; /* +1 in each cycle of the loop */
  uint64_t t_ns;  /* CLOCK_MONOTONIC of the wake-up */
  double time;    /* s, simulated */
  uint64_t misses;
  uint32_t state, flags, fault; /* enum run_state, frame_flag, fault_code */
  uint32_t action;              /* enum frames_action */
  int32_t status;               /* ali3_status of the step; 0 where there was none */
  uint32_t parameters;          /* version of the set of parameters in use */
  uint32_t wakeup_ns, step_ns;  /* times of this cycle */
  uint32_t cycle_ns;            /* length of the cycle before, whose end is known */
  uint32_t phase_ns[PHASES]; /* times of this cycle; record, account and prepare belong to the cycle before */
  /* struct frames_input (inputs) at input_at, double (tuning) at tuning_at: mode and parameters of the motion platform, double
   * (signals) at values_at */
};

enum frames_event_kind {
  FRAMES_EVENT_STATE = 1, /* code: cause; a, b: states before and after */
  FRAMES_EVENT_MISS,      /* code: enum miss_cause; a: length of the cycle, ns */
  FRAMES_EVENT_MARK,      /* code: enum frames_mark; text of a client or of a condition */
  /* text: name, with [k] for number k of a vector; a: value; b: numbers of this version that follow; code: version;
   * cycle: the first one with it */
  FRAMES_EVENT_PARAMETER,
  FRAMES_EVENT_RECORD, /* code: enum frames_record, an order of a client to the recorder; text: a label */
};
enum frames_mark {
  FRAMES_MARK_CLIENT,
  FRAMES_MARK_TRIGGER, /* a condition of the recorder began to hold; a, b: value and level of a signal */
};
enum frames_record { FRAMES_RECORD_STOP, FRAMES_RECORD_START, FRAMES_RECORD_SPLIT };

struct frames_event {
  _Atomic uint64_t sequence;
  uint64_t cycle, t_ns;
  uint32_t kind, code;
  double a, b;
  char text[FRAMES_EVENT_TEXT];
  char reserved[48];
};

_Static_assert(sizeof(struct frames_event) == 256, "frame ring layout");
_Static_assert(offsetof(struct frames_head, size) == 16, "frame ring layout");
_Static_assert(offsetof(struct frames_head, start_ns) == 32, "frame ring layout");
#endif
