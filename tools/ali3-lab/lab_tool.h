/* SPDX-License-Identifier: MIT
 * ali3-lab: the parts of the program. */
#ifndef LAB_TOOL_H
#define LAB_TOOL_H

#include "command/command_line.h"
#include "integrators/lab.h"
#include "integrators/state.h"

#include <jansson.h>
#include <stdio.h>

enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

/* ---- list.c ---- */
void print_methods(void); /* --list */

/* ---- load.c: a model file as a problem. This file alone knows the loader of configuration files. ---- */
struct model_file;
/* Prints FILE:LINE:COLUMN: error: TEXT and returns NULL where the file has a mistake. sets: texts "KEY=VALUE" of the option
 * --set, yaml/sets.h; NULL: none. */
struct model_file *model_file_open(const char *file, const struct command_texts *sets);
void model_file_close(struct model_file *f);
const ali3_model *model_file_model(const struct model_file *f);
double model_file_duration(const struct model_file *f); /* s; 10 where the file has none */
/* Without a message. */
bool model_file_make(const struct model_file *f, const struct description *kind, struct problem *p,
                     struct lab_refusal *why);
/* ELEMENT NAME: TEXT, without the file. */
void model_file_refusal(const struct model_file *f, const struct lab_refusal *why, char *text, size_t size);
/* False after saying, with file and line, why the model has no such coordinates. */
bool model_file_problem(const struct model_file *f, const struct description *kind, struct problem *p);

/* ---- run_command.c ---- */
struct run_options {
  const char *file, *output, *signals, *summary;
  long every;
  struct lab_run run;
  const struct description *kind; /* NULL: the formulation's own, or natural */
  bool duration_given;
  struct command_texts sets;
};
int run_command(const struct run_options *o);

/* ---- map_command.c, map_names.c, map_picture.c ---- */
struct table_options;
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
  double limit;                      /* J, of a white dot in the picture */
  const char *model;                 /* the case of a named map; NULL: a file */
  const struct table_options *cases; /* where cases are */
};
bool map_read_axis(const char *text, struct map_axis *axis);
/* Sets the grid and the parameters of a map of the papers. False: there is no such name. */
bool map_by_name(const char *name, struct map_options *o, struct run_options *run);
int map_command(const struct map_options *o, const struct run_options *run);
int merge_command(const struct map_options *o, int files, char **file);
bool map_picture(const struct map_options *o); /* draws o->csv into o->png; false after a message */

/* ---- compare_command.c ---- */
struct compare_options {
  const struct command_texts *sets;
  const char *file, *methods,
      *reference;               /* methods: globs; NULL: all but oracles. reference: CSV; NULL: computed */
  const char *csv, *json, *png; /* NULL: none */
  double duration;              /* s; 0: that of the file */
  double budget;                /* s, of one run */
  bool quiet;                   /* no line for each run */
  FILE *lines;
};
int compare_command(const struct compare_options *o);

/* ---- reactions_command.c ---- */
struct reactions_options {
  const struct command_texts *sets;
  const char *file, *joint, *component;        /* component: force.x to torque.z */
  const char *methods, *reference, *csv, *png; /* NULL: all but oracles; computed; none */
  double duration, dt;                         /* s; duration 0: that of the file */
};
int reactions_command(const struct reactions_options *o);

/* ---- sheet.c: signals of a run as CSV ---- */
struct sheet;
struct sheet *sheet_open(const char *file, const char *globs, const ali3_model *m); /* NULL after a message */
void sheet_row(struct sheet *t, const struct lab_state *s, const struct lab_sample *sample);
bool sheet_close(struct sheet *t);

/* ---- reference.c: a motion from a CSV file, time in its first column ---- */
struct reference;
/* `m`: with the columns of its bodies; NULL: any. NULL after a message. */
struct reference *reference_open(const char *file, const ali3_model *m);
void reference_close(struct reference *r);
int reference_column(const struct reference *r, const char *name); /* -1: none */
long reference_row(const struct reference *r, double time);        /* -1: no sample at this time */
double reference_value(const struct reference *r, long row, int column);
/* Largest difference of a position (m) or an Euler parameter of the bodies that the file has. */
double reference_error(const struct reference *r, long row, const struct lab_state *s);

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

/* ---- chain.c ---- */
/* Links of 1 m, 1 kg and 1 kg m^2 on spherical joints, level along x, at rest. NULL: out of memory. */
ali3_model *chain_of_links(int links);

/* ---- tables ---- */
struct table_options {
  const char *name, *models; /* folder of the case models; NULL: as installed */
  const char *references;    /* folder of the reference solutions; NULL: as installed */
  const char *json;          /* file, or - */
  int runs;                  /* perturbed runs of a chaotic cell */
  bool ensembles;            /* of every cell */
};
int table_command(const struct table_options *o);
/* Where the lines of a table go: standard error where JSON takes standard output. */
FILE *table_lines(const struct table_options *o);
/* The model file NAME.yaml in the folder of the cases. */
struct model_file *case_open(const struct table_options *o, const char *name);
/* The model with other values of some keys. */
struct model_file *case_open_with(const struct table_options *o, const char *name,
                                  const struct command_texts *sets);
/* NAME.json and NAME.csv in the folder of the reference solutions. NULL after a message. */
struct model_file *reference_model_open(const struct table_options *o, const char *name);
/* The model with other values of some keys. */
struct model_file *reference_model_open_with(const struct table_options *o, const char *name,
                                             const struct command_texts *sets);
struct reference *reference_motion_open(const struct table_options *o, const char *name, const ali3_model *m);
/* Writes `json` and gives it up. False after a message. */
bool json_write(const char *option, const char *file, json_t *json);
json_t *json_number(double v); /* JSON has no NaN */

int table_p1(const struct table_options *o);
int table_p2(const struct table_options *o, const char *name); /* p2-calls, p2-accuracy, p2-time */
int table_p3(const struct table_options *o, int number);
int table_p3_start(const struct table_options *o);
int table_p4(const struct table_options *o);
int table_p5(const struct table_options *o);
int table_p5_operations(const struct table_options *o);
int table_em(const struct table_options *o);

#endif
