/* SPDX-License-Identifier: MIT
 * Records of misses like those of the loop: a usual cycle in which some part takes longer. */
#ifndef TESTS_RT_LATE_CYCLE_H
#define TESTS_RT_LATE_CYCLE_H

#include "telemetry/miss.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static const uint64_t USUAL[PHASES] = {
    [PHASE_latch] = 10 * US,   [PHASE_feedback] = 300 * US, [PHASE_observe] = 20 * US,
    [PHASE_publish] = 20 * US, [PHASE_record] = 5 * US,     [PHASE_account] = 10 * US,
    [PHASE_prepare] = 100 * US};

/* A cycle in time; it has the number of the next miss. */
static inline struct miss cycle(void)
{
  struct miss m = {.number = 17,
                   .cycle = 48211,
                   .start_ns = 1000 * MS,
                   .wake_ns = 1000 * MS + 20 * US,
                   .end_ns = 1000 * MS + 20 * US,
                   .period_ns = 10 * MS,
                   .slowest.level = -1};
  for (int i = 0; i < PHASES; i++) {
    m.phase_ns[i] = m.usual_ns[i] = USUAL[i];
    m.end_ns += USUAL[i];
  }
  m.own.span_ns = m.own.cpu_ns = m.end_ns - m.wake_ns;
  return m;
}

static inline void wakes_late(struct miss *m, uint64_t ns)
{
  m->wake_ns += ns;
  m->end_ns += ns;
}

static inline void longer(struct miss *m, int phase, uint64_t ns)
{
  m->phase_ns[phase] += ns;
  m->end_ns += ns;
}

/* Time off the processor without a known reason. */
static inline void off(struct miss *m, int phase, uint64_t ns)
{
  longer(m, phase, ns);
  m->own.span_ns += ns;
}

static inline void computes(struct miss *m, int phase, uint64_t ns)
{
  off(m, phase, ns);
  m->own.cpu_ns += ns;
}

/* The loop sleeps at the barrier in this time, which does not count as its own. */
static inline void worker_takes(struct miss *m, int phase, uint64_t wait_ns, uint64_t busy_ns)
{
  longer(m, phase, wait_ns + busy_ns);
  m->held_ns += wait_ns + busy_ns;
  m->slowest = (struct slowest){.level = 6, .share = 1, .wait_ns = wait_ns, .busy_ns = busy_ns};
  m->worker.span_ns += busy_ns;
}

#endif
