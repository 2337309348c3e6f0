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
  bool shown;     /* messages may show its lines */
  bool placeless; /* the text of an option: messages have no line and column */
};

/* Where nodes come from that an expansion copied: the file of their lines, and the part that brought them into the tree. */
struct origin {
  const struct source *source;
  struct place outer;
  const char *text; /* "in copy 3 of this part" */
};

struct origins {
  struct origin *item;
  int count, room;
};

struct report {
  FILE *out;
  const struct source *source; /* the file of the places */
  int errors;
  const struct source *option;   /* options of the command line; see report_option_place() */
  struct sets *sets;             /* the options, for the readers of included files; NULL: none */
  const struct origins *origins; /* for copies of elements; NULL: there was no expansion */
  struct reported {              /* an error in a copy of an element: other copies have it, too */
    const struct source *source;
    int line, column;
    char text[80];
  } reported[REPORT_MAX];
  int reported_count;
};

void report_error(struct report *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints a hint, which is no error: the file is read as it stands. */
void report_hint(struct report *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The place of a node that comes from option `index` (from 0). Messages name the option instead of a file and line. */
struct place report_option_place(int index);

/* The place in r->source that brought `at` into the tree: `at` itself, or the part that uses the other file. */
struct place report_own_place(const struct report *r, struct place at);

/* Names a place inside a message: "line 12" or "--set KEY=VALUE". Returns `text`. */
enum { PLACE_SHOWN = 120 };
const char *report_place(const struct report *r, struct place at, char text[PLACE_SHOWN]);

/* Prints the number of errors that were not printed, if there are any. */
void report_end(const struct report *r);

#endif
