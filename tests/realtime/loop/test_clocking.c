/* SPDX-License-Identifier: MIT
 * Kinds of clocking and policies for late cycles, with the real loop. Waiting parts run in a thread of their own and
 * wait for events, not for the clock. */
#include "check.h"
#include "loop/pendulum.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* --- late cycles, driven by hand --- */

static void catching_up_makes_up_for_starts(void **state)
{
  struct bench *b = *state;
  b->config.settings.live.overrun = OVERRUN_CATCH_UP;
  b->config.settings.live.catch_up = 1000000;
  begin_running(b);
  after(b, 2);
  delay(b, 3.5);
  const uint64_t start = b->cycle.schedule.start_ns;
  after(b, 1);
  assert_true(b->cycle.deadline.late && b->cycle.deadline.late_since_ns == start);
  assert_int_equal(b->cycle.figures.skipped, 0);
  assert_int_equal(b->cycle.schedule.start_ns, start + PERIOD);
  const uint64_t wakeups = atomic_load(&b->telemetry->histograms.wakeup.count);
  while (b->cycle.deadline.late) cycle_once(&b->cycle);
  /* A cycle that starts late on purpose says nothing about the kernel. */
  assert_int_equal(atomic_load(&b->telemetry->histograms.wakeup.count), wakeups);
  assert_int_equal((b->cycle.schedule.start_ns - start) % PERIOD, 0);
  assert_int_equal(b->cycle.deadline.late_since_ns, 0);
  assert_true(b->cycle.figures.misses >= 3 && b->cycle.figures.late_starts >= 3);
  assert_int_equal(b->cycle.figures.skipped, 0);
  const struct frame *f = after(b, 1);
  assert_same_as_steps(b, f,
                       (int)(f->cycle - WARMUP)); /* one step per start: simulated time follows the clock */
}

static void slipping_restarts_the_grid_at_the_end(void **state)
{
  struct bench *b = *state;
  b->config.settings.live.overrun = OVERRUN_SLIP;
  begin_running(b);
  delay(b, 7.5);
  const uint64_t start = b->cycle.schedule.start_ns;
  after(b, 1);
  assert_int_equal(b->cycle.figures.misses, 1);
  assert_int_equal(b->cycle.figures.skipped, 0);
  assert_int_equal(b->cycle.schedule.start_ns, start + PERIOD + b->cycle.schedule.slipped_ns);
  assert_true(b->cycle.schedule.slipped_ns >= 6 * PERIOD);
}

static void a_grace_forgives_misses_after_each_start(void **state)
{
  struct bench *b = *state;
  b->config.settings.live.overrun = OVERRUN_STOP;
  b->config.settings.live.max_misses = 1;
  b->config.settings.live.grace = 3;
  begin_running(b);
  for (int k = 0; k < 3; k++) {
    delay(b, 2.5);
    assert_int_equal(after(b, 1)->state, STATE_RUNNING);
  }
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  assert_int_equal(after(b, 1)->state, STATE_RUNNING);
  assert_int_equal(b->cycle.figures.grace_misses, 3);
  assert_int_equal(newest(b, 0)->misses, 0);
  told(b, COMMAND_PAUSE);
  told(b, COMMAND_RUN); /* continues, which is no start */
  delay(b, 2.5);
  after(b, 1);
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  assert_int_equal(newest(b, 0)->misses, 1);
  told(b, COMMAND_RESET);
  let_rearm(b);
  told(b, COMMAND_ARM);
  told(b, COMMAND_RUN);
  delay(b, 2.5);
  after(b, 1);
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  assert_int_equal(after(b, 1)->state, STATE_RUNNING); /* started again, so the grace starts again */
  assert_int_equal(b->cycle.figures.grace_misses, 4);
}

static void a_miss_leaves_a_record(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 2);
  delay(b, 4.5);
  const uint64_t start = b->cycle.schedule.start_ns;
  struct miss m;
  assert_false(outbox_next_miss(&b->cycle.outbox, &m));
  after(b, 1);
  assert_true(outbox_next_miss(&b->cycle.outbox, &m));
  assert_false(outbox_next_miss(&b->cycle.outbox, &m));
  assert_int_equal(m.number, 1);
  assert_int_equal(m.cycle, WARMUP + 3);
  assert_int_equal(m.start_ns, start);
  assert_true(m.wake_ns >= start + 4 * PERIOD && m.end_ns > m.wake_ns);
  assert_int_equal(m.period_ns, PERIOD);
  assert_int_equal(m.skipped, b->cycle.figures.skipped);
  assert_int_equal(m.slowest.level, -1);
  assert_int_equal(m.lost_worker, 0);
  assert_int_equal(m.state, STATE_RUNNING);
  uint64_t phases = 0;
  for (int i = 0; i < PHASES; i++) phases += m.phase_ns[i];
  assert_true(phases > 0 && phases <= m.end_ns - m.wake_ns);
}

static void frames_may_wait_for_the_next_cycle(void **state)
{
  struct bench *b = *state;
  b->config.settings.publish = PUBLISH_NEXT_CYCLE;
  begin_running(b);
  for (int k = 1; k < 5; k++) {
    const struct frame *f = after(b, 1);
    assert_int_equal(f->cycle, WARMUP + k - 1); /* of the cycle before */
    assert_same_as_steps(b, f, k - 1);
  }
  cycle_end(&b->cycle);
  assert_int_equal(newest(b, 0)->state, STATE_EXIT);
  assert_same_as_steps(b, newest(b, 0), 4);
}

static void the_book_is_cleared_when_asked(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  delay(b, 2.5);
  after(b, 1);
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  after(b, 3);
  assert_true(atomic_load(&b->telemetry->histograms.cycle.max_ns) > 2 * PERIOD);
  assert_int_equal(told(b, COMMAND_CLEAR), RESULT_OK);
  assert_true(atomic_load(&b->telemetry->histograms.cycle.max_ns) < PERIOD);
  assert_int_equal(atomic_load(&b->telemetry->histograms.cycle.count), 1);
  assert_int_equal(atomic_load(&b->telemetry->histograms.cleared), b->cycle.times.number);
  after(b, 3);
  assert_int_equal(atomic_load(&b->telemetry->histograms.cycle.count), 4);
  cycle_clear_book(&b->cycle);
  after(b, 1);
  assert_int_equal(atomic_load(&b->telemetry->histograms.cycle.count), 1);
  assert_int_equal(newest(b, 0)->misses, 1); /* the count stays */
}

static void a_loop_that_was_stuck_continues_in_safe(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 2);
  cycle_declare_stuck(&b->cycle);
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  assert_int_equal(newest(b, 0)->fault, FAULT_STUCK);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_int_equal(after(b, 5)->state, STATE_RUNNING);
}

/* --- in a thread, by what comes in --- */

static const struct frame *frame_of(struct bench *b, enum run_state state, uint64_t past)
{
  const uint64_t end = clock_now_ns() + 300 * NS_PER_S;
  for (;;) {
    const struct frame *f = newest(b, 0);
    if (f->state == state && f->cycle > past) return f;
    if (clock_now_ns() > end)
      fail_msg("no frame in state %s after cycle %d", run_state_name(state), (int)past);
    clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 10000);
  }
}

/* Waits for an answer of the loop; its frame has been published. */
static struct answer answered(struct bench *b)
{
  struct answer a = {0};
  const uint64_t end = clock_now_ns() + 300 * NS_PER_S;
  while (!ring_pop(&b->port[0].answers, &a)) {
    if (clock_now_ns() > end) fail_msg("no answer");
    clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 10000);
  }
  return a;
}

static uint32_t ask(struct bench *b, uint32_t code, uint32_t argument)
{
  static uint32_t id = 1;
  assert_true(
      port_command(&b->port[0], &(struct command){code, argument, ++id, 5, clock_now_ns(), 0, 0, 0, {0}}));
  const struct answer a = answered(b);
  assert_int_equal(a.code, code);
  assert_int_equal(a.id, id);
  assert_int_equal(a.client, 5);
  return a.result;
}

static void lockstep(struct bench *b)
{
  b->config.settings.clock = CLOCKING_LOCKSTEP;
  b->config.settings.autostart = AUTOSTART_OFF;
}

/* The largest count of ms means "none was set": an age beyond 49.7 days stays below it. */
static void an_age_of_months_is_not_taken_for_none(void **state)
{
  struct bench *b = *state;
  const uint64_t day = UINT64_C(86400000000000);
  lockstep(b);
  begin(b);
  assert_int_equal(after(b, 1)->input_age_ms, UINT32_MAX);
  set_input(b, 0, 0, 1.0);
  assert_int_equal(after(b, 1)->input_age_ms, 0);
  b->cycle.lockstep.virtual_ns += 20 * day;
  assert_int_equal(after(b, 1)->input_age_ms, 20 * day / 1000000 + 10); /* and a step */
  b->cycle.lockstep.virtual_ns += 40 * day;
  assert_int_equal(after(b, 1)->input_age_ms, UINT32_MAX - 1);
}

static void in_lockstep_only_requested_steps_move(void **state)
{
  struct bench *b = *state;
  lockstep(b);
  const pthread_t thread = run(b);
  frame_of(b, STATE_STOPPED, 0);
  assert_int_equal(ask(b, COMMAND_STEP, 1), RESULT_WRONG_STATE); /* stopped */
  assert_int_equal(ask(b, COMMAND_RUN, 0), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), 0);
  assert_int_equal(ask(b, COMMAND_STEP, 0), RESULT_BAD_ARGUMENT);
  int steps = 0;
  for (uint32_t n = 1; n < 12; n++) {
    assert_int_equal(ask(b, COMMAND_STEP, n), RESULT_OK);
    steps += (int)n;
    const struct frame *f = newest(b, 0); /* with the answer */
    assert_same_as_steps(b, f, steps);
    assert_int_equal(f->last_command, COMMAND_STEP);
    assert_int_equal(f->last_result, RESULT_OK);
  }
  assert_int_equal(ask(b, COMMAND_PAUSE, 0), RESULT_OK);
  assert_int_equal(ask(b, COMMAND_STEP, 1), RESULT_WRONG_STATE);
  assert_int_equal(ask(b, COMMAND_RUN, 0), RESULT_OK);
  assert_int_equal(ask(b, COMMAND_STEP, 2), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), steps + 2);
  struct telemetry_live live;
  const uint64_t end = clock_now_ns() + 300 * NS_PER_S;
  do assert_true(telemetry_read(b->telemetry, &live) && clock_now_ns() < end);
  while (!live.waiting);
  assert_int_equal(live.misses, 0);
  stop(b, thread);
  assert_int_equal(newest(b, 0)->state, STATE_EXIT);
}

/* Ages count in steps: a value holds for a number of steps, however long the pauses between them are. */
static void in_lockstep_inputs_age_by_steps(void **state)
{
  struct bench *b = *state;
  lockstep(b);
  const pthread_t thread = run(b);
  frame_of(b, STATE_STOPPED, 0);
  assert_int_equal(ask(b, COMMAND_RUN, 0), RESULT_OK);
  set_input(b, 0, INPUT_WRENCH_CHANNELS * 2, 1.0); /* policy safe, hold 0: for one step */
  const int value = b->signals->input_first + INPUT_WRENCH_CHANNELS * 2;
  clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 20);
  assert_int_equal(ask(b, COMMAND_STEP, 1), RESULT_OK);
  assert_true(newest(b, 0)->values[value] == 1.0);
  assert_int_equal(newest(b, 0)->state, STATE_RUNNING);
  assert_int_equal(ask(b, COMMAND_STEP, 1), RESULT_WRONG_STATE);
  assert_int_equal(newest(b, 0)->state, STATE_SAFE);
  assert_int_equal(newest(b, 0)->fault, FAULT_STALE);
  stop(b, thread);
}

static void an_estop_ends_steps_that_are_owed(void **state)
{
  struct bench *b = *state;
  lockstep(b);
  const pthread_t thread = run(b);
  frame_of(b, STATE_STOPPED, 0);
  assert_int_equal(ask(b, COMMAND_RUN, 0), RESULT_OK);
  assert_true(port_command(&b->port[0],
                           &(struct command){COMMAND_STEP, UINT32_MAX, 77, 5, clock_now_ns(), 0, 0, 0, {0}}));
  assert_true(
      port_command(&b->port[1], &(struct command){COMMAND_ESTOP, 0, 1, 1, clock_now_ns(), 0, 0, 0, {0}}));
  const struct answer a = answered(b);
  assert_int_equal(a.code, COMMAND_STEP);
  assert_int_equal(a.result, RESULT_WRONG_STATE);
  frame_of(b, STATE_SAFE, 0); /* if both came in one cycle, the refusal came before the frame */
  stop(b, thread);
}

/* All in one latch: steps that were owed before are not made after it. */
static void a_stop_and_a_run_forget_steps_that_are_owed(void **state)
{
  struct bench *b = *state;
  lockstep(b);
  begin_running(b);
  after(b, 1);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_true(port_command(&b->port[0], &(struct command){.code = COMMAND_STEP, .argument = 5, .id = 1}));
  assert_true(port_command(&b->port[0], &(struct command){.code = COMMAND_STOP, .id = 2}));
  assert_true(port_command(&b->port[0], &(struct command){.code = COMMAND_RUN, .id = 3}));
  assert_true(port_command(&b->port[0], &(struct command){.code = COMMAND_STEP, .argument = 5, .id = 4}));
  after(b, 3);
  static const struct answer expected[] = {
      {.code = COMMAND_STOP, .id = 2},
      {.code = COMMAND_RUN, .id = 3},
      {.code = COMMAND_STEP, .id = 4, .result = RESULT_BUSY}, /* the first one is not answered yet */
      {.code = COMMAND_STEP, .id = 1, .result = RESULT_WRONG_STATE},
  };
  struct answer a;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_true(ring_pop(&b->port[0].answers, &a));
    assert_memory_equal(&a, &expected[i], sizeof a);
  }
  assert_false(ring_pop(&b->port[0].answers, &a));
  assert_same_as_steps(b, newest(b, 0), 0);
}

/* A client is told that its steps were not made, because those of another client come first. */
static void two_clients_do_not_share_a_step(void **state)
{
  struct bench *b = *state;
  lockstep(b);
  begin_running(b);
  after(b, 1);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_true(port_command(&b->port[0], &(struct command){.code = COMMAND_STEP, .argument = 3, .id = 1}));
  assert_true(port_command(&b->port[1], &(struct command){.code = COMMAND_STEP, .argument = 1, .id = 9}));
  after(b, 3);
  struct answer a;
  assert_true(ring_pop(&b->port[0].answers, &a));
  assert_int_equal(a.result, RESULT_OK);
  assert_true(ring_pop(&b->port[1].answers, &a));
  assert_int_equal(a.id, 9);
  assert_int_equal(a.result, RESULT_BUSY);
  assert_same_as_steps(b, newest(b, 0), 3);
}

/* After the last cycle has ended: a beat within it counts as missed. */
static void beat(struct bench *b)
{
  const uint64_t end = clock_now_ns() + 300 * NS_PER_S;
  while (!atomic_load(&b->wakeup.sleeping)) assert_true(clock_now_ns() < end);
  port_beat(&b->port[1], clock_now_ns());
}

static void each_input_frame_makes_a_cycle(void **state)
{
  struct bench *b = *state;
  b->config.settings.clock = CLOCKING_INPUT;
  b->config.period_ns = 5 * NS_PER_S; /* two of them are the time-out */
  b->config.settings.warmup = 0;
  b->port[1].paces = true;
  const pthread_t thread = run(b);
  assert_int_equal(frame_of(b, STATE_RUNNING, 0)->cycle, 1); /* without a beat: it ends the warm-up */
  assert_same_as_steps(b, newest(b, 0), 0);
  for (int k = 1; k <= 50; k++) {
    beat(b);
    const struct frame *f = frame_of(b, STATE_RUNNING, (uint64_t)k);
    assert_int_equal(f->cycle, k + 1);
    assert_same_as_steps(b, f, k);
  }
  port_beat(&b->port[0], clock_now_ns()); /* not the port that paces */
  clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 50);
  assert_int_equal(newest(b, 0)->cycle, 51);
  stop(b, thread);
  assert_int_equal(b->cycle.figures.misses, 0);
}

static void without_beats_the_motion_stops(void **state)
{
  struct bench *b = *state;
  b->config.settings.clock = CLOCKING_INPUT;
  b->config.settings.warmup = 0;
  b->port[1].paces = true;
  const pthread_t thread = run(b);
  const struct frame *f = frame_of(b, STATE_SAFE, 0);
  assert_int_equal(f->fault, FAULT_BEAT);
  frame_of(b, STATE_SAFE, f->cycle + 5); /* it still answers */
  assert_int_equal(ask(b, COMMAND_RESET, 0), RESULT_OK);
  frame_of(b, STATE_STOPPED, 0); /* and waits there without a limit */
  stop(b, thread);
  assert_true(b->cycle.figures.beats_lost >= 2);
}

static void beats_draw_the_timer(void **state)
{
  struct bench *b = *state;
  b->config.settings.pull = (double)PERIOD / 20e9;
  b->config.settings.beat_offset = 2.0 * (double)PERIOD / 10e9;
  b->port[1].paces = true;
  begin_running(b);
  const uint64_t begun = b->cycle.schedule.start_ns;
  for (int k = 0; k < 200; k++) {
    port_beat(&b->port[1], b->cycle.schedule.start_ns / PERIOD * PERIOD); /* on a grid of its own */
    after(b, 1);
  }
  assert_int_equal(b->cycle.schedule.start_ns, begun + 200 * PERIOD + (uint64_t)b->cycle.schedule.pulled_ns);
  const uint64_t phase = b->cycle.schedule.start_ns % PERIOD;
  assert_true(phase > 2 * PERIOD / 10 - 10 && phase < 2 * PERIOD / 10 + 10);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(catching_up_makes_up_for_starts),          ROW(slipping_restarts_the_grid_at_the_end),
      ROW(a_grace_forgives_misses_after_each_start), ROW(a_miss_leaves_a_record),
      ROW(frames_may_wait_for_the_next_cycle),       ROW(the_book_is_cleared_when_asked),
      ROW(a_loop_that_was_stuck_continues_in_safe),  ROW(an_age_of_months_is_not_taken_for_none),
      ROW(in_lockstep_only_requested_steps_move),    ROW(in_lockstep_inputs_age_by_steps),
      ROW(an_estop_ends_steps_that_are_owed),        ROW(a_stop_and_a_run_forget_steps_that_are_owed),
      ROW(two_clients_do_not_share_a_step),          ROW(each_input_frame_makes_a_cycle),
      ROW(without_beats_the_motion_stops),           ROW(beats_draw_the_timer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
