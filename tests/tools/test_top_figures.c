/* SPDX-License-Identifier: MIT
 * The figures of ali3-top for programs and people. */
#include "platform/platform.h"
#include "signals/clocking.h"
#include "signals/signals.h"
#include "telemetry/fields.h"
#include "tools/run_top.h"

#include <jansson.h>
#include <unistd.h>

TEST(json_has_every_figure)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.increment = 0.0 / 0.0 * live.time; /* NaN, which JSON does not have */
  counter_set(&t->counters.modbus_half_frames, 5);
  t->realtime = 0;
  snprintf(t->reason, sizeof t->reason, "SCHED_FIFO 80: \"no\" \xff");
  telemetry_write(t, &live);
  assert_int_equal(top("--json --instance %s", name), 0);
  json_t *o = json_loads(output, 0, NULL);
  assert_non_null(o);
  assert_string_equal(json_string_value(json_object_get(o, "status")), "healthy");
  assert_string_equal(json_string_value(json_object_get(o, "state")), "RUNNING");
  assert_string_equal(json_string_value(json_object_get(o, "label")), "NOT REAL-TIME");
  assert_string_equal(json_string_value(json_object_get(o, "instance")), name);
  assert_false(json_boolean_value(json_object_get(o, "realtime")));
  assert_int_equal(json_integer_value(json_object_get(o, "cycle")), 1000);
  assert_int_equal(json_integer_value(json_object_get(o, "misses")), 0);
  assert_true(json_is_null(json_object_get(o, "increment")));
  assert_true(json_number_value(json_object_get(o, "period_s")) == 0.01);
  assert_true(json_number_value(json_object_get(o, "input_age_ms")) == 12.0);
  for (int i = 0; i < telemetry_fields; i++)
    if (*telemetry_field[i].key) assert_non_null(json_object_get(o, telemetry_field[i].key));

  static const char *const histograms[] = {"wakeup_us", "step_us", "cycle_us"};
  static const char *const figure[] = {"count", "last", "min", "median", "p99", "p999", "max", "max_cycle"};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 8; k++)
      assert_true(json_is_number(json_object_get(json_object_get(o, histograms[i]), figure[k])));
  const json_t *wakeup = json_object_get(o, "wakeup_us");
  assert_true(json_number_value(json_object_get(wakeup, "min")) == 1.0);
  assert_in_range(json_number_value(json_object_get(wakeup, "median")), 500, 502);
  assert_true(json_number_value(json_object_get(wakeup, "max")) == 1000.0);
  assert_int_equal(json_integer_value(json_object_get(wakeup, "max_cycle")), 1000);

  const json_t *counters = json_object_get(o, "counters");
#define CHECK(field, text) assert_true(json_is_integer(json_object_get(counters, #field)));
  COUNTER_LIST(CHECK)
#undef CHECK
  assert_int_equal(json_integer_value(json_object_get(counters, "modbus_half_frames")), 5);
  json_decref(o);
  telemetry_destroy(t);
}

static const json_t *at(const json_t *list, size_t index, const char *key)
{
  return json_object_get(json_array_get(list, index), key);
}

TEST(json_has_phases_levels_misses_and_inputs)
{
  struct telemetry *t = start_fake();
  t->clocking = CLOCKING_INPUT;
  t->overrun = OVERRUN_CATCH_UP;
  add_level(t, "rows", 0, 10000);
  add_level(t, "level 0", 12, 2000);
  add_miss(t, 1, 400, false);
  add_miss(t, 2, 401, true);
  t->inputs = 2;
  snprintf(t->input[0].name, sizeof t->input[0].name, "push");
  t->input[0].policy = INPUT_SAFE;
  t->input[0].hold_ns = 50000000;
  atomic_store(&t->input[0].age_ns, 70000000);
  atomic_store(&t->input[0].state, INPUT_RECOVERING);
  atomic_store(&t->input[0].limits, INPUT_CLAMPED | INPUT_SLOWED);
  client_name_write(&t->input[0].owner_name, 1, "osc 10.0.0.2:9000");
  snprintf(t->input[1].name, sizeof t->input[1].name, "pull");
  atomic_store(&t->input[1].age_ns, UINT64_MAX);
  histogram_add(&t->histograms.latch, 2500, 9);
  struct telemetry_live live = healthy();
  live.grace_misses = 1;
  live.late_starts = 3;
  live.slipped_ns = 1500000000;
  live.pulled_ns = -250000000;
  live.beat_error_ns = -1000;
  live.beats = 900;
  live.beats_lost = 2;
  live.waiting = 1;
  live.load[0] = 0.25;
  live.load[2] = 0.5;
  t->platform = t->cranks = 1;
  t->leg_max = 1.25;
  live.platform = (struct platform_live){.state = PLATFORM_PARK,
                                         .mode = PLATFORM_EXTERNAL,
                                         .flags = PLATFORM_UNREACHABLE,
                                         .pose = {0, 0, -0.125},
                                         .legs = {0, 0, 0, 0, 0, 0.5}};
  telemetry_write(t, &live);
  assert_int_equal(top("--json --instance %s", name), 0);
  json_t *o = json_loads(output, 0, NULL);
  assert_non_null(o);
  assert_string_equal(json_string_value(json_object_get(o, "clocking")), "input");
  assert_string_equal(json_string_value(json_object_get(o, "overrun")), "catch_up");
  assert_int_equal(json_integer_value(json_object_get(o, "grace_misses")), 1);
  assert_int_equal(json_integer_value(json_object_get(o, "late_starts")), 3);
  assert_true(json_real_value(json_object_get(o, "slipped_s")) == 1.5);
  assert_true(json_real_value(json_object_get(o, "pulled_s")) == -0.25);
  assert_true(json_real_value(json_object_get(o, "beat_error_s")) == -1e-6);
  assert_int_equal(json_integer_value(json_object_get(o, "beats")), 900);
  assert_int_equal(json_integer_value(json_object_get(o, "beats_lost")), 2);
  assert_true(json_is_true(json_object_get(o, "waiting")));
  const json_t *load = json_object_get(o, "load");
  assert_int_equal(json_array_size(load), 3);
  assert_true(json_real_value(json_array_get(load, 2)) == 0.5);

  const json_t *phases = json_object_get(o, "phases");
  assert_int_equal(json_object_size(phases), PHASES);
  assert_true(json_number_value(json_object_get(json_object_get(phases, "latch"), "max")) == 2.5);
  assert_true(json_number_value(json_object_get(json_object_get(o, "latch_us"), "max")) == 2.5);

  const json_t *platform = json_object_get(o, "platform");
  assert_string_equal(json_string_value(json_object_get(platform, "state")), "park");
  assert_string_equal(json_string_value(json_object_get(platform, "mode")), "external");
  assert_true(json_is_true(json_object_get(json_object_get(platform, "flags"), "unreachable")));
  assert_true(json_is_false(json_object_get(json_object_get(platform, "flags"), "parked")));
  assert_true(json_real_value(json_array_get(json_object_get(platform, "pose"), 2)) == -0.125);
  assert_true(json_real_value(json_array_get(json_object_get(platform, "legs_normalised"), 5)) == 0.5);
  assert_true(json_real_value(json_object_get(platform, "leg_max")) == 1.25);
  assert_string_equal(json_string_value(json_object_get(platform, "leg_unit")), "rad");

  const json_t *levels = json_object_get(o, "levels");
  assert_int_equal(json_array_size(levels), 2);
  assert_string_equal(json_string_value(at(levels, 0, "name")), "rows");
  assert_true(json_is_true(at(levels, 0, "shared")));
  assert_int_equal(json_integer_value(at(levels, 1, "nodes")), 12);
  assert_true(json_number_value(json_object_get(at(levels, 0, "busy_us"), "max")) == 30.0);
  assert_true(json_number_value(json_object_get(at(levels, 0, "busy_us"), "mean")) == 20.0);
  assert_int_equal(json_integer_value(json_object_get(at(levels, 0, "busy_us"), "max_cycle")), 8);
  assert_true(json_number_value(json_object_get(at(levels, 0, "wait_us"), "last")) == 1.5);
  assert_true(json_is_null(json_object_get(at(levels, 1, "wait_us"), "mean")));

  const json_t *misses = json_object_get(o, "misses_log"); /* newest first */
  assert_int_equal(json_array_size(misses), 2);
  assert_int_equal(json_integer_value(at(misses, 0, "number")), 2);
  assert_true(json_is_true(at(misses, 0, "grace")));
  assert_int_equal(json_integer_value(at(misses, 1, "cycle")), 400);
  assert_string_equal(json_string_value(at(misses, 1, "cause")), "late-wake");
  assert_true(json_is_null(at(misses, 1, "phase")));
  assert_int_equal(json_integer_value(at(misses, 1, "skipped")), 1);
  assert_true(json_number_value(at(misses, 1, "wakeup_us")) == 12000.0);
  assert_string_equal(json_string_value(at(misses, 1, "text")),
                      "miss 1 at cycle 400: woke 12.0 ms late, then took 300 us; 1 start skipped");

  const json_t *inputs = json_object_get(o, "inputs");
  assert_int_equal(json_array_size(inputs), 2);
  assert_string_equal(json_string_value(at(inputs, 0, "policy")), "safe");
  assert_true(json_number_value(at(inputs, 0, "age_ms")) == 70.0);
  assert_true(json_number_value(at(inputs, 0, "hold_ms")) == 50.0);
  assert_true(json_is_true(at(inputs, 0, "stale")));
  assert_string_equal(json_string_value(at(inputs, 0, "state")), "recovering");
  assert_true(json_is_true(at(inputs, 0, "clamped")) && json_is_true(at(inputs, 0, "rate_limited")));
  assert_string_equal(json_string_value(at(inputs, 0, "owner")), "osc 10.0.0.2:9000");
  assert_true(json_is_null(at(inputs, 1, "owner")));
  assert_string_equal(json_string_value(at(inputs, 1, "state")), "never");
  assert_true(json_is_null(at(inputs, 1, "age_ms")));
  assert_true(json_is_false(at(inputs, 1, "stale")));
  json_decref(o);

  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows(
      "clocking  input (waits), overrun catch_up 0   load 25.0 % in 1 s, 0.0 % in 10 s, 50.0 % in 60 s\n");
  assert_shows("beats     900, 2 lost, last one off by -1.0 us, pulled by -0.250000 s\n");
  assert_shows(", 1 missed in the grace, 3 late starts, slipped by 1.500 s\n");
  assert_shows("us            share      busy       max  in cycle\n");
  assert_shows("rows        100.0 %      30.0      30.0         8\n");
  assert_shows("level 0      20.0 %       6.0       6.0         8\n");
  assert_shows("misses    miss 2 in the grace at cycle 401: ");
  assert_shows("          miss 1 at cycle 400: woke 12.0 ms late");
  assert_shows(
      "  push                   age 70 ms, hold 50 ms, then safe: RECOVERING, clamped, slowed to its rate, "
      "from osc 10.0.0.2:9000\n");
  t->workers = 2;
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("in cycle      wait       max  in cycle\n");
  assert_shows("rows        100.0 %      30.0      30.0         8       1.5       1.5         8\n");
  telemetry_destroy(t);
}

TEST(devices_are_shown_and_judged)
{
  struct telemetry *t = start_fake();
  const struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  t->devices = 2;
  snprintf(t->device[0].name, sizeof t->device[0].name, "plc");
  atomic_store(&t->device[0].state, DEVICE_UP);
  atomic_store(&t->device[0].polled_ns, clock_now_ns() + 600 * NS_PER_S); /* never old */
  atomic_store(&t->device[0].polls, 77);
  snprintf(t->device[1].name, sizeof t->device[1].name, "drive");
  atomic_store(&t->device[1].state, DEVICE_UP);
  assert_int_equal(top("--json --instance %s", name), 0);
  json_t *o = json_loads(output, 0, NULL);
  const json_t *devices = json_object_get(o, "devices");
  assert_int_equal(json_array_size(devices), 2);
  assert_string_equal(json_string_value(at(devices, 0, "name")), "plc");
  assert_string_equal(json_string_value(at(devices, 0, "state")), "up");
  assert_true(json_number_value(at(devices, 0, "age_ms")) == 0.0);
  assert_int_equal(json_integer_value(at(devices, 0, "polls")), 77);
  assert_string_equal(json_string_value(at(devices, 0, "error")), "");
  assert_true(json_is_null(at(devices, 1, "age_ms")));
  json_decref(o);

  atomic_store(&t->device[1].state, DEVICE_CONNECTING);
  atomic_store(&t->device[1].errors[DEVICE_ERROR_unreachable], 4);
  atomic_store(&t->device[1].late, 2);
  device_tell(&t->device[1], "Connection refused");
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("verdict   DEGRADED: device drive connecting: Connection refused\n");
  assert_shows("  plc                    up, polled 0 ms ago, 77 polls, 0 late, 0 errors\n");
  assert_shows(
      "  drive                  connecting, polled never, 0 polls, 2 late, 4 errors, the last: Connection "
      "refused\n");
  assert_int_equal(top("--json --instance %s", name), 1);
  o = json_loads(output, 0, NULL);
  devices = json_object_get(o, "devices");
  assert_int_equal(json_integer_value(json_object_get(at(devices, 1, "errors"), "unreachable")), 4);
  assert_string_equal(json_string_value(at(devices, 1, "error")), "Connection refused");
  json_decref(o);
  telemetry_destroy(t);
}

/* Numbers of rows and texts beyond their fields, which only a broken writer leaves. */
TEST(a_broken_block_is_survived)
{
  struct telemetry *t = start_fake();
  t->histograms.levels = 1000000;
  t->inputs = 1000000;
  memset(t->histograms.level, 'x', sizeof t->histograms.level);
  memset(t->input, 'x', sizeof t->input);
  t->devices = 1000000;
  memset(t->device, 'x', sizeof t->device);
  memset(t->isa, 'x', sizeof t->isa);
  add_miss(t, 1, 400, false);
  t->misses.slot[0].miss.cause = t->misses.slot[0].miss.phase = 99;
  t->misses.slot[0].miss.slowest.level = 12345;
  assert_in_range(top("--once --instance %s", name), 0, 1);
  assert_shows("misses    miss 1 at cycle 400: ");
  atomic_store(&t->misses.written, UINT64_MAX);
  assert_in_range(top("--once --instance %s", name), 0, 1);
  assert_shows("xxxxxxxxxxxxxxxxxxxxxxx");
  assert_in_range(top("--json --instance %s", name), 0, 1);
  json_t *o = json_loads(output, 0, NULL);
  assert_non_null(o);
  assert_int_equal(json_array_size(json_object_get(o, "levels")), LEVELS_MAX);
  assert_int_equal(json_array_size(json_object_get(o, "devices")), DEVICES_MAX);
  json_decref(o);
  telemetry_destroy(t);
}

/* Without gnuplot, or without a writable file, it says what to do. */
TEST(pictures_that_cannot_be_drawn)
{
  struct telemetry *t = start_fake();
  char path[128];
  snprintf(path, sizeof path, "/tmp/%s.png", name);
  const char *programs = getenv("PATH");
  char *before = strdup(programs ? programs : "");
  setenv("PATH", "/nowhere", 1);
  assert_int_equal(top("--histogram %s --instance %s", path, name), 2);
  setenv("PATH", before, 1);
  free(before);
  assert_shows("gnuplot: No such file or directory; install it: apt-get install gnuplot-nox");
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(top("--histogram /nowhere/x.png --instance %s", name), 2);
  assert_shows("--histogram: /nowhere/x.png: the folder /nowhere does not exist");
  telemetry_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_every_figure),
      cmocka_unit_test(json_has_phases_levels_misses_and_inputs),
      cmocka_unit_test(devices_are_shown_and_judged),
      cmocka_unit_test(a_broken_block_is_survived),
      cmocka_unit_test(pictures_that_cannot_be_drawn),
  };
  snprintf(name, sizeof name, "test-figures-%d", (int)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
