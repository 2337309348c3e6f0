/* SPDX-License-Identifier: MIT
 * ali3-omct: the objective motion cueing test with the motion platform of a configuration. Parts: main.c options and wiring,
 * cueing.c the tests, report.c the table, the CSV and the JSON, picture.c the plot. */
#ifndef OMCT_H
#define OMCT_H

#include "platform/platform.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit codes; part of the interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

enum { CUEING_FREQUENCIES = 12 };

/* Amplitudes of the motion of the vehicle. */
struct cueing_amplitudes {
  double force; /* m/s^2 */
  double rate;  /* rad/s */
};

/* Response of the rig at one frequency. */
struct cueing_response {
  double modulus;                 /* felt over reference, in the unit of the test */
  double phase;                   /* deg, -180 .. 180 */
  bool limited;                   /* a limit of the tilt or of a coordinate was reached */
  double false_force, false_rate; /* m/s^2, rad/s: largest change of the false cue within 50 ms */
};

struct cueing_test {
  const char *name, *unit; /* unit of the modulus; "" for a ratio */
  bool cross;              /* felt in another channel than the vehicle moves in */
  struct cueing_response response[CUEING_FREQUENCIES];
};

enum { CUEING_TESTS = 10 };
struct cueing {
  struct cueing_test test[CUEING_TESTS];
};

/* rad/s, 0.1 to 15.85, ten to the power of 0.2 apart. */
double cueing_frequency(int i);

/* Runs all tests; a bar on a terminal shows how far they are. False after saying on stderr what failed. */
bool cueing_run(const struct platform_spec *spec, const struct cueing_amplitudes *amplitudes,
                struct cueing *out);

void report_table(const struct cueing *c);
/* File "-": standard output. False after saying on stderr what failed. */
bool report_csv(const struct cueing *c, const char *file);
bool report_json(const struct cueing *c, const char *config, const struct cueing_amplitudes *amplitudes);
/* A picture of modulus and phase by gnuplot. */
bool report_picture(const struct cueing *c, const struct cueing *before, const char *file, const char *title);

#endif
