/* SPDX-License-Identifier: MIT
 * The block of shared memory that shows a running daemon. The loop and the I/O threads write it, tools copy it. Fixed
 * layout, no pointers; readers check magic, version and size first.
 *
 * A sequence lock guards the loop's part (odd while it is written); the other members are single words. */
#ifndef TELEMETRY_TELEMETRY_H
#define TELEMETRY_TELEMETRY_H

#include "hexapod/types.h"
#include "rig/rig.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/book.h"
#include "telemetry/device_view.h"
#include "telemetry/field_lists.h"
#include "telemetry/miss.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TELEMETRY_MAGIC   0x54334c41u /* "AL3T" */
#define TELEMETRY_VERSION 15u
#define TELEMETRY_PREFIX  "/ali3-" /* name of the file in /dev/shm without the instance */

/* The motion platform in the last cycle. */
struct platform_live {
  uint32_t state, mode, flags, reserved;           /* enum platform_state, platform_mode, platform_flag */
  double pose[PLATFORM_DOF], target[PLATFORM_DOF]; /* m, rad */
  double legs[PLATFORM_LEGS];                      /* -1 at leg_min, 1 at leg_max */
  double false_force, false_rate;                  /* m/s^2, rad/s: largest so far, as in cueing/cue.h */
};

enum { TELEMETRY_PERMISSIVE = 40 };
enum { TELEMETRY_LATCHER = 96, LOAD_HORIZONS = 3 };
#define LATCH_NO_NUMBER UINT32_MAX
struct telemetry_live {
  TELEMETRY_LIVE_LIST(FIELD_MEMBER)
  TELEMETRY_COUNTED_LIST(FIELD_MEMBER)
  uint32_t over;              /* 1: the loop has ended */
  uint64_t t_ns;              /* CLOCK_MONOTONIC when written */
  double load[LOAD_HORIZONS]; /* fraction of the period spent working, over the last 1, 10 and 60 s */
  struct platform_live platform;
  struct rig_output rig; /* the signs of the rig, as in the signals */
  /* State and fault, and the following, are what a start after a crash must know: restart/state_record.h. */
  uint32_t disarmed; /* 1: motion needs an arm */
  /* Client of the port that latched the stop; LATCH_NO_NUMBER: the text says everything. */
  uint32_t latch_client;
  char latched_by[TELEMETRY_LATCHER]; /* name of that port, or the client in words; "": the loop */
};

enum { TELEMETRY_INPUTS = 32 };
/* A channel of an input. The range changes when it is tuned, word by word. */
struct input_channel_view {
  _Atomic double acting;       /* value in use */
  _Atomic double written;      /* value of its newest sample, as it came; NAN: it was never set */
  _Atomic double lower, upper; /* its value is clamped to these */
};
struct input_view {
  char name[40];   /* constant; policy and hold_ns change when they are tuned, word by word */
  uint64_t policy; /* enum input_policy */
  uint64_t hold_ns;
  _Atomic uint64_t age_ns;       /* age of its oldest channel at the last latch; UINT64_MAX: never set */
  _Atomic uint32_t state;        /* enum input_state at the last latch */
  _Atomic uint32_t limits;       /* enum input_limit */
  _Atomic uint64_t owner;        /* source and client whose samples count: see input_view_owner() */
  struct client_name owner_name; /* "osc 10.0.0.2:9000"; "": nobody; written once a second */
  uint32_t channels;             /* used entries of `channel`, at most INPUT_WRENCH_CHANNELS; constant */
  struct input_channel_view channel[INPUT_WRENCH_CHANNELS];
};

enum { TELEMETRY_STRAYS = 4 };
/* An OSC message that nobody took; the supervisor writes it. */
struct stray_view {
  _Atomic uint64_t t_ns, count;              /* time of the last one, 0: unused entry; their number */
  struct client_name address, types, sender; /* the id of `address` is an enum stray_kind */
};

/* An owner as one word, so that its source and its client belong to one cycle. */
static inline uint64_t input_owner_word(struct input_owner o)
{
  return (uint64_t)(uint32_t)o.source << 32 | o.client;
}
static inline struct input_owner input_view_owner(const struct input_view *v)
{
  const uint64_t word = atomic_load_explicit(&v->owner, memory_order_relaxed);
  return (struct input_owner){.source = (int32_t)(uint32_t)(word >> 32), .client = (uint32_t)word};
}

struct telemetry {
  /* written once, before magic */
  uint32_t magic, version;
  uint64_t size;
  int64_t pid;
  uint64_t start_ns; /* CLOCK_MONOTONIC */
  char instance[64];
  TELEMETRY_FIXED_LIST(FIELD_MEMBER)
  uint32_t catch_up, max_misses, grace; /* like overrun, they change when they are tuned, word by word */
  uint32_t inputs;                      /* used entries of `input`, at most TELEMETRY_INPUTS */
  uint32_t platform, cranks;            /* 1: there is one; 1: its legs are cranks */
  double leg_min, leg_max;              /* m or rad */
  uint32_t rig, permissives;            /* 1: the rig reports; used entries of `permissive` */
  char permissive[RIG_PERMISSIVES_MAX][TELEMETRY_PERMISSIVE]; /* constant names */
  int32_t lock, object;         /* descriptors in the process that made the block; telemetry/shm.c */
  _Atomic uint64_t overflow_ns; /* CLOCK_MONOTONIC when osc_overflow last grew; 0: never */

  _Alignas(64) _Atomic uint32_t sequence;
  struct telemetry_live live;

  _Alignas(64) struct histograms histograms;
  _Alignas(64) struct counters counters;
  _Alignas(64) struct miss_log misses;
  _Alignas(64) struct input_view input[TELEMETRY_INPUTS];
  _Alignas(64) struct stray_view stray[TELEMETRY_STRAYS];
  _Alignas(64) uint64_t devices; /* used entries of `device`; written once, before magic */
  struct device_view device[DEVICES_MAX];
};

_Static_assert(offsetof(struct telemetry, size) == 8, "telemetry layout");
_Static_assert(offsetof(struct telemetry, instance) == 32, "telemetry layout");
_Static_assert(sizeof(struct telemetry) % 64 == 0, "telemetry layout");

/* The bits of a signal of the rig; 0 if a block from outside holds something else. */
static inline unsigned rig_bits(const double signal[static 1])
{
  return signal[0] >= 0.0 && signal[0] <= (double)UINT16_MAX ? (unsigned)signal[0] : 0;
}

/* RT, for the loop only. */
void telemetry_write(struct telemetry *t, const struct telemetry_live *live);
/* For any reader. Returns false after many torn tries: the writer died while writing. */
bool telemetry_read(const struct telemetry *t, struct telemetry_live *live);

#endif
