/* SPDX-License-Identifier: MIT
 * The platform in the loop, with a platform that only records its inputs. tests/platform/platform tests the real one. */
#include "check.h"
#include "loop/told_platform.h"

#include "loop/cycle_parts.h"

#include <ali3/model.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void its_order_follows_from_the_state(void **state)
{
  struct bench *b = *state;
  b->config.settings.autostart = AUTOSTART_OFF;
  begin(b);
  after(b, 1);
  assert_int_equal(told_it.in.request, PLATFORM_TO_PARK); /* INIT */
  after(b, WARMUP);
  assert_int_equal(told_it.in.request, PLATFORM_TO_PARK); /* STOPPED */
  assert_int_equal(newest(b, 0)->flags, FLAG_WITHHELD);   /* and neither parked nor engaged */
  static const struct {
    uint32_t command;
    enum platform_request request;
  } way[] = {{COMMAND_ARM, PLATFORM_TO_NEUTRAL},  {COMMAND_RUN, PLATFORM_TO_RUN},
             {COMMAND_PAUSE, PLATFORM_TO_FREEZE}, {COMMAND_RUN, PLATFORM_TO_RUN},
             {COMMAND_PARK, PLATFORM_TO_PARK},    {COMMAND_RUN, PLATFORM_TO_RUN},
             {COMMAND_ESTOP, PLATFORM_TO_SAFE}};
  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    assert_int_equal(told(b, way[i].command), RESULT_OK);
    assert_int_equal(told_it.in.request, way[i].request);
  }
  assert_int_equal(newest(b, 0)->state, STATE_SAFE);
  told(b, COMMAND_RESET);
  let_rearm(b);
  told(b, COMMAND_ARM);
  told(b, COMMAND_RUN);
  assert_int_equal(newest(b, 0)->flags, FLAG_RUNNING | FLAG_ENGAGED);
  b->cycle.machine.state = STATE_FAULT;
  after(b, 1);
  assert_int_equal(told_it.in.request, PLATFORM_TO_FAULT);
}

static void its_outputs_are_published_in_their_cycle(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  assert_int_equal(told_it.steps, WARMUP); /* in every cycle */
  const struct frame *f = after(b, 1);
  assert_true(published(b, f, offsetof(struct platform_output, pose)) == WARMUP + 1);
  assert_true(published(b, f, offsetof(struct platform_output, legs_normalised[5])) == 0.25);
  assert_true(published(b, f, offsetof(struct platform_output, state)) == PLATFORM_RUN);
  assert_int_equal(f->flags, FLAG_RUNNING | FLAG_ENGAGED);
  assert_same_as_steps(b, f, 1); /* the platform does not touch the model */
  told(b, COMMAND_PAUSE);
  f = after(b, 1);
  assert_true(published(b, f, offsetof(struct platform_output, pose)) ==
              WARMUP + 3); /* also while the model is at rest */

  struct telemetry_live live;
  assert_true(telemetry_read(b->telemetry, &live));
  assert_int_equal(live.platform.state, PLATFORM_RUN);
  assert_int_equal(live.platform.flags, PLATFORM_ENGAGED);
  assert_true(live.platform.pose[0] == WARMUP + 3 && live.platform.legs[5] == 0.25);
  assert_true(atomic_load(&b->telemetry->histograms.platform.count) > 0);
}

static void without_one_its_phase_is_not_booked(void **state)
{
  struct bench *b = *state;
  b->config.platform = NULL;
  begin_running(b);
  assert_int_equal(after(b, 10)->flags, FLAG_RUNNING);
  assert_true(atomic_load(&b->telemetry->histograms.platform.count) == 0);
  assert_true(atomic_load(&b->telemetry->histograms.observe.count) > 0);
  assert_int_equal(told_it.steps, 0);
  assert_int_equal(told(b, COMMAND_PLATFORM), RESULT_BAD_ARGUMENT);
  cycle_stop(&b->cycle);
  assert_true(cycle_over(&b->cycle));
}

static void it_gets_the_input_and_resets(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  const int restarts = told_it.restarts;
  assert_true(restarts > 0);
  set_input(b, 0, b->signals->input[INPUTS].first + 4, -0.25);
  after(b, 1);
  assert_true(told_it.in.external[4] == -0.25 && told_it.in.external[3] == 0.0);
  assert_null(told_it.in.sensor);
  assert_true(told_it.in.specific_force[2] == 9.81); /* there is no imu */
  assert_int_equal(told_it.restarts, restarts);
  told(b, COMMAND_RESET);
  assert_int_equal(told_it.restarts, restarts + 1);
  after(b, 3);
  assert_int_equal(told_it.restarts, restarts + 1);
}

/* A hand-made table: time, a pose, an imu, the platform. */
TEST(it_is_given_its_sensors)
{
  enum { POSE = 1, IMU = POSE + SIGNALS_BODY, END = IMU + 6 };
  int first[] = {POSE, IMU, END};
  const struct signals s = {.sensors = 2, .sensor_first = first, .platform_first = END};
  struct platform_drive d;
  double values[END + PLATFORM_SIGNALS];
  char error[100];
  for (int i = 0; i < END; i++) values[i] = i;
  setup.pose = 0;
  setup.imu = 1;
  setup.input = -1;
  assert_true(platform_drive_init(&d, &setup, &s, error, sizeof error));
  platform_drive_step(&d, STATE_RUNNING, values);
  for (int i = 0; i < 3; i++) {
    assert_true(told_it.in.specific_force[i] == IMU + i);
    assert_true(told_it.in.angular_velocity[i] == IMU + 3 + i);
  }
  for (int i = 0; i < SIGNALS_BODY; i++) assert_true(told_it.sensor[i] == POSE + i);
  for (int i = 0; i < END; i++) assert_true(values[i] == i);
  assert_memory_equal(values + END, platform_drive_output(&d), sizeof(struct platform_output));
  setup.spec.period = 0.0;
  assert_false(platform_drive_init(&d, &setup, &s, error, sizeof error));
  assert_string_equal(error, "no period");
}

static int cycles_to_the_end(struct bench *b)
{
  int n = 0;
  for (; !cycle_over(&b->cycle) && n < 2000; n++) cycle_once(&b->cycle);
  return n;
}

static void its_states_are_events(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  struct cycle_event e;
  assert_true(outbox_next_event(&b->cycle.outbox, &e) && e.cause == CAUSE_WARM);
  assert_true(outbox_next_event(&b->cycle.outbox, &e));
  assert_int_equal(e.cause, CAUSE_PLATFORM_STATE);
  assert_int_equal(e.from, PLATFORM_UNKNOWN);
  assert_int_equal(e.to, PLATFORM_RUN);
  assert_true(e.cycle == WARMUP + 1);
  assert_false(outbox_next_event(&b->cycle.outbox, &e));
}

/* At the end it parks first, in EXIT, with the model at rest and the frames going on. */
static void the_loop_ends_when_it_is_parked(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  told_it.parks = false;
  cycle_stop(&b->cycle);
  assert_false(cycle_over(&b->cycle));
  const struct frame *f = after(b, 20);
  assert_int_equal(f->state, STATE_EXIT);
  assert_true(f->cycle == WARMUP + 30);
  assert_int_equal(told_it.in.request, PLATFORM_TO_PARK);
  assert_same_as_steps(b, f, 10);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_WRONG_STATE);
  assert_int_equal(set_parameter(b, PARAMETER(hp_zeta), 1.5), RESULT_WRONG_STATE);
  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK); /* parking goes on; the next start finds the stop */
  f = newest(b, 0);
  assert_int_equal(f->state, STATE_EXIT);
  assert_int_equal(f->fault, FAULT_ESTOP);
  assert_int_equal(told_it.in.request, PLATFORM_TO_PARK);
  assert_false(cycle_over(&b->cycle));
  struct telemetry_live live;
  assert_true(telemetry_read(b->telemetry, &live) && live.state == STATE_EXIT && !live.over);
  told_it.parks = true;
  assert_int_equal(after(b, 1)->flags, FLAG_PARKED | FLAG_ESTOP);
  assert_true(cycle_over(&b->cycle));
  cycle_end(&b->cycle);
  assert_true(telemetry_read(b->telemetry, &live) && live.over);
  int exits = 0;
  for (struct cycle_event e; outbox_next_event(&b->cycle.outbox, &e);)
    exits += e.cause == CAUSE_EXIT && e.from == STATE_RUNNING;
  assert_int_equal(exits, 1);
}

/* While it moves, however slowly; and 5 s after it stands still. */
static void the_loop_waits_while_it_moves(void **state)
{
  struct bench *b = *state;
  setup.spec.params.park_time[0] = 3.0;
  begin_running(b);
  after(b, 10);
  told_it.parks = false;
  told_it.velocity = -1e-9;
  cycle_stop(&b->cycle);
  assert_int_equal(cycles_to_the_end(b), 2000);
  told_it.velocity = 0.0;
  assert_int_equal(cycles_to_the_end(b), 1 + 500);
  assert_int_equal(newest(b, 0)->flags, FLAG_ENGAGED);
}

static void the_loop_does_not_wait_for_ever(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  told_it.parks = false;
  told_it.velocity = 1.0;
  cycle_stop(&b->cycle);
  int cycles = 0;
  for (int n; (n = cycles_to_the_end(b)) > 0;) cycles += n;
  assert_int_equal(cycles, 1 + CYCLE_PARKS_S * 100 + 1);
}

/* Nobody has asked it to continue after a gap. */
static void a_loop_that_was_stuck_does_not_move_it(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  b->cycle.schedule.start_ns = clock_now_ns() - 40 * NS_PER_S / 1000;
  assert_int_equal(after(b, 2)->state, STATE_RUNNING);
  b->cycle.schedule.start_ns = clock_now_ns() - 120 * NS_PER_S / 1000;
  const struct frame *f = after(b, 1); /* in its first cycle already */
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->fault, FAULT_STUCK);
  assert_int_equal(told_it.in.request, PLATFORM_TO_SAFE);
}

static void a_loop_stuck_within_a_cycle_does_not_move_it(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  b->cycle.times.cycle_ns = NS_PER_S; /* length of the last cycle, measured at its end */
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
}

/* How far CLOCK_BOOTTIME is ahead: the machine was suspended for that long. */
static uint64_t asleep_ns;
uint64_t __wrap_clock_boot_ns(void);
uint64_t __wrap_clock_boot_ns(void)
{
  return clock_now_ns() + 1000 * NS_PER_S + asleep_ns;
}

static void after_a_suspension_nothing_moves_by_itself(void **state)
{
  struct bench *b = *state;
  asleep_ns = 0;
  begin_running(b);
  set_input(b, 0, 0, 1.0);
  assert_int_equal(after(b, 10)->state, STATE_RUNNING);
  asleep_ns = 600 * NS_PER_S;
  /* A command from before it, and values from before it. */
  assert_true(
      port_command(&b->port[0], &(struct command){COMMAND_RUN, 0, 1, 7, clock_now_ns(), 0, 0, 0, {0}}));
  const struct frame *f = after(b, 1);
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->fault, FAULT_STUCK);
  assert_int_equal(told_it.in.request, PLATFORM_TO_SAFE);
  assert_in_range(f->input_age_ms, 600000, 700000);
  struct answer a;
  assert_true(ring_pop(&b->port[0].answers, &a) && a.result == RESULT_WRONG_STATE);
  /* The reason is told, and the way back is that from every stop. */
  struct cycle_event e = {0};
  while (outbox_next_event(&b->cycle.outbox, &e) && e.cause != CAUSE_FAULT) continue;
  assert_true(e.cause == CAUSE_FAULT && e.value > 599.0 && e.value < 601.0);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(after(b, 10)->state, STATE_STOPPED);
}

/* It was sent while the process stood, so its sender did not see the stop. */
static void a_reset_from_a_gap_does_not_lift_its_stop(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  b->cycle.schedule.start_ns = clock_now_ns() - NS_PER_S / 2;
  assert_true(port_command(
      &b->port[0], &(struct command){COMMAND_RESET, 0, 1, 7, clock_now_ns() - NS_PER_S / 4, 0, 0, 0, {0}}));
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  struct answer a;
  assert_true(ring_pop(&b->port[0].answers, &a) && a.result == RESULT_TOO_SOON);
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD; /* no other gap, however slow this host is */
  /* A stop at the end of a cycle is in the frame of the next cycle. */
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  machine_trip(&b->cycle.machine, FAULT_MISSES);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_TOO_SOON);
  assert_int_equal(newest(b, 0)->state, STATE_SAFE);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
}

static void a_stop_at_once_does_not_wait_for_it(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  told_it.parks = false;
  cycle_stop(&b->cycle);
  after(b, 5);
  assert_false(cycle_over(&b->cycle));
  cycle_stop_at_once(&b->cycle);
  assert_true(cycle_over(&b->cycle));
}

static void a_parked_platform_delays_nothing(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 2);
  assert_int_equal(told(b, COMMAND_PARK), RESULT_OK);
  assert_int_equal(newest(b, 0)->flags, FLAG_PARKED);
  cycle_stop(&b->cycle);
  assert_true(cycle_over(&b->cycle));
}

static void expect_withheld(struct bench *b)
{
  for (int p = 0; p < 2; p++) {
    const struct frame *f = newest(b, p);
    assert_true(f->flags & FLAG_WITHHELD);
    assert_true(isnan(published(b, f, offsetof(struct platform_output, pose))));
    assert_true(published(b, f, offsetof(struct platform_output, state)) == PLATFORM_UNKNOWN);
  }
}

/* With publish_next the frame goes out before the first cycle has ended. */
static void the_first_frame_claims_no_pose(void **state)
{
  struct bench *b = *state;
  b->config.settings.publish = PUBLISH_NEXT_CYCLE;
  begin(b);
  for (int i = 0; i < WARMUP; i++) {
    after(b, 1);
    expect_withheld(b);
  }
}

/* On both ports, from the first frame on, whatever happens except an arm. */
static void until_the_first_arm_its_pose_is_not_known(void **state)
{
  struct bench *b = *state;
  static const uint32_t never_up[] = {COMMAND_RESET, COMMAND_PARK, COMMAND_STOP, COMMAND_ESTOP,
                                      COMMAND_RESET};
  b->config.settings.autostart = AUTOSTART_OFF;
  begin(b);
  for (int i = 0; i < WARMUP + 3; i++) {
    after(b, 1);
    expect_withheld(b);
  }
  for (size_t i = 0; i < sizeof never_up / sizeof *never_up; i++) {
    told(b, never_up[i]);
    const uint32_t flags = after(b, 1)->flags;
    assert_int_equal(flags & (FLAG_WITHHELD | FLAG_PARKED | FLAG_ENGAGED), FLAG_WITHHELD);
  }
  assert_int_equal(newest(b, 0)->state, STATE_STOPPED);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  const struct frame *f = after(b, 1);
  assert_false(f->flags & FLAG_WITHHELD);
  assert_false(isnan(published(b, f, offsetof(struct platform_output, pose))));
  told(b, COMMAND_ESTOP);
  assert_false(after(b, 1)->flags & FLAG_WITHHELD); /* it stays known */
}

/* For the loop it is at rest: outputs that nobody gets need no brake and no parking. */
static void a_platform_that_was_never_armed_delays_nothing(void **state)
{
  struct bench *b = *state;
  b->config.settings.autostart = AUTOSTART_OFF;
  told_it.parks = false;
  begin(b);
  after(b, WARMUP + 2);
  b->cycle.schedule.start_ns = clock_now_ns() - NS_PER_S; /* a gap does not matter */
  assert_int_equal(after(b, 1)->state, STATE_STOPPED);
  cycle_stop(&b->cycle);
  assert_true(cycle_over(&b->cycle));
  cycle_end(&b->cycle);
  assert_int_equal(newest(b, 0)->state, STATE_EXIT);
  assert_int_equal(newest(b, 0)->flags & (FLAG_WITHHELD | FLAG_PARKED), FLAG_WITHHELD);
}

static void it_is_parked_after_the_last_period_too(void **state)
{
  struct bench *b = *state;
  b->config.periods = 20;
  begin_running(b);
  assert_int_equal(cycles_to_the_end(b), 21);
  assert_int_equal(newest(b, 0)->state, STATE_EXIT);
  assert_same_as_steps(b, newest(b, 0), 20);
}

/* While it parks, frames may stop and steps may never be requested. */
static void it_moves_by_the_clock_alone(void **state)
{
  struct bench *b = *state;
  for (int clocking = CLOCKING_TIMER; clocking <= CLOCKING_LOCKSTEP; clocking++) {
    b->config.settings.clock = (enum clocking)clocking;
    assert_int_equal(cycle_setup(&b->cycle, &b->config),
                     clocking == CLOCKING_TIMER ? ALI3_OK : ALI3_E_ARGUMENT);
    cycle_free(&b->cycle);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(its_order_follows_from_the_state),
      ROW(its_outputs_are_published_in_their_cycle),
      ROW(without_one_its_phase_is_not_booked),
      ROW(it_gets_the_input_and_resets),
      ROW(it_is_given_its_sensors),
      ROW(its_states_are_events),
      ROW(the_loop_ends_when_it_is_parked),
      ROW(the_loop_waits_while_it_moves),
      ROW(the_loop_does_not_wait_for_ever),
      ROW(a_loop_that_was_stuck_does_not_move_it),
      ROW(a_loop_stuck_within_a_cycle_does_not_move_it),
      ROW(after_a_suspension_nothing_moves_by_itself),
      ROW(a_reset_from_a_gap_does_not_lift_its_stop),
      ROW(a_stop_at_once_does_not_wait_for_it),
      ROW(a_parked_platform_delays_nothing),
      ROW(the_first_frame_claims_no_pose),
      ROW(until_the_first_arm_its_pose_is_not_known),
      ROW(a_platform_that_was_never_armed_delays_nothing),
      ROW(it_is_parked_after_the_last_period_too),
      ROW(it_moves_by_the_clock_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
