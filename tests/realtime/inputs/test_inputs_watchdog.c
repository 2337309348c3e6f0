/* SPDX-License-Identifier: MIT
 * The watchdog of an input: silence of its owner, reactions, recovery. */
#include "check.h"
#include "inputs/inputs_bench.h"

/* Input 0 has the policy hold. It gets a watchdog of 200 ms and must recover with two samples. */
static struct bench *with_reaction(void **state, enum input_reaction reaction)
{
  struct bench *b = *state;
  b->in.spec[0].watchdog = 0.2;
  b->in.spec[0].on_timeout = reaction;
  b->in.spec[0].recover = 2;
  b->in.spec[0].range[0].safe = 1.0;
  send(b, 0, 0, 9.0, T0);
  latch(b, T0);
  assert_int_equal(b->in.condition[0].state, INPUT_FRESH);
  latch(b, T0 + 200 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_STALE);
  assert_true(b->in.value[0] == 9.0);
  return b;
}

static void silence_ramps_to_the_safe_value(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_RAMP);
  latch(b, T0 + 201 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
  assert_int_equal(b->in.note[0].state, INPUT_TIMEOUT);
  assert_true(b->in.stale && b->in.lost < 0 && b->in.value[0] == 9.0);
  latch(b, T0 + 451 * MS); /* half of the ramp */
  assert_true(b->in.value[0] == 5.0);
  latch(b, T0 + 701 * MS);
  assert_true(b->in.value[0] == 1.0);
  /* A heartbeat alone does not bring the old value back. */
  send_heartbeat(b, 0, 0, T0 + 710 * MS);
  latch(b, T0 + 710 * MS);
  assert_true(b->in.value[0] == 1.0);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
  /* The second sample counts. */
  send(b, 0, 0, 8.0, T0 + 720 * MS);
  latch(b, T0 + 720 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_RECOVERING);
  assert_true(b->in.value[0] == 1.0);
  send(b, 0, 0, 8.0, T0 + 730 * MS);
  latch(b, T0 + 730 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_FRESH);
  assert_true(b->in.value[0] == 8.0);
  latch(b, T0 + 931 * MS); /* it expires again */
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
  assert_int_equal(counted(&b->counters.inputs_stale), 2);
}

static void silence_holds_the_value(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_HOLD);
  latch(b, T0 + 5000 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
  assert_true(b->in.value[0] == 9.0 && b->in.lost < 0);
}

static void silence_asks_for_the_safe_state(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_SAFE);
  assert_int_equal(b->in.lost, -1);
  latch(b, T0 + 201 * MS);
  assert_true(b->in.value[0] == 1.0);
  assert_int_equal(b->in.lost, 0);
  inputs_forget(&b->in, T0 + 300 * MS);
  latch(b, T0 + 300 * MS);
  assert_int_equal(b->in.lost, -1);
  assert_int_equal(b->in.condition[0].state, INPUT_NEVER);
}

/* Enough for a recovery. */
static void send_twice(struct bench *b, uint64_t t_ns)
{
  for (int k = 0; k < 2; k++) {
    send(b, 0, 0, 8.0, t_ns + 10 * (uint64_t)k * MS);
    latch(b, t_ns + 10 * (uint64_t)k * MS);
  }
  assert_int_equal(b->in.condition[0].state, INPUT_FRESH);
}

/* The machine started 5 s ago and was suspended for 600 s: the sample is 600 s old, not 5 s. */
static void a_suspension_may_be_longer_than_the_machine_runs(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_HOLD);
  b->in.spec[0].watchdog = 30.0;
  send_twice(b, T0 + 210 * MS);
  inputs_pass_time(&b->in, 600000 * MS);
  latch(b, T0 + 230 * MS);
  assert_true(b->in.condition[0].age_ns == 600010 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
  send_twice(b, T0 + 240 * MS);
  assert_true(b->in.condition[0].age_ns == 0 && b->in.value[0] == 8.0);
}

/* Input 3 becomes a number of the rig, with keys that the file would refuse. */
static struct bench *with_rig(void **state)
{
  struct bench *b = *state;
  struct input_spec *spec = &b->in.spec[WRENCHES];
  spec->kind = INPUT_RIG_NUMBER;
  spec->policy = INPUT_HOLD;
  spec->on_timeout = INPUT_TIMEOUT_HOLD;
  spec->watchdog = 0.2;
  spec->blend = 0.5;
  spec->range[0] = (struct input_range){.lower = -1e15, .upper = 1e15, .rate = 100.0};
  return b;
}

/* 0, silence, then 8: no value in use between them, in which bits would read as set that the rig never set. */
static void a_word_of_the_rig_is_never_between_two_words(void **state)
{
  struct bench *b = with_rig(state);
  const double *value = &b->in.value[VALUE];
  send(b, 0, VALUE, 0.0, T0);
  latch(b, T0);
  latch(b, T0 + 300 * MS);
  assert_int_equal(b->in.condition[WRENCHES].state, INPUT_TIMEOUT);
  for (uint64_t t_ns = T0 + 310 * MS; t_ns < T0 + 1000 * MS; t_ns += 10 * MS) {
    send(b, 0, VALUE, 8.0, t_ns);
    latch(b, t_ns);
    assert_true(*value == 8.0);
    assert_int_equal(b->in.condition[WRENCHES].limits, 0);
  }
  assert_int_equal(b->in.condition[WRENCHES].state, INPUT_FRESH);
  /* A jump of a fresh word, and a reload while the watchdog has expired. */
  send(b, 0, VALUE, 3.0, T0 + 1000 * MS);
  latch(b, T0 + 1000 * MS);
  assert_true(*value == 3.0);
  latch(b, T0 + 1300 * MS);
  inputs_tune(&b->in, b->in.spec);
  send(b, 0, VALUE, 0.0, T0 + 1310 * MS);
  latch(b, T0 + 1310 * MS);
  assert_true(*value == 0.0);
}

/* A table of a file plays no word of the rig, even if the rig is silent. */
static void a_stimulus_is_no_rig(void **state)
{
  struct bench *b = with_rig(state);
  b->modbus.source = SOURCE_INNER;
  send(b, 1, VALUE, 3.0, T0);
  latch(b, T0);
  assert_int_equal(b->in.condition[WRENCHES].state, INPUT_NEVER);
  assert_true(b->in.value[VALUE] == 0.0);
  send(b, 0, VALUE, 1.0, T0 + 10 * MS);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[VALUE] == 1.0);
  send(b, 1, VALUE, 3.0, T0 + 5000 * MS);
  latch(b, T0 + 5000 * MS);
  assert_true(b->in.value[VALUE] == 1.0);
  b->modbus.source = SOURCE_MODBUS;
}

/* A client that writes on changes only lives by its heartbeats. A heartbeat that arrives again is none. */
static void heartbeats_keep_the_watchdog_quiet(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_RAMP);
  uint64_t t_ns = T0 + 200 * MS;
  for (int i = 0; i < 10; i++, t_ns += 150 * MS) {
    send_heartbeat(b, 0, 0, t_ns);
    latch(b, t_ns);
    assert_int_equal(b->in.condition[0].state, INPUT_STALE);
    assert_true(b->in.value[0] == 9.0);
  }
  send(b, 0, 12, 1.0, t_ns); /* another input of the same port, and the old heartbeat with it */
  latch(b, t_ns);
  assert_int_equal(b->in.condition[0].state, INPUT_STALE);
  latch(b, t_ns + 51 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
}

/* The owner is silent; the heartbeats of another source do not count. */
static void others_do_not_keep_it_quiet(void **state)
{
  struct bench *b = with_reaction(state, INPUT_TIMEOUT_RAMP);
  send_heartbeat(b, 1, 0, T0 + 200 * MS);
  latch(b, T0 + 201 * MS);
  assert_int_equal(b->in.condition[0].state, INPUT_TIMEOUT);
}

static void written_values_stand_beside_acting_ones(void **state)
{
  struct bench *b = *state;
  latch(b, T0);
  assert_true(b->in.written[0] != b->in.written[0]);
  send(b, 0, 0, 150.0, T0);
  latch(b, T0 + 3 * MS);
  assert_true(b->in.written[0] == 150.0 && b->in.value[0] == 100.0);
  assert_true(b->in.note[0].limits == INPUT_CLAMPED && b->in.note[0].age_ms == 3);
  assert_true(b->in.note[1].age_ms == UINT32_MAX);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(silence_ramps_to_the_safe_value),
      ROW(silence_holds_the_value),
      ROW(silence_asks_for_the_safe_state),
      ROW(a_suspension_may_be_longer_than_the_machine_runs),
      ROW(heartbeats_keep_the_watchdog_quiet),
      ROW(others_do_not_keep_it_quiet),
      ROW(written_values_stand_beside_acting_ones),
      ROW(a_word_of_the_rig_is_never_between_two_words),
      ROW(a_stimulus_is_no_rig),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
