/* SPDX-License-Identifier: MIT
 * A washout at rest, and functions that move it. */
#ifndef PLATFORM_WASHOUT_BENCH_H
#define PLATFORM_WASHOUT_BENCH_H

#include "check.h"
#include "common/platform_defaults.h"
#include "cueing/washout.h"

#include <math.h>

#define G 9.81

static const double head[3] = {0.1, -0.05, 0.9}, level[3] = {0, 0, G}, still[3] = {0};
static const double nothing[PLATFORM_DOF] = {0};

static inline void set_parameter(struct platform_params *p, const char *name, double value)
{
  char error[200];
  if (!params_set(p, name, value, error, sizeof error)) fail_msg("%s", error);
}

static inline struct washout washout_by_default(double period)
{
  struct platform_params p;
  struct washout w;
  params_default(&p);
  washout_init(&w, &p, period, head);
  return w;
}

static inline void run(struct washout *w, const double force[3], const double spin[3], double time,
                       struct platform_motion *m)
{
  for (long cycle = lrint(time / w->period); cycle > 0; cycle--) washout_step(w, force, spin, nothing, m);
}

/* All axes at once. */
static inline void wave(double t, double force[3], double spin[3])
{
  for (int i = 0; i < 3; i++) {
    force[i] = (i == 2 ? G : 0.0) + 1.5 * sin((1.0 + i) * t + i);
    spin[i] = 0.3 * sin((1.5 - 0.3 * i) * t);
  }
}

#endif
