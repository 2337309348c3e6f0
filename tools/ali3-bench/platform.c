/* SPDX-License-Identifier: MIT
 * The cost of a cycle of the platform block of a configuration, in situations with different costs. */
#include "bench.h"
#include "config/setup.h"

#include "rt/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SITUATION_CYCLES_BEFORE = 2000 };
#define GRAVITY 9.81

static const struct situation {
  const char *name, *text;
  double strength; /* strength of the driver: 1 is lively */
  bool tuned;      /* parameters change all the time */
} SITUATIONS[] = {
    {"platform_rest", "at neutral", 0.0, false},
    {"platform_drive", "a lively drive", 1.0, false},
    {"platform_limits", "five times as hard, always at its limits", 5.0, false},
    {"platform_tune", "a lively drive, with parameters that change in every cycle", 1.0, true},
};
enum { SITUATIONS_COUNT = sizeof SITUATIONS / sizeof *SITUATIONS };

/* Sines with incommensurable frequencies: repeatable, and without the cost of a random generator. */
static void drive_inputs(double t, double strength, struct platform_input *in)
{
  static const double force[3][2] = {{3.0, 1.3}, {4.0, 1.9}, {2.0, 5.1}},
                      rate[3][2] = {{0.2, 2.3}, {0.2, 3.1}, {0.3, 1.1}};
  for (int i = 0; i < 3; i++) {
    in->specific_force[i] =
        strength * force[i][0] * (sin(force[i][1] * t) + 0.5 * sin(3.7 * force[i][1] * t));
    in->angular_velocity[i] = strength * rate[i][0] * (sin(rate[i][1] * t) + 0.5 * sin(4.3 * rate[i][1] * t));
  }
  in->specific_force[2] += GRAVITY;
}

static bool measure_situation(const struct platform_spec *spec, const struct situation *s, uint32_t *ns,
                              int cycles)
{
  char error[400];
  struct platform *p = calloc(1, sizeof *p);
  if (!p || !platform_init(p, spec, error, sizeof error)) {
    fprintf(stderr, "ali3-bench: %s\n", p ? error : "out of memory");
    free(p);
    return false;
  }
  struct platform_input in = {.request = PLATFORM_TO_RUN, .specific_force = {0, 0, GRAVITY}};
  for (long i = -SITUATION_CYCLES_BEFORE; i < cycles;) {
    const bool runs = p->out.state[0] == PLATFORM_RUN;
    if (runs) drive_inputs((double)(i + SITUATION_CYCLES_BEFORE) * spec->period, s->strength, &in);
    const uint64_t begin = clock_now_ns();
    if (s->tuned && runs) platform_tune(p, spec->mode, &spec->params);
    platform_step(p, &in);
    const uint64_t took = clock_now_ns() - begin;
    if (i >= 0) ns[i] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
    i += runs; /* cycles before the run are not timed */
  }
  free(p);
  return true;
}

bool platform_bench(const char *file, int cycles, bool json)
{
  struct settings *s = setup_load(file, NULL, stderr);
  uint32_t *ns = calloc((size_t)cycles, sizeof *ns);
  struct platform_times t[SITUATIONS_COUNT];
  bool good = s && ns;
  if (s && !s->platform.enabled) {
    fprintf(stderr, "ali3-bench: %s: expected a section platform\n", file);
    good = false;
  }
  if (good) s->platform.spec.mode = PLATFORM_WASHOUT;
  for (int i = 0; i < SITUATIONS_COUNT && good; i++) {
    good = measure_situation(&s->platform.spec, &SITUATIONS[i], ns, cycles);
    if (good) t[i] = (struct platform_times){SITUATIONS[i].name, SITUATIONS[i].text, times_of(ns, cycles)};
  }
  if (good) good = report_platform(t, SITUATIONS_COUNT, cycles, json);
  free(ns);
  settings_free(s);
  return good;
}
