/* SPDX-License-Identifier: MIT
 * What degrades the verdict of ali3-top, and what does not. */
#include "tools/run_top.h"

#include <unistd.h>

/* One problem at a time: exit status 1, and the reason is named. */
TEST(degraded_daemon)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.misses = 3;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: 3 deadlines missed\n");
  assert_hides("95 %");

  live = healthy();
  live.stale_mask = 2;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: stale inputs, mask 0x2; send them again or reset\n");

  live = healthy();
  live.state = STATE_SAFE;
  live.fault = FAULT_ESTOP;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: state SAFE: e-stop requested\n");

  live = healthy();
  live.t_ns = clock_now_ns() - 2500000000;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: the loop has not advanced for ");

  live = healthy();
  telemetry_write(t, &live);
  atomic_fetch_add(&t->sequence, 1); /* stopped while writing */
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: figures are inconsistent");
  telemetry_destroy(t);
}

/* Values and commands may have been lost, but only within the last minute. */
TEST(a_full_socket_is_reported_for_a_minute)
{
  if (clock_now_ns() < 62 * NS_PER_S) {
    print_message("skipped: a minute ago this machine did not run yet\n");
    skip();
  }
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  counter_add(&t->counters.osc_overflow, 7);
  atomic_store(&t->overflow_ns, clock_now_ns() - 5 * NS_PER_S);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: 7 OSC datagrams dropped by the kernel, the last 5 s ago: the socket was full\n");
  atomic_store(&t->overflow_ns, clock_now_ns() - 61 * NS_PER_S);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

/* A miss degrades the verdict for a limited time. */
TEST(misses_are_forgiven)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.cycle = 100000;
  live.misses = 2;
  telemetry_write(t, &live);
  add_miss(t, 1, 90000, false);
  assert_int_equal(top("--once --instance %s", name), 1); /* the record of the second one has not come yet */
  assert_shows("DEGRADED: 2 deadlines missed\n");
  add_miss(t, 2, 99000, false);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: 2 deadlines missed, the last 10 s ago\n");

  atomic_store(&t->histograms.cleared, 99500);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("deadlines 2 missed");
  atomic_store(&t->histograms.cleared, 100);
  live.cycle = 105000; /* 60 s */
  live.grace_misses = 1;
  add_miss(t, 3, 104000, true); /* it does not count */
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("verdict   healthy\n");
  assert_shows("deadlines 2 missed");
  live.misses = 50; /* without records */
  telemetry_write(t, &live);
  atomic_store(&t->misses.lost, 48);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

/* A step that did not converge degrades the verdict for a limited time. */
TEST(steps_that_did_not_converge_are_reported)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.cycle = 100000;
  live.degraded = 123;
  live.degraded_cycle = 99600;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows(
      "DEGRADED: 123 steps did not converge, the last 4 s ago: raise solver.iterations or shorten the "
      "period\n");
  assert_int_equal(top("--line --seconds 0.01 --instance %s", name), 1);
  assert_shows("DEGRADED: 123 steps did not converge, the last 4 s ago");
  assert_int_equal(top("--json --once --instance %s", name), 1);
  assert_shows(
      "\"123 steps did not converge, the last 4 s ago: raise solver.iterations or shorten the period\"");
  assert_shows("\"degraded_cycle\": 99600");
  live.degraded = 1;
  live.degraded_cycle = 100000;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: 1 step did not converge, the last 0 s ago: ");

  live.degraded_cycle = 94000; /* a minute */
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("1 degraded steps");
  live.degraded_cycle = 99600;
  telemetry_write(t, &live);
  atomic_store(&t->histograms.cleared, 99600);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

/* So does a step that left a joint open, with another reason than one that did not converge. */
TEST(violated_steps_are_reported)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.cycle = 100000;
  live.degraded = live.violated = 5;
  live.violated_first = 99000;
  live.degraded_cycle = live.violated_cycle = 99600;
  snprintf(live.violated_at, sizeof live.violated_at, "joint knee");
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows(
      "DEGRADED: 5 steps violated, the last 4 s ago: joint knee is open; the log names the drives\n");
  assert_shows("violated  5 steps, cycles 99000 to 99600, the last at joint knee");
  assert_int_equal(top("--json --once --instance %s", name), 1);
  assert_shows("\"violated_steps\": 5");
  assert_shows("\"violated_cycle\": 99600");
  assert_shows("\"violated_at\": \"joint knee\"");
  live.degraded = 7;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("2 steps did not converge, the last 4 s ago");

  live.degraded_cycle = live.violated_cycle = 94000; /* a minute */
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

TEST(a_loop_that_waits_is_not_stuck)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.t_ns = clock_now_ns() - 2500000000;
  live.waiting = 1;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("(waits)");
  telemetry_destroy(t);
}

TEST(slow_period_is_not_a_stuck_loop)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  t->period_ns = 10 * NS_PER_S;
  live.t_ns = clock_now_ns() - 2500000000; /* a quarter of a period */
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(degraded_daemon),
      cmocka_unit_test(a_full_socket_is_reported_for_a_minute),
      cmocka_unit_test(misses_are_forgiven),
      cmocka_unit_test(steps_that_did_not_converge_are_reported),
      cmocka_unit_test(violated_steps_are_reported),
      cmocka_unit_test(a_loop_that_waits_is_not_stuck),
      cmocka_unit_test(slow_period_is_not_a_stuck_loop),
  };
  snprintf(name, sizeof name, "test-verdict-%d", (int)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
