/* SPDX-License-Identifier: MIT
 * Numbers in few characters, and texts that several files need. */
#ifndef ALI3_TOP_WORDS_H
#define ALI3_TOP_WORDS_H

#include "collect.h"

struct words {
  char text[64];
};

/* Microseconds in at most 9 characters: "114.0", "1234567", "70 s". */
struct words words_us(uint64_t ns);
struct words words_us_of(double us);
/* The label of a tick: "50us", "2ms", "10s". */
struct words words_tick(double ns);
/* "12 s", "3 min", "5 h", "2 d". */
struct words words_duration(double s);
/* At most 4 characters: "998", "12k", "3M". */
struct words words_count(double n);
/* At most 9 characters: all digits or millions: "1234.56M". */
struct words words_cycle(uint64_t cycle);
/* "12 ms", "none". */
struct words words_age(uint64_t ns);
/* An input in the newest cycle of the values: "input push: stale, age 80 ms, then ramp, AT ITS RANGE, from osc 10.0.0.2:9000". */
struct input_words {
  bool trouble; /* stale or at a limit */
  char text[256];
};
struct input_words words_input(const struct picture *p, int input);
/* A channel that was written: "written 9, range -5 to 5"; "": there is nothing to say. trouble: a limit acts on it. */
struct input_words words_channel(const struct picture *p, const struct value_row *row);

/* A number in at most 12 characters: "-1.23457e-05", "nan". */
struct words words_number(double x);

/* "skip", "catch_up 3, SAFE after 5". */
struct words words_overrun(const struct telemetry *t);
/* Flags of the platform: "engaged, limited"; "": none. */
enum { WORDS_PLATFORM = 96 };
const char *words_platform(uint32_t flags, char text[static WORDS_PLATFORM]);
/* Flags of the rig: "reports, permits"; "": none. */
const char *words_rig(unsigned flags, char text[static WORDS_PLATFORM]);
/* A platform coordinate in mm or degrees, in 12 characters. */
struct words words_coordinate(int coordinate, double value);
/* "healthy", "DEGRADED", "GONE". */
const char *words_verdict(enum verdict v);

#endif
