/* SPDX-License-Identifier: MIT */
#include "inputs/stimulus.h"

#include <math.h>

/* The last row at or before `t`; -1: all rows come later. */
static int row_before(const struct stimulus *s, double t)
{
  int lower = 0, upper = s->rows;
  while (lower < upper) {
    const int middle = lower + (upper - lower) / 2;
    if (s->time[middle] <= t)
      lower = middle + 1;
    else
      upper = middle;
  }
  return lower - 1;
}

/* RT. The value of a column; before the first row that of the first row, behind the last row that of the last. */
static double stimulus_value(const struct stimulus *s, int column, double t)
{
  const double first = s->time[0], last = s->time[s->rows - 1];
  if (s->loops && t > last && last > first) t = first + fmod(t - first, last - first);
  const int row = row_before(s, t);
  const double *value = s->value + column;
  if (row < 0) return value[0];
  const double here = value[(size_t)row * (size_t)s->columns];
  /* A row gives its value exactly. */
  if (s->held || row + 1 == s->rows || s->time[row] == t) return here;
  const double next = value[((size_t)row + 1) * (size_t)s->columns];
  return here + (next - here) * ((t - s->time[row]) / (s->time[row + 1] - s->time[row]));
}

void stimulus_write(const struct stimulus *s, double t, struct input_sample *to, uint64_t t_ns)
{
  for (int i = 0; i < s->columns; i++)
    to[s->channel[i]] = (struct input_sample){.value = stimulus_value(s, i, t), .t_ns = t_ns};
}
