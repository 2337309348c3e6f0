/* SPDX-License-Identifier: MIT
 * ali3-lab compare: work and precision as a picture by gnuplot: error over calls, and error over time. A formulation has
 * a colour, an integrator a symbol. */
#include "common/gnuplot.h"
#include "compare.h"

#include <math.h>

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00",
                                      "#56b4e9", "#8b0000", "#6a3d9a", "#808000", "#999999", "#4d4d4d"};
enum { COLOURS = sizeof colours / sizeof *colours };

static bool can_be_drawn(const struct compare_point *p)
{
  return p->error > 0 && p->error < 10;
}

/* How many points this method has, from its first; *drawn: those that can be drawn. */
static int count_method(const struct comparison *c, int first, int *drawn)
{
  int count = 0;
  *drawn = 0;
  while (first + count < c->points && same_method(&c->point[first], &c->point[first + count]))
    *drawn += can_be_drawn(&c->point[first + count++]);
  return count;
}

/* Points of one method as a datablock: calls, seconds, error. */
static void put_datablock(FILE *out, int number, const struct compare_point *p, int count)
{
  fprintf(out, "$m%d << EOD\n", number);
  for (int k = 0; k < count; k++)
    if (can_be_drawn(&p[k])) fprintf(out, "%ld %.6g %.6g\n", p[k].run.calls, p[k].run.seconds, p[k].error);
  fprintf(out, "EOD\n");
}

static int number_of_formulation(const struct formulation *f)
{
  int k = 0;
  while (lab_formulations[k] != f) k++;
  return k;
}

static int number_of_integrator(const struct integrator *i)
{
  int k = 0;
  while (lab_integrators[k] != i) k++;
  return k;
}

/* Plots all methods, x from the given column; colours in the order in which formulations come. */
static void put_plot(FILE *out, const struct comparison *c, int column, bool named)
{
  int number = 0, colour = -1, last = -1;
  for (int k = 0, count, drawn; k < c->points; k += count) {
    const struct compare_point *p = &c->point[k];
    count = count_method(c, k, &drawn);
    if (drawn == 0) continue;
    /* A new formulation takes the next colour. */
    const int formulation = number_of_formulation(p->formulation);
    colour += formulation != last;
    last = formulation;
    fprintf(out, "%s $m%d using %d:3 with linespoints lw 1.4 ps 0.9 pt %d lc rgb '%s' ",
            number ? "," : "plot", number, column, 1 + number_of_integrator(p->integrator),
            colours[colour % COLOURS]);
    if (named)
      fprintf(out, "title '%s %s'", p->formulation->name, p->integrator->name);
    else
      fprintf(out, "notitle");
    number++;
  }
  fprintf(out, "\n");
}

bool compare_picture(const struct comparison *c)
{
  bool any = false;
  for (int k = 0; k < c->points; k++) any |= can_be_drawn(&c->point[k]);
  if (!any) {
    fprintf(stderr, "ali3-lab: --png: no run came near the solution, so there is nothing to draw\n");
    return false;
  }
  FILE *out = gnuplot_start("--png", c->options->png, "1500,720");
  if (!out) return false;
  /* The data of all methods. */
  int number = 0;
  for (int k = 0, count, drawn; k < c->points; k += count) {
    count = count_method(c, k, &drawn);
    if (drawn > 0) put_datablock(out, number++, &c->point[k], count);
  }
  /* Two panels; the names stand beside the second one. */
  fprintf(out,
          "set logscale xy\nset format xy '10^{%%L}'\nset grid\nset yrange [*:10]\nset multiplot title ");
  char title[300];
  snprintf(title, sizeof title, "%s: error at %g s", c->options->file, c->duration);
  gnuplot_quote(out, title);
  fprintf(out, " noenhanced\nset ylabel 'largest error of a position (m) or Euler parameter'\nset xlabel "
               "'calls of the "
               "right-hand side'\nset origin 0,0\nset size 0.42,0.95\n");
  put_plot(out, c, 1, false);
  fprintf(out, "set origin 0.42,0\nset size 0.58,0.95\nunset ylabel\nset xlabel 'seconds of processor "
               "time'\nset key outside "
               "right top noenhanced maxcols 1 font ',9' spacing 0.85\n");
  put_plot(out, c, 2, true);
  fprintf(out, "unset multiplot\n");
  return gnuplot_end(out, "--png", c->options->png);
}
