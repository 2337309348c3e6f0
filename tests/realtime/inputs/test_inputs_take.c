/* SPDX-License-Identifier: MIT
 * Which samples count: owners, numbers, recovery, ranges, injected faults. */
#include "check.h"
#include "inputs/inputs_bench.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void limits_clamp_flag_and_count_each_sample_once(void **state)
{
  struct bench *b = *state;
  send(b, 0, 1, -250.0, T0);
  for (int k = 0; k < 4; k++) {
    latch(b, T0 + (uint64_t)k * MS);
    assert_true(b->in.value[1] == -100.0);
    assert_true(b->in.limited);
  }
  assert_true(b->in.clamped == 1);
  send(b, 0, 4, 10.5, T0 + 5 * MS); /* a torque has its own limit */
  latch(b, T0 + 5 * MS);
  assert_true(b->in.value[4] == 10.0);
  assert_true(b->in.clamped == 2);
  send(b, 0, 4, 10.0, T0 + 6 * MS);
  send(b, 0, 1, 100.0, T0 + 6 * MS);
  latch(b, T0 + 6 * MS);
  assert_false(b->in.limited);
  assert_true(b->in.clamped == 2);
}

static void nonfinite_values_never_get_in(void **state)
{
  struct bench *b = *state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  send(b, 0, 0, 1.5, T0);
  latch(b, T0);
  for (size_t k = 0; k < 3; k++) {
    send(b, 0, 0, bad[k], T0 + k + 1);
    latch(b, T0 + k + 1);
    assert_true(b->in.value[0] == 1.5);
  }
  assert_int_equal(counted(&b->counters.inputs_nonfinite), 3);
}

static void a_sample_from_after_the_wake_up_is_of_age_zero(void **state)
{
  struct bench *b = *state;
  send(b, 0, INPUT_WRENCH_CHANNELS, 1.0, T0 + 1000);
  latch(b, T0);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 1.0);
  assert_true(b->in.age_ns == 0);
}

static void inputs_of_different_ports_stand_side_by_side(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 1.0, T0);
  send(b, 1, VALUE, 2.0, T0 - 10 * MS);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 1.0 && b->in.value[VALUE] == 2.0);
  assert_true(b->in.age_ns == 20 * MS); /* of the older one */
}

static void a_fresh_sample_ends_staleness(void **state)
{
  struct bench *b = *state;
  send(b, 0, INPUT_WRENCH_CHANNELS, 1.0, T0);
  latch(b, T0 + 400 * MS);
  assert_true(b->in.stale);
  send(b, 0, INPUT_WRENCH_CHANNELS, 2.0, T0 + 401 * MS);
  latch(b, T0 + 410 * MS);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 2.0);
  assert_false(b->in.stale);
}

/* The first sender of an input owns it until it has been silent for a second. */
static void the_first_writer_owns_the_input(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 1.0, T0);
  send(b, 0, 3, 1.0, T0);
  latch(b, T0);
  send(b, 1, 0, 2.0, T0 + 5 * MS);
  send(b, 1, 3, 2.0, T0 + 5 * MS);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 1.0 && b->in.value[3] == 1.0);
  assert_int_equal(counted(&b->counters.inputs_refused), 1); /* both channels are one sample of the input */
  latch(b, T0 + 20 * MS);
  send(b, 1, VALUE, 1.5,
       T0 + 25 * MS); /* another input with its own owner; a refused sample is not counted again */
  latch(b, T0 + 30 * MS);
  assert_true(b->in.value[VALUE] == 1.5);
  assert_int_equal(counted(&b->counters.inputs_refused), 0);
  send(b, 1, 0, 3.0, T0 + 1000 * MS);
  latch(b, T0 + 1000 * MS);
  assert_true(b->in.value[0] == 1.0);
  send(b, 1, 0, 4.0, T0 + 1001 * MS);
  latch(b, T0 + 1001 * MS);
  assert_true(b->in.value[0] == 4.0);
  send(b, 0, 0, 5.0, T0 + 1002 * MS);
  latch(b, T0 + 1002 * MS);
  assert_true(b->in.value[0] == 4.0);
  assert_int_equal(counted(&b->counters.inputs_refused), 2);
}

static void an_owner_may_be_silent_for_its_hold(void **state)
{
  struct bench *b = *state;
  b->in.spec[0].hold = 5.0;
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  send(b, 1, 0, 2.0, T0 + 4999 * MS);
  latch(b, T0 + 4999 * MS);
  assert_true(b->in.value[0] == 1.0);
  send(b, 1, 0, 2.0, T0 + 5001 * MS);
  latch(b, T0 + 5001 * MS);
  assert_true(b->in.value[0] == 2.0);
}

static void a_reset_forgets_the_owner(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  inputs_forget(&b->in, T0);
  send(b, 1, 0, 2.0, T0 + MS);
  latch(b, T0 + MS);
  assert_true(b->in.value[0] == 2.0);
}

static void a_forgotten_owner_claims_nothing(void **state)
{
  struct bench *b = *state;
  inputs_forget(&b->in, T0);
  send(b, 0, 0, 1.0, T0 + MS);
  latch(b, T0 + MS);
  send(b, 1, 0, 2.0, T0 - MS); /* found only now: not even refused */
  latch(b, T0 + 2 * MS);
  assert_true(b->in.value[0] == 1.0);
  assert_int_equal(counted(&b->counters.inputs_refused), 0);
}

static void samples_delayed_beyond_a_reset_are_forgotten(void **state)
{
  struct bench *b = *state;
  b->injection[0] = (struct injection){.name = "late", .kind = INJECT_DELAY, .active = true, .cycles = 2};
  inject(b);
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  inputs_forget(&b->in, T0 + MS);
  for (int k = 1; k < 5; k++) latch(b, T0 + (uint64_t)k * 10 * MS);
  assert_true(b->in.value[0] == 0.0 && b->in.condition[0].state == INPUT_NEVER);
}

static void other_sources_than_those_named_are_refused(void **state)
{
  struct bench *b = *state;
  b->in.spec[0].sources = UINT64_C(1) << SOURCE_MODBUS;
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == 0.0 && b->in.condition[0].state == INPUT_NEVER);
  assert_int_equal(counted(&b->counters.inputs_refused), 1);
  send(b, 1, 0, 2.0, T0 + MS);
  latch(b, T0 + MS);
  assert_true(b->in.value[0] == 2.0);
  assert_int_equal(counted(&b->counters.inputs_refused), 0);
}

static void a_number_that_comes_again_is_no_sign_of_life(void **state)
{
  struct bench *b = *state;
  send_numbered(b, 0, 0, 1.0, T0, 65535);
  latch(b, T0);
  send_numbered(b, 0, 0, 2.0, T0 + 10 * MS, 65535);
  send_numbered(b, 0, 1, 2.0, T0 + 10 * MS, 65535);
  latch(b, T0 + 60 * MS);
  assert_true(b->in.value[0] == 1.0 && b->in.stale);
  assert_true(b->in.value[1] == 2.0); /* its first sample */
  assert_int_equal(counted(&b->counters.inputs_repeated), 1);
  send_numbered(b, 0, 0, 3.0, T0 + 70 * MS, 0);
  latch(b, T0 + 70 * MS);
  assert_true(b->in.value[0] == 3.0);
}

static void an_overtaken_number_is_late(void **state)
{
  struct bench *b = *state;
  send_numbered(b, 0, 0, 1.0, T0, 5);
  latch(b, T0);
  send_numbered(b, 0, 0, 2.0, T0 + 10 * MS, 4);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 1.0 && b->in.condition[0].age_ns == 10 * MS);
  assert_int_equal(counted(&b->counters.inputs_late), 1);
}

/* The old sender does not resume: its value ages until the new samples have recovered. */
static void numbers_that_restart_have_to_recover(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 3;
  send_numbered(b, 0, RAMPED, 1.0, T0, 5000);
  latch(b, T0);
  assert_int_equal(b->in.condition[1].state, INPUT_FRESH);
  for (int k = 1; k <= 3; k++) {
    send_numbered(b, 0, RAMPED, 2.0, T0 + (uint64_t)k * 10 * MS, (uint32_t)k);
    latch(b, T0 + (uint64_t)k * 10 * MS);
    assert_true(b->in.value[RAMPED] == (k < 3 ? 1.0 : 2.0));
    assert_int_equal(b->in.condition[1].state, k < 3 ? INPUT_RECOVERING : INPUT_FRESH);
    assert_int_equal(b->in.stale, k < 3);
  }
  assert_int_equal(counted(&b->counters.inputs_restarts), 1);
  assert_int_equal(counted(&b->counters.inputs_stale), 1);
}

/* The policy hold needs no recovery. */
static void held_numbers_that_restart_act_at_once(void **state)
{
  struct bench *b = *state;
  b->in.spec[0].recover = 3;
  send_numbered(b, 0, 0, 1.0, T0, 5000);
  latch(b, T0);
  send_numbered(b, 0, 0, 2.0, T0 + 10 * MS, 1);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 2.0 && !b->in.stale);
  assert_int_equal(counted(&b->counters.inputs_restarts), 1);
}

static void another_owner_counts_by_itself(void **state)
{
  struct bench *b = *state;
  send_numbered(b, 0, 0, 1.0, T0, 5000);
  latch(b, T0);
  send_numbered(b, 1, 0, 2.0, T0 + 1100 * MS, 7);
  latch(b, T0 + 1100 * MS);
  assert_true(b->in.value[0] == 2.0);
  assert_int_equal(counted(&b->counters.inputs_restarts), 0);
}

/* Down the ramp meanwhile; then from there to the new samples over the blend. */
static void a_stale_input_recovers_and_blends(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 4;
  b->in.spec[1].blend = 0.1;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 60 * MS);
  assert_int_equal(b->in.condition[1].state, INPUT_STALE);
  static const struct {
    double value;
    enum input_state state;
  } expected[] = {{9.0, INPUT_RECOVERING}, {8.8, INPUT_RECOVERING}, {8.6, INPUT_RECOVERING},
                  {8.6, INPUT_FRESH},      {9.74, INPUT_FRESH},     {10.88, INPUT_FRESH},
                  {12.02, INPUT_FRESH}};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    const uint64_t t_ns = T0 + (100 + 10 * k) * MS;
    send(b, 0, RAMPED, 20.0, t_ns);
    latch(b, t_ns);
    assert_true(fabs(b->in.value[RAMPED] - expected[k].value) < 1e-9);
    assert_int_equal(b->in.condition[1].state, expected[k].state);
    assert_int_equal(b->in.stale_mask, expected[k].state == INPUT_FRESH ? 0 : 2);
  }
  for (int k = 7; k < 14; k++) {
    send(b, 0, RAMPED, 20.0, T0 + (uint64_t)(100 + 10 * k) * MS);
    latch(b, T0 + (uint64_t)(100 + 10 * k) * MS);
  }
  assert_true(b->in.value[RAMPED] == 20.0);
  assert_int_equal(counted(&b->counters.inputs_stale), 1);
}

static void a_gap_restarts_the_recovery(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 3;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 100 * MS);
  static const struct {
    int ms;
    enum input_state state;
  } at[] = {{700, INPUT_RECOVERING},
            {710, INPUT_RECOVERING},
            {770, INPUT_RECOVERING},
            {780, INPUT_RECOVERING},
            {790, INPUT_FRESH}};
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    send(b, 0, RAMPED, 20.0, T0 + (uint64_t)at[k].ms * MS);
    latch(b, T0 + (uint64_t)at[k].ms * MS);
    assert_int_equal(b->in.condition[1].state, at[k].state);
    assert_true(b->in.value[RAMPED] == (at[k].state == INPUT_FRESH ? 20.0 : 0.0));
  }
}

/* The loop sees one sample per cycle, the newest: the next one it sees is a period later, whatever came between. */
static void a_period_longer_than_hold_is_no_gap(void **state)
{
  struct bench *b = *state;
  b->in.period_ns = 100 * MS;
  b->in.spec[1].recover = 3;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 100 * MS);
  for (int k = 2; k <= 4; k++) {
    send(b, 0, RAMPED, 20.0, T0 + (uint64_t)(100 * k - k) * MS); /* the last one of many */
    latch(b, T0 + (uint64_t)(100 * k) * MS);
    assert_int_equal(b->in.condition[1].state, k < 4 ? INPUT_RECOVERING : INPUT_FRESH);
  }
  latch(b, T0 + 500 * MS);
  for (int k = 6; k <= 9; k++) {
    send(b, 0, RAMPED, 20.0, T0 + (uint64_t)(100 * k - 51) * MS); /* too old when it is seen */
    latch(b, T0 + (uint64_t)(100 * k) * MS);
    assert_int_equal(b->in.condition[1].state, INPUT_STALE);
  }
}

static void samples_that_stop_while_it_recovers_leave_it_stale(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 3;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 100 * MS);
  send(b, 0, RAMPED, 20.0, T0 + 110 * MS);
  latch(b, T0 + 110 * MS);
  assert_int_equal(b->in.condition[1].state, INPUT_RECOVERING);
  latch(b, T0 + 170 * MS);
  assert_int_equal(b->in.condition[1].state, INPUT_STALE);
}

static void one_sample_of_a_cycle_counts(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 2;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 100 * MS);
  for (int k = 0; k < 5; k++) send(b, 0, RAMPED, 20.0, T0 + (uint64_t)(101 + k) * MS);
  latch(b, T0 + 110 * MS);
  assert_int_equal(b->in.condition[1].state, INPUT_RECOVERING);
}

static void going_stale_in_the_blend_goes_on_from_the_value_in_use(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].blend = 1.0;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 600 * MS);
  send(b, 0, RAMPED, 100.0, T0 + 700 * MS);
  latch(b, T0 + 700 * MS);
  assert_true(b->in.value[RAMPED] == 0.0);
  latch(b, T0 + 750 * MS);
  assert_true(fabs(b->in.value[RAMPED] - 5.0) < 1e-9);
  latch(b, T0 + 760 * MS); /* 10 ms into a ramp of 500 ms */
  assert_true(fabs(b->in.value[RAMPED] - 4.9) < 1e-9);
}

static void the_first_after_a_reset_counts_at_once(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].recover = 10;
  b->in.spec[1].blend = 1.0;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 100 * MS);
  send(b, 0, RAMPED, 20.0,
       T0 + 205 * MS); /* sent after the reset, and found by the take that finds the reset */
  inputs_take(&b->in, b->port, T0 + 210 * MS, 0);
  inputs_forget(&b->in, T0 + 200 * MS);
  inputs_latch(&b->in, T0 + 210 * MS);
  assert_true(b->in.value[RAMPED] == 20.0 && !b->in.stale);
}

static void injected_samples_count_like_received_ones(void **state)
{
  struct bench *b = *state;
  b->injection[0] = (struct injection){.name = "broken", .input = 0, .kind = INJECT_NAN, .active = true};
  inject(b);
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == 0.0 && b->in.condition[0].state == INPUT_NEVER);
  assert_int_equal(counted(&b->counters.inputs_nonfinite), 1);
  assert_int_equal(counted(&b->counters.inputs_injected), 1);
  injector_switch(&b->in.injector, 0, false);
  send(b, 0, 0, 2.0, T0 + 10 * MS);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 2.0);
  assert_int_equal(counted(&b->counters.inputs_injected), 0);
}

static void a_bias_is_clamped_as_any_value(void **state)
{
  struct bench *b = *state;
  b->injection[0] = (struct injection){.name = "off", .kind = INJECT_BIAS, .active = true, .value = 500.0};
  inject(b);
  send(b, 0, 0, 1.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == 100.0 && b->in.clamped == 1);
}

/* Alive by its times; the age shows nothing. */
static void frozen_inputs_do_not_grow_stale(void **state)
{
  struct bench *b = *state;
  b->injection[0] = (struct injection){.name = "stuck", .input = 1, .kind = INJECT_FREEZE};
  inject(b);
  send_numbered(b, 0, RAMPED, 5.0, T0, 1);
  latch(b, T0);
  injector_switch(&b->in.injector, 0, true);
  for (int k = 1; k < 20; k++) {
    latch(b, T0 + (uint64_t)k * 20 * MS);
    assert_true(b->in.value[RAMPED] == 5.0 && !b->in.stale);
  }
  injector_switch(&b->in.injector, 0, false);
  latch(b, T0 + 500 * MS);
  assert_true(b->in.stale);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(limits_clamp_flag_and_count_each_sample_once),
      ROW(nonfinite_values_never_get_in),
      ROW(a_sample_from_after_the_wake_up_is_of_age_zero),
      ROW(inputs_of_different_ports_stand_side_by_side),
      ROW(a_fresh_sample_ends_staleness),
      ROW(the_first_writer_owns_the_input),
      ROW(an_owner_may_be_silent_for_its_hold),
      ROW(a_reset_forgets_the_owner),
      ROW(a_forgotten_owner_claims_nothing),
      ROW(samples_delayed_beyond_a_reset_are_forgotten),
      ROW(other_sources_than_those_named_are_refused),
      ROW(a_number_that_comes_again_is_no_sign_of_life),
      ROW(an_overtaken_number_is_late),
      ROW(numbers_that_restart_have_to_recover),
      ROW(held_numbers_that_restart_act_at_once),
      ROW(another_owner_counts_by_itself),
      ROW(a_stale_input_recovers_and_blends),
      ROW(a_gap_restarts_the_recovery),
      ROW(a_period_longer_than_hold_is_no_gap),
      ROW(samples_that_stop_while_it_recovers_leave_it_stale),
      ROW(one_sample_of_a_cycle_counts),
      ROW(going_stale_in_the_blend_goes_on_from_the_value_in_use),
      ROW(the_first_after_a_reset_counts_at_once),
      ROW(injected_samples_count_like_received_ones),
      ROW(a_bias_is_clamped_as_any_value),
      ROW(frozen_inputs_do_not_grow_stale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
