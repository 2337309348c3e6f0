/* SPDX-License-Identifier: MIT
 * ali3-sim: max, min, rms and final value of chosen signals, over the initial state and all steps. */
#include "sim.h"

#include <math.h>
#include <stdlib.h>

const char *const quantity_word[QUANTITIES] = {"max", "min", "rms", "final"};

bool quantities_open(struct quantities *q, const char *globs, const struct signals *signals)
{
  *q = (struct quantities){.signals = signals};
  q->column = signals_choose(signals, globs, "--quantities", &q->columns);
  if (!q->column) return false;
  q->value = calloc((size_t)q->columns, sizeof *q->value);
  q->squares = calloc((size_t)q->columns, sizeof *q->squares);
  if (q->value && q->squares) return true;
  fputs("ali3-sim: out of memory\n", stderr);
  quantities_close(q);
  return false;
}

void quantities_close(struct quantities *q)
{
  free(q->column);
  free(q->value);
  free(q->squares);
  *q = (struct quantities){0};
}

void quantities_add(struct quantities *q, const double *values)
{
  const double samples = (double)++q->samples;
  for (int i = 0; i < q->columns; i++) {
    double *v = q->value[i];
    const double x = values[q->column[i]];
    v[QUANTITY_MAX] = samples > 1 && v[QUANTITY_MAX] >= x ? v[QUANTITY_MAX] : x;
    v[QUANTITY_MIN] = samples > 1 && v[QUANTITY_MIN] <= x ? v[QUANTITY_MIN] : x;
    q->squares[i] += x * x;
    v[QUANTITY_RMS] = sqrt(q->squares[i] / samples);
    v[QUANTITY_FINAL] = x;
  }
}
