/* SPDX-License-Identifier: MIT
 * The text format of Prometheus, line by line. */
#include "check.h"
#include "prometheus.h"

#include "signals/exchange.h"
#include "telemetry/fields.h"
#include "tools/fake_census.h"

#include <ali3/ali3.h>
#include <inttypes.h>
#include <stdlib.h>

static struct census census;
static char *text;

static void render(void)
{
  size_t size;
  free(text);
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  prometheus_write(&census, out);
  assert_int_equal(fclose(out), 0);
}

static int clear(void **state)
{
  (void)state;
  free(text);
  text = NULL;
  census.count = 0;
  return 0;
}

/* How often the complete line occurs. */
static int lines(const char *line)
{
  int n = 0;
  const size_t size = strlen(line);
  for (const char *at = text; (at = strstr(at, line)); at += size)
    n += (at == text || at[-1] == '\n') && at[size] == '\n';
  return n;
}

static void assert_line(const char *line)
{
  if (lines(line) != 1) fail_msg("%d times the line %s in:\n%s", lines(line), line, text);
}

static void assert_no(const char *part)
{
  if (strstr(text, part)) fail_msg("\"%s\" should not be in:\n%s", part, text);
}

/* The number after "NAME{LABELS} ". */
static double value(const char *series)
{
  const char *at = strstr(text, series);
  if (!at) fail_msg("%s is missing in:\n%s", series, text);
  return strtod(at + strlen(series), NULL);
}

TEST(every_figure_has_its_line)
{
  fake_daemon(&census.one[census.count++], "bench_1");
  render();
  assert_line("ali3_exporter_info{version=\"" ALI3_VERSION "\"} 1");
  assert_line("# HELP ali3_up 1 if the daemon runs");
  assert_line("# TYPE ali3_up gauge");
  assert_line("ali3_up{daemon=\"bench_1\"} 1");
  assert_line("ali3_info{daemon=\"bench_1\",model=\"four-bar\",reason=\"\"} 1");
  assert_line("ali3_healthy{daemon=\"bench_1\"} 1");
  assert_line("ali3_realtime{daemon=\"bench_1\"} 1");
  assert_line("ali3_pid{daemon=\"bench_1\"} 4711");
  assert_line("ali3_uptime_seconds{daemon=\"bench_1\"} 12.5");
  assert_line("ali3_age_seconds{daemon=\"bench_1\"} 0.0025");
  assert_line("ali3_period_seconds{daemon=\"bench_1\"} 0.01");
  assert_line("ali3_priority{daemon=\"bench_1\"} 80");
  assert_no("ali3_cpu{"); /* not pinned */
  assert_line("ali3_state_code{daemon=\"bench_1\"} 3");
  assert_line("ali3_fault_code{daemon=\"bench_1\"} 0");
  assert_line("# TYPE ali3_cycles_total counter");
  assert_line("ali3_cycles_total{daemon=\"bench_1\"} 123456789012");
  assert_line("ali3_simulated_seconds{daemon=\"bench_1\"} 10.25");
  assert_line("ali3_constraint_violation{daemon=\"bench_1\"} 3e-13");
  assert_line("ali3_input_age_seconds{daemon=\"bench_1\"} 0.012");
  assert_line("ali3_input_stale{daemon=\"bench_1\"} 0");
  assert_line("ali3_slipped_seconds_total{daemon=\"bench_1\"} 1.5");
  assert_line("ali3_load_ratio{daemon=\"bench_1\",horizon=\"1s\"} 0.5");
  assert_line("ali3_load_ratio{daemon=\"bench_1\",horizon=\"10s\"} 0.25");
  assert_line("ali3_load_ratio{daemon=\"bench_1\",horizon=\"60s\"} 0.125");
  assert_line("ali3_level_busy_seconds_max{daemon=\"bench_1\",level=\"rows\"} 1.25e-05");
  assert_line("ali3_level_busy_seconds_max{daemon=\"bench_1\",level=\"level 1\"} 7e-07");
  assert_line("ali3_level_wait_seconds_max{daemon=\"bench_1\",level=\"rows\"} 3e-06");
  assert_no("ali3_level_wait_seconds_max{daemon=\"bench_1\",level=\"level 1\"}"); /* nobody waited */
  assert_line("ali3_state{daemon=\"bench_1\",state=\"RUNNING\"} 1");
  assert_line("ali3_state{daemon=\"bench_1\",state=\"SAFE\"} 0");
  assert_line("ali3_last_seconds{daemon=\"bench_1\",phase=\"wakeup\"} 0.0015");
  assert_line("ali3_min_seconds{daemon=\"bench_1\",phase=\"wakeup\"} 4.999e-06");
  assert_line("ali3_max_seconds{daemon=\"bench_1\",phase=\"cycle\"} 8.05e-05");
  assert_no("phase=\"step\""); /* no step was made: no figure, and above all not 0 */
  assert_line("# TYPE ali3_osc_clients gauge");
  assert_line("ali3_osc_clients{daemon=\"bench_1\"} 2");
  assert_line("# TYPE ali3_modbus_half_frames_total counter");
  assert_line("# HELP ali3_modbus_half_frames_total Modbus connections closed in mid-frame");
  assert_line("ali3_modbus_half_frames_total{daemon=\"bench_1\"} 5");
  assert_line("ali3_loop_page_faults_total{daemon=\"bench_1\"} 0");
  assert_line("ali3_loop_preemptions_total{daemon=\"bench_1\"} 0");
}

/* For each field: its heading and its value. */
TEST(every_field_with_a_metric_has_its_line)
{
  const struct telemetry *t = &fake_daemon(&census.one[census.count++], "a")->block;
  render();
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    char line[256];
    if (!*f->metric) continue;
    snprintf(line, sizeof line, "# HELP ali3_%s %s", f->metric, f->text);
    assert_line(line);
    const struct field_value v = telemetry_value(t, f);
    snprintf(line, sizeof line, "ali3_%s{daemon=\"a\"} ", f->metric);
    if (v.type == VALUE_NONE)
      assert_no(line);
    else
      assert_true(value(line) == v.si);
  }
}

TEST(devices_have_lines)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  struct telemetry *t = &p->block;
  t->devices = 2;
  snprintf(t->device[0].name, sizeof t->device[0].name, "plc");
  atomic_store(&t->device[0].state, DEVICE_UP);
  atomic_store(&t->device[0].polled_ns, 1000000000);
  p->sample.now_ns = 1250000000;
  snprintf(t->device[1].name, sizeof t->device[1].name, "drive");
  atomic_store(&t->device[1].state, DEVICE_FAILING);
  atomic_store(&t->device[1].polls, 12);
  atomic_store(&t->device[1].late, 2);
  atomic_store(&t->device[1].reconnects, 3);
  atomic_store(&t->device[1].errors[DEVICE_ERROR_timeout], 4);
  atomic_store(&t->device[1].errors[DEVICE_ERROR_nonfinite], 5);
  render();
  assert_line("# TYPE ali3_device_up gauge");
  assert_line("ali3_device_up{daemon=\"a\",device=\"plc\"} 1");
  assert_line("ali3_device_up{daemon=\"a\",device=\"drive\"} 0");
  assert_line("ali3_device_age_seconds{daemon=\"a\",device=\"plc\"} 0.25");
  assert_no("ali3_device_age_seconds{daemon=\"a\",device=\"drive\"}"); /* no poll was completed */
  assert_line("ali3_device_polls_total{daemon=\"a\",device=\"drive\"} 12");
  assert_line("ali3_device_late_polls_total{daemon=\"a\",device=\"drive\"} 2");
  assert_line("ali3_device_reconnects_total{daemon=\"a\",device=\"drive\"} 3");
  assert_line("# TYPE ali3_device_errors_total counter");
  assert_line("ali3_device_errors_total{daemon=\"a\",device=\"drive\",kind=\"timeout\"} 4");
  assert_line("ali3_device_errors_total{daemon=\"a\",device=\"drive\",kind=\"nonfinite\"} 5");
  assert_line("ali3_device_errors_total{daemon=\"a\",device=\"plc\",kind=\"lost\"} 0");
}

TEST(platforms_have_a_state_and_a_pose)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  fake_daemon(&census.one[census.count++], "b"); /* without a platform */
  p->block.platform = 1;
  p->block.live.platform =
      (struct platform_live){.state = PLATFORM_RUN, .flags = PLATFORM_ENGAGED | PLATFORM_TILT_LIMITED};
  p->block.live.platform.pose[2] = -0.125;
  p->block.live.platform.legs[5] = 0.5;
  render();
  assert_line("# TYPE ali3_platform_state gauge");
  assert_line("ali3_platform_state{daemon=\"a\",state=\"run\"} 1");
  assert_line("ali3_platform_state{daemon=\"a\",state=\"parked\"} 0");
  assert_line("ali3_platform_flag{daemon=\"a\",flag=\"tilt_limited\"} 1");
  assert_line("ali3_platform_flag{daemon=\"a\",flag=\"pending\"} 0");
  assert_line("ali3_platform_pose{daemon=\"a\",coordinate=\"heave\"} -0.125");
  assert_line("ali3_platform_leg_normalised{daemon=\"a\",leg=\"6\"} 0.5");
  assert_no("ali3_platform_state{daemon=\"b\"");
}

TEST(rigs_say_where_they_are)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  fake_daemon(&census.one[census.count++], "b"); /* without a rig */
  p->block.rig = 1;
  p->block.permissives = 2;
  strcpy(p->block.permissive[0], "chain");
  strcpy(p->block.permissive[1], "door");
  p->block.live.rig = (struct rig_output){.pose = {[3] = 0.25},
                                          .pose_error = {[2] = -0.125},
                                          .legs = {[5] = 0.75},
                                          .leg_error = {[0] = 0.5},
                                          .permissives = {2},
                                          .felt_beyond = {3},
                                          .flags = {RIG_REPORTS | RIG_WARNS}};
  render();
  assert_line("ali3_rig_flag{daemon=\"a\",flag=\"warns\"} 1");
  assert_line("ali3_rig_flag{daemon=\"a\",flag=\"trips\"} 0");
  assert_line("ali3_rig_permissive{daemon=\"a\",permissive=\"chain\"} 0");
  assert_line("ali3_rig_permissive{daemon=\"a\",permissive=\"door\"} 1");
  assert_line("ali3_rig_pose{daemon=\"a\",coordinate=\"roll\"} 0.25");
  assert_line("ali3_rig_pose_error{daemon=\"a\",coordinate=\"heave\"} -0.125");
  assert_line("ali3_rig_leg{daemon=\"a\",leg=\"6\"} 0.75");
  assert_line("ali3_rig_leg_error{daemon=\"a\",leg=\"1\"} 0.5");
  assert_line("# TYPE ali3_rig_felt_beyond_total counter");
  assert_line("ali3_rig_felt_beyond_total{daemon=\"a\"} 3");
  assert_no("ali3_rig_flag{daemon=\"b\"");
}

TEST(trouble_is_shown)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  p->sample.verdict = VERDICT_DEGRADED;
  p->block.live.state = STATE_SAFE;
  p->block.live.fault = FAULT_STALE;
  p->block.live.flags = FLAG_SAFE | FLAG_INPUT_STALE;
  p->block.live.stale_mask = 5;
  p->block.live.misses = 7;
  p->block.live.skipped = 9;
  p->block.live.input_age_ns = UINT64_MAX;
  p->block.live.increment = 0.0 / 0.0 * p->block.live.time;
  p->block.live.constraint = 1e300 * 1e10;
  render();
  assert_line("ali3_healthy{daemon=\"a\"} 0");
  assert_line("ali3_state{daemon=\"a\",state=\"SAFE\"} 1");
  assert_line("ali3_state{daemon=\"a\",state=\"RUNNING\"} 0");
  assert_line("ali3_fault_code{daemon=\"a\"} 3");
  assert_line("ali3_input_stale{daemon=\"a\"} 1");
  assert_line("ali3_input_stale_mask{daemon=\"a\"} 5");
  assert_line("ali3_deadline_misses_total{daemon=\"a\"} 7");
  assert_line("ali3_starts_skipped_total{daemon=\"a\"} 9");
  assert_line("ali3_increment{daemon=\"a\"} NaN");
  assert_line("ali3_constraint_violation{daemon=\"a\"} +Inf");
  assert_no("ali3_input_age_seconds{"); /* none received */
}

/* Torn figures are not shown; figures outside the lock are. */
TEST(torn_figures_are_left_out)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  p->sample.whole = false;
  render();
  assert_line("ali3_up{daemon=\"a\"} 1");
  assert_line("ali3_period_seconds{daemon=\"a\"} 0.01");
  assert_no("ali3_cycles_total{");
  assert_no("ali3_state{");
  assert_no("ali3_deadline_misses_total{");
  assert_no("ali3_load_ratio{");
}

TEST(buckets_are_cumulative)
{
  fake_daemon(&census.one[census.count++], "a");
  render();
  assert_line("# TYPE ali3_wakeup_seconds histogram");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"5e-06\"} 1");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"1e-05\"} 2");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"2e-05\"} 2");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"3e-05\"} 3");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"0.001\"} 3");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"0.002\"} 4");
  assert_line("ali3_wakeup_seconds_bucket{daemon=\"a\",le=\"+Inf\"} 4");
  assert_line("ali3_wakeup_seconds_count{daemon=\"a\"} 4");
  /* Three entries in bins of 1 us; the fourth between 1.414 and 1.542 ms. */
  const double sum = value("ali3_wakeup_seconds_sum{daemon=\"a\"} ");
  assert_true(sum > 30.5e-6 - 1.5e-6 + 1.414e-3 && sum < 30.5e-6 + 1.5e-6 + 1.543e-3);
  assert_line("ali3_cycle_seconds_sum{daemon=\"a\"} 0.000161");
  assert_line("ali3_step_seconds_bucket{daemon=\"a\",le=\"+Inf\"} 0");
  assert_line("ali3_step_seconds_sum{daemon=\"a\"} 0");
  assert_line("ali3_step_seconds_count{daemon=\"a\"} 0");
}

/* Every bound is an edge of bins: an entry 1 ns below it counts, one at it does not. The entries of all bins, also of
 * the overflow bin, add up to the count. */
TEST(bounds_are_edges_of_bins)
{
  struct histogram *h = &fake_daemon(&census.one[census.count++], "a")->block.histograms.cycle;
  uint64_t bound[64];
  int bounds = 0;
  render();
  static const char series[] = "ali3_cycle_seconds_bucket{daemon=\"a\",le=\"";
  for (const char *at = text; (at = strstr(at, series)); at++) {
    const double le = strtod(at + strlen(series), NULL);
    assert_in_range(bounds, 0, 63);
    if (le < 1e9) bound[bounds++] = (uint64_t)(le * 1e9 + 0.5);
  }
  assert_in_range(bounds, 10, 40);
  for (int b = 0; b < bounds; b++) {
    if (b > 0) assert_true(bound[b] > bound[b - 1]);
    histogram_clear(h);
    histogram_add(h, bound[b] - 1, 1);
    histogram_add(h, bound[b], 2);
    render();
    char line[128];
    snprintf(line, sizeof line, "%s%g\"} 1", series, (double)bound[b] / 1e9);
    assert_line(line);
  }

  histogram_clear(h);
  for (int i = 0; i < BOOK_BINS; i++) histogram_add(h, (uint64_t)histogram_edge(i), 1);
  render();
  char line[128];
  snprintf(line, sizeof line, "%s+Inf\"} %d", series, (int)BOOK_BINS);
  assert_line(line);
  snprintf(line, sizeof line, "ali3_cycle_seconds_count{daemon=\"a\"} %d", (int)BOOK_BINS);
  assert_line(line);
}

TEST(labels_are_escaped)
{
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  snprintf(p->block.model, sizeof p->block.model, "m\"o\\d\nel \xc3\xa4");
  snprintf(p->block.reason, sizeof p->block.reason, "not \xff UTF-8");
  render();
  assert_line("ali3_info{daemon=\"a\",model=\"m\\\"o\\\\d\\nel \xc3\xa4\",reason=\"?\"} 1");
}

/* The lines of a metric are together below one heading, also with several daemons. A daemon that is gone has `up` only. */
TEST(metrics_are_grouped)
{
  fake_daemon(&census.one[census.count++], "a");
  fake_daemon(&census.one[census.count++], "b");
  fake_gone(&census.one[census.count++], "c");
  render();
  assert_line("ali3_up{daemon=\"a\"} 1");
  assert_line("ali3_up{daemon=\"b\"} 1");
  assert_line("ali3_up{daemon=\"c\"} 0");
  const char *gone = strstr(text, "daemon=\"c\"");
  assert_null(strstr(gone + 1, "daemon=\"c\""));

  char metric[64] = "";
  static char seen[200][64];
  int metrics = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    if (strncmp(line, "# HELP ", 7) == 0) {
      assert_int_equal(sscanf(line, "# HELP %63s", metric), 1);
      for (int i = 0; i < metrics; i++) assert_string_not_equal(seen[i], metric);
      assert_in_range(metrics, 0, 199);
      snprintf(seen[metrics++], sizeof seen[0], "%s", metric);
    } else if (strncmp(line, "# TYPE ", 7) == 0) {
      assert_int_equal(strncmp(line + 7, metric, strlen(metric)), 0);
    } else {
      const size_t n = strcspn(line, "{");
      assert_int_equal(strncmp(line, metric, strlen(metric)), 0);
      const char *suffix = line + strlen(metric);
      assert_true(n == strlen(metric) || strncmp(suffix, "_bucket{", 8) == 0 ||
                  strncmp(suffix, "_sum{", 5) == 0 || strncmp(suffix, "_count{", 7) == 0);
    }
  }
  assert_in_range(metrics, 50, 199);
}

/* True if the name has one of these words between underscores. */
static bool has_word_of(const char *name, const char *const *words, int count)
{
  for (int i = 0; i < count; i++) {
    const size_t n = strlen(words[i]);
    for (const char *at = name; (at = strstr(at, words[i])); at += n)
      if (at > name && at[-1] == '_' && (at[n] == '_' || at[n] == '\0')) return true;
  }
  return false;
}

static bool ends_with(const char *name, const char *end)
{
  return strlen(name) > strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

/* `promtool check metrics` demands this and more; this test needs no such program. */
TEST(names_and_units_follow_the_conventions)
{
  static const char *const scaled[] = {"ns",           "us",      "ms",   "nanoseconds", "microseconds",
                                       "milliseconds", "minutes", "mm",   "degrees",     "kb",
                                       "mb",           "percent", "hours"};
  struct present *p = fake_daemon(&census.one[census.count++], "a");
  p->block.platform = 1;
  p->block.devices = 1;
  snprintf(p->block.device[0].name, sizeof p->block.device[0].name, "plc");
  counter_set(&p->block.counters.osc_send_ns, 1500000000);
  render();
  assert_line("ali3_osc_send_seconds_total{daemon=\"a\"} 1.5");
  int metrics = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char name[64], kind[16];
    if (sscanf(line, "# TYPE %63s %15s", name, kind) != 2) continue;
    const bool counter = strcmp(kind, "counter") == 0;
    metrics++;
    if (has_word_of(name, scaled, sizeof scaled / sizeof *scaled)) fail_msg("%s: not a base unit", name);
    if (ends_with(name, "_total") != counter)
      fail_msg("%s: a counter ends in _total, a %s does not", name, kind);
    if (ends_with(name, "_count") || ends_with(name, "_sum") || ends_with(name, "_bucket"))
      fail_msg("%s: the ending of a histogram's series", name);
  }
  assert_in_range(metrics, 50, 199);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(every_figure_has_its_line, clear),
      cmocka_unit_test_teardown(every_field_with_a_metric_has_its_line, clear),
      cmocka_unit_test_teardown(devices_have_lines, clear),
      cmocka_unit_test_teardown(platforms_have_a_state_and_a_pose, clear),
      cmocka_unit_test_teardown(rigs_say_where_they_are, clear),
      cmocka_unit_test_teardown(trouble_is_shown, clear),
      cmocka_unit_test_teardown(torn_figures_are_left_out, clear),
      cmocka_unit_test_teardown(buckets_are_cumulative, clear),
      cmocka_unit_test_teardown(bounds_are_edges_of_bins, clear),
      cmocka_unit_test_teardown(labels_are_escaped, clear),
      cmocka_unit_test_teardown(metrics_are_grouped, clear),
      cmocka_unit_test_teardown(names_and_units_follow_the_conventions, clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
