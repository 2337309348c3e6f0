/* SPDX-License-Identifier: MIT
 * Intervals from artificial clocks, and one sample of the real host. */
#include "check.h"
#include "journal/host_history.h"

#include "rt/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
static const uint64_t T0 = UINT64_C(50000000000), TICK = 20 * MS;

static struct host_history s;

static int set_up(void **state)
{
  (void)state;
  s = (struct host_history){.tick_ns = TICK};
  return 0;
}

static struct host_sample at(uint64_t ms)
{
  return (struct host_sample){
      .clocks = {.now_ns = T0 + ms * MS, .wall_ns = INT64_C(1) << 60, .slack_ns = 1000}};
}

static struct miss between(uint64_t from_ms, uint64_t to_ms)
{
  return (struct miss){.start_ns = T0 + from_ms * MS, .wake_ns = T0 + to_ms * MS, .end_ns = T0 + to_ms * MS};
}

/* The first sample shows the present state, which is no change. */
TEST(the_first_look_tells_nothing)
{
  struct host_sample sample = at(0);
  sample.stolen_ns = 12345;
  sample.clocks.asleep_ns = NS_PER_S;
  const struct host_interval *t = host_history_add(&s, &sample);
  assert_int_equal(t->stopped_ns + t->asleep_ns + t->stolen_ns, 0);
  assert_int_equal(t->wall_step_ns, 0);
}

TEST(a_stop_takes_a_signal_and_a_gap)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(20);
  sample.continued = true; /* a process that was not stopped got it */
  assert_int_equal(host_history_add(&s, &sample)->stopped_ns, 0);
  sample = at(1020); /* just a busy machine */
  assert_int_equal(host_history_add(&s, &sample)->stopped_ns, 0);
  sample = at(4020);
  sample.continued = true;
  assert_int_equal(host_history_add(&s, &sample)->stopped_ns, 2980 * MS);

  struct miss m = between(1500, 4019);
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 2519 * MS); /* the part that overlaps the cycle */
  m = between(900, 1000);
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 0);
  m = between(1500, 4021); /* made up for, after the cycle that was stopped */
  m.waiting_since_ns = T0;
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 0);
}

/* Shorter than two ticks: the gap between two samples proves nothing, but the signal does. */
TEST(a_short_stop_takes_the_signal_alone)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(20);
  host_history_add(&s, &sample);
  sample = at(36); /* stopped at 21, continued at 36; the cycle of 25 began then */
  sample.continued = true;
  sample.continued_since_ns = T0 + 19 * MS;
  assert_int_equal(host_history_add(&s, &sample)->stopped_ns, 0);
  struct miss m = between(25, 37);
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 11 * MS);
  m = between(5, 18); /* over before the stop can have begun */
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 0);
  m = between(37, 52);
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 0);
}

/* The process is stopped between the end of a wait and the sample: the signal appears in the next sample. */
TEST(a_signal_that_is_taken_a_look_later_counts_from_before)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(80);
  host_history_add(&s, &sample);
  sample = at(81);
  sample.continued = true;
  sample.continued_since_ns = T0 + 19 * MS;
  host_history_add(&s, &sample);
  struct miss m = between(20, 80);
  host_history_explain(&s, &m);
  assert_int_equal(m.suspended_ns, 60 * MS);
}

TEST(a_set_wall_clock_differs_from_a_late_reading)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(20);
  sample.clocks.wall_ns += 900000; /* less than the time between two reads */
  assert_int_equal(host_history_add(&s, &sample)->wall_step_ns, 0);
  sample.clocks.now_ns += TICK;
  sample.clocks.wall_ns += 5 * MS; /* preempted between the clocks */
  sample.clocks.slack_ns = 6 * MS;
  assert_int_equal(host_history_add(&s, &sample)->wall_step_ns, 0);
  sample = at(60);
  sample.clocks.wall_ns -= 3600 * INT64_C(1000000000);
  const int64_t step = host_history_add(&s, &sample)->wall_step_ns;
  assert_in_range(-step, 3600 * INT64_C(1000000000), 3601 * INT64_C(1000000000));
  struct miss m = between(45, 70);
  host_history_explain(&s, &m);
  assert_int_equal(m.wall_clock_step_ns, step);
}

TEST(suspension_theft_and_debugger)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(20);
  sample.clocks.asleep_ns = 8 * NS_PER_S;
  sample.stolen_ns = 10 * MS;
  host_history_add(&s, &sample);
  sample.clocks.now_ns += TICK;
  sample.stolen_ns = 30 * MS;
  sample.debugger = 4711;
  host_history_add(&s, &sample);
  struct miss m = between(10, 35);
  host_history_explain(&s, &m);
  assert_int_equal(m.host_asleep_ns, 8 * NS_PER_S);
  assert_int_equal(m.stolen_ns, 30 * MS);
  assert_int_equal(m.debugger, 4711);
  m = between(25, 35);
  host_history_explain(&s, &m);
  assert_int_equal(m.host_asleep_ns, 0);
  assert_int_equal(m.stolen_ns, 20 * MS);
}

/* The oldest intervals are overwritten. */
TEST(old_intervals_are_forgotten)
{
  struct host_sample sample = at(0);
  host_history_add(&s, &sample);
  sample = at(20);
  sample.stolen_ns = 10 * MS;
  host_history_add(&s, &sample);
  for (int k = 0; k < HOST_INTERVALS; k++) {
    sample.clocks.now_ns += TICK;
    host_history_add(&s, &sample);
  }
  struct miss m = between(5, 15);
  host_history_explain(&s, &m);
  assert_int_equal(m.stolen_ns, 0);
}

TEST(theft_by_processor)
{
  static const char stat[] = "cpu  10 20 30 40 50 60 70 880 1 2\n"
                             "cpu0 1 2 3 4 5 6 7 8 0 0\n"
                             "cpu1 1 2 3 4 5 6 7 9 0 0\n"
                             "cpu10 1 2 3 4 5 6 7 11 0 0\n"
                             "intr 1 2 3\n";
  assert_int_equal(stolen_ticks(stat, -1), 880);
  assert_int_equal(stolen_ticks(stat, 0), 8);
  assert_int_equal(stolen_ticks(stat, 1), 9);
  assert_int_equal(stolen_ticks(stat, 10), 11);
  assert_int_equal(stolen_ticks(stat, 2), 0);
  assert_int_equal(stolen_ticks("", -1), 0);
}

TEST(this_host_can_be_looked_at)
{
  struct host_probe e;
  struct host_sample first = {0}, second = {0};
  host_probe_open(&e, gettid(), -1);
  host_probe_read(&e, &first);
  host_probe_read(&e, &second);
  host_probe_close(&e);
  assert_true(second.clocks.now_ns > first.clocks.now_ns);
  assert_true(second.clocks.asleep_ns + NS_PER_S > first.clocks.asleep_ns);
  assert_true(second.stolen_ns >= first.stolen_ns);
}

TEST(an_instant_in_words)
{
  char text[WALL_CLOCK_TEXT];
  wall_clock_text(text);
  int year, month, day, hour, minute, second, ms;
  char end;
  assert_int_equal(
      sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d%c", &year, &month, &day, &hour, &minute, &second, &ms, &end),
      8);
  assert_true(year >= 1970 && month >= 1 && month <= 12 && end == 'Z');
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup(function, set_up)
  const struct CMUnitTest tests[] = {
      ROW(the_first_look_tells_nothing),
      ROW(a_stop_takes_a_signal_and_a_gap),
      ROW(a_short_stop_takes_the_signal_alone),
      ROW(a_signal_that_is_taken_a_look_later_counts_from_before),
      ROW(a_set_wall_clock_differs_from_a_late_reading),
      ROW(suspension_theft_and_debugger),
      ROW(old_intervals_are_forgotten),
      ROW(theft_by_processor),
      ROW(this_host_can_be_looked_at),
      ROW(an_instant_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
