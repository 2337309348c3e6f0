/* SPDX-License-Identifier: MIT
 * The content of the state file over the life of the daemon. */
#include "restart/restart.h"

#include "common/folder.h"
#include "restart/state_file.h"
#include "rt/clock.h"

#include <time.h>

static const struct restart_ports ports = {.commanded = true};
static const struct telemetry_left nothing;
static struct restart r;
static uint64_t now;

static int set_up(void **state)
{
  if (make_folder(state) != 0) return -1;
  restart_take(&r, "unit-test-restart", &nothing, folder, &ports);
  now = 1000 * NS_PER_S;
  return 0;
}

static int tear_down(void **state)
{
  restart_close(&r);
  return remove_folder(state);
}

static struct state_record on_disk(void)
{
  char error[200];
  const struct state_copy home =
      state_file_read(in_folder("unit-test-restart.state"), "unit-test-restart", error, sizeof error);
  assert_int_equal(home.found, COPY_READ);
  return home.record;
}

/* Waits until the thread has written it; 300 s bound the failure. */
static void wait_for(uint32_t state, uint32_t fault)
{
  for (int i = 0; i < 300000; i++) {
    const struct state_record found = on_disk();
    if (found.state == state && found.fault == fault) return;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  fail_msg("%s with fault %u was not written", run_state_name(state), fault);
}

TEST(a_stop_is_written_at_once_and_its_end_a_second_later)
{
  struct telemetry_live live = {.state = STATE_RUNNING, .latch_client = LATCH_NO_NUMBER};
  assert_true(restart_begin(&r, true));
  assert_true(!on_disk().ended && on_disk().state == STATE_INIT);
  restart_tick(&r, &live, false, now);
  wait_for(STATE_RUNNING, FAULT_NONE);
  live.state = STATE_SAFE;
  live.fault = FAULT_ESTOP;
  live.disarmed = 1;
  memcpy(live.latched_by, "osc client x", sizeof "osc client x");
  restart_tick(&r, &live, false, now + 1);
  wait_for(STATE_SAFE, FAULT_ESTOP);
  assert_string_equal(on_disk().who, "osc client x");
  live.state = STATE_STOPPED;
  live.fault = FAULT_NONE;
  restart_tick(&r, &live, false, now + NS_PER_S / 2);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  assert_int_equal(on_disk().fault, FAULT_ESTOP); /* a client that toggles states does not wear out a disk */
  restart_tick(&r, &live, false, now + 2 * NS_PER_S);
  wait_for(STATE_STOPPED, FAULT_NONE);
  assert_true(on_disk().disarmed);
  live.state = STATE_EXIT;
  restart_end(&r, &live, STATE_STOPPED);
  assert_true(on_disk().ended && on_disk().disarmed && on_disk().state == STATE_STOPPED);
}

TEST(a_stuck_loop_is_latched_as_shown)
{
  struct telemetry_live live = {.state = STATE_RUNNING, .latch_client = LATCH_NO_NUMBER};
  assert_true(restart_begin(&r, false));
  restart_tick(&r, &live, true, now);
  wait_for(STATE_SAFE, FAULT_STUCK);
  assert_true(on_disk().disarmed && !on_disk().ended);
  restart_close(&r); /* the loop never ended: an end without an order */
  assert_false(on_disk().ended);
}

TEST(the_kept_stop_stays_until_the_loop_clears_it)
{
  assert_true(restart_begin(&r, false));
  restart_close(&r);
  restart_take(&r, "unit-test-restart", &nothing, folder, &ports);
  assert_true(r.start.disarmed && r.start.fault == FAULT_NONE);
  const struct state_record stop = {
      .ended = true, .disarmed = true, .state = STATE_FAULT, .fault = FAULT_DIVERGED, .who = "x"};
  assert_int_equal(state_file_write(in_folder("unit-test-restart.state"), "unit-test-restart", &stop), 0);
  restart_take(&r, "unit-test-restart", &nothing, folder, &ports);
  assert_true(r.start.disarmed && r.start.fault == FAULT_DIVERGED);
  assert_int_equal(on_disk().state,
                   STATE_FAULT); /* a start that fails here forgets nothing, and is no crash */
  assert_true(on_disk().ended);
  assert_true(restart_begin(&r, false));
  assert_true(!on_disk().ended && on_disk().state == STATE_INIT && on_disk().fault == FAULT_DIVERGED);
  assert_string_equal(on_disk().who, "x");
}

TEST(the_block_of_a_killed_daemon_counts)
{
  struct telemetry_left left = {
      .there = true, .known = true, .live = {.state = STATE_SAFE, .fault = FAULT_ESTOP, .disarmed = 1}};
  restart_take(&r, "unit-test-restart", &left, folder, &ports);
  assert_true(r.start.disarmed && r.start.fault == FAULT_ESTOP);
  assert_int_equal(on_disk().fault, FAULT_ESTOP); /* at once, because the block is replaced now */
  unlink(in_folder("unit-test-restart.state"));
  left.known = false; /* of another version or another user */
  restart_take(&r, "unit-test-restart", &left, folder, &ports);
  assert_true(r.start.disarmed && r.start.fault == FAULT_NONE);
}

TEST(a_place_that_cannot_be_written)
{
  write_text(in_folder("file"), "");
  restart_take(&r, "unit-test-restart", &nothing, in_folder("file/x"), &ports);
  assert_false(restart_begin(&r, true));
  assert_true(restart_begin(&r, false));
  struct telemetry_live live = {.state = STATE_RUNNING};
  restart_tick(&r, &live, false, now);
  restart_end(&r, &live, STATE_RUNNING);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(a_stop_is_written_at_once_and_its_end_a_second_later),
      ROW(a_stuck_loop_is_latched_as_shown),
      ROW(the_kept_stop_stays_until_the_loop_clears_it),
      ROW(the_block_of_a_killed_daemon_counts),
      ROW(a_place_that_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
