/* SPDX-License-Identifier: MIT
 * Words of the configuration for clocking and overrun; loop/schedule.c implements them. */
#ifndef SIGNALS_CLOCKING_H
#define SIGNALS_CLOCKING_H

/* The source that paces the loop. */
#define CLOCKING_LIST(X)                                                                                     \
  X(CLOCKING_TIMER, "timer")       /* an absolute grid of CLOCK_MONOTONIC */                                 \
  X(CLOCKING_INPUT, "input")       /* each input frame starts a cycle */                                     \
  X(CLOCKING_LOCKSTEP, "lockstep") /* each step needs a command; no clock */

/* The treatment of starts that a late cycle overlaps. */
#define OVERRUN_LIST(X)                                                                                      \
  X(OVERRUN_SKIP, "skip")         /* starts are skipped: the phase is kept, simulated time falls behind */   \
  X(OVERRUN_CATCH_UP, "catch_up") /* up to catch_up cycles run at once */                                    \
  X(OVERRUN_SLIP, "slip")         /* the grid moves: the next cycle starts at once, and none is skipped */   \
  X(OVERRUN_STOP, "stop")         /* like skip, with SAFE after max_misses in a row */

enum clocking {
#define CLOCKING_ENUM(id, text) id,
  CLOCKING_LIST(CLOCKING_ENUM)
#undef CLOCKING_ENUM
};
enum overrun {
#define OVERRUN_ENUM(id, text) id,
  OVERRUN_LIST(OVERRUN_ENUM)
#undef OVERRUN_ENUM
};
const char *clocking_name(unsigned clocking); /* "?" when unknown */
const char *overrun_name(unsigned overrun);

#endif
