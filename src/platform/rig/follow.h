/* SPDX-License-Identifier: MIT
 * The following error of the rig: its actual legs and pose minus those that were commanded a known delay ago, filtered. Pure. */
#ifndef RIG_FOLLOW_H
#define RIG_FOLLOW_H

#include "hexapod/hexapod.h"

enum { FOLLOW_ERRORS = PLATFORM_LEGS + PLATFORM_DOF, FOLLOW_CYCLES_MAX = 64 };

/* Levels of the magnitude of the error; 0: none. */
struct follow_levels {
  double leg;             /* m, or rad of cranks */
  double position, angle; /* m, rad */
};

struct follow_spec {
  bool legs; /* the rig reports legs; false: it reports its pose */
  double delay,
      filter; /* s: from the command to the report; time constant of the low-pass of the error, 0: none */
  struct follow_levels warn, trip;
};

/* Legs and pose at one time. */
struct follow_position {
  double leg[PLATFORM_LEGS], pose[PLATFORM_DOF]; /* m or rad; m and rad */
};

struct follow {
  struct follow_position actual; /* as of the last report */
  double error[FOLLOW_ERRORS];   /* filtered: six legs, then six coordinates */
  bool known;                    /* a report has come, and its legs close to a pose */

  /* private */
  struct follow_spec spec;
  double delay; /* cycles */
  double keep;  /* part of the error that the filter keeps over a cycle */
  int waited;   /* cycles since the last report */
  struct follow_position past[FOLLOW_CYCLES_MAX + 1]; /* commanded, a ring */
  int newest, count;
  bool begun; /* the filter has a value */
};

/* Set-up. period: s; a delay is at most FOLLOW_CYCLES_MAX periods. */
void follow_init(struct follow *f, const struct follow_spec *spec, double period);

/* RT. One cycle. report: six legs or a pose; NULL: none has come since the last cycle, and the error stays. */
void follow_step(struct follow *f, const struct hexapod *h, const struct follow_position *commanded,
                 const double *report);

/* RT. The error that exceeds its level most, relative to it: 0 to 5 a leg, 6 to 11 a coordinate; -1: none. */
int follow_beyond(const struct follow *f, const struct follow_levels *levels);

#endif
