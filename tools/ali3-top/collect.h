/* SPDX-License-Identifier: MIT
 * A daemon at one time: its block, copied out of shared memory, and figures made from it. */
#ifndef ALI3_TOP_COLLECT_H
#define ALI3_TOP_COLLECT_H

#include "telemetry/watch.h"
#include "values.h"

struct picture {
  struct sample sample;   /* its block is the copy below, or NULL */
  struct telemetry block; /* last copy, also of a daemon that has ended since */
  bool seen;              /* the block is valid */
  uint64_t now_ns;        /* CLOCK_MONOTONIC */
  int misses;
  struct miss miss[MISS_LOG]; /* (misses) newest first */
  struct values *values;      /* chosen signals, read with each look; NULL: not read */
};

/* Looks once. */
void picture_take(struct picture *p, struct watch *w);

/* Copies the records of a log of misses, newest first. Returns their number. */
int misses_newest(const struct miss_log *log, struct miss m[static MISS_LOG]);

enum sort { SORT_LISTED, SORT_MAX, SORT_LAST, SORTS };
const char *sort_name(enum sort sort);

enum book_row {
#define BOOK_ENUM(name, text) BOOK_ROW_##name,
  BOOK_LIST(BOOK_ENUM)
#undef BOOK_ENUM
      BOOK_ROWS
};

/* The distributions of a daemon: wake-up, phases, step, cycle. */
const struct histogram *book_row(const struct histograms *b, int row);
const char *book_row_name(int row);
/* The rows in this order. */
void book_order(const struct histograms *b, enum sort sort, int row[static BOOK_ROWS]);
/* The levels in this order, by busy time. Returns their number. */
int level_order(const struct histograms *b, enum sort sort, int row[static LEVELS_MAX]);
/* Time in a level as a fraction of the time of all steps. Kinds of work add up to 1; the levels of the tree are parts
 * of them. */
double level_share(const struct histograms *b, int row);

#endif
