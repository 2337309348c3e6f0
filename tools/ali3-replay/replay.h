/* SPDX-License-Identifier: MIT
 * ali3-replay: computes a recorded run again. Parts: main.c options and wiring, plant.c the model that repeats the actions of
 * the loop, tuning.c parameters that changed, foreign.c recorded states for another configuration,
 * again.c cycle after cycle from the states of the file, compare.c the numbers, write.c a recording of what was computed, feed.c
 * inputs for a running daemon, export.c signals for other programs, mdf.c their file, info.c. */
#ifndef REPLAY_H
#define REPLAY_H

#include "common/csv.h"
#include "machine/platform_drive.h"
#include "recording/recording.h"
#include "recording/run_file.h"
#include "rt/pool.h"
#include "settings/settings.h"

/* Exit status, a public interface. */
enum { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_FOREIGN = 3, EXIT_GAPS = 4 };

struct replay_options {
  const char *file;
  const char *with; /* another configuration; NULL: that of the recording */
  double from, to;  /* s since the first row; to < 0: the end */
  double tolerance; /* relative; < 0: the same bits */
  int workers;
  const char *write; /* file for what is computed; NULL: none */
  /* feed */
  const char *feed; /* URL; NULL: replay */
  double speed;     /* of the recorded times */
  bool lockstep;
  /* export */
  const char *out, *signals; /* signals NULL: all */
  bool mdf;
  enum csv_header header;
};

/* --- plant.c --- */

/* The model of a recording, and all that moves it. */
struct plant_again {
  struct settings *settings;
  const struct signals *signals; /* the table of the settings */
  const ali3_model *model;       /* with the parameters in use: of the settings, or `tuned` */
  ali3_model *tuned;
  ali3_data *data;
  struct pool *pool;
  void *initial;       /* state after the reset */
  uint32_t parameters; /* version of the parameters in use */
  struct platform_drive drive;
  double *values;   /* (signals->count) */
  double *channels; /* (signals->channels) */
  int *channel_of;  /* (signals->channels) channel of the recording with this name; -1: none */
  bool own;         /* the configuration of the recording: parameters of the platform are repeated, too */
  /* With another configuration: the model of the recorded states, with the parameters of a version. */
  ali3_model *recorded;
  uint32_t recorded_version;
};

/* Reads the configuration, and resets the model. Returns EXIT_SAME, or an exit status after saying on stderr what is wrong. */
int plant_again_open(struct plant_again *p, const struct recording *r, const struct replay_options *o);
void plant_again_close(struct plant_again *p);
/* The initial state, as before the first cycle. */
void plant_again_reset(struct plant_again *p);
/* Goes on from state n of the recording, which was taken with a version of the parameters. False after saying on stderr why not:
 * the state belongs to another model or build. */
bool plant_again_load(struct plant_again *p, const struct recording *r, hsize_t n, uint32_t version);
/* Repeats the actions of the loop in cycle `act`, and observes the signals. *status: of its step. False after saying on stderr
 * that a state or a set of parameters is missing. */
bool plant_again_cycle(struct plant_again *p, const struct recording *r, hsize_t act, int *status);

/* tuning.c. The model gets the parameters of a version, one set after the other. False after saying on stderr what is missing. */
bool plant_again_tune(struct plant_again *p, const struct recording *r, uint32_t version);
/* The model with the changes of one version; NULL with the reason in error. */
ali3_model *tuning_apply(const struct recording *r, const ali3_model *m, uint32_t version, char *error,
                         size_t size);

/* foreign.c. The model of another configuration goes on from the bytes of a state that was recorded with a version of the
 * parameters. False after saying on stderr why not. */
bool plant_again_convert(struct plant_again *p, const struct recording *r, const void *bytes,
                         uint32_t version);

/* --- compare.c --- */

/* Recorded rows beside computed values. */
struct compare {
  const struct recording *r;
  double tolerance;
  int *column;              /* (r->signals) index of the computed signal; -1: it is not compared */
  uint32_t compared;        /* signals */
  bool other;               /* another configuration computed: the status of a step may be another one */
  double *row;              /* (BLOCK, r->signals) */
  hsize_t first, held;      /* rows in `row` */
  uint32_t *status;         /* (r->rows) */
  uint64_t cycles, numbers; /* compared so far */
  bool failed;              /* a row cannot be read */
  /* The first difference. */
  bool different;
  hsize_t at;
  uint32_t signal; /* r->signals: the status of the step */
  double recorded, computed;
  /* The largest difference of each signal, for another configuration: (r->signals). */
  double *largest;
  uint64_t *largest_cycle;
};
bool compare_open(struct compare *c, const struct recording *r, const struct plant_again *p,
                  double tolerance);
void compare_close(struct compare *c);
/* The values of row `at`. `all`: goes on behind a difference, and keeps the largest. */
void compare_row(struct compare *c, hsize_t at, const double *values, int status, bool all);
/* A recorded row; NULL: it cannot be read. */
const double *compare_recorded(struct compare *c, hsize_t at);
void compare_print_difference(const struct compare *c);
void compare_print_largest(const struct compare *c);

/* --- write.c: a recording of what is computed, with all signals, laid out like those of ali3-record. --- */

struct writing {
  const struct recording *r;
  const struct plant_again *plant;
  struct frames_reader ring; /* layout and tables; no cycles */
  struct run_file_options options;
  struct columns columns;
  struct history history; /* one state, ahead of the first row */
  struct run_file file;
  struct frames_slot *slot;
  struct frames_state *state;
  /* Numbers of the recording that are not computed, (rows). */
  uint64_t *t_ns;
  uint32_t *flags, *fault, *loop, *input_age, *input_state;
  uint32_t inputs; /* of the recording */
  int *input_of;   /* (inputs of the configuration) of the recording; -1: none */
  int *figure_of;  /* (figures of the configuration) signal of the recording; -1: none */
  bool begun;
  uint64_t last_cycle, state_due;
};
/* False after saying on stderr what is wrong. */
bool writing_open(struct writing *w, const struct recording *r, const struct plant_again *p,
                  const struct replay_options *o);
/* Ahead of each computed cycle from the first row on: the file begins here, or behind a gap. */
bool writing_begin_cycle(struct writing *w, hsize_t act, bool behind_gap);
/* A computed cycle; `row`: its row in the recording; recorded: its signals there, NULL: they cannot be read. */
bool writing_add(struct writing *w, hsize_t act, hsize_t row, const double *recorded, int status);
/* Closes the file. `good` false: removes what is there of it. */
bool writing_close(struct writing *w, bool good);

/* --- mdf.c: an MDF 4.1 file with one group of channels, whose rows are written in order. --- */

struct mdf_channel {
  const char *name, *unit;
  bool whole; /* 64-bit unsigned, else a float of `bytes` */
  int bytes;
};
struct mdf_plan {
  uint64_t start_utc; /* ns since 1970 */
  const char *comment;
  const struct mdf_channel *channel; /* (channels) the first one is the time in s */
  int channels;
  uint64_t rows;
};
/* Writes everything ahead of the rows. False: see errno. */
bool mdf_begin(FILE *out, const struct mdf_plan *plan);

/* --- again.c, feed.c, export.c, info.c: each returns the exit status. --- */
int again_run(const struct recording *r, const struct replay_options *o);
int feed_run(const struct recording *r, const struct replay_options *o);
int export_run(const struct recording *r, const struct replay_options *o);
int info_run(const struct recording *r);

/* Rows first .. end - 1 between two times since the first row. */
void rows_between(const struct recording *r, double from, double to, hsize_t *first, hsize_t *end);
/* Says on stderr what is wrong with the file. Returns `status`. */
int replay_fail(int status, const char *file, const char *text);

#endif
