/* SPDX-License-Identifier: MIT
 * The whole core against trajectories of other methods (tests/reference/README.md), with model files as input. */
#include "check.h"
#include "common/table.h"
#include "config/setup.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reference {
  const char *name;
  double dt, alpha; /* 0: the value of the file */
  bool extrapolate;
  double position, velocity, energy; /* m, m/s, J: known accuracy of the method; 0: not judged */
  double force;       /* largest error of a reaction, relative to the largest reaction; 0: not judged */
  double constraint;  /* m */
  double until;       /* s, compared up to here; 0: the whole run */
  bool tip;           /* compare the free end of the chain, too */
  const char *method; /* NULL: ali3 */
};

static const double MARGIN = 1.2;

static const struct reference references[] = {
    {"four_bar", 0, 0, false, 6.27e-3, 2.75e-2, 1.9e-2, 0.0058, 1e-11, 0, false, NULL},
    {"spatial_double_pendulum", 0, 0, false, 3.14e-3, 1.39e-2, 1.2e-2, 0.003, 1e-9, 0, false, NULL},
    {"spatial_double_pendulum", 0.001, 0, false, 3.17e-5, 1.39e-4, 1.2e-4, 3e-05, 1e-9, 0, false, NULL},
    {"bricard", 0, 0, false, 6.82e-4, 1.26e-3, 4.8e-4, 0, 1e-9, 0, false, NULL},
    {"five_bar", 0, 0, false, 8.34e-5, 3.39e-4, 7.8e-5, 0.00037, 1e-9, 0, false, NULL},
    {"five_bar_asym", 0, 0, false, 3.69e-4, 1.93e-3, 5.6e-4, 0.0048, 1e-9, 0, false, NULL},
    {"double_loop", 0, 0, false, 7.03e-4, 7.61e-3, 5.0e-3, 0.02, 1e-9, 0, false, NULL},
    {"chain_2", 0, 0, false, 2.16e-3, 6.34e-3, 6.4e-3, 0.0016, 1e-9, 0, false, NULL},
    {"chain_2", 0.001, 0, false, 2.18e-5, 6.34e-5, 6.4e-5, 1.6e-05, 1e-9, 0, false, NULL},
    {"chain_4", 0, 0, false, 6.41e-3, 8.32e-2, 1.3e-1, 0.01, 1e-9, 0, false, NULL},
    {"chain_4", 0.001, 0, false, 6.69e-5, 8.32e-4, 1.3e-3, 0.0001, 1e-9, 0, false, NULL},
    {"chain_8", 0, 0, false, 1.04e-2, 6.30e-2, 4.3e-1, 0.0074, 1e-9, 0, false, NULL},
    {"chain_16", 0, 0, false, 9.51e-2, 2.44e-1, 3.8e-1, 0.0036, 1e-9, 0, false, NULL},
    {"double_four_bar", 0, 0, false, 4.54e-2, 3.10e-1, 9.1e-2, 0.053, 1e-9, 0, false, NULL},
    {"double_four_bar", 0, 1e11, false, 4.54e-2, 3.10e-1, 9.1e-2, 0.053, 1e-9, 0, false, NULL},
    {"four_bar", 0, 0, true, 4.1e-8, 0, 3e-7, 1.4e-3, 1e-9, 0, false, NULL},
    {"spatial_double_pendulum", 0, 0, true, 2.5e-8, 0, 3e-7, 3e-8, 1e-9, 0, false, NULL},
    {"bricard", 0, 0, true, 2.5e-9, 0, 3e-9, 0, 1e-9, 0, false, NULL},
    {"five_bar_asym", 0, 0, true, 4e-9, 0, 2e-8, 4e-8, 1e-9, 0, false, NULL},
    {"double_loop", 0, 0, true, 2.5e-8, 0, 5e-7, 5e-7, 1e-9, 0, false, NULL},
    {"chain_2", 0, 0, true, 1.66e-8, 0, 1e-7, 1.2e-8, 1e-9, 0, false, NULL},
    {"chain_4", 0, 0, true, 1e-7, 0, 1e-5, 2.5e-7, 1e-9, 0, false, NULL},
    {"chain_8", 0, 0, true, 5.8e-7, 0, 5e-5, 4e-7, 1e-9, 0, false, NULL},
    {"chain_16", 0, 0, true, 5.11e-6, 0, 2.5e-5, 2e-7, 1e-9, 0, false, NULL},
    {"four_bar", 0, 0, false, 6.12e-3, 0, 7.1e-4, 0.02, 1e-9, 0, false, "energy"},
    {"spatial_double_pendulum", 0, 0, false, 2.47e-3, 0, 1.6e-4, 0.01, 1e-9, 0, false, "energy"},
    {"bricard", 0, 0, false, 4.82e-4, 0, 9.2e-6, 0, 1e-9, 0, false, "energy"},
    {"five_bar_asym", 0, 0, false, 2.95e-4, 0, 1.6e-5, 0.01, 1e-9, 0, false, "energy"},
    {"double_loop", 0, 0, false, 4.0e-4, 0, 2.5e-4, 0.05, 1e-9, 0, false, "energy"},
    {"chain_4", 0, 0, false, 4.64e-3, 0, 9.7e-4, 0.02, 1e-9, 0, false, "energy"},
    {"chain_16", 0, 0, false, 8.75e-2, 0, 3.7e-3, 0.01, 1e-9, 0, false, "energy"},
    {"slider_crank", 0, 0, false, 2.4e-2, 0, 7e-3, 0.2, 1e-9, 0, false, "energy"},
    {"double_four_bar", 0, 0, false, 1.43e-2, 0, 3.5e-3, 0.2, 1e-9, 0, false, "energy"},
    {"double_four_bar", 0, 0, true, 4e-5, 0, 2e-5, 0.2, 1e-9, 0, false, "energy"},
    {"spatial_double_pendulum", 0, 0, true, 2.7e-8, 0, 2e-8, 1e-6, 1e-9, 0, false, "energy"},
    {"chain_4", 0, 0, true, 1.3e-7, 0, 1e-6, 1e-6, 1e-9, 0, false, "energy"},
    {"four_bar", 0, 0, true, 1e-7, 0, 2.4e-8, 2e-3, 1e-9, 0, false, "energy"},
    {"double_four_bar", 0, 0, false, 1.1e-5, 0, 5e-6, 0.2, 1e-9, 0, false, "dp5"},
    {"double_four_bar", 0, 0, false, 1.6e-5, 0, 7.4e-6, 0.2, 1e-9, 0, false, "rk4"},
    {"bricard", 0, 0, false, 7.8e-9, 0, 0, 0, 1e-9, 0, false, "dp5"},
    {"slider_crank", 0, 0, false, 6.4e-2, 6.7e-1, 7.6e-2, 0.17, 1e-9, 0, false, NULL},
    {"chain_32", 0, 0, false, 2.7e-1, 9.1e-1, 1.73, 0.0093, 1e-9, 0, true, NULL},
    {"chain_128", 0, 0, false, 9.8e-3, 1.5e-1, 10.6, 0.00092, 1e-9, 5, true, NULL},
    {"chain_128", 0, 0, false, 1.16, 9.5, 44.5, 0.0073, 1e-9, 6, true, NULL},
};
enum { REFERENCES = sizeof references / sizeof *references };

/* Largest errors of one run. */
struct seen {
  double position, velocity, energy, force, first_force, largest_force;
  double constraint[2]; /* first and second half of the run */
  double peak, peak_time, lowest;
  int rows, degraded;
};

struct run {
  const struct reference *r;
  struct table t;
  struct settings *s;
  ali3_data *d;
  struct signals *signals;
  double *value;
  int *place; /* (columns) index in value, or -1 */
  int phi, tip;
  struct seen seen;
};

static bool ends_in(const char *name, const char *what)
{
  return strstr(name, what) != NULL;
}

static void larger(double *largest, double x)
{
  if (!(fabs(x) <= *largest)) *largest = fabs(x); /* keeps NaN */
}

static void start(struct run *run)
{
  char file[512];
  const struct settings_overrides over = {
      .method = run->r->method, .dt = run->r->dt, .alpha = run->r->alpha, .extrapolate = run->r->extrapolate};
  snprintf(file, sizeof file, TEST_DATA "/reference/%s.csv", run->r->name);
  assert_int_equal(table_read(&run->t, file), 0);
  snprintf(file, sizeof file, TEST_DATA "/reference/%s.json", run->r->name);
  run->s = setup_load(file, &over, stderr);
  assert_non_null(run->s);
  assert_int_equal(run->s->options.iterations, 3);
  run->d = ali3_data_new(run->s->model);
  run->signals = signals_new(run->s->model, NULL, 0);
  run->place = calloc((size_t)run->t.columns, sizeof *run->place);
  assert_true(run->d && run->signals && run->place);
  run->value = calloc((size_t)run->signals->count, sizeof *run->value);
  assert_non_null(run->value);
  for (int i = 0; i < run->t.columns; i++) run->place[i] = signals_find(run->signals, run->t.name[i]);
  run->phi = table_find(&run->t, "extra.phi");
  run->tip = table_find(&run->t, "point.tip.position.x");
}

static void stop(struct run *run)
{
  signals_free(run->signals);
  ali3_data_free(run->d);
  settings_free(run->s);
  table_free(&run->t);
  free(run->value);
  free(run->place);
}

/* The free end of the last link of a chain, 0.5 m along its x axis. */
static void compare_tip(struct run *run, const double *row)
{
  const double *x =
      run->value + run->signals->body_first + SIGNALS_BODY * (ali3_model_bodies(run->s->model) - 1);
  const double *p = x + 3;
  larger(&run->seen.position, x[0] + 0.5 - (p[2] * p[2] + p[3] * p[3]) - row[run->tip]);
  larger(&run->seen.position, x[1] + p[1] * p[2] + p[0] * p[3] - row[run->tip + 1]);
}

static void compare(struct run *run, const double *row)
{
  struct seen *seen = &run->seen;
  bool unbounded = strcmp(run->r->name, "double_four_bar") == 0 && fabs(sin(row[run->phi])) <= 0.1;
  for (int i = 0; i < run->t.columns; i++) {
    if (run->place[i] < 0) continue;
    const char *name = run->t.name[i];
    double error = run->value[run->place[i]] - row[i];
    if (ends_in(name, ".position.")) larger(&seen->position, error);
    if (ends_in(name, ".velocity.")) larger(&seen->velocity, error);
    if (ends_in(name, "energy.total")) larger(&seen->energy, error);
    if (!ends_in(name, ".force.")) continue;
    if (seen->rows == 0) larger(&seen->first_force, error);
    if (unbounded) continue;
    larger(&seen->force, error);
    larger(&seen->largest_force, row[i]);
  }
  if (run->r->tip) compare_tip(run, row);
  seen->rows++;
}

static void watch(struct run *run, bool late)
{
  const struct signals *s = run->signals;
  larger(&run->seen.constraint[late], run->value[s->constraint_first]);
  run->seen.lowest = fmin(run->seen.lowest, run->value[s->energy_first + 2]);
  if (run->value[s->energy_first] > run->seen.peak) {
    run->seen.peak = run->value[s->energy_first];
    run->seen.peak_time = run->value[0];
  }
}

/* Steps to the end, and compares at each row of the table. */
static void go(struct run *run)
{
  double dt = run->s->options.dt, end = run->r->until > 0 ? run->r->until : run->s->duration;
  long steps = lround(end / dt);
  assert_int_equal(ali3_reset(run->s->model, run->d), ALI3_OK);
  for (long k = 0; k <= steps; k++) {
    if (k > 0) {
      int status = ali3_step(run->s->model, run->d);
      assert_true(status >= 0);
      run->seen.degraded += status > 0;
    }
    signals_observe(run->signals, run->s->model, run->d, NULL, run->value);
    watch(run, k > steps / 2);
    if (run->seen.rows < run->t.rows &&
        fabs(table_row(&run->t, run->seen.rows)[0] - (double)k * dt) < 0.25 * dt)
      compare(run, table_row(&run->t, run->seen.rows));
  }
  assert_true(run->r->until > 0 || run->seen.rows == run->t.rows);
  assert_true(run->seen.rows > 50);
}

static void judge(const char *what, double found, double limit, bool *good)
{
  if (limit > 0.0)
    printf("  %s %.2e / %.2e", what, found, limit);
  else
    printf("  %s %.2e", what, found);
  if (!(found <= limit) && limit > 0.0) {
    printf(" TOO MUCH");
    *good = false;
  }
}

static void stays_close(void **state)
{
  struct run run = {.r = *state};
  const struct reference *r = run.r;
  const struct seen *seen = &run.seen;
  bool good = true;
  start(&run);
  go(&run);
  printf("%-23s %2g ms%s%s%s%s:", r->name, 1e3 * run.s->options.dt, r->alpha > 0 ? ", alpha" : "",
         r->method ? ", " : "", r->method ? r->method : "", r->extrapolate ? ", extrapolated" : "");
  judge("position", seen->position, MARGIN * r->position, &good);
  judge("velocity", seen->velocity, MARGIN * r->velocity, &good);
  judge("energy", seen->energy, MARGIN * r->energy, &good);
  judge("constraint", fmax(seen->constraint[0], seen->constraint[1]), r->constraint, &good);
  judge("force", seen->force, r->force * seen->largest_force, &good);
  judge("first force", seen->first_force, 1e-9, &good);
  printf("%s\n", seen->degraded ? "  (some steps not converged)" : "");
  assert_true(good);
  assert_true(seen->position > 0 && seen->velocity > 0 && seen->energy > 0);
  /* the energy method takes increments back in singular passes, in any of six inner steps */
  assert_true(seen->degraded <= (r->method && r->extrapolate ? 10 : 2));
  stop(&run);
}

static void four_bar_does_not_drift(void **state)
{
  struct run run = {.r = *state};
  start(&run);
  go(&run);
  assert_true(run.seen.constraint[1] <= 10 * run.seen.constraint[0] + 1e-15);
  stop(&run);
}

/* Paper 1, section 4.4. */
static void chain_of_128_whips_as_published(void **state)
{
  struct reference whole = *(const struct reference *)*state;
  whole.until = 0;
  struct run run = {.r = &whole};
  start(&run);
  go(&run);
  printf("chain_128: kinetic energy peaks at %.2f s, total energy as low as %.2f J\n", run.seen.peak_time,
         run.seen.lowest);
  assert_true(run.seen.peak_time > 5.215 && run.seen.peak_time < 5.235);
  assert_true(fabs(run.seen.lowest + 46.3) < 0.3);
  stop(&run);
}

int main(void)
{
  enum { N = REFERENCES };
  struct CMUnitTest tests[N + 2] = {0};
  char name[N][64];
  for (int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "%s/%d", references[i].name, i);
    tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(stays_close, (void *)(uintptr_t)&references[i]);
    tests[i].name = name[i];
  }
  tests[N] = (struct CMUnitTest)cmocka_unit_test_prestate(four_bar_does_not_drift,
                                                          (void *)(uintptr_t)&references[0]);
  tests[N + 1] = (struct CMUnitTest)cmocka_unit_test_prestate(chain_of_128_whips_as_published,
                                                              (void *)(uintptr_t)&references[N - 1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
