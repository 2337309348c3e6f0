/* SPDX-License-Identifier: MIT
 * A census filled in by hand, as if two daemons ran. */
#ifndef TESTS_TOOLS_FAKE_CENSUS_H
#define TESTS_TOOLS_FAKE_CENSUS_H

#include "census.h"
#include "signals/states.h"

#include <stdio.h>
#include <string.h>

/* Times in ns: wake-ups 4999, 5000, 20500, 1500000; cycles 80000, 80500; no step was made. */
static inline struct present *fake_daemon(struct present *p, const char *name)
{
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", name);
  struct telemetry *t = &p->block;
  snprintf(t->instance, sizeof t->instance, "%s", name);
  snprintf(t->model, sizeof t->model, "four-bar");
  t->pid = 4711;
  t->period_ns = 10000000;
  t->realtime = 1;
  t->bodies = 3;
  t->rows = 20;
  t->workers = 2;
  t->priority = 80;
  t->cpu = -1;
  static const uint64_t wakeup[] = {4999, 5000, 20500, 1500000};
  for (uint64_t i = 0; i < 4; i++) histogram_add(&t->histograms.wakeup, wakeup[i], i + 1);
  histogram_add(&t->histograms.cycle, 80000, 1);
  histogram_add(&t->histograms.cycle, 80500, 2);
  t->histograms.levels = 2;
  snprintf(t->histograms.level[0].name, sizeof t->histograms.level[0].name, "rows");
  snprintf(t->histograms.level[1].name, sizeof t->histograms.level[1].name, "level 1");
  stopwatch_add(&t->histograms.level[0].busy, 12500, 1);
  stopwatch_add(&t->histograms.level[0].wait, 3000, 1);
  stopwatch_add(&t->histograms.level[1].busy, 700, 1);
  counter_set(&t->counters.osc_clients, 2);
  counter_set(&t->counters.modbus_half_frames, 5);
  p->sample =
      (struct sample){.verdict = VERDICT_HEALTHY, .t = t, .whole = true, .age = 0.0025, .uptime = 12.5};
  t->live = (struct telemetry_live){.cycle = 123456789012,
                                    .time = 10.25,
                                    .state = STATE_RUNNING,
                                    .flags = FLAG_RUNNING,
                                    .input_age_ns = 12000000,
                                    .load = {0.5, 0.25, 0.125},
                                    .grace_misses = 3,
                                    .late_starts = 4,
                                    .slipped_ns = 1500000000,
                                    .increment = 1e-12,
                                    .constraint = 3e-13};
  return p;
}

/* A daemon whose process has ended without cleaning up. */
static inline struct present *fake_gone(struct present *p, const char *name)
{
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", name);
  p->sample = (struct sample){.verdict = VERDICT_GONE, .reasons = 1};
  snprintf(p->sample.reason[0], sizeof p->sample.reason[0], "\"%s\" is gone: process 1 ended", name);
  return p;
}

#endif
