/* SPDX-License-Identifier: MIT
 * The wall clock, for people and other programs only: people and NTP set it, so no decision of the daemon depends on
 * it. Only this source reads it, to date a record and to report a step. */
#ifndef LOG_WALL_CLOCK_H
#define LOG_WALL_CLOCK_H

#include <stdint.h>

/* Clocks read as close together as the scheduler allows. */
struct clocks {
  uint64_t now_ns;    /* CLOCK_MONOTONIC */
  uint64_t asleep_ns; /* time for which the machine has been suspended so far */
  /* Wall clock minus CLOCK_BOOTTIME: changes when the wall clock is set, not by a suspension. */
  int64_t wall_ns;
  uint64_t slack_ns; /* largest time between the readings */
};
void clocks_read(struct clocks *c);

/* Time of the wall clock, ns since 1970, at an instant of CLOCK_MONOTONIC, as the clocks stand now. */
uint64_t wall_clock_at(uint64_t monotonic_ns);

/* "2026-11-21T14:03:07.125Z": now, ISO 8601, UTC. */
enum { WALL_CLOCK_TEXT = 32 };
void wall_clock_text(char text[WALL_CLOCK_TEXT]);

#endif
