/* SPDX-License-Identifier: MIT
 * What is shown: a daemon as it was at one instant, copied out of shared memory, and figures made of it. */
#ifndef ALI3_TOP_COLLECT_H
#define ALI3_TOP_COLLECT_H

#include "telemetry/watch.h"

struct picture {
  struct sample sample;   /* its block is the copy below, or none */
  struct telemetry block; /* as last seen, also of a daemon that is gone since */
  bool seen;              /* there is something in it */
  uint64_t now_ns;        /* CLOCK_MONOTONIC */
  int misses;
  struct miss miss[MISS_LOG]; /* (misses)  newest first */
};

/* Looks once. */
void picture_take(struct picture *p, struct watch *w);

/* Records of a log of misses, newest first: how many. */
int misses_newest(const struct miss_log *log, struct miss m[static MISS_LOG]);

enum sort { SORT_LISTED, SORT_MAX, SORT_LAST, SORTS };
const char *sort_name(enum sort sort);

enum book_row {
#define BOOK_ENUM(name, text) BOOK_ROW_##name,
  BOOK_LIST(BOOK_ENUM)
#undef BOOK_ENUM
      BOOK_ROWS
};

/* The distributions of a book: wake-up, phases, step, cycle. */
const struct histogram *book_row(const struct histograms *b, int row);
const char *book_row_name(int row);
/* The rows in the order asked for. */
void book_order(const struct histograms *b, enum sort sort, int row[static BOOK_ROWS]);
/* Likewise of the levels, by how long they were busy; returns how many there are. */
int level_order(const struct histograms *b, enum sort sort, int row[static LEVELS_MAX]);
/* Time in a level as a part of that of all steps, from 0 to 1. Kinds of work add up to 1; the levels of the tree are
 * within them. */
double level_share(const struct histograms *b, int row);

#endif
