/* SPDX-License-Identifier: MIT
 * Tries methods, substeps and iterations on the first steps of the mechanism, and recommends the settings with the least work
 * that reach a wanted accuracy. The work of a setting is its number of operations, so that the recommendation does not depend
 * on the machine. A check has no inputs, and ab4 and abm8 lose their accuracy if inputs jump: if one of them needs the least
 * work, the best method of one step is named, too. */
#include "findings/findings_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_TRIED = 100, STEPS_LEAST = 10, FINER = 16, SETTINGS_MOST = 96 };
static const double OPERATIONS_MOST = 6e10; /* some twenty seconds, if every setting is run */

struct trial {
  ali3_options options;
  double work, error; /* operations of a step; m, NAN: not run, INFINITY: a step failed */
};

static const int substeps_tried[] = {1, 2, 3, 4, 6, 8, 12, 16};

static int by_work(const void *a, const void *b)
{
  const double x = ((const struct trial *)a)->work, y = ((const struct trial *)b)->work;
  return (x > y) - (x < y);
}

/* Operations of a step with the options; 0: the method refuses the mechanism. */
static double work_of(const struct inspection *in, const ali3_options *o)
{
  struct model_copy t;
  if (!model_copy_make(&t, in->m, o, NULL)) return 0.0;
  const bool stiff = ali3_reset(&t.model, t.data) < 0;
  const double work = stiff ? 0.0 : inspection_cost(&t.model);
  model_copy_free(&t);
  return work;
}

static int list_trials(const struct inspection *in, struct trial *o)
{
  static const int iterations_tried[] = {2, 3};
  int n = 0;
  for (int method = 0; method < ALI3_METHODS; method++) {
    const bool is_explicit = ali3_method_is_explicit((ali3_method)method);
    for (int way = 0; way < (is_explicit ? 1 : 4); way++)
      for (size_t i = 0; i < sizeof substeps_tried / sizeof *substeps_tried && n < SETTINGS_MOST; i++) {
        /* The file sets all other options. */
        ali3_options options = in->m->options;
        options.method = (ali3_method)method;
        options.extrapolate = way > 1;
        options.substeps = substeps_tried[i];
        if (!is_explicit) options.iterations = iterations_tried[way % 2];
        const double work = work_of(in, &options);
        if (work > 0.0) o[n++] = (struct trial){options, work, NAN};
      }
  }
  qsort(o, (size_t)n, sizeof *o, by_work);
  return n;
}

/* The finest run that the mechanism allows: dp5, or ali3 extrapolated. */
static bool make_finest(const struct inspection *in, int finer, struct model_copy *t)
{
  for (int k = 0; k < 2; k++) {
    ali3_options o = in->m->options;
    o.method = k == 0 ? ALI3_METHOD_DP5 : ALI3_METHOD_ALI3;
    o.extrapolate = k == 1;
    o.gamma = k == 1 ? 0.5 : o.gamma;
    o.beta = k == 1 ? 0.0 : o.beta;
    o.substeps = finer;
    if (!model_copy_make(t, in->m, &o, NULL)) continue;
    if (ali3_reset(&t->model, t->data) >= 0) return true;
    model_copy_free(t);
  }
  return false;
}

/* Largest distance, m, between two runs; NAN: a step of one of them failed. */
static double compare_runs(const struct inspection *in, struct model_copy *a, struct model_copy *b, int steps)
{
  double largest = 0.0;
  int body;
  if (ali3_reset(&a->model, a->data) < 0 || ali3_reset(&b->model, b->data) < 0) return NAN;
  for (int i = 0; i < steps; i++) {
    if (ali3_step(&a->model, a->data) < 0 || ali3_step(&b->model, b->data) < 0) return NAN;
    largest = fmax(largest, model_copy_distance(in, a, b, &body));
  }
  return largest;
}

static bool looks_back(const struct trial *t)
{
  return t->options.method == ALI3_METHOD_AB4 || t->options.method == ALI3_METHOD_ABM8;
}

/* Runs the trials from the one with the least work on. Returns the first that is accurate enough; NULL: none. one_step: methods
 * that look back are left out. */
static struct trial *find_first(const struct inspection *in, struct trial *trial, int n,
                                struct model_copy *finest, int steps, bool one_step)
{
  for (int i = 0; i < n; i++) {
    struct model_copy t;
    if (trial[i].error <= in->given->accuracy && !(one_step && looks_back(&trial[i]))) return &trial[i];
    if (!isnan(trial[i].error) || (one_step && looks_back(&trial[i]))) continue;
    if (!model_copy_make(&t, in->m, &trial[i].options, NULL)) continue;
    trial[i].error = compare_runs(in, &t, finest, steps);
    model_copy_free(&t);
    if (isnan(trial[i].error)) trial[i].error = INFINITY; /* run, and failed */
    if (trial[i].error <= in->given->accuracy) return &trial[i];
  }
  return NULL;
}

static void describe_options(const ali3_options *o, char *text, size_t size)
{
  if (ali3_method_is_explicit(o->method))
    snprintf(text, size, "solver: {method: %s, substeps: %d}", ali3_method_name(o->method), o->substeps);
  else
    snprintf(text, size, "solver: {method: %s, substeps: %d, iterations: %d, extrapolate: %s}",
             ali3_method_name(o->method), o->substeps, o->iterations, o->extrapolate ? "true" : "false");
}

/* one_step: the best setting of a method that does not look back; NULL: `best` does not, or there is none. */
static void report_first(struct inspection *in, const struct trial *best, const struct trial *one_step,
                         int tried, int steps)
{
  char settings[160], other[160], wants[320] = "";
  const double time = steps * in->m->options.dt, given = inspection_cost(in->m);
  describe_options(&best->options, settings, sizeof settings);
  /* a method that looks back wants smooth inputs */
  if (looks_back(best))
    snprintf(wants, sizeof wants, "; %s wants inputs that are smooth",
             ali3_method_name(best->options.method));
  if (one_step) {
    const size_t used = strlen(wants);
    describe_options(&one_step->options, other, sizeof other);
    snprintf(wants + used, sizeof wants - used, ": if inputs jump, set %s, with %.2g times the work", other,
             one_step->work / given);
  }
  struct finding *f = finding_add(
      in, FINDING_INFO, FINDING_SETTINGS, FINDING_OF_MODEL, -1,
      "for %s in the first %.3g s set %s: it is off by %s, with %.2g times the work of the present "
      "settings; the least work of %d settings that were tried%s",
      quantity_length(in->given->accuracy).text, time, settings, quantity_length(best->error).text,
      best->work / given, tried, wants);
  finding_add_number(f, "error", best->error, "m");
  finding_add_number(f, "work", best->work / given, "");
  finding_add_number(f, "substeps", best->options.substeps, "");
  finding_add_number(f, "iterations", best->options.iterations, "");
}

static void report_none(struct inspection *in, const struct trial *trial, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++) least = fmin(least, trial[i].error);
  finding_add(in, FINDING_WARNING, FINDING_SETTINGS, FINDING_OF_MODEL, -1,
              "none of %d settings reaches %s in the first steps; the best of them is off by %s: shorten "
              "cycle.period, or ask for less",
              n, quantity_length(in->given->accuracy).text, quantity_length(least).text);
}

/* Steps that the trials can afford, if all of them are run. */
static int affordable_steps(const struct trial *trial, int n, double finest)
{
  double all = 0.0;
  for (int i = 0; i < n; i++) all += trial[i].work + finest;
  return (int)fmin(STEPS_TRIED, OPERATIONS_MOST / all);
}

void inspect_settings(struct inspection *in)
{
  struct trial *trial = calloc(SETTINGS_MOST, sizeof *trial);
  struct model_copy finest, coarser;
  const bool made = trial && make_finest(in, 2 * FINER, &finest);
  in->memory &= trial != NULL;
  if (made && make_finest(in, FINER, &coarser)) {
    const int n = list_trials(in, trial);
    const int steps = affordable_steps(trial, n, inspection_cost(&finest.model));
    /* the reference must be far better than what it judges */
    const double doubt = steps < STEPS_LEAST ? INFINITY : compare_runs(in, &coarser, &finest, steps);
    model_copy_free(&coarser);
    const struct trial *best =
        doubt < 0.1 * in->given->accuracy ? find_first(in, trial, n, &finest, steps, false) : NULL;
    if (best)
      report_first(in, best, looks_back(best) ? find_first(in, trial, n, &finest, steps, true) : NULL, n,
                   steps);
    else if (doubt < 0.1 * in->given->accuracy)
      report_none(in, trial, n);
    else
      finding_add(
          in, FINDING_WARNING, FINDING_SETTINGS, FINDING_OF_MODEL, -1,
          steps < STEPS_LEAST
              ? "no settings were tried, because the mechanism is large: compare runs of ali3-sim"
              : "no settings were tried, because the finest run is not certain to a tenth of the accuracy: "
                "ask for less, or shorten cycle.period");
  }
  if (made) model_copy_free(&finest);
  free(trial);
}
