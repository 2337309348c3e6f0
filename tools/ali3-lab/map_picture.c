/* SPDX-License-Identifier: MIT
 * ali3-lab map and merge: a picture of a map by gnuplot. Colour is the energy drift; a white dot is a run beyond
 * the limit, a cross one that did not end. */
#include "common/gnuplot.h"
#include "lab_tool.h"

#include <math.h>

/* How far a cell reaches from its point: a factor on a log axis, else a difference. */
static double half_cell(const struct map_axis *axis)
{
  const double cells = axis->count > 1 ? axis->count - 1 : 1;
  if (axis->log) return pow(axis->to / axis->from, 0.5 / cells);
  return axis->to > axis->from ? 0.5 * (axis->to - axis->from) / cells : 0.5;
}

/* Name, scale, and a range with half a cell beyond the ends. */
static void put_map_axis(FILE *out, char letter, const struct map_axis *axis)
{
  const double half = half_cell(axis);
  fprintf(out, "set %clabel '%s'\n", letter, axis->name);
  if (axis->log) fprintf(out, "set logscale %c\nset format %c '10^{%%L}'\n", letter, letter);
  if (axis->to > axis->from)
    fprintf(out, "set %crange [%.17g:%.17g]\n", letter, axis->log ? axis->from / half : axis->from - half,
            axis->log ? axis->to * half : axis->to + half);
}

/* The two edges of a cell along an axis, as columns for gnuplot. */
static void put_cell_edges(FILE *out, const struct map_axis *axis)
{
  const double half = half_cell(axis);
  fprintf(out, ":(column('%s')%c%.17g):(column('%s')%c%.17g)", axis->name, axis->log ? '/' : '-', half,
          axis->name, axis->log ? '*' : '+', half);
}

bool map_picture(const struct map_options *o)
{
  static const struct map_axis none = {.name = "xi"};
  const struct map_axis *y = o->axes > 1 ? &o->axis[1] : &none;
  FILE *out = gnuplot_start("--png", o->png, "900,700");
  if (!out) return false;
  const int most = o->axis[0].count > y->count ? o->axis[0].count : y->count;
  const double size = fmin(6, 60.0 / most); /* a plot is some 60 points wide */
  fprintf(out, "set cbrange [-3:1]\nset datafile separator ','\nset cblabel 'log10 of the energy drift in "
               "J'\nset key off\n");
  put_map_axis(out, 'x', &o->axis[0]);
  put_map_axis(out, 'y', y);
  fprintf(out, "file = ");
  gnuplot_quote(out, o->csv);
  const char *x = o->axis[0].name;
  const double limit = o->limit > 0 ? o->limit : 0.1;
  fprintf(out, "\nended = \"(strcol('status') eq 'ok')\"\nplot file using '%s':'%s'", x, y->name);
  put_cell_edges(out, &o->axis[0]);
  put_cell_edges(out, y);
  fprintf(out,
          ":(@ended ? log10(column('drift')) : NaN) with boxxyerror fillstyle solid noborder lc palette,");
  fprintf(out, " '' using (@ended && column('drift') > %.17g ? column('%s') : NaN):'%s'", limit, x, y->name);
  fprintf(out, " with points pt 7 ps %.3g lc rgb 'white',", 0.3 * size);
  fprintf(out, " '' using (@ended ? NaN : column('%s')):'%s' with points pt 2 ps %.3g lc rgb 'black'\n", x,
          y->name, 0.6 * size);
  return gnuplot_end(out, "--png", o->png);
}
