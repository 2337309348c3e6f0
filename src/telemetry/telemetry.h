/* SPDX-License-Identifier: MIT
 * The block of shared memory through which a running daemon is watched. Written by the loop and the I/O
 * threads, copied by tools. Fixed layout, no pointers; readers check magic, version and size first.
 *
 * The loop's own part is guarded by a sequence lock (odd while being written), the rest are single words. */
#ifndef TELEMETRY_TELEMETRY_H
#define TELEMETRY_TELEMETRY_H

#include "platform/types.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "telemetry/book.h"
#include "telemetry/device_view.h"
#include "telemetry/fields.h"
#include "telemetry/miss.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TELEMETRY_MAGIC   0x54334c41u /* "AL3T" */
#define TELEMETRY_VERSION 10u
#define TELEMETRY_PREFIX  "/ali3-" /* the file in /dev/shm is this plus the instance name */

/* Of the motion platform, as of the last cycle. */
struct platform_live {
  uint32_t state, mode, flags, reserved;           /* enum platform_state, platform_mode, platform_flag */
  double pose[PLATFORM_DOF], target[PLATFORM_DOF]; /* m, rad */
  double legs[PLATFORM_LEGS];                      /* -1 at leg_min, 1 at leg_max */
};

enum { TELEMETRY_LATCHER = 96, LOAD_HORIZONS = 3 };
#define LATCH_NO_NUMBER UINT32_MAX
struct telemetry_live {
  TELEMETRY_LIVE_LIST(FIELD_MEMBER)
  TELEMETRY_COUNTED_LIST(FIELD_MEMBER)
  uint32_t over;              /* 1: the loop has ended */
  uint64_t t_ns;              /* CLOCK_MONOTONIC when written */
  double load[LOAD_HORIZONS]; /* part of the period that is worked, over the last 1, 10 and 60 s */
  struct platform_live platform;
  /* What a start after a crash has to know beside state and fault: restart/state_record.h. */
  uint32_t disarmed; /* 1: motion needs an arm */
  uint32_t
      latch_client; /* who latched the stop: number of a client of the port; LATCH_NO_NUMBER: the text says it all */
  char latched_by[TELEMETRY_LATCHER]; /* name of that port, or the client in words; "": the loop did */
};

enum { TELEMETRY_INPUTS = 32 };
struct input_view {
  char name[40];   /* constant; policy and hold_ns change when they are tuned, a word at a time */
  uint64_t policy; /* enum input_policy */
  uint64_t hold_ns;
  _Atomic uint64_t age_ns;       /* of its oldest channel, as of the last latch; UINT64_MAX: never set */
  _Atomic uint32_t state;        /* enum input_state, likewise */
  _Atomic uint32_t limits;       /* enum input_limit */
  _Atomic uint64_t owner;        /* whose samples count: see input_view_owner() */
  struct client_name owner_name; /* "osc 10.0.0.2:9000"; "" nobody's; written once a second */
};

/* An owner as a word of the telemetry, so that its source and its client are of one cycle. */
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
  uint32_t catch_up, max_misses, grace; /* as overrun, they change when they are tuned, a word at a time */
  uint32_t inputs;                      /* in `input`, TELEMETRY_INPUTS at most */
  uint32_t platform, cranks;            /* 1: there is one; and its legs are cranks */
  double leg_min, leg_max;              /* m or rad */
  int32_t lock, object;                 /* descriptors of the process that made the block; telemetry/shm.c */
  _Atomic uint64_t overflow_ns; /* CLOCK_MONOTONIC when osc_overflow was last seen to grow; 0: never */

  _Alignas(64) _Atomic uint32_t sequence;
  struct telemetry_live live;

  _Alignas(64) struct histograms histograms;
  _Alignas(64) struct counters counters;
  _Alignas(64) struct miss_log misses;
  _Alignas(64) struct input_view input[TELEMETRY_INPUTS];
  _Alignas(64) uint64_t devices; /* in `device`; written once, before magic */
  struct device_view device[DEVICES_MAX];
};

_Static_assert(offsetof(struct telemetry, size) == 8, "telemetry layout");
_Static_assert(offsetof(struct telemetry, instance) == 32, "telemetry layout");
_Static_assert(sizeof(struct telemetry) % 64 == 0, "telemetry layout");

/* RT, the loop only. */
void telemetry_write(struct telemetry *t, const struct telemetry_live *live);
/* Any reader; false after many torn tries (writer died in between). */
bool telemetry_read(const struct telemetry *t, struct telemetry_live *live);

#endif
