/* SPDX-License-Identifier: MIT
 * From a latched stop back to motion, and over a restart, with the real loop. test_machine.c tests the rules,
 * tests/prove all their states. */
#include "check.h"
#include "loop/pendulum.h"

/* In one bundle and in repeated bundles; the time of reception counts. */
static void a_bundle_does_not_lead_from_safe_to_motion(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 3);
  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK);
  static const uint32_t bundle[] = {COMMAND_RESET, COMMAND_ARM, COMMAND_RUN};
  static const uint32_t results[] = {RESULT_OK, RESULT_TOO_SOON, RESULT_WRONG_STATE};
  for (int again = 0; again < 5; again++) {
    let_rearm(b); /* as if a second had passed */
    let_rearm(b);
    for (size_t k = 0; k < 3; k++)
      assert_true(port_command(&b->port[again % 2],
                               &(struct command){bundle[k], 0, 1, 7, clock_now_ns(), 0, 0, 0, {0}}));
    assert_int_equal(after(b, 1)->state, STATE_STOPPED);
    for (size_t k = 0; k < 3; k++) {
      struct answer a = {0};
      assert_true(ring_pop(&b->port[again % 2].answers, &a));
      assert_int_equal(a.result, results[k]);
    }
    assert_int_equal(newest(b, 0)->last_result, RESULT_WRONG_STATE);
  }
  /* A stamp in the future is invalid: it counts as now. */
  assert_true(port_command(&b->port[0], &(struct command){COMMAND_ARM, 0, 1, 7, UINT64_MAX, 0, 0, 0, {0}}));
  assert_int_equal(after(b, 1)->state, STATE_STOPPED);
  struct answer a = {0};
  assert_true(ring_pop(&b->port[0].answers, &a) && a.result == RESULT_TOO_SOON);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
}

/* A killed daemon leaves the telemetry block. */
static void the_telemetry_has_the_record_for_a_crash(void **state)
{
  struct bench *b = *state;
  struct telemetry_live live;
  begin_running(b);
  after(b, 3);
  assert_true(telemetry_read(b->telemetry, &live) && !live.disarmed && live.latched_by[0] == '\0');
  atomic_store(&b->port[1].estop, PORT_ESTOP | 5);
  after(b, 1);
  assert_true(telemetry_read(b->telemetry, &live));
  assert_true(live.disarmed && live.fault == FAULT_ESTOP && live.latch_client == 5);
  assert_string_equal(live.latched_by, "modbus");
  atomic_store(&b->port[0].estop, PORT_ESTOP | 6); /* the first sender is kept */
  after(b, 1);
  assert_true(telemetry_read(b->telemetry, &live));
  assert_string_equal(live.latched_by, "modbus");
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_true(telemetry_read(b->telemetry, &live));
  assert_true(live.disarmed && live.fault == FAULT_NONE && live.state == STATE_STOPPED);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_true(telemetry_read(b->telemetry, &live) && !live.disarmed);
}

/* Misses trip after the publication: a crash before the next cycle must not lose the stop. */
static void a_stop_by_misses_is_in_the_telemetry_at_once(void **state)
{
  struct bench *b = *state;
  struct telemetry_live live;
  b->config.settings.live.max_misses = 1;
  begin_running(b);
  after(b, 3);
  delay(b, 2.5);
  after(b, 1);
  assert_true(telemetry_read(b->telemetry, &live));
  assert_true(live.disarmed && live.fault == FAULT_MISSES && live.state == STATE_SAFE);
}

static void the_record_of_the_last_run_is_shown_from_the_start(void **state)
{
  struct bench *b = *state;
  struct telemetry_live live;
  b->config.last_run = (struct last_run){.fault = FAULT_DIVERGED, .disarmed = true, .who = "somebody"};
  begin(b);
  assert_true(telemetry_read(b->telemetry, &live)); /* before the first cycle */
  assert_true(live.disarmed && live.fault == FAULT_DIVERGED && live.state == STATE_INIT);
  assert_string_equal(live.latched_by, "somebody");
  const struct frame *f = after(b, WARMUP + 1);
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->fault, FAULT_DIVERGED);
  assert_same_as_steps(b, f, 0);
  struct cycle_event e;
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_true(e.cause == CAUSE_WARM && e.to == STATE_SAFE && e.code == FAULT_DIVERGED);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_TOO_SOON);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
}

static void after_a_crash_autostart_waits_for_an_arm(void **state)
{
  struct bench *b = *state;
  b->config.last_run.disarmed = true;
  begin(b);
  assert_int_equal(after(b, WARMUP + 1)->state, STATE_STOPPED);
  struct cycle_event e;
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_true(e.cause == CAUSE_WARM && e.to == STATE_STOPPED && e.code == WARM_DISARMED);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_WRONG_STATE);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(a_bundle_does_not_lead_from_safe_to_motion),
      ROW(the_telemetry_has_the_record_for_a_crash),
      ROW(a_stop_by_misses_is_in_the_telemetry_at_once),
      ROW(the_record_of_the_last_run_is_shown_from_the_start),
      ROW(after_a_crash_autostart_waits_for_an_arm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
