/* SPDX-License-Identifier: MIT
 * A distribution over the columns of a terminal, with a logarithmic axis of time. */
#ifndef ALI3_TOP_BINS_H
#define ALI3_TOP_BINS_H

#include "telemetry/book.h"

enum { BINS_MAX = 512, TICKS_MAX = 64 };

struct bins {
  int columns;
  double low_ns, high_ns; /* range of the columns; 1, 2 or 5 times a power of ten */
  double count[BINS_MAX]; /* (columns) a histogram bin that covers several columns is distributed over them */
  double most;            /* largest count; 0: no entries */
};

void bins_make(struct bins *b, const struct histogram *h, int columns);
/* The column of a time; a time outside the range is in the first or last column. */
int bins_column(const struct bins *b, double ns);
/* The nearest of 1, 2, 5, 10, ... not above (or not below) x > 0. */
double bins_tick_below(double x);
double bins_tick_above(double x);
/* All ticks from `low` to `high`, at most TICKS_MAX. Returns their number. */
int bins_ticks(double low, double high, double tick[static TICKS_MAX]);
/* Height of a column in eighths of a row, logarithmic; above 0 if the column has entries. */
int bins_eighths(const struct bins *b, int column, int rows);
/* The count that corresponds to this height in rows. */
double bins_count_at(const struct bins *b, double row, int rows);

#endif
