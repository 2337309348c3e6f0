/* SPDX-License-Identifier: MIT
 * The report, parsed again key by key. */
#include "check.h"
#include "journal/report.h"

#include "base/arena.h"
#include "signals/exchange.h"

#include <ali3/ali3.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WARMUP = 7 };
static struct settings settings = {
    .options.dt = 0.01, .cycle.warmup = WARMUP, .realtime.workers = WORKERS_AUTO};

static int set_up(void **state)
{
  struct telemetry *t = aligned_zalloc(sizeof *t);
  if (!t) return -1;
  strcpy(t->model, "four_bar");
  strcpy(t->instance, "bench");
  strcpy(t->isa, "baseline");
  t->workers = 2;
  *state = t;
  return 0;
}

static int tear_down(void **state)
{
  free(*state);
  return 0;
}

static void fill(struct telemetry *t, uint64_t misses)
{
  histogram_clear(&t->histograms.wakeup);
  histogram_clear(&t->histograms.step);
  histogram_clear(&t->histograms.cycle);
  for (uint64_t k = 1; k <= 1000; k++) {
    histogram_add(&t->histograms.wakeup, 1000 * k, k);
    histogram_add(&t->histograms.cycle, 2000 * k, k);
  }
  counter_add(&t->counters.osc_malformed, 3);
  t->clocking = CLOCKING_INPUT;
  t->overrun = OVERRUN_CATCH_UP;
  telemetry_write(t, &(struct telemetry_live){.cycle = 1000 + WARMUP,
                                              .time = 10.0,
                                              .misses = misses,
                                              .skipped = 2 * misses,
                                              .grace_misses = 3,
                                              .late_starts = 5,
                                              .slipped_ns = 250000000,
                                              .load = {0.5, 0.25, 0.125}});
}

static json_t *written(const struct report *r)
{
  FILE *f = tmpfile();
  assert_non_null(f);
  assert_true(report_write(r, f));
  rewind(f);
  json_t *o = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
  fclose(f);
  assert_non_null(o);
  return o;
}

static double number(const json_t *o, const char *key)
{
  const json_t *v = json_object_get(o, key);
  if (!json_is_number(v)) fail_msg("%s is not a number", key);
  return json_number_value(v);
}

static const char *text(const json_t *o, const char *key)
{
  return json_string_value(json_object_get(o, key));
}

static void a_real_time_run(void **state)
{
  struct telemetry *t = *state;
  fill(t, 0);
  json_t *o = written(&(struct report){.settings = &settings,
                                       .telemetry = t,
                                       .realtime = true,
                                       .reason = "",
                                       .final_state = STATE_RUNNING,
                                       .commands_dropped = 5});
  assert_true(json_is_true(json_object_get(o, "realtime")));
  assert_string_equal(text(o, "realtime_reason"), "");
  assert_null(json_object_get(o, "label"));
  assert_string_equal(text(o, "version"), ALI3_VERSION);
  assert_string_equal(text(o, "model"), "four_bar");
  assert_string_equal(text(o, "instance"), "bench");
  assert_string_equal(text(o, "isa"), "baseline");
  assert_string_equal(text(o, "state"), "RUNNING");
  assert_true(number(o, "period_s") == 0.01);
  assert_true(number(o, "duration_s") == 10.0);
  assert_true(number(o, "workers") == 2 && number(o, "warmup_cycles") == WARMUP);
  assert_true(number(o, "cycles") == 1000 && number(o, "misses") == 0 && number(o, "skipped") == 0);
  assert_true(number(o, "miss_rate_below_95") == 0.003);
  assert_true(number(o, "commands_dropped") == 5 && number(o, "degraded") == 0);
  assert_true(number(json_object_get(o, "counters"), "osc_malformed") == 3);
#define KNOWN(name, meaning) assert_true(number(json_object_get(o, "counters"), #name) >= 0);
  COUNTER_LIST(KNOWN)
#undef KNOWN
  const json_t *wakeup = json_object_get(o, "wakeup_us");
  assert_true(number(wakeup, "min") == 1.0 && number(wakeup, "max") == 1000.0);
  assert_true(number(wakeup, "median") >= 500 && number(wakeup, "median") <= 502);
  assert_true(number(wakeup, "p99") >= 990 && number(wakeup, "p99") <= 992);
  assert_true(number(wakeup, "p999") >= 999 && number(wakeup, "p999") <= 1000);
  assert_true(number(json_object_get(o, "cycle_us"), "max") == 2000.0);
  /* No step was made: no figure, and above all not 0. */
  assert_true(json_is_null(json_object_get(json_object_get(o, "step_us"), "max")));
  json_decref(o);
}

static void assert_bin(const json_t *list, size_t index, double edge, json_int_t count)
{
  const json_t *bin = json_array_get(list, index);
  assert_int_equal(json_array_size(bin), 2);
  assert_true(json_number_value(json_array_get(bin, 0)) == edge);
  assert_int_equal(json_integer_value(json_array_get(bin, 1)), count);
}

static void rare_wakeups_have_their_own_bins(void **state)
{
  struct telemetry *t = *state;
  fill(t, 0);
  histogram_clear(&t->histograms.wakeup);
  for (uint64_t k = 1; k <= 9998; k++) histogram_add(&t->histograms.wakeup, 10500, k);
  histogram_add(&t->histograms.wakeup, 500900, 9999);
  histogram_add(&t->histograms.wakeup, 1200000, 10000);
  json_t *o = written(&(struct report){.settings = &settings, .telemetry = t, .reason = ""});
  const json_t *wakeup = json_object_get(o, "wakeup_us");
  assert_true(number(wakeup, "p999") == 11 && number(wakeup, "p9999") == 501 &&
              number(wakeup, "max") == 1200);
  const json_t *histograms = json_object_get(o, "histogram_us");
  assert_int_equal(json_object_size(histograms), 3);
  const json_t *bins = json_object_get(histograms, "wakeup");
  assert_int_equal(json_array_size(bins), 3);
  assert_bin(bins, 0, 10.0, 9998);
  assert_bin(bins, 1, 500.0, 1);
  assert_bin(bins, 2, 1189.207, 1);
  const json_t *step = json_object_get(histograms, "step");
  assert_true(json_is_array(step) && json_array_size(step) == 0);
  json_decref(o);
}

static void a_run_that_was_not_is_labelled(void **state)
{
  struct telemetry *t = *state;
  fill(t, 4);
  const struct report r = {
      .settings = &settings, .telemetry = t, .reason = "refused", .final_state = STATE_SAFE};
  json_t *o = written(&r);
  assert_true(json_is_false(json_object_get(o, "realtime")));
  assert_string_equal(text(o, "realtime_reason"), "refused");
  assert_string_equal(text(o, "label"), "NOT REAL-TIME");
  assert_true(number(o, "misses") == 4 && number(o, "skipped") == 8);
  assert_true(fabs(number(o, "duration_s") - 10.08) < 1e-12);
  assert_null(json_object_get(o, "miss_rate_below_95"));
  json_decref(o);
  char line[400];
  report_text(&r, line, sizeof line);
  assert_non_null(strstr(line, "NOT REAL-TIME, figures unrepresentative: 1000 cycles, state SAFE at the end, "
                               "misses 4, starts skipped 8"));
}

static void misses_are_counted_by_cause_and_the_last_have_a_text(void **state)
{
  struct telemetry *t = *state;
  fill(t, 12);
  counter_set(&t->counters.miss_suspended, 11);
  counter_set(&t->counters.miss_stolen, 1);
  for (uint64_t k = 1; k <= 12; k++)
    miss_log_write(&t->misses, &(struct miss){.number = k,
                                              .cycle = 100 + k,
                                              .cause = MISS_SUSPENDED,
                                              .suspended_ns = 3000000000,
                                              .slowest.level = -1});
  json_t *o = written(&(struct report){.settings = &settings, .telemetry = t, .reason = ""});
  const json_t *causes = json_object_get(o, "misses_by_cause"), *last = json_object_get(o, "last_misses");
  assert_int_equal(json_object_size(causes), MISS_CAUSES);
  assert_true(number(causes, "suspended") == 11 && number(causes, "stolen") == 1);
  assert_true(number(causes, "late-wake") == 0);
  assert_int_equal(json_array_size(last), 10);
  assert_string_equal(json_string_value(json_array_get(last, 0)),
                      "miss 3 at cycle 103: process stopped for 3.0 s");
  assert_true(number(o, "grace_misses") == 3 && number(o, "late_starts") == 5 &&
              number(o, "slipped_s") == 0.25);
  assert_true(number(json_object_get(o, "load"), "1s") == 0.5);
  assert_string_equal(text(o, "clocking"), "input");
  assert_string_equal(text(o, "overrun"), "catch_up");
  json_decref(o);
}

static void a_disk_that_is_full_is_noticed(void **state)
{
  FILE *full = fopen("/dev/full", "w");
  if (!full) {
    print_message("skipped: no /dev/full here\n");
    skip();
  }
  fill(*state, 0);
  assert_false(
      report_write(&(struct report){.settings = &settings, .telemetry = *state, .reason = ""}, full));
  fclose(full);
}

static void a_book_that_was_cleared_makes_no_run_shorter(void **state)
{
  struct telemetry *t = *state;
  fill(t, 4);
  histogram_clear(&t->histograms.cycle);
  histogram_add(&t->histograms.cycle, 5000, 1000);
  json_t *o = written(&(struct report){.settings = &settings, .telemetry = t, .reason = ""});
  assert_true(number(o, "cycles") == 1000);
  assert_true(fabs(number(o, "duration_s") - 10.08) < 1e-12);
  assert_true(number(json_object_get(o, "cycle_us"), "max") == 5.0);
  json_decref(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_real_time_run, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rare_wakeups_have_their_own_bins, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_run_that_was_not_is_labelled, set_up, tear_down),
      cmocka_unit_test_setup_teardown(misses_are_counted_by_cause_and_the_last_have_a_text, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_disk_that_is_full_is_noticed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_book_that_was_cleared_makes_no_run_shorter, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
