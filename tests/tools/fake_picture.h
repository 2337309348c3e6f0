/* SPDX-License-Identifier: MIT
 * A picture of ali3-top, filled in by hand. */
#ifndef TESTS_TOOLS_FAKE_PICTURE_H
#define TESTS_TOOLS_FAKE_PICTURE_H

#include "collect.h"
#include "signals/clocking.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "signals/states.h"

#include <stdio.h>
#include <string.h>

enum { FAKE_LEVELS = 12, FAKE_CYCLE = 30000 };
#define FAKE_NOW UINT64_C(1000000000000) /* ns */

/* 10000 cycles after a warm-up of 100: wake-ups from 30 to 129 us and one of 2 ms, in cycle 29900. */
static inline void fake_book(struct histograms *b)
{
  static const char *const name[FAKE_LEVELS] = {"predict", "rows",    "condense", "sweep",
                                                "bodies",  "project", "subtrees", "level 0",
                                                "level 1", "level 2", "level 3",  "level 4"};
  for (uint64_t i = 0; i < 10000; i++) {
    const uint64_t late = i == 9800 ? 2000000 : 30000 + 1000 * (i % 100);
    histogram_add(&b->wakeup, late, 20100 + i);
    for (unsigned k = 0; k < PHASES; k++)
      histogram_add(book_histogram(b, (enum phase)k), 1500 * (k + 1), 20100 + i);
    histogram_add(&b->step, 12000, 20100 + i);
    histogram_add(&b->cycle, late + 31000, 20100 + i);
  }
  b->levels = FAKE_LEVELS;
  for (uint64_t i = 0; i < FAKE_LEVELS; i++) {
    struct book_level *level = &b->level[i];
    snprintf(level->name, sizeof level->name, "%s", name[i]);
    level->nodes = i < 6 ? 0 : (uint32_t)(4096 >> i);
    level->shared = i < 7;
    for (uint64_t k = 0; k < 4; k++) stopwatch_add(&level->busy, 1000 * (i + 1), 20100 + k);
    if (level->shared) stopwatch_add(&level->wait, 2500, 20100);
  }
  atomic_store(&b->cleared, 20100);
}

/* A record of a late wake-up, judged by miss_judge(). */
static inline void fake_miss(struct picture *p, uint64_t number, uint64_t cycle)
{
  struct miss m = {.number = number,
                   .cycle = cycle,
                   .start_ns = FAKE_NOW - (FAKE_CYCLE - cycle) * 10000000,
                   .period_ns = 10000000,
                   .skipped = 1,
                   .state = STATE_RUNNING,
                   .slowest.level = -1};
  m.wake_ns = m.start_ns + 12000000;
  m.end_ns = m.wake_ns + 300000;
  miss_judge(&m);
  miss_log_write(&p->block.misses, &m);
  p->misses = misses_newest(&p->block.misses, p->miss);
}

static inline void fake_input(struct telemetry *t, const char *name, uint64_t policy, uint64_t age_ns,
                              enum input_state state)
{
  struct input_view *v = &t->input[t->inputs++];
  snprintf(v->name, sizeof v->name, "%s", name);
  v->policy = policy;
  v->hold_ns = 50000000;
  atomic_store(&v->age_ns, age_ns);
  atomic_store(&v->state, (uint32_t)state);
}

static inline void fake_device(struct telemetry *t, const char *name, uint64_t state, uint64_t polled_ns)
{
  struct device_view *v = &t->device[t->devices++];
  snprintf(v->name, sizeof v->name, "%s", name);
  atomic_store(&v->state, state);
  atomic_store(&v->polled_ns, polled_ns);
  atomic_store(&v->polls, 12345);
  atomic_store(&v->late, 3);
  atomic_store(&v->errors[DEVICE_ERROR_timeout], 4);
  atomic_store(&v->errors[DEVICE_ERROR_exception], 5);
  atomic_store(&v->errors[DEVICE_ERROR_nonfinite], 6);
  device_tell(v, "read holding 100-119: no answer in 0.1 s");
}

static inline void fake_picture(struct picture *p)
{
  memset(p, 0, sizeof *p);
  struct telemetry *t = &p->block;
  snprintf(t->instance, sizeof t->instance, "bench_1");
  snprintf(t->model, sizeof t->model, "four-bar");
  snprintf(t->isa, sizeof t->isa, "avx2");
  t->pid = 4711;
  t->start_ns = FAKE_NOW - UINT64_C(300000000000);
  t->period_ns = 10000000;
  t->realtime = 1;
  t->bodies = 3;
  t->rows = 20;
  t->workers = 2;
  t->priority = 80;
  t->cpu = 3;
  t->clocking = CLOCKING_TIMER;
  t->overrun = OVERRUN_SKIP;
  fake_book(&t->histograms);
  fake_input(t, "push", INPUT_RAMP, 12000000, INPUT_FRESH);
  fake_input(t, "pull", INPUT_SAFE, 70000000, INPUT_STALE);
  fake_input(t, "twist", INPUT_HOLD, UINT64_MAX, INPUT_NEVER);
  counter_set(&t->counters.osc_clients, 2);
  counter_set(&t->counters.modbus_half_frames, 5);
  t->live = (struct telemetry_live){.cycle = FAKE_CYCLE,
                                    .t_ns = FAKE_NOW,
                                    .time = 298.5,
                                    .state = STATE_RUNNING,
                                    .flags = FLAG_RUNNING,
                                    .input_age_ns = 70000000,
                                    .load = {0.031, 0.029, 0.028},
                                    .increment = 1e-12,
                                    .constraint = 3e-13};
  p->sample = (struct sample){.verdict = VERDICT_HEALTHY, .t = t, .whole = true, .uptime = 300.0};
  p->seen = true;
  p->now_ns = FAKE_NOW;
}

/* On its way, with one leg near its end and one beyond it. */
static inline void fake_platform(struct picture *p)
{
  struct telemetry *t = &p->block;
  t->platform = 1;
  t->leg_min = 0.7;
  t->leg_max = 1.0;
  t->live.platform = (struct platform_live){.state = PLATFORM_RUN,
                                            .mode = PLATFORM_WASHOUT,
                                            .flags = PLATFORM_ENGAGED | PLATFORM_RATE_LIMITED,
                                            .pose = {0.0123, 0, -0.05, 0, 0.1, 0},
                                            .target = {0.02, 0, 0, 0, 0, -0.2},
                                            .legs = {0, 0.5, -1, 0.97, 1.1, -0.5}};
}

#endif
