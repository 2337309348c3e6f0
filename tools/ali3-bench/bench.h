/* SPDX-License-Identifier: MIT
 * ali3-bench: what a step costs. Parts: main.c options and wiring, cases.c the mechanisms, parts.c what they
 * are built of, measure.c the runs, platform.c those of the motion platform, levels.c those of the tree,
 * counter.c and calibrate.c what they are compared by, report.c and report_levels.c the figures. */
#ifndef BENCH_H
#define BENCH_H

#include <ali3/ali3.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Exit codes; part of the interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

struct parts;

struct bench_case {
  const char *name, *text;
  int bodies;                                 /* by default */
  bool scales;                                /* to about as many bodies as are asked for */
  void (*build)(struct parts *p, int bodies); /* NULL: name is a configuration file */
};

extern const struct bench_case bench_case[];
extern const int bench_cases;

/* The frozen model of a built-in case. bodies: 0 for its default. NULL after saying why on stderr. */
ali3_model *case_model(const struct bench_case *c, int bodies, const ali3_options *options);
/* The frozen model of a configuration file with the file's own step, but for instruction set and extrapolation.
 * NULL after saying why on stderr. */
ali3_model *file_model(const char *file, const char *isa, bool extrapolate);

struct times { /* us */
  double min, median, p99, max;
};
/* Sorts. Nearest rank; samples in ns. */
struct times times_of(uint32_t *ns, int n);

/* Part of the tree's schedule, as medians over the steps, us. */
enum { LEVEL_SHARED = -1 };
struct level {
  int level; /* of the tree; or LEVEL_SHARED: all runs that shares own */
  int runs, groups;
  int nodes, lanes; /* lanes in use, and all that are computed */
  double flops;     /* of a condensation */
  double condense;  /* one of them; of what is shared with the wait for the last share */
  double sweep;     /* likewise, up and down */
};

/* How what is shared is, by all its shares. */
struct level_shares {
  double *busy; /* (shares) us; NULL: not worth sharing */
  double skew;  /* us, from the first share that is done to the last, of two stages in a sweep */
  double utilisation;
};

struct levels {
  int levels, shares;
  struct level *level;
  struct level_shares condense, sweep;
};

struct figures {
  const char *name;
  const char *isa; /* of the steps */
  int bodies, rows, workers;
  bool workers_chosen; /* by ali3-bench */
  bool extrapolated;
  struct times step, feedback;
  double phase[ALI3_PHASE_IDLE]; /* us, median over the steps */
  double bytes_per_body, flops;
  double lanes_used;     /* share of the lanes that hold a node, by operations of a condensation */
  double chain_ratio;    /* time of a body over that in a chain of 128, timed before and after this case */
  double instructions;   /* per step; NaN: the kernel or the processor does not count them */
  double calibration;    /* us */
  uint64_t checksum;     /* of the state at the end */
  struct levels *levels; /* NULL: not asked for */
};

struct plan {
  int steps, bodies; /* bodies 0: as many as each case has by default */
  bool extrapolate, report;
  const char *isa; /* auto, or a name */
};

/* Among numbers of workers: as many as are worth it. */
enum { BENCH_AUTO = -1 };

/* Runs a case with `workers` beside the calling thread. False after saying on stderr what failed: the
 * steps of a case that does not move as it should cost what they like. */
bool measure(const struct bench_case *c, const struct plan *plan, int workers, struct figures *f);

/* Watches the runs of the tree's schedule while a model steps with so many shares: by the probe, step by
 * step. NULL when out of memory. */
struct level_watch;
struct level_watch *levels_watch(const ali3_model *m, int shares, int steps);
const ali3_probe *levels_probe(const struct level_watch *w);
void levels_step_done(struct level_watch *w);
struct levels *levels_take(const struct level_watch *w); /* after all steps */
void levels_unwatch(struct level_watch *w);
void levels_free(struct levels *l);

/* Times a fixed piece of work, 1000 Cholesky factorisations 6x6, n times over, in ns. False if they came out
 * wrong. */
bool calibrate(uint32_t *ns, int n);

/* Times the platform block of a configuration, so many cycles in each situation, and reports it. False after
 * saying on stderr what failed. */
bool platform_bench(const char *file, int cycles, bool json);

/* Instructions of the calling thread in user mode. open returns -1 where they are not counted; -1 is good for
 * the others. */
int counter_open(void);
void counter_start(int counter);
double counter_stop(int counter); /* NaN: not counted, or not all the time */
void counter_close(int counter);

void report_head(const struct plan *plan);
void report_line(const struct figures *f);
void report_levels(const struct levels *l);
json_t *levels_json(const struct levels *l);
bool report_json(const struct figures *f, int n);
struct platform_times {
  const char *name, *text;
  struct times times;
};
bool report_platform(const struct platform_times *t, int n, int cycles, bool json);
bool report_calibration(uint32_t *ns, int n, bool json);

#endif
