/* SPDX-License-Identifier: MIT
 * The figures, as a table for people or as JSON for programs. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

void report_head(const struct plan *plan)
{
  printf("us, %d steps each%s%s%s; phases are medians of a run of their own\n", plan->steps,
         plan->method ? ", method " : "", plan->method ? plan->method : "",
         plan->extrapolate ? ", extrapolated" : "");
  printf("%-14s %6s %6s %3s %-8s %9s %9s %9s %9s %9s %9s %8s %8s %8s %8s %8s %8s %7s %8s %7s %8s %7s %7s %6s "
         " %s\n",
         "case", "bodies", "rows", "wrk", "isa", "step min", "median", "p99", "max", "feedback", "p99",
         "predict", "rows", "condense", "sweep", "bodies", "project", "B/body", "Mflop", "GFLOP/s", "Minstr",
         "calib", "xchain", "lanes", "checksum");
}

void report_line(const struct figures *f)
{
  char instructions[32] = "-";
  if (isfinite(f->instructions)) snprintf(instructions, sizeof instructions, "%.3f", f->instructions / 1e6);
  printf("%-14s %6d %6d %3d %-8s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f", f->name, f->bodies, f->rows,
         f->workers, f->isa, f->step.min, f->step.median, f->step.p99, f->step.max, f->feedback.median,
         f->feedback.p99);
  for (int k = 0; k < ALI3_PHASE_IDLE; k++) printf(" %8.1f", f->phase[k]); /* columns in their order */
  printf(" %7.0f %8.3f %7.2f %8s %7.1f %7.2f %5.0f%%  %016llx\n", f->bytes_per_body, f->flops / 1e6,
         f->flops / f->step.median / 1e3, instructions, f->calibration, f->chain_ratio, 100 * f->lanes_used,
         (unsigned long long)f->checksum);
  if (f->levels) report_levels(f->levels);
  fflush(stdout);
}

static json_t *times_json(const struct times *t)
{
  return json_pack("{s:f, s:f, s:f, s:f}", "min", t->min, "median", t->median, "p99", t->p99, "max", t->max);
}

void report_predictions(const struct predicted *p, int n)
{
  printf("%s, %d bodies: us; a barrier takes %.2f us with one worker\n", p[0].name, p[0].bodies,
         p[0].barrier_us);
  printf("    %7s %13s %8s %8s %12s %8s %8s %6s\n", "workers", "predicted min", "median", "speed-up",
         "measured min", "median", "speed-up", "ratio");
  for (int i = 0; i < n; i++) {
    const struct times *own = &p[i].predicted, *real = &p[i].measured;
    printf("    %7d %13.1f %8.1f %8.2f", p[i].workers, own->min, own->median, p[0].predicted.min / own->min);
    if (p[i].measures)
      printf(" %12.1f %8.1f %8.2f %6.2f", real->min, real->median, p[0].measured.min / real->min,
             own->min / real->min);
    putchar('\n');
  }
  fflush(stdout);
}

json_t *predictions_json(const struct predicted *p, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++)
    json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:f, s:o, s:o}", "case", p[i].name, "bodies",
                                          p[i].bodies, "workers", p[i].workers, "barrier_us", p[i].barrier_us,
                                          "predicted_us", times_json(&p[i].predicted), "measured_us",
                                          p[i].measures ? times_json(&p[i].measured) : json_null()));
  return list;
}

static json_t *line_json(const struct figures *f)
{
  char sum[17];
  snprintf(sum, sizeof sum, "%016llx", (unsigned long long)f->checksum);
  return json_pack(
      "{s:s, s:i, s:i, s:i, s:b, s:s, s:s, s:b, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:f, "
      "s:f, s:o, s:f, s:f, s:f, s:s, s:o*}",
      "case", f->name, "bodies", f->bodies, "rows", f->rows, "workers", f->workers, "workers_chosen",
      f->workers_chosen, "isa", f->isa, "method", f->method, "extrapolated", f->extrapolated, "step_us",
      times_json(&f->step), "feedback_us", times_json(&f->feedback), "phases_us", "predict",
      f->phase[ALI3_PHASE_PREDICT], "rows", f->phase[ALI3_PHASE_ROWS], "condense",
      f->phase[ALI3_PHASE_CONDENSE], "sweep", f->phase[ALI3_PHASE_SWEEP], "bodies",
      f->phase[ALI3_PHASE_BODIES], "project", f->phase[ALI3_PHASE_PROJECT], "bytes_per_body",
      f->bytes_per_body, "flops", f->flops, "instructions",
      isfinite(f->instructions) ? json_integer((json_int_t)llround(f->instructions)) : json_null(),
      "calibration_us", f->calibration, "chain_ratio", f->chain_ratio, "lanes_used", f->lanes_used,
      "checksum", sum, "levels", f->levels ? levels_json(f->levels) : NULL);
}

bool print_figures_json(json_t *json)
{
  bool good = json && json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
  if (!json) fputs("ali3-bench: out of memory\n", stderr);
  json_decref(json);
  putchar('\n');
  return good;
}

bool report_json(const struct figures *f, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n && list; i++)
    if (json_array_append_new(list, line_json(&f[i])) < 0) {
      json_decref(list);
      list = NULL;
    }
  return print_figures_json(list);
}

bool report_platform(const struct platform_times *t, int n, int cycles, bool json)
{
  json_t *list = json ? json_array() : NULL;
  if (!json)
    printf("us, %d cycles each\n%-16s %9s %9s %9s %9s\n", cycles, "case", "min", "median", "p99", "max");
  for (int i = 0; i < n; i++) {
    const struct times *x = &t[i].times;
    if (!json)
      printf("%-16s %9.2f %9.2f %9.2f %9.2f  %s\n", t[i].name, x->min, x->median, x->p99, x->max, t[i].text);
    if (list)
      json_array_append_new(list, json_pack("{s:s, s:o}", "case", t[i].name, "cycle_us", times_json(x)));
  }
  return !json || print_figures_json(list);
}

bool report_calibration(uint32_t *ns, int n, double product, bool json)
{
  struct times t = times_of(ns, n);
  if (json)
    return print_figures_json(json_pack("{s:f, s:f}", "calibration_us", t.median, "product_ns", product));
  printf("calibration min %.1f  median %.1f  p99 %.1f  max %.1f us\n", t.min, t.median, t.p99, t.max);
  printf("product of two 7x7 matrices: median %.1f ns\n", product);
  return true;
}
