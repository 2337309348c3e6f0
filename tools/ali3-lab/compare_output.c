/* SPDX-License-Identifier: MIT
 * ali3-lab compare: lines, summary, CSV and JSON. */
#include "compare.h"

#include "outfile/outfile.h"

#include <math.h>

enum { GOALS = 3 };
static const double goal[GOALS] = {1e-2, 1e-4, 1e-6}; /* errors that the summary asks for */

bool same_method(const struct compare_point *a, const struct compare_point *b)
{
  return a->formulation == b->formulation && a->integrator == b->integrator && a->kind == b->kind;
}

static const char *outcome_text(const struct compare_point *p)
{
  return p->run.status == LAB_STOPPED ? "stopped: it takes more than twice the --budget"
                                      : lab_status_text(p->run.status);
}

void compare_print_point(FILE *out, const struct compare_point *p)
{
  fprintf(out,
          "%-18s %-8s %-8s %-4s %8.3g | %9ld steps %10ld calls %9.3g s | error %8.2g  force %8.2g  drift "
          "%8.2g J%s%s\n",
          p->formulation->name, p->integrator->name, p->kind->name, p->integrator->adaptive ? "rtol" : "dt",
          p->length, p->run.steps, p->run.calls, p->run.seconds, p->error, p->force, p->run.drift,
          p->run.status == LAB_OK ? "" : "  ", p->run.status == LAB_OK ? "" : outcome_text(p));
  fflush(out);
}

/* Work at which the error falls to `error`, between the points of a method by powers. NaN: it does not. */
static double work_for_error(const struct compare_point *first, int count, double error, bool time)
{
  for (int k = 0; k < count; k++) {
    const struct compare_point *b = &first[k], *a = b - 1;
    const double work = time ? b->run.seconds : (double)b->run.calls;
    if (!(b->error <= error)) continue;
    if (k == 0 || !(a->error > b->error)) return work;
    const double before = time ? a->run.seconds : (double)a->run.calls;
    return before * pow(work / before, log(a->error / error) / log(a->error / b->error));
  }
  return NAN;
}

static void print_work(FILE *out, double work)
{
  if (isnan(work))
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %9.3g", work);
}

void compare_print_summary(FILE *out, const struct comparison *c)
{
  fprintf(out, "\n%-35s | %-29s | %-29s\n%-18s %-8s %-7s |", "", "calls for an error of",
          "CPU seconds for an error of", "method", "integr.", "coord.");
  for (int i = 0; i < 2 * GOALS; i++) fprintf(out, " %9.0e%s", goal[i % GOALS], i == GOALS - 1 ? " |" : "");
  fprintf(out, "\n");
  for (int k = 0, count; k < c->points; k += count) {
    const struct compare_point *p = &c->point[k];
    for (count = 1; k + count < c->points && same_method(p, &c->point[k + count]);) count++;
    fprintf(out, "%-18s %-8s %-8s|", p->formulation->name, p->integrator->name, p->kind->name);
    for (int i = 0; i < GOALS; i++) print_work(out, work_for_error(p, count, goal[i], false));
    fprintf(out, " |");
    for (int i = 0; i < GOALS; i++) print_work(out, work_for_error(p, count, goal[i], true));
    fprintf(out, "\n");
  }
}

static bool write_compare_csv(const struct comparison *c)
{
  const char *file = c->options->csv;
  FILE *out = outfile_open_or_standard("--csv", file);
  if (!out) return false;
  fputs("method,integrator,coordinates,length,status,steps,calls,seconds,error,drift,force_error\n", out);
  /* A line for each run. */
  for (int k = 0; k < c->points; k++) {
    const struct compare_point *p = &c->point[k];
    fprintf(out, "%s,%s,%s,%.9g,%s,%ld,%ld,%.6g,%.6g,%.6g,%.6g\n", p->formulation->name, p->integrator->name,
            p->kind->name, p->length, p->run.status == LAB_OK ? "ok" : "failed", p->run.steps, p->run.calls,
            p->run.seconds, p->error, p->run.drift, p->force);
  }
  return outfile_close(out, "--csv", file);
}

static bool write_compare_json(const struct comparison *c)
{
  json_t *list = json_array();
  for (int k = 0; k < c->points; k++) {
    const struct compare_point *p = &c->point[k];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:f, s:s, s:I, s:I, s:f, s:o, s:o, s:o}", "method",
                                    p->formulation->name, "integrator", p->integrator->name, "coordinates",
                                    p->kind->name, "length", p->length, "outcome", outcome_text(p), "steps",
                                    (json_int_t)p->run.steps, "calls", (json_int_t)p->run.calls, "seconds",
                                    p->run.seconds, "error", json_number(p->error), "drift",
                                    json_number(p->run.drift), "force_error", json_number(p->force)));
  }
  return json_write("--json", c->options->json,
                    json_pack("{s:f, s:f, s:o, s:o}", "duration", c->duration, "known_to", c->floor,
                              "forces_known_to", json_number(c->force_floor), "runs", list));
}

bool compare_write(const struct comparison *c)
{
  bool good = true;
  if (c->options->csv) good &= write_compare_csv(c);
  if (c->options->json) good &= write_compare_json(c);
  if (c->options->png) good &= compare_picture(c);
  return good;
}
