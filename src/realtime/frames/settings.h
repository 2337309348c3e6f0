/* SPDX-License-Identifier: MIT
 * Settings of the frame ring, from the section telemetry of a configuration, and of recorders, from the section record. */
#ifndef FRAMES_SETTINGS_H
#define FRAMES_SETTINGS_H

#include <stdbool.h>

struct frames_settings {
  double seconds;  /* length of the ring; 0: no ring */
  double limit_mb; /* largest size of its slots; a ring always has room for 1 s */
};

/* When a recorder records. */
#define RECORD_WHEN_LIST(X)                                                                                  \
  X(RECORD_ALWAYS, "always")                                                                                 \
  X(RECORD_RUNNING, "running")                                                                               \
  X(RECORD_COMMAND, "command")                                                                               \
  X(RECORD_TRIGGER, "trigger")
enum record_when {
#define RECORD_WHEN_ENUM(id, text) id,
  RECORD_WHEN_LIST(RECORD_WHEN_ENUM)
#undef RECORD_WHEN_ENUM
};

struct record_settings {
  bool enabled; /* false: the recorder has its own defaults */
  int when;     /* enum record_when */
  char *trigger, *signals;
  int single;                  /* 1: f32 in place of f64 */
  int divisor;                 /* every n-th cycle */
  double before, after, split; /* s */
  double keep, min_free;       /* GB */
  int compress;
};

/* The lines "KEY VALUE" that a recorder reads, with the names of its options; to be freed. NULL when out of memory. */
char *record_settings_text(const struct record_settings *s);

#endif
