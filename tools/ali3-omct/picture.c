/* SPDX-License-Identifier: MIT
 * A picture by gnuplot: modulus above, phase below; on the left the tests in which the head feels the channel in which the
 * vehicle moves, on the right the cross paths. A run to compare with has dashed lines in the colours of the first. */
#include "common/gnuplot.h"
#include "omct.h"

static void put_responses(FILE *out, const char *name, const struct cueing *c)
{
  for (int t = 0; t < CUEING_TESTS; t++) {
    fprintf(out, "$%s%d << END\n", name, t);
    for (int i = 0; i < CUEING_FREQUENCIES; i++)
      fprintf(out, "%.6g %.6g %.6g\n", cueing_frequency(i), c->test[t].response[i].modulus,
              c->test[t].response[i].phase);
    fprintf(out, "END\n");
  }
}

static void put_cueing_panel(FILE *out, const struct cueing *c, bool compare, bool cross, int column)
{
  fprintf(out, "plot");
  const char *comma = " ";
  for (int t = 0; t < CUEING_TESTS; t++) {
    const struct cueing_test *test = &c->test[t];
    if (test->cross != cross) continue;
    fprintf(out, "%s$test%d using 1:%d linecolor %d title '%s%s%s%s'", comma, t, column, t + 1, test->name,
            *test->unit ? " (" : "", test->unit, *test->unit ? ")" : "");
    if (compare)
      fprintf(out, ", $before%d using 1:%d with lines dashtype 2 linecolor %d notitle", t, column, t + 1);
    comma = ", ";
  }
  fprintf(out, "\n");
}

bool report_picture(const struct cueing *c, const struct cueing *before, const char *file, const char *title)
{
  const bool compare = before != NULL;
  FILE *out = gnuplot_start("--png", file, "1200,900 noenhanced");
  if (!out) return false;
  /* The data, then four panels. */
  put_responses(out, "test", c);
  if (compare) put_responses(out, "before", before);
  fprintf(out, "set multiplot layout 2,2 title ");
  gnuplot_quote(out, title);
  fprintf(out,
          "\nset grid\nset key below maxrows 2\nset logscale x\nset xrange [0.09:17]\nset xlabel 'rad/s'\n"
          "set style data linespoints\nset ylabel 'modulus'\nset yrange [0:*]\n");
  put_cueing_panel(out, c, compare, false, 2);
  put_cueing_panel(out, c, compare, true, 2);
  fprintf(out, "set ylabel 'phase (deg)'\nset yrange [-180:180]\nset ytics 45\n");
  put_cueing_panel(out, c, compare, false, 3);
  put_cueing_panel(out, c, compare, true, 3);
  return gnuplot_end(out, "--png", file);
}
