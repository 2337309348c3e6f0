/* SPDX-License-Identifier: MIT
 * The start that follows from both copies of the record. */
#include "check.h"
#include "restart/state_record.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct state_copy nothing = {.found = COPY_MISSING}, broken = {.found = COPY_BROKEN};

static struct state_copy home(bool ended, uint32_t state, uint32_t fault, bool disarmed, const char *who)
{
  struct state_copy h = {COPY_READ, {.ended = ended, .disarmed = disarmed, .state = state, .fault = fault}};
  snprintf(h.record.who, sizeof h.record.who, "%s", who);
  return h;
}

static void assert_start(const struct state_copy *file, const struct state_copy *block, uint32_t fault,
                         bool disarmed, const char *expected)
{
  struct last_run start;
  char text[1000];
  const struct state_copy last = state_record_decide(file, block, &start);
  assert_int_equal(start.fault, fault);
  assert_int_equal(start.disarmed, disarmed);
  assert_string_equal(start.who, last.record.who);
  state_record_text(&last, &start, true, "/state/a.state", text, sizeof text);
  assert_string_equal(text, expected);
}

static void a_first_start_and_an_end_on_purpose_keep_nothing(void **unused)
{
  (void)unused;
  assert_start(&nothing, &nothing, FAULT_NONE, false, "");
  const struct state_copy running = home(true, STATE_RUNNING, 0, false, "");
  assert_start(&running, &nothing, FAULT_NONE, false, "");
}

static void an_end_nobody_ordered_needs_an_arm(void **unused)
{
  (void)unused;
  const struct state_copy file = home(false, STATE_RUNNING, 0, false, ""),
                          block = home(false, STATE_PAUSED, 0, false, "");
  const struct state_copy clean = home(true, STATE_STOPPED, 0, false, "");
  static const char running[] =
      "the last run ended in RUNNING, without an order; starting in STOPPED: send arm, then run";
  static const char paused[] =
      "the last run ended in PAUSED, without an order; starting in STOPPED: send arm, then run";
  static const char unknown[] =
      "/state/a.state cannot be understood, which counts as an end without an order; starting in "
      "STOPPED: send arm, then run";
  assert_start(&file, &nothing, FAULT_NONE, true, running);
  assert_start(&nothing, &block, FAULT_NONE, true, paused);
  assert_start(&file, &block, FAULT_NONE, true, paused);  /* the block is newer */
  assert_start(&clean, &block, FAULT_NONE, true, paused); /* killed after it wrote the file */
  assert_start(&broken, &nothing, FAULT_NONE, true, unknown);
  assert_start(&broken, &block, FAULT_NONE, true, unknown);
}

static void an_end_before_an_arm_needs_it_still(void **unused)
{
  (void)unused;
  const struct state_copy file = home(true, STATE_STOPPED, 0, true, "");
  assert_start(
      &file, &nothing, FAULT_NONE, true,
      "the last run ended in STOPPED, as ordered, before an arm; starting in STOPPED: send arm, then run");
}

static void a_latched_stop_stays_latched_however_it_ended(void **unused)
{
  (void)unused;
#define WAY "; starting in SAFE: send reset, wait 0.5 s, send arm, then run"
  const struct state_copy named = home(false, STATE_SAFE, FAULT_ESTOP, true, "osc client 127.0.0.1:4711");
  const struct state_copy numbered = home(false, STATE_SAFE, FAULT_ESTOP, true, "osc client 3");
  const struct state_copy ended = home(true, STATE_FAULT, FAULT_DIVERGED, true, "");
  const struct state_copy moving = home(false, STATE_RUNNING, 0, false, ""),
                          misses = home(false, STATE_SAFE, FAULT_MISSES, true, "");
  static const char by_name[] =
      "the last run ended in SAFE (e-stop requested, by osc client 127.0.0.1:4711), without an order" WAY;
  assert_start(&named, &nothing, FAULT_ESTOP, true, by_name);
  assert_start(&named, &numbered, FAULT_ESTOP, true, by_name); /* the file has the name */
  assert_start(&nothing, &numbered, FAULT_ESTOP, true,
               "the last run ended in SAFE (e-stop requested, by osc client 3), without an order" WAY);
  assert_start(&moving, &numbered, FAULT_ESTOP, true, /* killed before the file was written */
               "the last run ended in SAFE (e-stop requested, by osc client 3), without an order" WAY);
  assert_start(&named, &moving, FAULT_ESTOP, true,
               by_name); /* the safer one of both: reset, and killed before it was written */
  assert_start(&named, &misses, FAULT_MISSES, true,
               "the last run ended in SAFE (too many deadlines missed in a row), without an order" WAY);
  assert_start(&ended, &nothing, FAULT_DIVERGED, true,
               "the last run ended in FAULT (the step diverged), as ordered" WAY);
  assert_start(&broken, &numbered, FAULT_ESTOP, true,
               "/state/a.state cannot be understood, which counts as an end without an order (e-stop "
               "requested, by osc client "
               "3)" WAY);
}

static void without_a_port_the_file_is_named(void **unused)
{
  (void)unused;
  struct last_run start;
  char text[1000];
  const struct state_copy file = home(false, STATE_RUNNING, 0, false, "");
  const struct state_copy last = state_record_decide(&file, &nothing, &start);
  state_record_text(&last, &start, false, "/state/a.state", text, sizeof text);
  assert_string_equal(
      text,
      "the last run ended in RUNNING, without an order; starting in STOPPED; osc and modbus are off, so "
      "nobody can send arm: stop ali3d, delete /state/a.state, start it again");
}

static void the_record_of_a_block(void **unused)
{
  (void)unused;
  struct telemetry_live live = {.state = STATE_SAFE, .fault = FAULT_ESTOP, .disarmed = 1, .latch_client = 7};
  memcpy(live.latched_by, "modbus", sizeof "modbus");
  struct state_record r = state_record_of(&live, false, NULL);
  assert_true(!r.ended && r.disarmed && r.state == STATE_SAFE && r.fault == FAULT_ESTOP);
  assert_string_equal(r.who, "modbus client 7");
  r = state_record_of(&live, true, "modbus client 10.0.0.7:502");
  assert_true(r.ended);
  assert_string_equal(r.who, "modbus client 10.0.0.7:502");
  live.latch_client = LATCH_NO_NUMBER;
  assert_string_equal(state_record_of(&live, false, NULL).who, "modbus");
  live.fault = FAULT_NONE; /* reset long before */
  assert_string_equal(state_record_of(&live, false, NULL).who, "");
  memset(live.latched_by, 'x',
         sizeof live.latched_by); /* not terminated: a dead process may leave anything */
  live.fault = FAULT_ESTOP;
  live.latch_client = UINT32_MAX - 1;
  assert_int_equal(strlen(state_record_of(&live, false, NULL).who), 64 + strlen(" client 4294967294"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_first_start_and_an_end_on_purpose_keep_nothing),
      cmocka_unit_test(an_end_nobody_ordered_needs_an_arm),
      cmocka_unit_test(an_end_before_an_arm_needs_it_still),
      cmocka_unit_test(a_latched_stop_stays_latched_however_it_ended),
      cmocka_unit_test(without_a_port_the_file_is_named),
      cmocka_unit_test(the_record_of_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
