/* SPDX-License-Identifier: MIT
 * The start of the next cycle, and the effects of a cycle that ended late. Pure: times go in, times come out. RT. */
#ifndef LOOP_SCHEDULE_H
#define LOOP_SCHEDULE_H

#include "loop/cycle_settings.h"

#include <stdbool.h>
#include <stdint.h>

struct schedule {
  /* Constant, except the policy, which may be tuned. */
  const struct cycle_live *live;
  uint64_t period_ns;
  uint64_t pull_ns, beat_offset_ns, spin_ns; /* see struct cycle_settings */

  uint64_t start_ns; /* nominal start of the present or next cycle */
  uint64_t last_ns;  /* nominal start of the cycle before */
  uint64_t beats;    /* number taken (input) or seen (timer) so far */
  bool beaten;       /* input: a beat asks for the next cycle */

  /* For information. */
  uint64_t slipped_ns;   /* by which late cycles moved the grid */
  int64_t pulled_ns;     /* by which beats moved the grid */
  int64_t beat_error_ns; /* start that the last beat asked for minus the real start */
};

/* The end of a cycle. */
struct schedule_end {
  bool due;         /* the next start has passed */
  bool missed;      /* because this cycle took too long */
  uint64_t skipped; /* starts skipped */
};

/* Set-up. The settings must outlive the schedule. */
void schedule_init(struct schedule *s, const struct cycle_settings *settings, uint64_t period_ns);

/* Timer: the cycle that started at s->start_ns ended at end_ns. Sets the next start, which lies in the past if the
 * cycle must begin at once. */
struct schedule_end schedule_timer(struct schedule *s, uint64_t end_ns);

/* Input: `beats` have come in total, the last one at beat_ns, at least one of them not taken. Takes one and returns how
 * many are skipped. */
uint64_t schedule_beat(struct schedule *s, uint64_t beats, uint64_t beat_ns);
/* Input: the cycle has ended. A beat that came meanwhile is the next start. */
struct schedule_end schedule_input(struct schedule *s, uint64_t end_ns, uint64_t beats, uint64_t beat_ns);

/* Timer: moves s->start_ns, the start of the next cycle, towards the beats. */
void schedule_pull(struct schedule *s, uint64_t beats, uint64_t beat_ns);

#endif
