/* SPDX-License-Identifier: MIT */
#ifndef ALI3_TOP_OPTIONS_H
#define ALI3_TOP_OPTIONS_H

#include <stdbool.h>

enum { EXIT_USAGE = 2 };

enum mode { MODE_SCREEN, MODE_LINE, MODE_BLOCK, MODE_JSON, MODE_LIST, MODE_PLOT };

struct options {
  enum mode mode;
  bool once, list, interval_given;
  double interval;   /* s */
  double seconds;    /* 0: until interrupted */
  const char *globs; /* signals whose values to show; NULL: none */
  const char *instance;
  const char *picture; /* file of MODE_PLOT */
};

/* -1: go on; otherwise the exit status. */
int options_read(int argc, char **argv, struct options *o);

#endif
