/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "daemon/stall.h"

#include "rt/clock.h"
#include "signals/exchange.h"

#define MS UINT64_C(1000000)
static const uint64_t T0 = UINT64_C(50000000000), TICK = 20 * MS;

static struct stall s;
static uint64_t now;
static struct telemetry_live live;

static void begin(uint64_t period_ns)
{
  now = T0;
  live = (struct telemetry_live){.state = STATE_RUNNING, .cycle = 1};
  stall_begin(&s, period_ns, TICK, now);
  assert_int_equal(stall_look(&s, &live, 0, now), STALL_NOTHING);
}

static enum stall_news look(uint64_t after_ms, uint64_t ran_ms)
{
  now += after_ms * MS;
  return stall_look(&s, &live, ran_ms * MS, now);
}

/* Ticks without a cycle until the loop counts as stuck. */
static int ticks_until_stuck(void)
{
  for (int k = 1; k <= 10000; k++)
    if (look(20, 0) == STALL_STUCK) return k;
  return 0;
}

TEST(ten_periods_but_a_tenth_of_a_second_at_least)
{
  begin(1 * MS);
  assert_int_equal(ticks_until_stuck(), 6); /* 120 ms: more than 100 */
  assert_int_equal(s.stood_ns, 120 * MS);
  begin(50 * MS);
  assert_int_equal(ticks_until_stuck(), 26);
}

TEST(it_is_said_once_and_once_when_it_is_over)
{
  begin(10 * MS);
  assert_int_not_equal(ticks_until_stuck(), 0);
  assert_true(s.stuck);
  assert_int_equal(look(20, 0), STALL_NOTHING);
  live.cycle++;
  assert_int_equal(look(20, 0), STALL_OVER);
  assert_false(s.stuck);
  assert_int_equal(s.stood_ns, 160 * MS);
  assert_int_equal(ticks_until_stuck(), 6);
}

TEST(a_loop_that_advances_or_waits_is_never_stuck)
{
  begin(10 * MS);
  for (int k = 0; k < 100; k++) {
    live.cycle += k % 3 == 0;
    assert_int_equal(look(20, 0), STALL_NOTHING);
  }
  live.waiting = 1;
  for (int k = 0; k < 100; k++) assert_int_equal(look(20, 0), STALL_NOTHING);
}

TEST(the_warm_up_has_longer)
{
  begin(10 * MS);
  live.state = STATE_INIT;
  assert_int_equal(ticks_until_stuck(), 51);
}

/* If the watcher was stopped, too, its limit starts again. */
TEST(a_process_that_was_stopped_is_excused)
{
  begin(10 * MS);
  assert_int_equal(look(3000, 0), STALL_NOTHING);
  assert_int_equal(look(3000, 1), STALL_NOTHING);
  assert_int_equal(ticks_until_stuck(), 5);
}

/* A loop that takes the only processor keeps the watcher from running. */
TEST(a_loop_that_ran_meanwhile_is_not)
{
  begin(10 * MS);
  assert_int_equal(look(950, 949), STALL_STUCK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_periods_but_a_tenth_of_a_second_at_least),
      cmocka_unit_test(it_is_said_once_and_once_when_it_is_over),
      cmocka_unit_test(a_loop_that_advances_or_waits_is_never_stuck),
      cmocka_unit_test(the_warm_up_has_longer),
      cmocka_unit_test(a_process_that_was_stopped_is_excused),
      cmocka_unit_test(a_loop_that_ran_meanwhile_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
