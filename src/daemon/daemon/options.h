/* SPDX-License-Identifier: MIT
 * The command line of ali3d. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "command/command_line.h"
#include "daemon/exit_status.h"

#include <stdbool.h>

enum { MISS_LOG_MB = 64, MISS_LOG_MB_MOST = 1000000 };

/* The formats stand in the order of their words in options.c. */
enum map_format {
  MAP_FORMAT_NONE,
  MAP_FORMAT_TEXT,
  MAP_FORMAT_JSON,
  MAP_FORMAT_CSV,
  MAP_FORMAT_ST,
  MAP_FORMAT_ST_LOCATED,
  MAP_FORMAT_PLCOPEN
};
enum platform_format {
  PLATFORM_FORMAT_NONE,
  PLATFORM_FORMAT_TEXT,
  PLATFORM_FORMAT_JSON,
  PLATFORM_FORMAT_SVG,
  PLATFORM_FORMAT_MODEL
};
enum check_format { CHECK_NONE, CHECK_TEXT, CHECK_JSON };

struct options {
  const char *file;
  double duration;               /* s after the warm-up; 0: until a stop */
  const char *report;            /* path; "-": standard output; NULL: no report */
  const char *miss_log;          /* path of the file with a line per miss; NULL: none */
  int miss_log_mb;               /* size at which a new one is begun */
  const char *state_dir;         /* folder of the state file; NULL: the default */
  bool resume;                   /* continue from a state */
  const char *resume_file;       /* path of that state; NULL: the newest automatic one */
  struct command_texts set;      /* "KEY=VALUE" */
  enum check_format check;       /* only check whether FILE is correct */
  bool strict;                   /* with check: warnings are errors */
  const char *draw;              /* path of the drawing to write; NULL: none */
  bool modes;                    /* only print the modes */
  const char *flat;              /* path of the model as bytes; NULL: none */
  const char *flat_inputs;       /* path of its inputs as JSON; NULL: none */
  bool expand;                   /* only print FILE without short forms */
  double accuracy;               /* with check: m, for which settings are recommended; 0: not wanted */
  enum map_format map;           /* only print the map */
  enum platform_format platform; /* only print the figures of the platform */
  bool require_realtime;         /* exit instead of running without real time */
  const char *isa;               /* takes precedence over simulation.isa; NULL: not given */
};

/* Returns -1 if there is something to run. Else returns the exit status: help, version or a mistake was printed. The caller frees
 * o->set.text in both cases. */
int options_parse(struct options *o, int argc, char **argv);

#endif
