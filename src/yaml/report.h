/* SPDX-License-Identifier: MIT
 * Messages about configuration files, in the form of compilers: FILE:LINE:COLUMN: error: TEXT, the line of the
 * file, and a caret. */
#ifndef YAML_REPORT_H
#define YAML_REPORT_H

#include "yaml/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Further errors are counted and not printed. */
enum { REPORT_MAX = 20 };

/* The text of a file, 0-terminated. */
struct source {
  char *file;
  char *text;
  size_t size;
  bool shown; /* messages may show its lines */
};

struct report {
  FILE *out;
  const struct source *source; /* the file of the places */
  int errors;
};

void report_error(struct report *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the number of errors that were not printed, if there are any. */
void report_end(const struct report *r);

#endif
