/* SPDX-License-Identifier: MIT
 * The loop and its inputs: conditions of the motion, stops by inputs, reports, and injected faults. */
#include "check.h"
#include "loop/pendulum.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { PUSH, PULL, GUARDED };

/* Runs the action of another thread right after inputs_take(). */
static struct bench *interferes;
void __real_inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns);
void __wrap_inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns);
void __wrap_inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns)
{
  __real_inputs_take(in, port, clock_ns, virtual_ns);
  if (!interferes) return;
  set_input(interferes, 0, INPUT_WRENCH_CHANNELS, 1.0);
  assert_true(port_command(&interferes->port[0],
                           &(struct command){COMMAND_ARM, 0, 1, 7, clock_now_ns(), 0, 0, 0, {0}}));
  interferes = NULL;
}

/* The next event with that cause. */
static struct cycle_event event(struct bench *b, enum cycle_cause cause)
{
  struct cycle_event e;
  do {
    if (!outbox_next_event(&b->cycle.outbox, &e)) fail_msg("no event of cause %d", (int)cause);
  } while (e.cause != (uint32_t)cause);
  return e;
}

static void without_a_required_input_autostart_stays_in_stopped(void **state)
{
  struct bench *b = *state;
  b->signals->input[PULL].required = true;
  begin(b);
  assert_int_equal(after(b, WARMUP + 5)->state, STATE_STOPPED);
  const struct cycle_event e = event(b, CAUSE_WARM);
  assert_int_equal(e.to, STATE_STOPPED);
  assert_int_equal(e.input, PULL);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_NOT_READY);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_NOT_READY);
  set_input(b, 0, INPUT_WRENCH_CHANNELS, 1.0); /* the command finds it in its own cycle */
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RESET),
                   RESULT_OK); /* the reset forgets the inputs, and this one is required */
  assert_int_equal(after(b, 1)->state, STATE_STOPPED);
}

/* A cycle must not find the command without the input that was sent before it. */
static void a_command_never_overtakes_its_input(void **state)
{
  struct bench *b = *state;
  struct answer a;
  b->signals->input[PULL].required = true;
  begin(b);
  after(b, WARMUP + 1);
  interferes = b;
  after(b, 1);
  assert_false(ring_pop(&b->port[0].answers, &a));
  assert_int_equal(after(b, 1)->state, STATE_READY);
  assert_true(ring_pop(&b->port[0].answers, &a) && a.result == RESULT_OK);
}

static void with_its_required_input_autostart_runs(void **state)
{
  struct bench *b = *state;
  b->signals->input[PULL].required = true;
  begin(b);
  set_input(b, 0, INPUT_WRENCH_CHANNELS, 1.0);
  assert_int_equal(after(b, WARMUP + 1)->state, STATE_RUNNING);
  assert_int_equal(event(b, CAUSE_WARM).input, -1);
}

static void a_motion_that_ends_in_safe_waits_for_arm(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 3);
  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RESET), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_WRONG_STATE);
  assert_int_equal(newest(b, 0)->state, STATE_STOPPED);
  let_rearm(b);
  assert_int_equal(told(b, COMMAND_ARM), RESULT_OK);
  assert_int_equal(told(b, COMMAND_RUN), RESULT_OK);
  assert_same_as_steps(b, newest(b, 0), 1);
}

static void an_estop_names_who_asked(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 1);
  assert_true(port_command(&b->port[1], &(struct command){COMMAND_ESTOP, 0, 1, UINT32_MAX, 0, 0, 0, 0, {0}}));
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  const struct cycle_event e = event(b, CAUSE_FAULT);
  assert_int_equal(e.code, FAULT_ESTOP);
  assert_int_equal(e.port, 1);
  assert_true(e.client == UINT32_MAX);
  assert_int_equal(e.input, -1);
  assert_true(atomic_load(&b->port[1].estop) == 0);
}

static void a_lost_input_is_named(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  after(b, 3);
  set_input(b, 0, 2 * INPUT_WRENCH_CHANNELS, 1.0);
  const uint64_t sent = clock_now_ns();
  while (clock_now_ns() <= sent) continue;
  assert_int_equal(after(b, 1)->state, STATE_SAFE);
  assert_int_equal(event(b, CAUSE_FAULT).input, GUARDED);
  assert_int_equal(atomic_load(&b->telemetry->input[GUARDED].state), INPUT_STALE);
  assert_int_equal(atomic_load(&b->telemetry->input[PUSH].state), INPUT_NEVER);
}

static void telemetry_shows_limits(void **state)
{
  struct bench *b = *state;
  b->signals->input[PUSH].range[0] = (struct input_range){.lower = -1.0, .upper = 1.0, .rate = 1e-9};
  begin_running(b);
  set_input(b, 0, 0, 5.0);
  assert_true(after(b, 1)->flags & FLAG_LIMIT);
  assert_int_equal(atomic_load(&b->telemetry->input[PUSH].state), INPUT_FRESH);
  assert_int_equal(atomic_load(&b->telemetry->input[PUSH].limits), INPUT_CLAMPED | INPUT_SLOWED);
}

/* --- injections --- */

static const struct injection BIASES[] = {
    {.name = "off", .input = PUSH, .kind = INJECT_BIAS, .value = 3.0},
    {.name = "then",
     .input = PULL,
     .kind = INJECT_BIAS,
     .active = true,
     .value = 5.0,
     .window = true,
     .from = 0.045,
     .length = 0.03},
};

static uint32_t told_to_inject(struct bench *b, uint32_t argument)
{
  assert_true(port_command(&b->port[0],
                           &(struct command){COMMAND_INJECT, argument, 1, 7, clock_now_ns(), 0, 0, 0, {0}}));
  cycle_once(&b->cycle);
  struct answer a = {0};
  assert_true(ring_pop(&b->port[0].answers, &a));
  assert_int_equal(a.code, COMMAND_INJECT);
  return a.result;
}

static double pushed(struct bench *b, int channel)
{
  return newest(b, 0)->values[b->signals->input_first + channel];
}

static void where_none_is_listed_nobody_can_inject(void **state)
{
  struct bench *b = *state;
  begin_running(b);
  assert_int_equal(told_to_inject(b, injection_argument(0, true)), RESULT_BAD_ARGUMENT);
  struct cycle_event e;
  while (outbox_next_event(&b->cycle.outbox, &e)) assert_int_not_equal(e.cause, CAUSE_INJECT_SWITCHED);
}

static void an_injection_is_switched_in_any_state(void **state)
{
  struct bench *b = *state;
  b->config.injection = BIASES;
  b->config.injections = 1;
  begin_running(b);
  set_input(b, 0, 0, 1.0);
  assert_int_equal(after(b, 1)->flags, FLAG_RUNNING);
  assert_int_equal(told_to_inject(b, injection_argument(1, true)), RESULT_BAD_ARGUMENT);
  assert_int_equal(told_to_inject(b, injection_argument(0, true)), RESULT_OK);
  struct cycle_event e = event(b, CAUSE_INJECT_SWITCHED);
  assert_true(e.code == injection_argument(0, true) && e.port == 0 && e.client == 7);
  set_input(b, 0, 0, 1.0);
  assert_int_equal(after(b, 1)->flags, FLAG_RUNNING | FLAG_INJECTED);
  assert_true(pushed(b, 0) == 4.0);
  e = event(b, CAUSE_INJECT_ACTS);
  assert_true(e.code == injection_argument(0, true) && e.from == e.to);
  assert_int_equal(counter_get(&b->telemetry->counters.inputs_injected), 1);

  assert_int_equal(told(b, COMMAND_ESTOP), RESULT_OK);
  assert_int_equal(told_to_inject(b, injection_argument(0, false)), RESULT_OK);
  assert_int_equal(after(b, 1)->flags, FLAG_SAFE | FLAG_ESTOP);
  assert_int_equal(event(b, CAUSE_INJECT_ACTS).code, injection_argument(0, false));
}

static void an_injection_acts_in_its_window(void **state)
{
  struct bench *b = *state;
  b->config.injection = BIASES;
  b->config.injections = 2;
  begin_running(b);
  for (int k = 1; k <= 10; k++) { /* the cycle of step k begins at (k - 1) * 10 ms */
    set_input(b, 0, INPUT_WRENCH_CHANNELS, 1.0);
    const bool acts = k >= 6 && k <= 8;
    assert_int_equal((after(b, 1)->flags & FLAG_INJECTED) != 0, acts);
    assert_true(pushed(b, INPUT_WRENCH_CHANNELS) == (acts ? 6.0 : 1.0));
  }
  assert_int_equal(event(b, CAUSE_INJECT_ACTS).code, injection_argument(1, true));
  assert_int_equal(event(b, CAUSE_INJECT_ACTS).code, injection_argument(1, false));
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(without_a_required_input_autostart_stays_in_stopped),
      ROW(a_command_never_overtakes_its_input),
      ROW(with_its_required_input_autostart_runs),
      ROW(a_motion_that_ends_in_safe_waits_for_arm),
      ROW(an_estop_names_who_asked),
      ROW(a_lost_input_is_named),
      ROW(telemetry_shows_limits),
      ROW(where_none_is_listed_nobody_can_inject),
      ROW(an_injection_is_switched_in_any_state),
      ROW(an_injection_acts_in_its_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
