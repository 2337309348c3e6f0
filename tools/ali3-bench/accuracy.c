/* SPDX-License-Identifier: MIT
 * Work-precision tables: every method with several substeps, at a period of 10 ms. The error is the largest distance from the
 * reference at an instant of the reference, over 5 s: that of a place on a body (findings/distance.h), of a centre of mass if a
 * file is the reference. The time is the median of all steps after the first 20. */
#include "accuracy.h"
#include "bench.h"
#include "common/ranks.h"
#include "reference_table.h"

#include "config/setup.h"
#include "rt/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PERIOD = 0.01, UNTIL = 5.0; /* s */
enum { STEPS = 500, WARM_UP = 20, FINER = 32, DECADES = 8, SETTINGS_MOST = 100 };

/* One way to step. */
struct setting {
  ali3_method method;
  bool extrapolate;
  int iterations, substeps;
};

struct result {
  struct setting setting;
  double error, us; /* m, us per period; error NAN: the method refuses the mechanism, or a step failed */
};

static const int substeps[] = {1, 2, 3, 4, 8, 16};

/* All settings, the plain ones first. Returns their number. */
static int list_settings(struct setting *o)
{
  int n = 0;
  for (int method = 0; method < ALI3_METHODS; method++)
    for (int extrapolate = 0; extrapolate <= !ali3_method_is_explicit((ali3_method)method); extrapolate++)
      for (size_t i = 0; i < sizeof substeps / sizeof *substeps; i++)
        for (int iterations = ali3_method_is_explicit((ali3_method)method) ? 3 : 1; iterations <= 3;
             iterations++)
          if (n < SETTINGS_MOST)
            o[n++] = (struct setting){(ali3_method)method, extrapolate, iterations, substeps[i]};
  return n;
}

/* A model with a setting. NULL, with a reason on stderr: the file is wrong, or the method cannot step the mechanism. */
static struct settings *load_with(const char *file, const struct setting *o, FILE *errors)
{
  const struct settings_overrides over = {.dt = PERIOD,
                                          .method = ali3_method_name(o->method),
                                          .extrapolate = o->extrapolate,
                                          .iterations = o->iterations,
                                          .substeps = o->substeps};
  return setup_load(file, &over, errors);
}

static void describe_setting(const struct setting *o, char *text, size_t size)
{
  if (ali3_method_is_explicit(o->method))
    snprintf(text, size, "%s n=%d", ali3_method_name(o->method), o->substeps);
  else
    snprintf(text, size, "%s%s n=%d it=%d", ali3_method_name(o->method),
             o->extrapolate ? " extrapolated" : "", o->substeps, o->iterations);
}

/* --- one run --- */

/* Steps of a mechanism, each timed and compared. t: rows of the reference; ns: (STEPS) */
static double run_against(const ali3_model *m, ali3_data *d, const struct reference_table *t, uint32_t *ns)
{
  double error = 0.0;
  int row = 0;
  if (ali3_reset(m, d) < 0) return NAN;
  for (int i = 0; i <= STEPS; i++) {
    if (i > 0) {
      const uint64_t begin = clock_now_ns();
      const int status = ali3_step(m, d);
      ns[i - 1] = (uint32_t)(clock_now_ns() - begin);
      if (status < 0) return NAN;
    }
    while (row < t->rows && t->time[row] < i * PERIOD - 0.25 * PERIOD) row++;
    if (row < t->rows && fabs(t->time[row] - i * PERIOD) < 1e-6)
      error = fmax(error, reference_distance(t, row, m, d));
  }
  return error;
}

static struct result measure_setting(const char *file, const struct setting *o,
                                     const struct reference_table *t)
{
  struct result r = {.setting = *o, .error = NAN};
  char *text = NULL;
  size_t size = 0;
  FILE *errors = open_memstream(&text, &size); /* methods that refuse the mechanism are left out */
  struct settings *s = errors ? load_with(file, o, errors) : NULL;
  ali3_data *d = s ? ali3_data_new(s->model) : NULL;
  if (d) {
    uint32_t ns[STEPS];
    r.error = run_against(s->model, d, t, ns);
    if (!isnan(r.error)) r.us = times_of(ns + WARM_UP, STEPS - WARM_UP).median;
  }
  ali3_data_free(d);
  if (s) settings_free(s);
  if (errors) fclose(errors);
  free(text);
  return r;
}

/* --- the reference --- */

/* FILE without its ending, with .csv */
static void name_of_table(const char *file, char *o, size_t size)
{
  const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
  const int stem = dot && (!slash || dot > slash) ? (int)(dot - file) : (int)strlen(file);
  snprintf(o, size, "%.*s.csv", stem, file);
}

/* A run with finer steps, by the first method that steps the mechanism. */
static bool run_reference(const char *file, struct reference_table *t)
{
  static const struct setting finest[] = {{ALI3_METHOD_DP5, false, 3, FINER},
                                          {ALI3_METHOD_ALI3, true, 3, FINER}};
  bool good = false;
  for (int k = 0; k < 2 && !good; k++) {
    struct settings *s = load_with(file, &finest[k], stderr);
    ali3_data *d = s ? ali3_data_new(s->model) : NULL;
    good = d && ali3_reset(s->model, d) >= 0 && reference_make(t, STEPS + 1, s->model);
    for (int i = 0; good && i <= STEPS; i++) {
      if (i > 0) good = ali3_step(s->model, d) >= 0;
      if (good) reference_set(t, i, s->model, d, i * PERIOD);
    }
    if (!good) reference_free(t);
    ali3_data_free(d);
    if (s) settings_free(s);
  }
  if (!good) fprintf(stderr, "ali3-bench: %s: no method steps this mechanism for %g s\n", file, UNTIL);
  return good;
}

static bool find_reference(const char *file, struct reference_table *t, bool *is_file)
{
  char name[1024];
  const struct setting plain = {ALI3_METHOD_ALI3, false, 3, 1};
  struct settings *s = load_with(file, &plain, stderr);
  if (!s) return false;
  bool missing;
  name_of_table(file, name, sizeof name);
  *is_file = reference_read(t, s->model, name, UNTIL, &missing);
  settings_free(s);
  if (*is_file) return true;
  if (missing) return run_reference(file, t);
  fprintf(stderr, "ali3-bench: %s: expected the columns time and body.NAME.position.x, y, z\n", name);
  return false;
}

/* --- tables --- */

static void print_accuracy_table(const char *file, bool is_file, const struct result *r, int n)
{
  printf("\n%s: largest error to %g s, m, against %s; us per %g ms\n", file, UNTIL,
         is_file ? "its table" : "a finer run", 1e3 * PERIOD);
  for (int i = 0; i < n; i++) {
    char text[80];
    describe_setting(&r[i].setting, text, sizeof text);
    if (!isnan(r[i].error)) printf("  %-32s %10.2e %10.2f\n", text, r[i].error, r[i].us);
  }
  /* the fastest setting at each accuracy */
  for (int k = 1; k <= DECADES; k++) {
    const struct result *best = NULL;
    for (int i = 0; i < n; i++)
      if (r[i].error <= pow(10.0, -k) && (!best || r[i].us < best->us)) best = &r[i];
    char text[80] = "-";
    if (best) describe_setting(&best->setting, text, sizeof text);
    printf("  at most 1e-%d m: %10.2f us  %s\n", k, best ? best->us : NAN, text);
  }
}

static json_t *table_as_json(const char *file, bool is_file, const struct result *r, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) {
    const struct setting *o = &r[i].setting;
    if (isnan(r[i].error)) continue;
    json_array_append_new(list,
                          json_pack("{s:s, s:b, s:i, s:i, s:f, s:f}", "method", ali3_method_name(o->method),
                                    "extrapolated", o->extrapolate, "iterations", o->iterations, "substeps",
                                    o->substeps, "error", r[i].error, "us", r[i].us));
  }
  return json_pack("{s:s, s:b, s:o}", "file", file, "table", is_file, "settings", list);
}

bool accuracy_bench(char *const *file, int files, bool json)
{
  bool good = true;
  json_t *all = json_array();
  for (int i = 0; i < files; i++) {
    struct setting setting[SETTINGS_MOST];
    struct result r[SETTINGS_MOST];
    struct reference_table t = {0};
    bool is_file = false;
    const int n = list_settings(setting);
    if (!find_reference(file[i], &t, &is_file)) {
      good = false;
      continue;
    }
    /* run all settings, then print them */
    for (int k = 0; k < n; k++) r[k] = measure_setting(file[i], &setting[k], &t);
    if (json)
      json_array_append_new(all, table_as_json(file[i], is_file, r, n));
    else
      print_accuracy_table(file[i], is_file, r, n);
    reference_free(&t);
  }
  if (json) good &= json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0 && puts("") >= 0;
  json_decref(all);
  return good;
}
