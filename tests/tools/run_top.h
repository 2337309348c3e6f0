/* SPDX-License-Identifier: MIT
 * Runs ali3-top with an artificial telemetry block. */
#ifndef TESTS_TOOLS_RUN_TOP_H
#define TESTS_TOOLS_RUN_TOP_H

#include "check.h"
#include "rt/clock.h"
#include "signals/exchange.h"
#include "signals/states.h"
#include "telemetry/shm.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char name[64];
static char output[1 << 18];

/* Runs ali3-top with the arguments, a printf format. Returns its exit status; its output is in `output`. */
static inline __attribute__((format(printf, 1, 2))) int top(const char *format, ...)
{
  char command[1024];
  int n = snprintf(command, sizeof command, "%s ", ALI3_TOP);
  va_list list;
  va_start(list, format);
  n += vsnprintf(command + n, sizeof command - (size_t)n, format, list);
  va_end(list);
  snprintf(command + n, sizeof command - (size_t)n, " 2>&1");
  FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): the command is our own */
  assert_non_null(f);
  const size_t size = fread(output, 1, sizeof output - 1, f);
  output[size] = '\0';
  const int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void assert_shows(const char *text)
{
  if (!strstr(output, text)) fail_msg("\"%s\" is missing in:\n%s", text, output);
}

static inline void assert_hides(const char *text)
{
  if (strstr(output, text)) fail_msg("\"%s\" should not be in:\n%s", text, output);
}

/* Written in the future: never old, however slow this machine is. */
static inline struct telemetry_live healthy(void)
{
  return (struct telemetry_live){.cycle = 1000,
                                 .t_ns = clock_now_ns() + 600 * NS_PER_S,
                                 .time = 10.0,
                                 .state = STATE_RUNNING,
                                 .flags = FLAG_RUNNING,
                                 .input_age_ns = 12000000,
                                 .increment = 1e-12,
                                 .constraint = 3e-13};
}

static inline struct telemetry *start_fake(void)
{
  char error[256];
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (!t) {
    print_message("%s\n", error);
    abort(); /* no test can run */
  }
  snprintf(t->model, sizeof t->model, "four-bar");
  snprintf(t->isa, sizeof t->isa, "baseline");
  t->period_ns = 10000000;
  t->realtime = 1;
  t->bodies = 3;
  t->rows = 16;
  t->priority = 80;
  t->cpu = 1;
  for (uint64_t i = 1; i <= 1000; i++) {
    histogram_add(&t->histograms.wakeup, i * 1000, i);
    histogram_add(&t->histograms.step, 20500, i);
    histogram_add(&t->histograms.cycle, 80500, i);
  }
  const struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  if (!telemetry_ready(t, error, sizeof error)) fail_msg("%s", error);
  return t;
}

/* Leaves a killed daemon: its process has ended, its block is still there. Returns the process number. */
static inline pid_t leave_fake(void)
{
  const pid_t pid = fork();
  if (pid == 0) {
    start_fake();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  return pid;
}

/* A late wake-up. */
static inline void add_miss(struct telemetry *t, uint64_t number, uint64_t cycle, bool grace)
{
  struct miss m = {.number = number,
                   .cycle = cycle,
                   .start_ns = 1000000000,
                   .wake_ns = 1012000000,
                   .end_ns = 1012300000,
                   .period_ns = t->period_ns,
                   .skipped = 1,
                   .grace = grace,
                   .state = STATE_RUNNING,
                   .slowest.level = -1};
  miss_judge(&m);
  miss_log_write(&t->misses, &m);
}

static inline void add_level(struct telemetry *t, const char *level, uint32_t nodes, uint64_t ns)
{
  struct book_level *l = &t->histograms.level[t->histograms.levels++];
  snprintf(l->name, sizeof l->name, "%s", level);
  l->nodes = nodes;
  l->shared = nodes == 0;
  stopwatch_add(&l->busy, ns, 7);
  stopwatch_add(&l->busy, 3 * ns, 8);
  if (l->shared) stopwatch_add(&l->wait, 1500, 8);
}

#endif
