/* SPDX-License-Identifier: MIT
 * The section `cycle` of a configuration file, filled by the reader and used by the loop. Times are in seconds, as in
 * the file; schedule_init() converts them. The period is the step of the model and is not here. */
#ifndef LOOP_CYCLE_SETTINGS_H
#define LOOP_CYCLE_SETTINGS_H

#include "signals/clocking.h"

#include <stdbool.h>

enum autostart { AUTOSTART_OFF, AUTOSTART_ON, AUTOSTART_EVEN_WITH_PLATFORM };
enum publish { PUBLISH_AT_ONCE, PUBLISH_NEXT_CYCLE };
enum beat { BEAT_NONE, BEAT_OSC, BEAT_MODBUS }; /* protocol whose input frames are the beats */

/* The keys of the section, in the order of the file. A row has the field (and its type, for a choice), the parameters
 * of its type (unit and range, or words), the default as written in a file, and the documentation of key and field. The
 * two structs below, the rows of settings/keys_run.c, and with them the reader, --help, the schema and the reference file
 * come from this list. A reload replaces the LIVE_ keys between two cycles; the others are read at the start. */
/* clang-format off */
#define CYCLE_SETTINGS_LIST(CHOICE, INTEGER, NUMBER, FLAG, LIVE_CHOICE, LIVE_INTEGER) \
  CHOICE(enum autostart, autostart, autostarts, "true", \
         "true: the mechanism moves as soon as the daemon is ready. false: it waits for the command run. With a section " \
         "platform the default is false, and true is an error: even_with_platform lets the platform move by itself. After a " \
         "latched stop, or after a run that did not end by an order, the mechanism waits for a person in any case; see " \
         "STOPPING AND STARTING in ali3d(8).") \
  INTEGER(warmup, "cycles", BETWEEN(0, 1e6), "100", \
          "Number of cycles that run before the report counts.") \
  CHOICE(enum clocking, clock, clockings, "timer", \
         "Event that starts a cycle. timer: a clock starts one cycle in each period. input: each numbered input frame of the " \
         "protocol in beat starts a cycle. After two periods without a frame the daemon goes to the state SAFE. lockstep: " \
         "the command step starts cycles, without a clock. The loop sleeps 1 ms after each 4 ms of steps without a pause, so " \
         "that it receives an e-stop.") \
  LIVE_CHOICE(enum overrun, overrun, overruns, "skip", \
         "Reaction to starts that a late cycle overlaps. skip: these starts are skipped, the grid stays, and simulated time " \
         "falls behind. catch_up: up to catch_up of these cycles run at once. slip: the grid moves to the end of the late " \
         "cycle, and no cycle is skipped. stop: like skip, and the daemon goes to the state SAFE after max_misses.") \
  LIVE_INTEGER(catch_up, "cycles", BETWEEN(1, 1000), "3", \
          "Largest number of cycles that run at once with overrun: catch_up. Further starts are skipped.") \
  LIVE_INTEGER(max_misses, "cycles", BETWEEN(0, 1e6), "0", \
          "Number of missed deadlines in a row after which the daemon goes to the state SAFE, with every overrun policy. 0: " \
          "misses are only counted. With overrun: stop, 0 acts like 1.") \
  LIVE_INTEGER(grace, "cycles", BETWEEN(0, 1e6), "0", \
          "Number of cycles after each start of the motion in which misses are counted separately and do not lead to SAFE.") \
  CHOICE(enum publish, publish, publishes, "at_once", \
         "Time at which the state of a cycle is sent. at_once: as soon as it is computed. next_cycle: at the start of the " \
         "next cycle, with less jitter.") \
  NUMBER(spin, "s", BETWEEN(0, 1), "0", \
         "Time before each start of a timer at which the loop wakes and begins to busy-wait, so that caches are warm. Starts " \
         "are then exact to a microsecond and steps are shorter, at the cost of processor time. It is at most half the " \
         "period.") \
  CHOICE(enum beat, beat, beats, "none", \
         "Protocol whose numbered input frames (OSC /ali3/in/frame, Modbus register 164) are the beats for clock and pull.") \
  NUMBER(pull, "s", BETWEEN(0, 1), "0", \
         "Largest shift per cycle of a timer's starts towards the beats. It is at most a tenth of the period. 0: beats do " \
         "not shift the starts.") \
  NUMBER(beat_offset, "s", BETWEEN(0, 10), "0", \
         "Time from a beat to the start of a cycle. pull shifts the starts towards it.")

#define CYCLE_SKIP(...)
#define CYCLE_CHOICE(type, field, ...) type field;
#define CYCLE_INTEGER(field, ...)      int field;
#define CYCLE_NUMBER(field, ...)       double field;
#define CYCLE_FLAG(field, ...)         bool field;
struct cycle_live {
  CYCLE_SETTINGS_LIST(CYCLE_SKIP, CYCLE_SKIP, CYCLE_SKIP, CYCLE_SKIP, CYCLE_CHOICE, CYCLE_INTEGER)
};
struct cycle_settings {
  CYCLE_SETTINGS_LIST(CYCLE_CHOICE, CYCLE_INTEGER, CYCLE_NUMBER, CYCLE_FLAG, CYCLE_SKIP, CYCLE_SKIP)
  struct cycle_live live;
};
#undef CYCLE_SKIP
#undef CYCLE_CHOICE
#undef CYCLE_INTEGER
#undef CYCLE_NUMBER
#undef CYCLE_FLAG
/* clang-format on */

#endif
