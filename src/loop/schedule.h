/* SPDX-License-Identifier: MIT
 * When the next cycle starts, and what a cycle that ended late costs. Pure: times go in, times come out. RT. */
#ifndef LOOP_SCHEDULE_H
#define LOOP_SCHEDULE_H

#include "loop/cycle_settings.h"

#include <stdbool.h>
#include <stdint.h>

struct schedule {
  /* constant, but the policy may be tuned */
  const struct cycle_live *live;
  uint64_t period_ns;
  uint64_t pull_ns, beat_offset_ns, spin_ns; /* as in struct cycle_settings */

  uint64_t start_ns; /* nominal start of the cycle that is on or comes next */
  uint64_t last_ns;  /* that of the cycle before */
  uint64_t beats;    /* taken so far (input) or looked at (timer) */
  bool beaten;       /* input: a beat asks for the cycle that comes next */

  /* for whoever wants to know */
  uint64_t slipped_ns;   /* by which the grid was moved on after late cycles */
  int64_t pulled_ns;     /* by which it was drawn to the beats */
  int64_t beat_error_ns; /* from where the beat wants the start to where it was, at the last one */
};

/* What the end of a cycle came to. */
struct schedule_end {
  bool due;         /* the next start has come already */
  bool missed;      /* and this cycle is to blame */
  uint64_t skipped; /* starts left out */
};

/* Set-up. The settings must live as long as the schedule. */
void schedule_init(struct schedule *s, const struct cycle_settings *settings, uint64_t period_ns);

/* By the clock: the cycle that started at s->start_ns is done at end_ns. Sets the next start, which is in the past when
 * it is to begin at once. */
struct schedule_end schedule_timer(struct schedule *s, uint64_t end_ns);

/* By input frames: `beats` have come in all, the last one at beat_ns, and at least one that was not taken: takes one,
 * and returns how many are left out for it. */
uint64_t schedule_beat(struct schedule *s, uint64_t beats, uint64_t beat_ns);
/* By input frames: the cycle is done. A beat that came meanwhile is the next start. */
struct schedule_end schedule_input(struct schedule *s, uint64_t end_ns, uint64_t beats, uint64_t beat_ns);

/* By the clock, drawn to beats: moves s->start_ns, that of the next cycle. */
void schedule_pull(struct schedule *s, uint64_t beats, uint64_t beat_ns);

#endif
