/* SPDX-License-Identifier: MIT
 * The words of the configuration for how cycles follow each other; loop/schedule.c does what they say. */
#ifndef SIGNALS_CLOCKING_H
#define SIGNALS_CLOCKING_H

/* What paces the loop. */
#define CLOCKING_LIST(X)                                                                                     \
  X(CLOCKING_TIMER, "timer")       /* an absolute grid of CLOCK_MONOTONIC */                                 \
  X(CLOCKING_INPUT, "input")       /* each input frame starts a cycle */                                     \
  X(CLOCKING_LOCKSTEP, "lockstep") /* each step is asked for; no clock */

/* What becomes of the starts that a late cycle ran into. */
#define OVERRUN_LIST(X)                                                                                      \
  X(OVERRUN_SKIP, "skip")         /* left out: the phase is kept, simulated time falls behind */             \
  X(OVERRUN_CATCH_UP, "catch_up") /* at most so many made up for, one at once after the other */             \
  X(OVERRUN_SLIP, "slip")         /* the grid moves: the next cycle starts at once, and none is left out */  \
  X(OVERRUN_STOP, "stop")         /* as skip, and the state SAFE after so many misses in a row */

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
