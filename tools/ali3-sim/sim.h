/* SPDX-License-Identifier: MIT
 * ali3-sim: the step of the daemon without a clock. Parts: main.c options and wiring, run.c the loop, ride.c the
 * motion platform, state.c the file of a state, table.c the CSV, summary.c the figures. */
#ifndef SIM_H
#define SIM_H

#include "config/settings.h"
#include "loop/platform_drive.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit status, a public interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2, EXIT_VIOLATED = 3 };

struct options {
  const char *file, *signals, *output, *summary, *state_in, *state_out; /* NULL: not given */
  struct settings_overrides over;
  double duration; /* s; 0: from the file */
  int workers;     /* WORKERS_AUTO: chosen by timing */
  bool workers_given;
  long every;
};

/* All signals of a step, those of the motion platform among them. Without a platform, ride_step() observes the model
 * only. */
struct ride {
  const struct signals *signals;
  struct platform_drive drive;
  double *values; /* (signals->count) */
};
/* NULL after printing the reason. */
struct ride *ride_new(const struct settings *s, const struct signals *signals);
void ride_free(struct ride *r);
/* After a reset: fills the values, and brings the platform to state run. False after printing the reason. */
bool ride_start(struct ride *r, const ali3_model *m, const ali3_data *d);
/* After a step. */
void ride_step(struct ride *r, const ali3_model *m, const ali3_data *d);

/* Signals as columns of a CSV file. */
struct table {
  FILE *out;
  const char *file;
  const struct signals *signals;
  int columns;
  int *column; /* (columns) indices of signals */
};

/* `globs`: comma-separated, NULL for all. Writes the header. Returns false after printing the reason. */
bool table_open(struct table *t, const char *file, const char *globs, const struct signals *signals);
void table_row(struct table *t, const double *values);
/* False after printing the reason if anything could not be written. */
bool table_close(struct table *t);

/* Results of a run. Energies in J. */
struct result {
  int status;       /* status of the reset, or of the step that ended the run; ALI3_OK after a complete run */
  bool interrupted; /* by a signal */
  long planned, steps, degraded, violated; /* violated steps are also degraded */
  ali3_violation violation;                /* of the first violated step */
  double violated_time;                    /* simulated time of that step, s */
  double wall_s;
  uint32_t *step_ns;                                  /* (steps) */
  double position, velocity, acceleration, increment; /* largest values of the run */
  double initial, min, max, final;                    /* energy */
  ali3_initial moved;
};

/* Puts `d` into the state of a file. False after printing the reason. */
bool state_load_file(const char *file, const ali3_model *m, ali3_data *d);
/* Writes the state of `d` into a file. False after printing the reason. */
bool state_save_file(const char *file, const ali3_model *m, const ali3_data *d);

/* Runs `planned` steps, writing every n-th state to `t` (NULL: nowhere). `loaded`: from the state in `d`, without a reset. False
 * after printing the reason. */
bool run(const ali3_model *m, ali3_data *d, bool loaded, struct ride *ride, long planned, long every,
         struct table *t, struct result *r);

/* Prints on stderr what failed, and at which joint or body. */
void summary_failure(const struct settings *s, const ali3_data *d, const struct result *r);
/* Prints on stderr how many steps did not converge or were violated, and at which joint or drive. */
void summary_degraded(const ali3_model *m, const struct result *r);
/* Sorts step_ns. `file` NULL: text on stdout; "-": JSON on stdout. Returns false after printing the reason. */
bool summary_write(const char *file, const ali3_model *m, int workers, struct result *r);

#endif
