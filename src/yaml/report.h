/* SPDX-License-Identifier: MIT
 * Messages about configuration files, in the form of compilers: FILE:LINE:COLUMN: error: TEXT, the line, a
 * caret. */
#ifndef YAML_REPORT_H
#define YAML_REPORT_H

#include "yaml/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* More than this is noise: the rest is counted, not printed. */
enum { REPORT_MAX = 20 };

/* A file as it was read; text is 0-terminated. */
struct source {
  char *file;
  char *text;
  size_t size;
  bool shown; /* messages may show its lines */
};

struct report {
  FILE *out;
  const struct source *source; /* the file that places are in, now */
  int errors;
};

void report_error(struct report *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Last line of a run with errors: how many there were, if not all were printed. */
void report_end(const struct report *r);

#endif
