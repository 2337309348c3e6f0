/* SPDX-License-Identifier: MIT
 * ali3-bench: the cost of a step. Parts: main.c options and wiring, cases.c the mechanisms, parts.c their elements,
 * measure.c the runs, predict.c the time with more workers, platform.c the runs of the motion platform,
 * levels.c the runs of the tree, counter.c and calibrate.c the yardsticks, report.c and report_levels.c the figures. */
#ifndef BENCH_H
#define BENCH_H

#include "rt/pool.h"

#include <ali3/options.h>
#include <ali3/profile.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Exit codes. They are part of the interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

struct parts;

struct plan {
  int steps, bodies; /* bodies 0: the default of each case */
  bool extrapolate, report;
  const char *isa;    /* auto, or a name */
  const char *method; /* NULL: ali3, or as in the file */
};

struct bench_case {
  const char *name, *text;
  int bodies;                                 /* default number */
  bool scales;                                /* the number of bodies can be chosen, approximately */
  void (*build)(struct parts *p, int bodies); /* NULL: name is a configuration file */
};

extern const struct bench_case bench_case[];
extern const int bench_cases;

/* The frozen model of a built-in case. bodies: 0 for its default. NULL, with the reason on stderr, if it fails. */
ali3_model *case_model(const struct bench_case *c, int bodies, const ali3_options *options);
/* The frozen model of a configuration file with the file's own step; the plan overrides its method, isa and extrapolate.
 * NULL, with the reason on stderr, if it fails. */
ali3_model *file_model(const char *file, const struct plan *plan);

struct times { /* us */
  double min, median, p99, max;
};
/* Minimum, median, p99 (nearest rank) and maximum of samples in ns. Sorts the samples. */
struct times times_of(uint32_t *ns, int n);

/* Times of the shares of a band. */
struct level_shares {
  double *busy; /* (shares) us; NULL: too little work to share */
  double skew;  /* us, from the end of the first share to that of the last; a sweep has two passes */
  double utilisation;
};

/* Part of the tree's schedule; times are medians over the steps, us. */
enum { LEVEL_SHARED = -1, PLANNED = 3 };
#define PLANNED_THREADS                                                                                      \
  {                                                                                                          \
    2, 4, 8                                                                                                  \
  }
struct level {
  int level; /* level of the tree; LEVEL_SHARED: a band, whose runs threads share */
  int band;  /* number of the band */
  int runs, groups;
  int nodes, lanes; /* nodes: lanes in use; lanes: all computed lanes */
  double flops;     /* operations of a condensation */
  double condense;  /* one condensation; band: with the wait for the last share */
  double sweep;     /* one sweep, up and down; band: with the wait for the last share */
  /* bands: planned work of the largest share over the mean, for these numbers of threads */
  double imbalance[PLANNED];
  struct level_shares condense_shares, sweep_shares;
};

struct levels {
  int levels, shares;
  struct level *level;
};

struct figures {
  const char *name;
  const char *isa; /* instruction set of the steps */
  int bodies, rows, workers;
  bool workers_chosen; /* ali3-bench chose the number */
  const char *method;
  bool extrapolated;
  struct times step, feedback;
  double phase[ALI3_PHASE_IDLE]; /* us, median over the steps */
  double bytes_per_body, flops;
  double lanes_used;     /* share of the lanes that hold a node, by operations of a condensation */
  double chain_ratio;    /* time of a body over that in a chain of 128, timed before and after this case */
  double instructions;   /* per step; NaN: the kernel or the processor does not count */
  double calibration;    /* us */
  uint64_t checksum;     /* hash of the final state */
  struct levels *levels; /* NULL: without --report */
};

/* A number of workers: as many as make the step faster. */
enum { BENCH_AUTO = -1 };

/* Runs a case with `workers` besides the calling thread. False, with the reason on stderr, if it fails: times of a wrong motion
 * mean nothing. */
bool measure(const struct bench_case *c, const struct plan *plan, int workers, struct figures *f);

/* The options of a model by the plan. */
ali3_options plan_options(const struct plan *plan);
/* Workers with the policy and priority of the caller: `chrt -f 20 ali3-bench` gives SCHED_FIFO to all of its threads. */
struct pool_config bench_pool(int workers);

/* The time of a step with a number of workers. */
struct predicted {
  const char *name; /* the case */
  int bodies, workers;
  double barrier_us; /* measured, with one worker */
  struct times predicted;
  bool measures; /* there is a processor for each worker */
  struct times measured;
};
/* Predicts the time of a step with each number of workers, and measures it where there are processors. o: (numbers). False, with
 * the reason on stderr, if a step fails. */
bool predict(const struct bench_case *c, const struct plan *plan, const int *workers, int numbers,
             struct predicted *o);

/* Watches the runs of the tree's schedule while a model steps with `shares`, through the probe. NULL when out of memory. */
struct level_watch;
struct level_watch *levels_watch(const ali3_model *m, int shares, int steps);
const ali3_probe *levels_probe(const struct level_watch *w);
void levels_step_done(struct level_watch *w);
struct levels *levels_take(const struct level_watch *w); /* after all steps */
void levels_unwatch(struct level_watch *w);
void levels_free(struct levels *l);

/* Times a fixed piece of work, 1000 Cholesky factorisations 6x6, n times, in ns. False if a result is wrong. */
bool calibrate(uint32_t *ns, int n);
/* Median time of a product of two 7x7 matrices, ns; NAN if the result is wrong. */
double calibrate_product(void);

/* Times the platform block of a configuration for `cycles` cycles in each situation, and reports it. False, with the reason on
 * stderr, if it fails. */
bool platform_bench(const char *file, int cycles, bool json);

/* Counts instructions of the calling thread in user mode. counter_open() returns -1 if the host does not count; the other
 * functions accept -1. */
int counter_open(void);
void counter_start(int counter);
double counter_stop(int counter); /* NaN: not counted, or only part of the time */
void counter_close(int counter);

void report_head(const struct plan *plan);
/* Predictions of one case. */
void report_predictions(const struct predicted *p, int n);
json_t *predictions_json(const struct predicted *p, int n);
void report_line(const struct figures *f);
void report_levels(const struct levels *l);
json_t *levels_json(const struct levels *l);
bool report_json(const struct figures *f, int n);
bool print_figures_json(json_t *json); /* gives it up; NULL: out of memory */
struct platform_times {
  const char *name, *text;
  struct times times;
};
bool report_platform(const struct platform_times *t, int n, int cycles, bool json);
bool report_calibration(uint32_t *ns, int n, double product, bool json);

#endif
