/* SPDX-License-Identifier: MIT
 * The command line of ali3d. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>

/* Exit status of the program; part of its interface, see --help. */
enum {
  STATUS_OK = 0,
  STATUS_FAILED = 1,       /* at run time: a port in use, the model in FAULT at the end */
  STATUS_USAGE = 2,        /* command line or file */
  STATUS_NOT_REALTIME = 3, /* refused, under --require-realtime */
};

enum { MISS_LOG_MB = 64, MISS_LOG_MB_MOST = 1000000 };

enum map_format { MAP_FORMAT_NONE, MAP_FORMAT_TEXT, MAP_FORMAT_JSON };
enum check_format { CHECK_NONE, CHECK_TEXT, CHECK_JSON };

struct options {
  const char *file;
  double duration;         /* s after the warm-up; 0: until told to stop */
  const char *report;      /* where to write it, "-": standard output; NULL: nowhere */
  const char *miss_log;    /* a line for every deadline missed; NULL: nowhere */
  int miss_log_mb;         /* at which a new one is begun */
  const char *state_dir;   /* folder of the state file; NULL: the usual one */
  enum check_format check; /* only see whether FILE is right */
  bool strict;             /* with check: warnings are errors */
  enum map_format map;     /* only print who can be reached where */
  bool require_realtime;   /* rather not run than run without it */
  const char *isa;         /* before simulation.isa of the file; NULL: not given */
};

/* Returns -1 if there is something to do, else the exit status: help and version are printed, mistakes
 * explained. */
int options_parse(struct options *o, int argc, char **argv);

#endif
