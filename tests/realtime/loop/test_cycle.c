/* SPDX-License-Identifier: MIT
 * The loop with the real stepper. Most tests run it cycle by cycle on a schedule far in the future, so that the speed
 * of the machine does not matter. A test makes a miss by moving the schedule into the past. */
#include "check.h"
#include "loop/pendulum.h"

#include "rt/pool.h"

#include <ali3/model.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void warm_up_shows_the_initial_state_and_counts_nothing(void **state)
{
  struct bench *b = *state;
  begin(b);
  for (int k = 1; k <= WARMUP; k++) {
    const struct frame *f = after(b, 1);
    assert_int_equal(f->state, STATE_INIT);
    assert_int_equal(f->cycle, k);
    assert_same_as_steps(b, f, 0);
  }
  assert_true(atomic_load(&b->telemetry->histograms.step.count) == WARMUP); /* the steps were real */
  const struct frame *f = after(b, 1);
  assert_int_equal(f->state, STATE_RUNNING);
  assert_int_equal(f->flags, FLAG_RUNNING);
  assert_same_as_steps(b, f, 1);
  assert_true(atomic_load(&b->telemetry->histograms.wakeup.count) == 1);
  assert_true(atomic_load(&b->telemetry->histograms.step.count) == 1);
  assert_true(atomic_load(&b->telemetry->histograms.cycle.count) == 1);
}

static void without_autostart_it_waits_in_stopped(void **state)
{
  struct bench *b = *state;
  b->config.settings.autostart = AUTOSTART_OFF;
  begin(b);
  const struct frame *f = after(b, WARMUP + 20);
  assert_int_equal(f->state, STATE_STOPPED);
  assert_int_equal(f->flags, 0);
  assert_same_as_steps(b, f, 0);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(newest(b, 0)->flags, FLAG_READY);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, after(b, 9), 10);
}

static void the_loop_steps_as_the_library_does(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  for (int k = 1; k <= 100; k++) assert_same_as_steps(b, after(b, 1), k);
  const struct frame *osc = newest(b, 0), *modbus = newest(b, 1);
  assert_memory_equal(osc, modbus, offsetof(struct frame, values));
  assert_memory_equal(osc->values, modbus->values, osc->count * sizeof *osc->values);
}

static void workers_change_no_bit(void **state)
{
  struct bench *b = *state;
  char error[256];
  struct pool *pool = pool_new(&(struct pool_config){.workers = 2, .first_cpu = -1}, error, sizeof error);
  assert_non_null(pool);
  assert_int_equal(cycle_setup(&b->cycle, &b->config), ALI3_OK);
  cycle_freeze(&b->cycle, pool, true);
  cycle_begin(&b->cycle, clock_now_ns() + AHEAD);
  assert_same_as_steps(b, after(b, WARMUP + 50), 50);
  pool_free(pool);
}

static void reset_begins_again_to_the_bit(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  set_input(b, 0, 0, 25.0); /* must be gone after the reset */
  after(b, 30);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(newest(b, 0)->state, STATE_RUNNING);
  assert_same_as_steps(b, newest(b, 0), 1);
  assert_same_as_steps(b, after(b, 40), 41);
}

static void pause_holds_and_run_goes_on(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  assert_int_equal(told(b, COMMAND_PAUSE), RESULT_OK);
  const struct frame *f = newest(b, 0);
  assert_int_equal(f->flags, FLAG_PAUSED);
  const uint64_t cycle = f->cycle;
  f = after(b, 25);
  assert_true(f->cycle == cycle + 25);
  assert_same_as_steps(b, f, 10);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, after(b, 9), 20);
}

static void after_a_stop_run_starts_from_the_beginning(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 10);
  assert_int_equal(told(b, COMMAND_STOP), RESULT_OK);
  assert_int_equal(newest(b, 0)->state, STATE_STOPPED);
  assert_same_as_steps(b, after(b, 3), 10); /* the last pose stays visible */
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), 1);
}

static void a_refused_command_changes_nothing(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 5);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_WRONG_STATE);
  assert_int_equal(told(b, COMMAND_STEP), RESULT_WRONG_STATE);
  assert_int_equal(told(b, 77), RESULT_BAD_ARGUMENT);
  assert_int_equal(newest(b, 0)->state, STATE_RUNNING);
  assert_same_as_steps(b, newest(b, 0), 8);
}

static void estop_holds_in_the_same_cycle_and_is_latched(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  set_input(b, 0, 1, 25.0);
  after(b, 10);
  const size_t bytes = (size_t)b->signals->input_first * sizeof(double);
  double *before = malloc(bytes);
  memcpy(before, after(b, 0)->values, bytes);
  atomic_store(&b->port[1].estop, PORT_ESTOP | 5); /* the flag alone, as with a full ring */
  const struct frame *f = after(b, 1);
  assert_memory_equal(f->values, before, bytes);
  free(before);
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->flags, FLAG_SAFE | FLAG_ESTOP);
  assert_int_equal(f->fault, FAULT_ESTOP);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_WRONG_STATE);
  assert_int_equal(after(b, 50)->state, STATE_SAFE);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(newest(b, 0)->state, STATE_STOPPED);
  assert_int_equal(newest(b, 0)->fault, FAULT_NONE);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_WRONG_STATE);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), 1); /* without the earlier force */
}

static void estop_works_in_every_state_even_init(void **state)
{
  struct bench *b = *state;
  begin(b);
  after(b, 1);
  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK);
  assert_int_equal(after(b, 2 * WARMUP)->state, STATE_SAFE);
}

static void a_reset_sent_with_an_estop_does_not_win(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 3);
  port_command(&b->port[0], &(struct command){COMMAND_RESET, 0, 1, 0, clock_now_ns(), 0, 0, 0, {0}});
  port_command(&b->port[0], &(struct command){COMMAND_ESTOP, 0, 2, 0, 0, 0, 0, 0, {0}});
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
}

/* The e-stop itself finds no room in its ring, and only its flag arrives. */
static void an_estop_behind_full_rings_of_commands_wins(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 3);
  for (int p = 0; p < 2; p++)
    for (uint32_t k = 0; port_command(
             &b->port[p], &(struct command){k % 2 ? COMMAND_RUN : COMMAND_RESET, 0, k, 0, 0, 0, 0, 0, {0}});)
      k++;
  assert_true(port_command(&b->port[0], &(struct command){COMMAND_ESTOP, 0, 0, 0, 0, 0, 0, 0, {0}}));
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  assert_int_equal(after(b, 20)->state, STATE_SAFE);
  struct answer a;
  while (ring_pop(&b->port[0].answers, &a))
    assert_int_equal(a.result, a.code == COMMAND_RESET ? RESULT_TOO_SOON : RESULT_WRONG_STATE);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(newest(b, 0)->state, STATE_STOPPED);
}

static void commands_are_taken_in_order_and_sixteen_at_a_time(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  for (uint32_t k = 0; k < 40; k++)
    assert_true(port_command(
        &b->port[1], &(struct command){k % 2 ? COMMAND_RUN : COMMAND_PAUSE, 0, k, 3, 0, 0, 0, 0, {0}}));
  static const int taken[] = {16, 16, 8, 0};
  uint32_t id = 0;
  for (size_t c = 0; c < sizeof taken / sizeof *taken; c++) {
    cycle_once(&b->cycle);
    struct answer a;
    int n = 0;
    for (; ring_pop(&b->port[1].answers, &a); n++) {
      assert_int_equal(a.id, id++);
      assert_int_equal(a.result, RESULT_OK);
    }
    assert_int_equal(n, taken[c]);
  }
  struct answer a;
  assert_false(ring_pop(&b->port[0].answers, &a)); /* not the sender */
}

static void inputs_on_one_body_add_up(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  set_input(b, 0, 1, 30.0);                          /* push.force.y */
  set_input(b, 1, INPUT_WRENCH_CHANNELS + 1, -12.5); /* pull.force.y */
  ali3_data *d = reference(b, 0);
  ali3_set_wrench(b->model, d, 1, (const double[]){0, 17.5, 0}, (const double[]){0, 0, 0});
  for (int k = 0; k < 20; k++) ali3_step(b->model, d);
  const struct frame *f = after(b, 20);
  ali3_body_state expected;
  ali3_body_get(b->model, d, 1, &expected);
  const double *found = &f->values[b->signals->body_first + SIGNALS_BODY];
  assert_memory_equal(found, expected.position, sizeof expected.position);
  assert_true(f->values[b->signals->input_first + 1] == 30.0);
  assert_true(f->values[b->signals->input_first + INPUT_WRENCH_CHANNELS + 1] == -12.5);
  assert_true(f->input_age_ms < 60000);
  ali3_data_free(d);
}

static void a_stale_input_of_policy_safe_stops_the_motion(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  assert_int_equal(after(b, 3)->input_age_ms, UINT32_MAX);
  set_input(b, 0, 2 * INPUT_WRENCH_CHANNELS, 1.0); /* a hold time of 0: stale as soon as time passes */
  const uint64_t sent = clock_now_ns();
  while (clock_now_ns() <= sent) continue;
  const struct frame *f = after(b, 1);
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->fault, FAULT_STALE);
  assert_int_equal(f->stale_mask, 4);
  assert_true(f->flags & FLAG_INPUT_STALE);
}

static void a_step_that_diverges_is_a_fault(void **state)
{
  struct bench *b = *state;
  b->signals->input[0].range[1].upper = INFINITY;
  begin_running(b);
  after(b, 3);
  set_input(b, 0, 1, 1e300);
  const struct frame *f = after(b, 3);
  assert_int_equal(f->state, STATE_FAULT);
  assert_true(f->fault == FAULT_DIVERGED || f->fault == FAULT_SINGULAR);
  for (int i = 0; i < b->signals->input_first; i++) assert_true(isfinite(f->values[i]));
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), 1);
}

/* From the start, pushed with ever larger forces, until the step gives this state and fault. */
static const struct frame *pushed_until(struct bench *b, uint32_t state, uint32_t fault)
{
  b->signals->input[0].range[0].upper = b->signals->input[0].range[5].upper = INFINITY;
  begin_running(b);
  for (double push = 1e3; push < 1e7; push *= 1.05) {
    struct cycle_event e;
    told(b, COMMAND_STOP); /* refused after a fault, which is also a stop */
    assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
    while (outbox_next_event(&b->cycle.outbox, &e)) continue;
    let_rearm(b);
    assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
    assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
    set_input(b, 0, 0, push);
    set_input(b, 0, 5, push);
    const struct frame *f = after(b, 1);
    if (f->state == state && f->fault == fault && f->flags & FLAG_VIOLATED) return f;
  }
  fail();
  return NULL;
}

static void next_event_of(struct bench *b, enum cycle_cause cause, struct cycle_event *e)
{
  do assert_true(outbox_next_event(&b->cycle.outbox, e));
  while (e->cause != cause);
}

static void a_violated_step_is_counted_flagged_and_logged(void **state)
{
  struct bench *b = *state;
  const uint64_t cycle = pushed_until(b, STATE_RUNNING, FAULT_NONE)->cycle;
  struct telemetry_live live;
  assert_true(telemetry_read(b->telemetry, &live));
  assert_true(live.violated == 1 && live.degraded >= 1);
  assert_true(live.violated_first == cycle && live.violated_cycle == cycle && live.degraded_cycle == cycle);
  assert_memory_equal(live.violated_at, "joint ", strlen("joint "));
  struct cycle_event e;
  next_event_of(b, CAUSE_VIOLATED, &e);
  assert_true(e.cycle == cycle && e.violation.joint >= 0 && e.violation.limit > 0.0);
  assert_int_equal(told(b, COMMAND_STOP), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_false(newest(b, 0)->flags & FLAG_VIOLATED);
}

static void a_violation_above_the_limit_is_a_fault(void **state)
{
  struct bench *b = *state;
  const struct frame *f = pushed_until(b, STATE_FAULT, FAULT_VIOLATED);
  for (int i = 0; i < b->signals->input_first; i++) assert_true(isfinite(f->values[i]));
  struct cycle_event e = {0};
  do next_event_of(b, CAUSE_FAULT, &e);
  while (e.code != FAULT_VIOLATED);
  assert_true(e.violation.joint >= 0 && e.violation.relative > e.violation.limit);
}

static void a_miss_is_counted_flagged_and_skipped(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 2);
  delay(b, 1000.5);
  const uint64_t start = b->cycle.schedule.start_ns;
  const struct frame *f = after(b, 1);
  assert_false(f->flags & FLAG_OVERRUN); /* not known when it was published */
  assert_true(b->cycle.figures.misses == 1);
  assert_true(b->cycle.figures.skipped >= 1000);
  assert_true((b->cycle.schedule.start_ns - start) % PERIOD == 0);
  assert_true(b->cycle.schedule.start_ns == start + (b->cycle.figures.skipped + 1) * PERIOD);
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  f = after(b, 1);
  assert_true(f->flags & FLAG_OVERRUN);
  assert_true(f->misses == 1);
  assert_true(f->last_cycle_us >= 10005000 && f->max_cycle_us == f->last_cycle_us);
  assert_same_as_steps(b, f, 4); /* one step per cycle, whatever the clock did */
  assert_false(after(b, 1)->flags & FLAG_OVERRUN);
}

static void too_many_misses_lead_to_safe(void **state)
{
  struct bench *b = *state;
  b->config.settings.live.max_misses = 3;
  begin_running(b);
  for (int k = 0; k < 3; k++) {
    delay(b, 2.5);
    assert_int_equal(after(b, 1)->state, STATE_RUNNING);
  }
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  const struct frame *f = after(b, 1);
  assert_int_equal(f->state, STATE_SAFE);
  assert_int_equal(f->fault, FAULT_MISSES);
}

static void misses_of_the_warm_up_do_not_count(void **state)
{
  struct bench *b = *state;
  b->config.settings.live.max_misses = 1;
  begin(b);
  for (int k = 0; k < WARMUP; k++) {
    delay(b, 3.5);
    cycle_once(&b->cycle);
  }
  b->cycle.schedule.start_ns = clock_now_ns() + AHEAD;
  const struct frame *f = after(b, 1);
  assert_int_equal(f->state, STATE_RUNNING);
  assert_int_equal(f->flags, FLAG_RUNNING);
  assert_true(f->misses == 0 && f->max_cycle_us == 0);
}

static void events_tell_who_and_why(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  told(b, COMMAND_PAUSE);
  told(b, COMMAND_ARM);
  told(b, COMMAND_RESET);
  atomic_store(&b->port[1].estop, PORT_ESTOP | 5);
  after(b, 1);
  cycle_end(&b->cycle);
  static const struct cycle_event expected[] = {
      {.cycle = 6, .from = STATE_INIT, .to = STATE_RUNNING, .cause = CAUSE_WARM, .port = -1},
      {.cycle = 7,
       .from = STATE_RUNNING,
       .to = STATE_PAUSED,
       .cause = CAUSE_COMMAND,
       .code = COMMAND_PAUSE,
       .client = 7},
      {.cycle = 8,
       .from = STATE_PAUSED,
       .to = STATE_PAUSED,
       .cause = CAUSE_REFUSED,
       .code = COMMAND_ARM,
       .client = 7},
      {.cycle = 9,
       .from = STATE_PAUSED,
       .to = STATE_PAUSED,
       .cause = CAUSE_COMMAND,
       .code = COMMAND_RESET,
       .client = 7},
      {.cycle = 10,
       .from = STATE_PAUSED,
       .to = STATE_SAFE,
       .cause = CAUSE_FAULT,
       .code = FAULT_ESTOP,
       .port = 1,
       .client = 5},
      {.cycle = 10, .from = STATE_SAFE, .to = STATE_EXIT, .cause = CAUSE_EXIT, .port = -1},
  };
  struct cycle_event e = {0};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    assert_true(outbox_next_event(&b->cycle.outbox, &e));
    assert_true(e.cycle == expected[k].cycle);
    assert_int_equal(e.from, expected[k].from);
    assert_int_equal(e.to, expected[k].to);
    assert_int_equal(e.cause, expected[k].cause);
    assert_int_equal(e.code, expected[k].code);
    assert_int_equal(e.port, expected[k].port);
    assert_int_equal(e.client, expected[k].client);
    assert_int_equal(e.body, -1);
  }
  assert_false(outbox_next_event(&b->cycle.outbox, &e));
}

static void telemetry_agrees_with_the_frame(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  const struct frame *f = after(b, 10);
  struct telemetry_live live;
  assert_true(telemetry_read(b->telemetry, &live));
  assert_true(live.cycle == f->cycle && live.time == f->time);
  assert_int_equal(live.state, f->state);
  assert_int_equal(live.flags, f->flags);
  assert_true(live.constraint == f->values[b->signals->constraint_first]);
  assert_true(counter_get(&b->telemetry->histograms.step.last_ns) > 0);
}

static void frames_say_when_it_is_not_real_time(void **state)
{
  struct bench *b = *state;
  assert_int_equal(cycle_setup(&b->cycle, &b->config), ALI3_OK);
  cycle_freeze(&b->cycle, NULL, false);
  cycle_begin(&b->cycle, clock_now_ns() + AHEAD);
  assert_true(after(b, 1)->flags & FLAG_NOT_REALTIME);
}

static void by_the_clock_it_ends_after_its_periods(void **state)
{
  struct bench *b = *state;
  b->config.period_ns = NS_PER_S / 1000;
  b->config.periods = 50;
  assert_int_equal(cycle_setup(&b->cycle, &b->config), ALI3_OK);
  cycle_freeze(&b->cycle, NULL, true);
  const uint64_t begin_ns = clock_now_ns();
  cycle_run(&b->cycle);
  const uint64_t cycles = atomic_load(&b->telemetry->histograms.cycle.count);
  assert_true(cycles >= 1);
  assert_true(cycles + b->cycle.figures.skipped >= 50); /* more only if the last cycle itself skipped */
  assert_true(b->cycle.figures.misses <= b->cycle.figures.skipped);
  assert_true(clock_now_ns() - begin_ns >= (50 + WARMUP) * b->config.period_ns - b->config.period_ns);
  const struct frame *f = newest(b, 0);
  assert_int_equal(f->state, STATE_EXIT);
  assert_true(f->cycle == cycles + WARMUP);
  assert_same_as_steps(b, f, (int)cycles);
}

static void another_thread_can_stop_it(void **state)
{
  struct bench *b = *state;
  b->config.period_ns = NS_PER_S / 1000;
  const pthread_t thread = run(b);
  uint64_t seen = 0;
  const uint64_t deadline = clock_now_ns() + 300 * NS_PER_S;
  while (seen < 20 && clock_now_ns() < deadline) { /* like a client: frames only go forward */
    clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 1000);
    const uint64_t cycle = newest(b, 0)->cycle;
    assert_true(cycle >= seen);
    seen = cycle;
  }
  stop(b, thread);
  assert_true(seen >= 20);
  assert_int_equal(newest(b, 0)->state, STATE_EXIT);
}

/* One cycle may find the reset and the input after it. */
static void an_input_sent_after_a_reset_acts(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  set_input(b, 0, 0, 5.0);
  after(b, 2);
  assert_true(newest(b, 0)->values[b->signals->input_first] == 5.0);
  assert_true(
      port_command(&b->port[0], &(struct command){COMMAND_RESET, 0, 1, 0, clock_now_ns(), 0, 0, 0, {0}}));
  set_input(b, 0, 0, 7.0);
  after(b, 1);
  assert_true(newest(b, 0)->values[b->signals->input_first] == 7.0);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(warm_up_shows_the_initial_state_and_counts_nothing),
      ROW(without_autostart_it_waits_in_stopped),
      ROW(the_loop_steps_as_the_library_does),
      ROW(workers_change_no_bit),
      ROW(reset_begins_again_to_the_bit),
      ROW(pause_holds_and_run_goes_on),
      ROW(after_a_stop_run_starts_from_the_beginning),
      ROW(a_refused_command_changes_nothing),
      ROW(estop_holds_in_the_same_cycle_and_is_latched),
      ROW(estop_works_in_every_state_even_init),
      ROW(a_reset_sent_with_an_estop_does_not_win),
      ROW(an_estop_behind_full_rings_of_commands_wins),
      ROW(commands_are_taken_in_order_and_sixteen_at_a_time),
      ROW(inputs_on_one_body_add_up),
      ROW(a_stale_input_of_policy_safe_stops_the_motion),
      ROW(a_step_that_diverges_is_a_fault),
      ROW(a_violated_step_is_counted_flagged_and_logged),
      ROW(a_violation_above_the_limit_is_a_fault),
      ROW(a_miss_is_counted_flagged_and_skipped),
      ROW(too_many_misses_lead_to_safe),
      ROW(misses_of_the_warm_up_do_not_count),
      ROW(events_tell_who_and_why),
      ROW(telemetry_agrees_with_the_frame),
      ROW(frames_say_when_it_is_not_real_time),
      ROW(by_the_clock_it_ends_after_its_periods),
      ROW(another_thread_can_stop_it),
      ROW(an_input_sent_after_a_reset_acts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
