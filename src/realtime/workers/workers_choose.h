/* SPDX-License-Identifier: MIT
 * Chooses the number of workers for a mechanism: times its own steps with several numbers and takes the smallest one
 * that is about as fast as the best. Set-up only. */
#ifndef WORKERS_WORKERS_CHOOSE_H
#define WORKERS_WORKERS_CHOOSE_H

#include "rt/pool.h"

#include <stdint.h>

enum { CHOOSE_MOST = 63, CHOOSE_TRIES = 16 };

struct choose_try {
  int workers;
  double step_us; /* median */
  double fastest_us;
};

struct choice {
  int workers;
  int tries;                             /* 0: nothing was timed */
  struct choose_try tried[CHOOSE_TRIES]; /* 0 workers first, then ascending */
  const char *reason;                    /* why no more were tried; "" */
};

/* The step that is timed, and the clock; a test may replace both. */
struct choose_world {
  uint64_t (*now_ns)(void);
  void (*sleep_until_ns)(uint64_t t_ns);
  int (*reset)(const ali3_model *m, ali3_data *d);
  int (*step)(const ali3_model *m, ali3_data *d);
  void (*set_exec)(ali3_data *d, const ali3_exec *exec);
};

struct choose_plan {
  struct pool_config pool; /* configuration of the loop's pool; its number of workers is ignored */
  int most;                /* largest number to try */
  uint64_t rest_ns;        /* pause between two steps, in which workers fall asleep as in a loop; 0: none */
  const struct choose_world *world; /* NULL: the model itself and CLOCK_MONOTONIC */
};

/* The number of workers that get their own CPU beside the calling thread: by its mask, or from first_cpu on. */
int choose_most(int first_cpu);

/* Fills in the numbers to try, ascending from 0 to at most `most`. Returns how many. */
int choose_numbers(int most, int workers[CHOOSE_TRIES]);

/* The smallest number whose step is within 3 % of the best, among the numbers that gain 5 % both in the median and in the
 * fastest step; 0 if no number gains. Other load may slow down one number more than another, but hardly its fastest step. Try 0
 * must have 0 workers. */
int choose_from(const struct choose_try *t, int n);

/* Times steps from the initial state in the calling thread, and flushes its denormals from then on; makes its own
 * pools. Takes up to half a second, or longer if one start and one step for each number take longer. A model that is
 * too small to share, or whose steps fail, gets 0. */
void choose_workers(const ali3_model *m, const struct choose_plan *plan, struct choice *out);

/* "2 workers (auto): step 312 us, alone 598 us" */
void choose_text(const struct choice *c, char *text, size_t size);

#endif
