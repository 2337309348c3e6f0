/* SPDX-License-Identifier: MIT
 * How many workers a mechanism gains by: its own steps are timed with some numbers of them, and the least that
 * is about as good as the best is taken. Set-up only. */
#ifndef LOOP_CHOOSE_H
#define LOOP_CHOOSE_H

#include "rt/pool.h"

#include <stdint.h>

enum { CHOOSE_MOST = 63, CHOOSE_TRIES = 16 };

struct choose_try {
  int workers;
  double step_us; /* median */
};

struct choice {
  int workers;
  int tries;                             /* 0: nothing was timed */
  struct choose_try tried[CHOOSE_TRIES]; /* none first, then ever more */
  const char *reason;                    /* why no more were tried; "" */
};

/* What is timed, and by which clock; a test may replace it. */
struct choose_world {
  uint64_t (*now_ns)(void);
  void (*sleep_until_ns)(uint64_t t_ns);
  int (*reset)(const ali3_model *m, ali3_data *d);
  int (*step)(const ali3_model *m, ali3_data *d);
  void (*set_exec)(ali3_data *d, const ali3_exec *exec);
};

struct choose_plan {
  struct pool_config pool; /* as for the loop; its workers do not count */
  int most;                /* workers to try */
  uint64_t rest_ns;        /* between two steps, for workers to fall asleep as in a loop; 0: back to back */
  const struct choose_world *world; /* NULL: the model itself, by CLOCK_MONOTONIC */
};

/* Workers that find a CPU of their own beside the calling thread: by its mask, or from first_cpu on. */
int choose_most(int first_cpu);

/* The numbers to try up to `most`, ascending from 0; returns how many. */
int choose_numbers(int most, int workers[CHOOSE_TRIES]);

/* The least number whose step is within 3 % of the best; 0 unless 5 % are gained. The first is 0 workers. */
int choose_from(const struct choose_try *t, int n);

/* Times steps from the initial state, in the calling thread, whose denormals are flushed from here on, and in
 * pools of its own. Takes up to half a second, or a start and a step for each number where that is longer. A
 * model that is too small to share, or whose steps fail, gets 0. */
void choose_workers(const ali3_model *m, const struct choose_plan *plan, struct choice *out);

/* "2 workers (auto): step 312 us, alone 598 us" */
void choose_text(const struct choice *c, char *text, size_t size);

#endif
