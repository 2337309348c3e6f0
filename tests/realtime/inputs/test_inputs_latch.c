/* SPDX-License-Identifier: MIT
 * The value of a channel at a given time: policies, rates, ages. */
#include "check.h"
#include "inputs/inputs_bench.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void nothing_sent_is_zero_and_fresh(void **state)
{
  struct bench *b = *state;
  latch(b, T0);
  for (int c = 0; c < CHANNELS; c++) assert_true(b->in.value[c] == 0.0);
  assert_true(b->in.age_ns == UINT64_MAX);
  assert_int_equal(b->in.stale_mask, 0);
  assert_false(b->in.stale || b->in.limited);
  assert_int_equal(b->in.lost, -1);
  assert_int_equal(b->in.condition[1].state, INPUT_NEVER);
}

static void a_sample_acts_until_its_hold_time(void **state)
{
  struct bench *b = *state;
  for (int i = 0; i < WRENCHES; i++) {
    send(b, 0, i * INPUT_WRENCH_CHANNELS + 1, 7.5, T0);
    latch(b, T0 + 50 * MS);
    assert_true(b->in.value[i * INPUT_WRENCH_CHANNELS + 1] == 7.5);
  }
  assert_int_equal(b->in.stale_mask, 0);
  assert_true(b->in.age_ns == 50 * MS);
}

static void hold_keeps_the_value_and_says_so(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 7.5, T0);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[0] == 7.5);
  assert_true(b->in.stale);
  assert_int_equal(b->in.stale_mask, 1);
  latch(b, T0 + UINT64_C(3600) * 1000 * MS);
  assert_true(b->in.value[0] == 7.5);
  assert_int_equal(b->in.lost, -1);
  send(b, 0, 0, 8.5, T0 + UINT64_C(3601) * 1000 * MS); /* there is nothing to recover from */
  latch(b, T0 + UINT64_C(3601) * 1000 * MS);
  assert_true(b->in.value[0] == 8.5 && !b->in.stale);
}

static void ramp_goes_to_zero_in_a_straight_line(void **state)
{
  struct bench *b = *state;
  const int c = INPUT_WRENCH_CHANNELS;
  send(b, 0, c, -8.0, T0);
  static const struct {
    int ms;
    double value;
  } at[] = {{50, -8.0}, {175, -6.0}, {300, -4.0}, {425, -2.0}, {550, 0.0}, {551, 0.0}, {100000, 0.0}};
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    latch(b, T0 + (uint64_t)at[k].ms * MS);
    assert_true(fabs(b->in.value[c] - at[k].value) < 1e-12);
    assert_int_equal(b->in.stale_mask, at[k].ms > 50 ? 2 : 0);
  }
}

static void a_ramp_of_no_length_drops_at_once(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].ramp = 0.0;
  send(b, 0, INPUT_WRENCH_CHANNELS, -8.0, T0);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 0.0);
}

static void safe_drops_at_once_and_asks_for_the_safe_state(void **state)
{
  struct bench *b = *state;
  const int c = 2 * INPUT_WRENCH_CHANNELS + 5;
  send(b, 0, c, 3.0, T0);
  latch(b, T0 + 50 * MS);
  assert_true(b->in.value[c] == 3.0);
  assert_int_equal(b->in.lost, -1);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[c] == 0.0);
  assert_int_equal(b->in.lost, 2);
  assert_int_equal(b->in.stale_mask, 4);
}

static void a_value_is_one_channel_with_a_limit_of_its_own(void **state)
{
  struct bench *b = *state;
  send(b, 0, VALUE, -2.5, T0);
  latch(b, T0);
  assert_true(b->in.value[VALUE] == -2.0 && b->in.limited && b->in.clamped == 1);
  assert_true(b->in.value[VALUE - 1] == 0.0);
  latch(b, T0 + 300 * MS); /* half way down the ramp */
  assert_true(fabs(b->in.value[VALUE] + 1.0) < 1e-12);
  assert_int_equal(b->in.stale_mask, 1 << WRENCHES); /* bits count inputs, not channels */
  latch(b, T0 + 551 * MS);
  assert_true(b->in.value[VALUE] == 0.0);
}

static void ramp_and_safe_lead_to_the_safe_value(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].range[0].safe = 20.0;
  b->in.spec[2].range[0].safe = -5.0;
  send(b, 0, RAMPED, -40.0, T0);
  send(b, 0, 2 * RAMPED, 3.0, T0);
  latch(b, T0 + 300 * MS);
  assert_true(fabs(b->in.value[RAMPED] + 10.0) < 1e-12 && b->in.value[2 * RAMPED] == -5.0);
  latch(b, T0 + 600 * MS);
  assert_true(b->in.value[RAMPED] == 20.0);
}

static void lower_and_upper_are_apart(void **state)
{
  struct bench *b = *state;
  b->in.spec[WRENCHES].range[0] = (struct input_range){.lower = 0.5, .upper = 1.5, .safe = 1.0};
  send(b, 0, VALUE, 0.0, T0);
  latch(b, T0);
  assert_true(b->in.value[VALUE] == 0.5 && b->in.condition[WRENCHES].limits == INPUT_CLAMPED);
  send(b, 0, VALUE, 9.0, T0 + 1);
  latch(b, T0 + 1);
  assert_true(b->in.value[VALUE] == 1.5);
  latch(b, T0 + 300 * MS + 1);
  assert_true(fabs(b->in.value[VALUE] - 1.25) < 1e-12);
}

/* 1000 per second, 10 per cycle, up and down, and also on the way to the safe value. */
static void a_rate_bounds_every_change_of_the_value_in_use(void **state)
{
  struct bench *b = *state;
  const int c = 2 * INPUT_WRENCH_CHANNELS;
  b->in.spec[2].range[0].rate = 1000.0;
  latch(b, T0 - 10 * MS);
  send(b, 0, c, 25.0, T0);
  static const double expected[] = {10.0, 20.0, 25.0, 25.0, 25.0, 25.0, 15.0, 5.0, 0.0};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    latch(b, T0 + k * 10 * MS);
    assert_true(fabs(b->in.value[c] - expected[k]) < 1e-9);
    const bool slowed = k < 2 || k == 6 || k == 7;
    assert_int_equal(b->in.condition[2].limits & INPUT_SLOWED, slowed ? INPUT_SLOWED : 0);
    assert_int_equal(b->in.limited, slowed);
  }
}

static void a_rate_is_by_time_and_not_by_cycle(void **state)
{
  struct bench *b = *state;
  b->in.spec[0].range[0].rate = 1000.0;
  latch(b, T0);
  send(b, 0, 0, 90.0, T0);
  latch(b, T0 + 35 * MS);
  assert_true(fabs(b->in.value[0] - 35.0) < 1e-9);
}

/* A range takes precedence over a rate. */
static void a_range_that_is_tuned_holds_at_once_whatever_the_rate(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  send(b, 0, 0, 90.0, T0);
  latch(b, T0);
  memcpy(tuned, b->spec, sizeof tuned);
  tuned[0].range[0] = (struct input_range){.lower = -20.0, .upper = 20.0, .rate = 1.0};
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 20.0);
}

static void the_first_latch_is_one_period_after_nothing(void **state)
{
  struct bench *b = *state;
  b->in.spec[0].range[0].rate = 1000.0;
  send(b, 0, 0, -25.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == -10.0);
}

/* 3 per cycle: continued for two cycles, then held, then a ramp from there. */
static void extrapolation_goes_on_for_two_periods(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].policy = INPUT_EXTRAPOLATE;
  send(b, 0, RAMPED, 7.0, T0);
  latch(b, T0);
  assert_true(b->in.value[RAMPED] == 7.0);
  latch(b, T0 + 5 * MS); /* one sample gives no line */
  assert_true(b->in.value[RAMPED] == 7.0);
  send(b, 0, RAMPED, 10.0, T0 + 9 * MS);
  static const struct {
    int ms;
    double value;
  } at[] = {{10, 10.0}, {15, 11.5}, {20, 13.0}, {30, 16.0}, {40, 16.0}, {59, 16.0}, {309, 8.0}, {559, 0.0}};
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    latch(b, T0 + (uint64_t)at[k].ms * MS);
    assert_true(fabs(b->in.value[RAMPED] - at[k].value) < 1e-9);
  }
}

static void extrapolation_stays_within_the_range(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].policy = INPUT_EXTRAPOLATE;
  for (int k = 0; k < 2; k++) {
    send(b, 0, RAMPED, 10.0 + 80.0 * k, T0 + (uint64_t)k * 10 * MS);
    latch(b, T0 + (uint64_t)k * 10 * MS);
  }
  latch(b, T0 + 30 * MS);
  assert_true(b->in.value[RAMPED] == 100.0);
  latch(b, T0 + 310 * MS); /* and a ramp begins there */
  assert_true(fabs(b->in.value[RAMPED] - 50.0) < 1e-9);
}

static void no_line_through_a_gap(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].policy = INPUT_EXTRAPOLATE;
  send(b, 0, RAMPED, 1.0, T0);
  latch(b, T0);
  send(b, 0, RAMPED, 5.0, T0 + 60 * MS); /* found by the latch that would have seen the gap */
  latch(b, T0 + 60 * MS);
  latch(b, T0 + 70 * MS);
  assert_true(b->in.value[RAMPED] == 5.0);
}

static void an_age_of_its_own_leads_to_safe(void **state)
{
  struct bench *b = *state;
  b->in.spec[2].fault = 0.3; /* policy safe, which would not wait */
  b->in.spec[0].fault = 0.4;
  send(b, 0, 0, 1.0, T0);
  send(b, 0, 2 * RAMPED, 1.0, T0);
  latch(b, T0 + 299 * MS);
  assert_true(b->in.lost == -1 && b->in.stale_mask == 5);
  latch(b, T0 + 301 * MS);
  assert_int_equal(b->in.lost, 2);
  send(b, 0, 2 * RAMPED, 1.0, T0 + 401 * MS);
  latch(b, T0 + 401 * MS);
  assert_int_equal(b->in.lost, 0);
}

/* Samples that do not count yet do not prevent the stop. */
static void samples_that_do_not_count_do_not_keep_it_from_safe(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].fault = 0.2;
  b->in.spec[1].recover = 100;
  send(b, 0, RAMPED, 1.0, T0);
  latch(b, T0);
  latch(b, T0 + 51 * MS);
  for (int ms = 60; ms <= 210; ms += 10) {
    send(b, 0, RAMPED, 1.0, T0 + (uint64_t)ms * MS);
    latch(b, T0 + (uint64_t)ms * MS);
    assert_int_equal(b->in.lost, ms > 200 ? 1 : -1);
  }
}

static void a_required_input_that_was_forgotten_is_lost(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].required = true;
  b->in.spec[1].fault = 1.0;
  send(b, 0, RAMPED, 1.0, T0);
  latch(b, T0);
  b->in.spec[2].fault = 0.5; /* an input that is not required may be missing */
  inputs_forget(&b->in, T0 + MS);
  latch(b, T0 + 10 * MS);
  latch(b, T0 + 1009 * MS);
  assert_int_equal(b->in.lost, -1);
  latch(b, T0 + 1011 * MS);
  assert_int_equal(b->in.lost, 1);
}

/* The policy safe has hold as its only limit. */
static void a_required_one_of_the_policy_safe_is_lost_as_well(void **state)
{
  struct bench *b = *state;
  b->in.spec[2].required = true;
  send(b, 0, 2 * RAMPED, 1.0, T0);
  latch(b, T0);
  inputs_forget(&b->in, T0 + MS);
  latch(b, T0 + 10 * MS);
  latch(b, T0 + 60 * MS);
  assert_int_equal(b->in.lost, -1);
  latch(b, T0 + 61 * MS);
  assert_int_equal(b->in.lost, 2);
}

static void going_stale_is_counted_once(void **state)
{
  struct bench *b = *state;
  for (int k = 0; k < 3; k++) {
    const uint64_t t_ns = T0 + (uint64_t)k * 1000 * MS;
    send(b, 0, RAMPED, 1.0, t_ns);
    send(b, 0, RAMPED + 1, 1.0, t_ns);
    latch(b, t_ns);
    latch(b, t_ns + 60 * MS);
    latch(b, t_ns + 70 * MS);
    assert_int_equal(b->in.condition[1].state, INPUT_STALE);
  }
  assert_int_equal(counted(&b->counters.inputs_stale), 3);
}

/* Steps replace the clock: samples age by steps, and rates apply to steps. */
static void without_a_clock_everything_goes_by_the_other_time(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].range[0].rate = 1000.0;
  send(b, 0, RAMPED, 15.0, T0 + 12345 * MS);
  static const double expected[] = {10.0, 15.0, 15.0};
  for (uint64_t k = 0; k < 3; k++) {
    inputs_take(&b->in, b->port, T0 + (12345 + 100000 * k) * MS, 1 + 10 * MS * k);
    inputs_latch(&b->in, 1 + 10 * MS * k);
    assert_true(b->in.value[RAMPED] == expected[k] && b->in.condition[1].age_ns == 10 * MS * k);
  }
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(nothing_sent_is_zero_and_fresh),
      ROW(a_sample_acts_until_its_hold_time),
      ROW(hold_keeps_the_value_and_says_so),
      ROW(ramp_goes_to_zero_in_a_straight_line),
      ROW(a_ramp_of_no_length_drops_at_once),
      ROW(safe_drops_at_once_and_asks_for_the_safe_state),
      ROW(a_value_is_one_channel_with_a_limit_of_its_own),
      ROW(ramp_and_safe_lead_to_the_safe_value),
      ROW(lower_and_upper_are_apart),
      ROW(a_rate_bounds_every_change_of_the_value_in_use),
      ROW(a_rate_is_by_time_and_not_by_cycle),
      ROW(a_range_that_is_tuned_holds_at_once_whatever_the_rate),
      ROW(the_first_latch_is_one_period_after_nothing),
      ROW(extrapolation_goes_on_for_two_periods),
      ROW(extrapolation_stays_within_the_range),
      ROW(no_line_through_a_gap),
      ROW(an_age_of_its_own_leads_to_safe),
      ROW(samples_that_do_not_count_do_not_keep_it_from_safe),
      ROW(a_required_input_that_was_forgotten_is_lost),
      ROW(a_required_one_of_the_policy_safe_is_lost_as_well),
      ROW(going_stale_is_counted_once),
      ROW(without_a_clock_everything_goes_by_the_other_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
