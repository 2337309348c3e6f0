/* SPDX-License-Identifier: MIT */
#include "latency.h"

#include <math.h>
#include <stdlib.h>

static int compare_us(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void samples_sort(struct samples *s)
{
  if (s->count) qsort(s->us, (size_t)s->count, sizeof *s->us, compare_us);
}

double samples_percentile(const struct samples *s, double fraction)
{
  if (s->count == 0) return NAN;
  int rank = (int)ceil(fraction * s->count) - 1;
  if (rank < 0) rank = 0;
  return s->us[rank];
}

/* Prints bars of equal width from 0 to the longest time. */
static void print_bars(const struct samples *s, FILE *out)
{
  enum { BARS = 16, WIDTH = 50 };
  static const char full[] = "##################################################";
  _Static_assert(sizeof full == WIDTH + 1, "a bar of full width");
  const double step = s->us[s->count - 1] / BARS * (1.0 + 1e-9);
  int bin[BARS] = {0}, most = 1;
  for (int i = 0; i < s->count; i++) {
    const int b = step > 0.0 ? (int)(s->us[i] / step) : 0;
    if (++bin[b] > most) most = bin[b];
  }
  for (int b = 0; b < BARS; b++)
    fprintf(out, "  %9.3f ms %8d %.*s\n", (b + 1) * step * 1e-3, bin[b],
            (int)ceil((double)bin[b] * WIDTH / most), full);
}

void samples_print(const struct samples *s, const char *name, FILE *out)
{
  fprintf(out, "%s: %d answers, %d lost\n", name, s->count, s->lost);
  if (s->count == 0) return;
  fprintf(out, "  min %.3f, median %.3f, p99 %.3f, p99.9 %.3f, max %.3f ms\n", s->us[0] * 1e-3,
          samples_percentile(s, 0.5) * 1e-3, samples_percentile(s, 0.99) * 1e-3,
          samples_percentile(s, 0.999) * 1e-3, s->us[s->count - 1] * 1e-3);
  print_bars(s, out);
}
