/* SPDX-License-Identifier: MIT ali3-sim: a Bode diagram as SVG. Magnitude and phase of every output for every input, over a
 * decade beyond the slowest and the fastest pole. */
#include "linear.h"

#include "outfile/outfile.h"

#include <ali3/linear.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, WIDTH = 860, PANEL = 200, LEFT = 70, TOP = 34, GAP = 44, RIGHT = 20 };
static const double FULL_CIRCLE = 6.28318530717958647692;
static const char *const colour[] = {"#0b62a4", "#c0392b", "#1e8449", "#7d3c98", "#b9770e", "#34495e"};
enum { COLOURS = sizeof colour / sizeof *colour };

/* Hz, from the magnitudes of the poles. */
static void frequency_range(const struct bode *b, double range[2])
{
  double least = INFINITY, most = 0.0;
  for (int i = 0; i < b->linear->states; i++) {
    const double size = hypot(b->pole[2 * i], b->pole[2 * i + 1]);
    if (size < 1e-3) continue; /* rigid motions */
    least = fmin(least, size);
    most = fmax(most, size);
  }
  if (!(most > 0.0)) least = most = FULL_CIRCLE;
  range[0] = pow(10.0, floor(log10(least / FULL_CIRCLE) - 0.5));
  range[1] = pow(10.0, ceil(log10(most / FULL_CIRCLE) + 0.5));
}

/* x := W^-1 x for a complex (n, n), which is destroyed. */
static void solve_complex(double complex *W, int n, double complex *x)
{
  /* eliminate with the largest pivot of each column */
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k + 1; r < n; r++)
      if (cabs(W[r * n + k]) > cabs(W[best * n + k])) best = r;
    for (int c = k; c < n; c++) {
      const double complex t = W[k * n + c];
      W[k * n + c] = W[best * n + c];
      W[best * n + c] = t;
    }
    const double complex t = x[k];
    x[k] = x[best];
    x[best] = t;
    for (int r = k + 1; r < n; r++) {
      const double complex factor = W[r * n + k] / W[k * n + k];
      if (factor == 0.0) continue;
      for (int c = k; c < n; c++) W[r * n + c] -= factor * W[k * n + c];
      x[r] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int c = k + 1; c < n; c++) x[k] -= W[k * n + c] * x[c];
    x[k] /= W[k * n + k];
  }
}

/* value (outputs) at one frequency. W: room (n, n), x: (n) */
static void respond_to(const struct bode *b, int input, double omega, double complex *W, double complex *x,
                       double complex *value)
{
  const ali3_linear *l = b->linear;
  const int n = l->states;
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < n; c++) W[r * n + c] = (r == c ? I * omega : 0.0) - l->A[r * n + c];
    x[r] = l->B[r * l->inputs + input];
  }
  solve_complex(W, n, x);
  for (int o = 0; o < l->outputs; o++) {
    value[o] = l->D[o * l->inputs + input];
    for (int c = 0; c < n; c++) value[o] += l->C[o * n + c] * x[c];
    if (b->of_target[input]) value[o] *= -omega * omega;
  }
}

static double x_of(const double range[2], double hz)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * log10(hz / range[0]) / log10(range[1] / range[0]);
}

/* Lines and numbers of one panel between two values. */
static void draw_axes(FILE *out, const double range[2], double top, double low, double high, double step,
                      const char *unit, const char *title)
{
  for (double hz = range[0]; hz < range[1] * 1.001; hz *= 10.0) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" class=\"grid\"/>", x_of(range, hz),
            top, x_of(range, hz), top + PANEL);
    fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g</text>\n", x_of(range, hz),
            top + PANEL + 14, hz);
  }
  for (double v = ceil(low / step) * step; v <= high + 1e-9; v += step) {
    const double y = top + PANEL * (high - v) / (high - low);
    fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>", LEFT, y, WIDTH - RIGHT,
            y);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4, v);
  }
  fprintf(out, "<text x=\"%d\" y=\"%.0f\" class=\"title\">%s, %s</text>\n", LEFT, top - 8, title, unit);
}

static void draw_curve(FILE *out, const double range[2], double top, double low, double high,
                       const double *value, int input)
{
  fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
          colour[input % COLOURS]);
  for (int i = 0; i < POINTS; i++) {
    const double hz = range[0] * pow(range[1] / range[0], (double)i / (POINTS - 1));
    const double v = fmin(fmax(value[i], low), high);
    fprintf(out, "%.1f,%.1f ", x_of(range, hz), top + PANEL * (high - v) / (high - low));
  }
  fputs("\"/>\n", out);
}

/* curve (inputs, outputs, 2, POINTS): dB and degrees. False: out of memory. */
static bool find_curves(const struct bode *b, const double range[2], double *curve)
{
  const ali3_linear *l = b->linear;
  const size_t n = (size_t)l->states;
  double complex *W = malloc((n * n + n + (size_t)l->outputs + 1) * sizeof *W);
  if (!W) return false;
  for (int k = 0; k < l->inputs; k++)
    for (int i = 0; i < POINTS; i++) {
      const double hz = range[0] * pow(range[1] / range[0], (double)i / (POINTS - 1));
      double complex *value = W + n * n + n;
      respond_to(b, k, FULL_CIRCLE * hz, W, W + n * n, value);
      for (int o = 0; o < l->outputs; o++) {
        double *at = curve + ((size_t)(k * l->outputs + o) * 2) * POINTS + i;
        at[0] = 20.0 * log10(fmax(cabs(value[o]), 1e-30));
        at[POINTS] = carg(value[o]) * 360.0 / FULL_CIRCLE;
        if (i > 0) at[POINTS] += 360.0 * round((at[POINTS - 1] - at[POINTS]) / 360.0); /* without jumps */
      }
    }
  free(W);
  return true;
}

/* Two panels of an output: magnitude, then phase. */
static void draw_output(FILE *out, const struct bode *b, int output, const double range[2],
                        const double *curve, double top)
{
  const ali3_linear *l = b->linear;
  const struct signal *signal = &b->signals->signal[b->signal[output]];
  for (int part = 0; part < 2; part++, top += PANEL + GAP) {
    /* limits at whole steps; a zero does not stretch the axis beyond 200 dB */
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < l->inputs; k++)
      for (int i = 0; i < POINTS; i++) {
        const double v = curve[((size_t)(k * l->outputs + output) * 2 + (size_t)part) * POINTS + (size_t)i];
        low = fmin(low, v);
        high = fmax(high, v);
      }
    const double step = part               ? (high - low > 720 ? 180 : 90)
                        : high - low > 200 ? 50
                        : high - low > 60  ? 20
                                           : 10;
    low = fmax(part ? low : high - 200, low);
    low = floor(low / step) * step;
    high = fmax(ceil(high / step) * step, low + step);
    draw_axes(out, range, top, low, high, step, part ? "degrees" : "dB", signal->name);
    for (int k = 0; k < l->inputs; k++)
      draw_curve(out, range, top, low, high,
                 curve + ((size_t)(k * l->outputs + output) * 2 + (size_t)part) * POINTS, k);
  }
}

bool bode_draw(const struct bode *b, const char *file)
{
  const ali3_linear *l = b->linear;
  const size_t numbers = (size_t)(l->inputs * l->outputs) * 2 * POINTS;
  double range[2], *curve = malloc((numbers + 1) * sizeof *curve);
  frequency_range(b, range);
  /* Frequencies, then the picture. */
  const bool found = curve && find_curves(b, range, curve);
  if (!found) fputs("ali3-sim: --bode: out of memory\n", stderr);
  FILE *out = found ? outfile_open("--bode", file) : NULL;
  const double height = TOP + 2.0 * l->outputs * (PANEL + GAP) + 20.0;
  if (out) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<style>.grid{stroke:#d5d8dc;stroke-width:0.7}.title{font-weight:bold}</style><rect width=\"100%\" "
          "height=\"100%\" fill=\"white\"/>\n",
          out);
    for (int o = 0; o < l->outputs; o++) draw_output(out, b, o, range, curve, TOP + 2.0 * o * (PANEL + GAP));
    double x = LEFT;
    for (int k = 0; k < l->inputs; k++) {
      fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\">from %s%s</text>\n", x, height - 8,
              colour[k % COLOURS], b->input_name[k], b->of_target[k] ? " (its target)" : "");
      x += 8.0 * (double)strlen(b->input_name[k]) + 110.0;
    }
    fprintf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">frequency, Hz</text>\n</svg>\n",
            WIDTH - RIGHT, height - 8);
  }
  free(curve);
  return out && outfile_close(out, "--bode", file);
}
