/* SPDX-License-Identifier: MIT
 * ali3-lab: the parts of the program. */
#ifndef LAB_TOOL_H
#define LAB_TOOL_H

#include "lab/lab.h"
#include "lab/state.h"

#include <jansson.h>
#include <stdio.h>

enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

/* ---- load.c: a model file as a problem. This file alone knows the loader of configuration files. ---- */
struct model_file;
/* Prints FILE:LINE:COLUMN: error: TEXT and returns NULL where the file has a mistake. */
struct model_file *model_file_open(const char *file);
void model_file_close(struct model_file *f);
const ali3_model *model_file_model(const struct model_file *f);
double model_file_duration(const struct model_file *f); /* s; 10 where the file has none */
/* False after saying, with file and line, why the model has no such coordinates. */
bool model_file_problem(const struct model_file *f, const struct description *kind, struct problem *p);

/* ---- run_command.c ---- */
struct run_options {
  const char *file, *output, *signals, *summary;
  long every;
  struct lab_run run;
  const struct description *kind; /* NULL: the formulation's own, or natural */
  bool duration_given;
};
int run_command(const struct run_options *o);

/* ---- map_command.c, map_picture.c ---- */
struct map_axis {
  char name[8]; /* alpha, omega, xi, dt */
  double from, to;
  int count;
  bool log;
};
struct map_options {
  struct map_axis axis[2];
  int axes;
  long shard, shards; /* points shard, shard + shards, .. */
  bool resume;
  const char *csv, *png;
  double limit; /* J, of a white dot in the picture */
};
bool map_read_axis(const char *text, struct map_axis *axis);
int map_command(const struct map_options *o, const struct run_options *run);
int merge_command(const struct map_options *o, int files, char **file);
bool map_picture(const struct map_options *o); /* draws o->csv into o->png; false after a message */

/* ---- sheet.c: signals of a run as CSV ---- */
struct sheet;
struct sheet *sheet_open(const char *file, const char *globs, const ali3_model *m); /* NULL after a message */
void sheet_row(struct sheet *t, const struct lab_state *s, const struct lab_sample *sample);
bool sheet_close(struct sheet *t);

/* ---- progress.c ---- */
struct progress {
  bool terminal, shown;
  double next; /* s */
};
struct progress progress_start(void);
void progress_show(struct progress *p, double part, const char *what); /* part: 0 .. 1 */
void progress_end(struct progress *p);
double progress_clock(void); /* s, monotonic */
void catch_signals(void);
bool interrupted(void);

/* ---- tables ---- */
struct table_options {
  const char *name, *models; /* folder of the case models; NULL: as installed */
  const char *json;          /* file, or - */
  int runs;                  /* perturbed runs of a chaotic cell */
  bool ensembles;            /* of every cell */
};
int table_command(const struct table_options *o);
/* Where the lines of a table go: standard error where JSON takes standard output. */
FILE *table_lines(const struct table_options *o);
/* The model file NAME.yaml in the folder of the cases. */
struct model_file *case_open(const struct table_options *o, const char *name);
/* Writes `json` and gives it up. False after a message. */
bool json_write(const char *file, json_t *json);
json_t *json_number(double v); /* JSON has no NaN */

int table_p3(const struct table_options *o, int number);
int table_p5(const struct table_options *o);

#endif
