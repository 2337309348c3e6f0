/* SPDX-License-Identifier: MIT
 * How cycles follow each other: the section `cycle` of a configuration file, as the reader fills it and the loop uses it. Times
 * are in seconds, as in the file; schedule_init() converts them. The period is not here: it is the step of the model. */
#ifndef LOOP_CYCLE_SETTINGS_H
#define LOOP_CYCLE_SETTINGS_H

#include "signals/clocking.h"

enum autostart { AUTOSTART_OFF, AUTOSTART_ON, AUTOSTART_EVEN_WITH_PLATFORM };
enum publish { PUBLISH_AT_ONCE, PUBLISH_NEXT_CYCLE };
enum beat { BEAT_NONE, BEAT_OSC, BEAT_MODBUS }; /* whose input frames are the beats */

/* The keys that change while the loop runs. A reload replaces all of them between two cycles. */
struct cycle_live {
  enum overrun overrun;
  int catch_up;   /* starts that may be made up for, with OVERRUN_CATCH_UP */
  int max_misses; /* consecutive misses in RUNNING that lead to SAFE; 0: never */
  int grace;      /* cycles after each start of the motion in which a miss does not count */
};

struct cycle_settings {
  enum autostart autostart; /* from INIT on to RUNNING, unless the last run left something behind */
  int warmup;               /* cycles before figures count and the state leaves INIT */
  enum clocking clock;
  enum publish publish; /* frames go out as soon as they are there, or at the start of the next cycle */
  enum beat beat;
  double beat_offset; /* s, after a beat, at which a cycle is to start */
  double pull;        /* s, by which beats may draw the grid in a cycle; 0: not at all */
  double spin;        /* s, timer: the loop wakes this long before each start and waits awake */
  struct cycle_live live;
};

#endif
