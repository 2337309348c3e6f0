/* SPDX-License-Identifier: MIT
 * The wall clock, for people and other programs only: it is set by hand and by NTP, so nothing here goes by
 * it. Of all sources this is the one that reads it: to say when a record was written, and that it was set. */
#ifndef JOURNAL_WALL_CLOCK_H
#define JOURNAL_WALL_CLOCK_H

#include <stdint.h>

/* Clocks read as near to the same instant as the scheduler allows. */
struct clocks {
  uint64_t now_ns;    /* CLOCK_MONOTONIC */
  uint64_t asleep_ns; /* for which the machine has been suspended so far */
  int64_t wall_ns;    /* wall clock less CLOCK_BOOTTIME: changes when it is set, and not by a suspension */
  uint64_t slack_ns;  /* by so much the three may be apart */
};
void clocks_read(struct clocks *c);

/* "2026-11-21T14:03:07.125Z": now, ISO 8601, UTC. */
enum { WALL_CLOCK_TEXT = 32 };
void wall_clock_text(char text[WALL_CLOCK_TEXT]);

#endif
