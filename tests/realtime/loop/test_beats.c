/* SPDX-License-Identifier: MIT
 * A loop paced by input frames, at the limits: cycles and waits run by hand, times of beats are artificial. */
#include "check.h"
#include "loop/cycle_parts.h"
#include "loop/pendulum.h"

static void begin_beaten(struct bench *b)
{
  b->config.settings.clock = CLOCKING_INPUT;
  b->port[1].paces = true;
  begin_running(b);
  b->cycle.schedule.start_ns = clock_now_ns();
}

static void beats_of_the_warm_up_ask_for_nothing(void **state)
{
  struct bench *b = *state;
  begin_beaten(b);
  for (int k = 0; k < 3; k++) port_beat(&b->port[1], clock_now_ns());
  assert_same_as_steps(b, after(b, 1), 0); /* ends the warm-up */
  assert_int_equal(b->cycle.figures.misses, 0);
  assert_int_equal(b->cycle.figures.skipped, 0);
  assert_false(b->cycle.schedule.beaten);
  port_beat(&b->port[1], clock_now_ns());
  cycle_wait(&b->cycle);
  assert_same_as_steps(b, after(b, 1), 1);
}

/* Times are taken before beats are counted: a beat may come in between. */
static void a_beat_at_the_very_end_of_a_cycle_is_not_lost(void **state)
{
  struct bench *b = *state;
  begin_beaten(b);
  after(b, 1);
  port_beat(&b->port[1], clock_now_ns());
  cycle_wait(&b->cycle);
  const uint64_t later = clock_now_ns() + NS_PER_S;
  port_beat(&b->port[1], later);
  assert_same_as_steps(b, after(b, 1), 1);
  assert_int_equal(b->cycle.schedule.start_ns, later);
  cycle_wait(&b->cycle);
  assert_int_equal(b->cycle.figures.beats_lost, 0);
  assert_same_as_steps(b, after(b, 1), 2);
}

static void after_a_late_cycle_a_beat_has_a_period_to_come(void **state)
{
  struct bench *b = *state;
  begin_beaten(b);
  after(b, 1);
  const uint64_t ended = clock_now_ns();
  b->cycle.schedule.last_ns = ended - 1000 * PERIOD;
  b->cycle.schedule.start_ns = ended;
  cycle_wait(&b->cycle);
  assert_int_equal(b->cycle.schedule.start_ns, ended + PERIOD);
  assert_int_equal(b->cycle.figures.beats_lost, 1); /* no burst of cycles for beats that nobody sent */
  assert_int_equal(after(b, 1)->fault, FAULT_BEAT);
}

static void in_time_a_beat_has_two_periods_to_come(void **state)
{
  struct bench *b = *state;
  begin_beaten(b);
  after(b, 1);
  const uint64_t began = clock_now_ns();
  b->cycle.schedule.last_ns = began;
  b->cycle.schedule.start_ns = began + PERIOD / 2;
  cycle_wait(&b->cycle);
  assert_int_equal(b->cycle.schedule.start_ns, began + 2 * PERIOD);
}

static void an_end_that_nobody_waited_for_is_no_late_wake_up(void **state)
{
  struct bench *b = *state;
  begin_beaten(b);
  after(b, 1);
  const uint64_t now = clock_now_ns();
  b->cycle.schedule.start_ns = b->cycle.schedule.last_ns = now - PERIOD / 2;
  cycle_stop(&b->cycle);
  cycle_wait(&b->cycle);
  assert_true(b->cycle.schedule.start_ns >= now);
  assert_int_equal(b->cycle.figures.beats_lost, 0);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(beats_of_the_warm_up_ask_for_nothing),
      ROW(a_beat_at_the_very_end_of_a_cycle_is_not_lost),
      ROW(after_a_late_cycle_a_beat_has_a_period_to_come),
      ROW(in_time_a_beat_has_two_periods_to_come),
      ROW(an_end_that_nobody_waited_for_is_no_late_wake_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
