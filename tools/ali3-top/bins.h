/* SPDX-License-Identifier: MIT
 * A distribution over the columns of a terminal: equal ratios of time side by side. */
#ifndef ALI3_TOP_BINS_H
#define ALI3_TOP_BINS_H

#include "telemetry/book.h"

enum { BINS_MAX = 512, TICKS_MAX = 64 };

struct bins {
  int columns;
  double low_ns, high_ns; /* what the columns span; 1, 2 or 5 times a power of ten */
  double count[BINS_MAX]; /* (columns)  a bin of the book that covers several is shared out among them */
  double most;            /* largest of them; 0: nothing was counted */
};

void bins_make(struct bins *b, const struct histogram *h, int columns);
/* The column in which a time lies, the first or last where it is beyond. */
int bins_column(const struct bins *b, double ns);
/* The nearest of 1, 2, 5, 10, ... that is not above, or not below, x > 0. */
double bins_tick_below(double x);
double bins_tick_above(double x);
/* All of them between two of them, both included; at most TICKS_MAX. Returns how many. */
int bins_ticks(double low, double high, double tick[static TICKS_MAX]);
/* Height of a column in eighths of a row, by the logarithm: above 0 wherever something was counted. */
int bins_eighths(const struct bins *b, int column, int rows);
/* The count that so many rows stand for. */
double bins_count_at(const struct bins *b, double row, int rows);

#endif
