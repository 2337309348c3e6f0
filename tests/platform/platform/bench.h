/* SPDX-License-Identifier: MIT
 * The platform block on the rig of rig.h, run cycle by cycle. It keeps the largest jerk so far. */
#ifndef PLATFORM_BENCH_H
#define PLATFORM_BENCH_H

#include "check.h"
#include "platform/rig.h"

#include <stdlib.h>

struct bench {
  struct platform platform;
  struct platform_spec spec;
  struct platform_input in;
  struct platform_output before;
  double jerk[2]; /* largest so far, relative to the limit: translations, rotations */
};

static inline struct bench *bench_new(enum platform_mode mode)
{
  char error[300];
  struct bench *b = calloc(1, sizeof *b);
  rig_spec(&b->spec);
  b->spec.mode = mode;
  if (!platform_init(&b->platform, &b->spec, error, sizeof error)) fail_msg("%s", error);
  b->in.specific_force[2] = RIG_GRAVITY;
  return b;
}

static inline void go_on(struct bench *b)
{
  struct platform_limits l;
  b->before = b->platform.out;
  const bool first = b->before.legs[0] == 0.0;
  platform_step(&b->platform, &b->in);
  b->in.restart = false;
  params_limits(&b->spec.params, &l);
  for (int k = 0; k < PLATFORM_DOF && !first; k++) {
    const double jerk = (b->platform.out.acceleration[k] - b->before.acceleration[k]) / b->spec.period;
    b->jerk[k / 3] = fmax(b->jerk[k / 3], fabs(jerk) / l.jerk[k]);
  }
}

static inline void go_for(struct bench *b, enum platform_request request, double seconds)
{
  b->in.request = request;
  for (int i = 0; i < (int)lround(seconds / b->spec.period); i++) go_on(b);
}

static inline enum platform_state state_of(const struct bench *b)
{
  return (enum platform_state)b->platform.out.state[0];
}

static inline bool has(const struct bench *b, enum platform_flag flag)
{
  return ((unsigned)b->platform.out.flags[0] & flag) != 0;
}

/* Seconds until the platform is in a state, at most `most`. */
static inline double time_to(struct bench *b, enum platform_request request, enum platform_state state,
                             double most)
{
  b->in.request = request;
  for (int i = 0; i * b->spec.period < most; i++) {
    if (state_of(b) == state) return i * b->spec.period;
    go_on(b);
  }
  fail_msg("no %s within %g s, but %s", platform_state_name(state), most, platform_state_name(state_of(b)));
  return most;
}

static inline double distance(const double *a, const double *b, int n)
{
  double most = 0.0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - (b ? b[k] : 0.0)));
  return most;
}

static inline void drive(struct bench *b, struct rig_driver *d, enum platform_request request, double seconds)
{
  b->in.request = request;
  for (int i = 0; i < (int)lround(seconds / b->spec.period); i++) {
    rig_drive(d, b->spec.period, 1.0, &b->in);
    go_on(b);
  }
}

#endif
