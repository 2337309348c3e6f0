/* SPDX-License-Identifier: MIT
 * Watches one daemon through its telemetry block: finds it, notices its end, and judges its figures. Shared by all
 * tools that watch. Reads only; prints nothing. */
#ifndef TELEMETRY_WATCH_H
#define TELEMETRY_WATCH_H

#include "platform/platform.h"
#include "signals/signals.h"
#include "telemetry/read.h"

#include <stdbool.h>

enum verdict { VERDICT_HEALTHY = 0, VERDICT_DEGRADED = 1, VERDICT_GONE = 3 }; /* also the exit status */
const char *verdict_name(enum verdict v); /* "healthy", "degraded", "gone" */

enum { REASONS_MAX = 8 };

struct sample {
  enum verdict verdict;
  int reasons;
  char reason[REASONS_MAX][160]; /* why it is not healthy */
  const struct telemetry *t;     /* NULL if the daemon is gone, else the copy that watch_look() filled */
  bool whole;                    /* t->live is consistent */
  double age;                    /* s since the loop last wrote */
  double uptime;                 /* s */
  uint64_t now_ns;               /* CLOCK_MONOTONIC of watch_look() */
};

struct watch {
  const char *wanted; /* instance; NULL: the newest */
  char last[64];      /* last instance that was seen; "": none yet */
  struct telemetry_reader reader;
};

/* Looks once and fills *copy with the block, see telemetry_copy(). If the daemon is gone, *copy stays unchanged. */
void watch_look(struct watch *w, struct sample *s, struct telemetry *copy);
void watch_close(struct watch *w);

static inline enum input_state input_view_state(const struct input_view *v)
{
  return (enum input_state)atomic_load_explicit(&v->state, memory_order_relaxed);
}
/* The used entries of t->stray, newest first. Returns how many. */
int stray_views(const struct telemetry *t, const struct stray_view *shown[TELEMETRY_STRAYS]);
/* "unknown address", ... of an enum stray_kind. */
const char *stray_reason(uint32_t kind);
/* Puts "unknown address /x" or "/x with wrong types ss", its sender and its count into text[size]. */
void stray_text(const struct stray_view *v, char *text, size_t size);

static inline bool input_is_stale(const struct input_view *v)
{
  return input_state_is_stale(input_view_state(v));
}

#endif
