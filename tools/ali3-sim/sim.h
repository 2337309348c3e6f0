/* SPDX-License-Identifier: MIT ali3-sim: the step of the daemon without a clock. Parts: main.c wiring, options.c the command
 * line, run.c the loop, ride.c the motion platform, script.c inputs from a file, state.c the file of a state, table.c the CSV,
 * quantities.c end quantities, linear.c equilibrium and linear systems, bode.c their diagram, mode_film.c a mode as a page,
 * film.c the page of --view, summary.c the figures, sweep.c the values of a sweep, batch.c its runs,
 * batch_report.c their table, results.c their HDF5 file.
 * */
#ifndef SIM_H
#define SIM_H

#include "config/settings_read.h"
#include "inputs/inputs.h"
#include "machine/platform_drive.h"
#include "signals/signals.h"

#include "command/command_line.h"
#include "common/csv.h"
#include <stdbool.h>

#include <stdint.h>
#include <stdio.h>

/* Exit status, a public interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2, EXIT_VIOLATED = 3 };

struct options {
  const char *file, *signals, *output, *view, *summary, *quantities, *state_in, *state_out,
      *inputs; /* NULL: not given */
  struct settings_overrides over;
  struct command_texts set; /* of --set */
  double duration;          /* s; 0: from the file */
  int workers;              /* WORKERS_AUTO: chosen by timing */
  bool workers_given;
  enum { INPUTS_RUN, INPUTS_SIMULATED, INPUTS_TIME_OPEN } inputs_time;
  long every;
  enum csv_header header;
  /* --batch */
  const char *batch;               /* file of the sweep; NULL: one run */
  long shard, shards, jobs, lanes; /* lanes: most runs side by side; 0: as it pays */
  bool resume;
  const char *png;                          /* picture of the batch; NULL: none */
  int quantity_columns;                     /* of a row */
  bool settle;                              /* begin in the static equilibrium */
  long mode;                                /* the mode that the page of --view shows, from 1; 0: none */
  const char *linearise, *bode, *from, *to; /* NULL: not given */
};

/* options.c: returns -1 to go on, else the exit status. The caller frees o->set.text. */
int options_take(int argc, char **argv, struct options *o);
/* FILE.h5 */
bool options_name_hdf5(const char *file);

/* All signals of a step, those of the motion platform among them. Without a platform, ride_step() observes the model
 * only. */
struct ride {
  const struct signals *signals;
  struct script *script; /* NULL: the inputs are 0 */
  struct platform_drive drive;
  bool *wanted;   /* (signals->count) see signals_observe_wanted(); NULL: all signals */
  double *values; /* (signals->count) */
};
/* script.c: inputs of a run, from the file of --inputs (NULL: none) or from the stimuli of the settings that begin with the
 * motion. They take the way of a client's values through the daemon in lockstep. *script NULL: there are none. False after
 * printing the reason; the caller calls script_close() in both cases. */
struct script;
bool script_open(struct script **script, const char *file, const struct settings *s,
                 const struct signals *signals);
void script_close(struct script *c);
/* The run goes on from a state at `time`, in s. Tables count from the start of the run, unless --inputs-time says that they hold
 * simulated time; without the option a line on stderr says so. False after printing the reason. c NULL: nothing. */
bool script_time(struct script *c, const struct options *o, double time);
/* Before the first step, with the initial state in `d`. */
void script_start(struct script *c, const ali3_model *m, const ali3_data *d);
/* Ahead of each step: sets its inputs. */
void script_step(struct script *c, const ali3_model *m, ali3_data *d);
/* The acting values of the channels. */
const double *script_values(const struct script *c);

/* NULL after printing the reason. */
struct ride *ride_new(const struct settings *s, const struct signals *signals);
void ride_free(struct ride *r);
/* Set-up. Later steps compute only the signals that the quantities or a motion platform need. False after printing the reason. */
struct quantities;
bool ride_want(struct ride *r, const struct quantities *q);
/* After a reset: fills the values, and brings the platform to state run. False after printing the reason. */
bool ride_start(struct ride *r, const ali3_model *m, const ali3_data *d);
/* After a step. */
void ride_step(struct ride *r, const ali3_model *m, const ali3_data *d);

/* Returns the ascending indices of the signals that match `globs` (comma-separated; NULL: all). The caller frees them. On error
 * prints a message that names `option`, and returns NULL. */
int *signals_choose(const struct signals *s, const char *globs, const char *option, int *count);

/* Signals as columns of a CSV file. */
struct table {
  FILE *out;
  const char *file;
  const struct signals *signals;
  int columns;
  int *column; /* (columns) indices of signals */
};

/* Writes the header into the output file of the options. Returns false after printing the reason. */
bool table_open(struct table *t, const struct options *o, const struct signals *signals);
void table_row(struct table *t, const double *values);
/* False after printing the reason if anything could not be written. */
bool table_close(struct table *t);

/* End quantities of chosen signals, over the samples of a window. In the unit of the signal; the settling time in s. */
enum {
  QUANTITY_MAX,
  QUANTITY_MIN,
  QUANTITY_RMS,
  QUANTITY_FINAL,
  QUANTITY_RANGE, /* max - min */
  QUANTITY_SETTLE, /* s from the first sample until the signal stays within 2 % of its range of the final value */
  QUANTITIES
};
extern const char *const quantity_word[QUANTITIES];
struct quantity {
  int signal;
  const char *name; /* of the signal, with its window: "body.A.position.x@1:2" */
  double from, to;  /* s; the window */
  long samples;     /* so far */
  double first;     /* s, time of the first sample */
  double squares;   /* their sum */
  double value[QUANTITIES];
  /* The samples that are larger (0), or smaller (1), than all later ones, for the settling time. */
  struct extremes {
    double (*point)[2]; /* (count) s, value */
    size_t count, room;
  } extremes[2];
};
struct quantities {
  int columns;
  struct quantity *column; /* (columns) */
};

/* globs: with windows, "body.A.*@1:2". False after printing the reason. */
bool quantities_open(struct quantities *q, const char *globs, const struct signals *signals);
/* values: of all signals, the time first. False after printing the reason. */
bool quantities_add(struct quantities *q, const double *values);
/* Fills in rms, range and settling times after the last sample. */
void quantities_end(struct quantities *q);
void quantities_close(struct quantities *q);

/* Results of a run. Energies in J. */
struct result {
  int status;       /* status of the reset, or of the step that ended the run; ALI3_OK after a complete run */
  bool interrupted; /* by a signal */
  long planned, steps, degraded, violated; /* violated steps are also degraded */
  ali3_violation violation;                /* of the first violated step */
  double violated_time;                    /* simulated time of that step, s */
  ali3_extrapolation extrapolation;        /* of the first step */
  long retried;                            /* steps that were computed once more */
  long unresolved;                         /* steps that did not resolve a rotation; also degraded */
  double unresolved_time;                  /* simulated time of the first of them, s */
  char unresolved_text[300];
  double wall_s;
  uint32_t *step_ns;                                  /* (steps) */
  double position, velocity, acceleration, increment; /* largest values of the run */
  double initial, min, max, final;                    /* energy */
  double supplied, lost; /* energy of cylinders, electric motors and tyres in the run, J */
  double supplied_before, lost_before;
  bool actuated; /* the model has some */
  ali3_initial moved;
};

/* Consumers of the signals of a run. */
struct takers {
  struct table *table;           /* NULL: none */
  long every;                    /* rows of the table */
  struct quantities *quantities; /* NULL: none */
  struct film *film;             /* NULL: none */
  /* A run of a batch: no progress on the terminal, and the caller called run_catch_signals(). The result has the status and the
   * numbers of steps only. */
  bool of_batch;
};
/* Number of steps of the duration; 0 after printing why there are none. */
long planned_steps(const struct options *o, const struct settings *s);
/* The first SIGINT or SIGTERM stops all runs in order, the second one ends the program. */
void run_catch_signals(void);
bool run_stopped(void);
/* Puts `d` into the state of a file. False after printing the reason. */
bool state_load_file(const char *file, const ali3_model *m, ali3_data *d);
/* Writes the state of `d` into a file. False after printing the reason. */
bool state_save_file(const char *file, const ali3_model *m, const ali3_data *d);

/* Runs `planned` steps. `loaded`: from the state in `d`, without a reset. False after printing the reason. */
bool run(const ali3_model *m, ali3_data *d, bool loaded, struct ride *ride, long planned,
         const struct takers *takers, struct result *r);

/* A run of a batch. */
struct run_of_batch {
  const ali3_model *model;
  ali3_data *data;
  bool loaded; /* from the state in `data`, without a reset */
  struct ride *ride;
  struct takers takers;
  struct result result; /* planned is given */
  bool in_lanes;        /* the run was one lane of several runs */
};
/* Runs of one structure, at most ISA_LANES_MAX, side by side if they can be. whole: their rides read more than
 * bodies. why: the reason against lanes, if there was one. False after printing the reason. */
bool run_together(struct run_of_batch *run, int count, bool whole, char *why, size_t size);

/* "ok", "degraded", .. */
const char *outcome_word(const struct result *r);
/* Prints on stderr what failed, and at which joint or body. */
/* A given velocity that the joints do not allow, to stderr. */
void summary_start(const ali3_model *m, const ali3_data *d);
void summary_failure(const struct settings *s, const ali3_data *d, const struct result *r);
/* Prints on stderr how many steps did not converge or were violated, and at which joint or drive. */
void summary_degraded(const ali3_model *m, const struct result *r);
/* Sorts step_ns. `file` NULL: text on stdout; "-": JSON on stdout. q NULL: no end quantities. Returns false after printing the
 * reason. */
bool summary_write(const char *file, const ali3_model *m, int workers, const struct quantities *q,
                   struct result *r);

/* Beginning of the first line of a file of results. */
#define BATCH_HEAD "index,runs"
/* Writes the rows of a CSV file as HDF5: one dataset for each column. False after printing the reason. */
bool results_write_hdf5(const char *csv, const char *file);
/* Runs a sweep. Returns the exit status. */
int batch(struct options *o);

#endif
