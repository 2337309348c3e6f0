/* SPDX-License-Identifier: MIT */
#include "bins.h"

#include <math.h>

enum { EIGHTHS = 8 };
static const double least_ns = 500.0; /* the logarithm needs a start above 0 */
static const double rounding = 1e-9;

double bins_tick_below(double x)
{
  const double decade = pow(10.0, floor(log10(x) + rounding)), part = x / decade * (1.0 + rounding);
  return decade * (part >= 5.0 ? 5.0 : part >= 2.0 ? 2.0 : 1.0);
}

double bins_tick_above(double x)
{
  const double decade = pow(10.0, floor(log10(x) + rounding)), part = x / decade * (1.0 - rounding);
  return decade * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

int bins_ticks(double low, double high, double tick[static TICKS_MAX])
{
  int n = 0;
  while (low < 1.2 * high && n < TICKS_MAX) {
    tick[n++] = low;
    low = bins_tick_above(1.5 * low);
  }
  return n;
}

int bins_column(const struct bins *b, double ns)
{
  if (!(ns > b->low_ns)) return 0;
  const double at = log(ns / b->low_ns) / log(b->high_ns / b->low_ns) * b->columns;
  return at < b->columns - 1 ? (int)at : b->columns - 1;
}

static double column_edge(const struct bins *b, int column)
{
  return b->low_ns * pow(b->high_ns / b->low_ns, (double)column / b->columns);
}

/* Distributes `count` entries between two times over the columns. */
static void share_out(struct bins *b, double from, double to, double count)
{
  const int first = bins_column(b, from), last = bins_column(b, to);
  if (first == last || !(to > from)) {
    b->count[last] += count;
    return;
  }
  for (int i = first; i <= last; i++) {
    const double low = fmax(from, column_edge(b, i)), high = fmin(to, column_edge(b, i + 1));
    b->count[i] += count * fmax(high - low, 0.0) / (to - from);
  }
}

void bins_make(struct bins *b, const struct histogram *h, int columns)
{
  *b = (struct bins){.columns = columns < 1 ? 1 : columns < BINS_MAX ? columns : BINS_MAX};
  const double least = fmax((double)atomic_load_explicit(&h->min_ns, memory_order_relaxed), least_ns);
  const double greatest = fmax((double)atomic_load_explicit(&h->max_ns, memory_order_relaxed), least);
  b->low_ns = bins_tick_below(least);
  b->high_ns = bins_tick_above(fmax(greatest, 2.0 * b->low_ns));
  for (int i = 0; i < BOOK_BINS; i++) {
    const uint64_t count = atomic_load_explicit(&h->bin[i], memory_order_relaxed);
    const double end = i < BOOK_BINS - 1 ? histogram_edge(i + 1) : greatest;
    if (count) share_out(b, fmax(histogram_edge(i), least), fmin(end, greatest), (double)count);
  }
  for (int i = 0; i < b->columns; i++) b->most = fmax(b->most, b->count[i]);
}

int bins_eighths(const struct bins *b, int column, int rows)
{
  const double count = b->count[column];
  if (!(count > 0.0)) return 0;
  const int most = EIGHTHS * rows, height = (int)lround(most * log1p(count) / log1p(b->most));
  return height < 1 ? 1 : height < most ? height : most;
}

double bins_count_at(const struct bins *b, double row, int rows)
{
  return expm1(row / rows * log1p(b->most));
}
