/* SPDX-License-Identifier: MIT
 * Staleness, limits and choice of the newest sample, at times the test makes up. The table of signals is made
 * by hand: only its inputs matter here. */
#include "rt/inputs.h"
#include "stepper/stepper.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Three wrenches, one of each policy, and behind them a value. */
enum {
  MS = 1000000,
  WRENCHES = 3,
  INPUTS = 4,
  VALUE = WRENCHES * INPUT_WRENCH_CHANNELS,
  CHANNELS = VALUE + 1
};
static const uint64_t T0 = UINT64_C(5000000000);

struct bench {
  struct input_spec spec[INPUTS];
  struct signals signals;
  struct port osc, modbus;
  struct port *port[2];
  struct inputs in;
};

static int set_up(void **state)
{
  static struct bench b;
  memset(&b, 0, sizeof b);
  static const enum input_policy POLICY[INPUTS] = {INPUT_HOLD, INPUT_RAMP, INPUT_SAFE, INPUT_RAMP};
  for (int i = 0; i < INPUTS; i++) {
    b.spec[i] = (struct input_spec){.name = "push",
                                    .body = i == 2 ? 0 : i,
                                    .policy = POLICY[i],
                                    .hold = 0.05,
                                    .ramp = 0.5,
                                    .limit_force = 100.0,
                                    .limit_torque = 10.0,
                                    .limit_value = 2.0,
                                    .first = i * INPUT_WRENCH_CHANNELS,
                                    .count = INPUT_WRENCH_CHANNELS};
  }
  b.spec[WRENCHES].kind = INPUT_VALUE;
  b.spec[WRENCHES].count = 1;
  b.signals = (struct signals){.inputs = INPUTS, .input = b.spec, .channels = CHANNELS};
  b.port[0] = &b.osc;
  b.port[1] = &b.modbus;
  if (!port_init(&b.osc, "osc", 1, CHANNELS, false) || !port_init(&b.modbus, "modbus", 1, CHANNELS, false))
    return -1;
  if (!inputs_init(&b.in, &b.signals)) return -1;
  *state = &b;
  return 0;
}

static int tear_down(void **state)
{
  struct bench *b = *state;
  inputs_free(&b->in);
  port_free(&b->osc);
  port_free(&b->modbus);
  return 0;
}

/* A sender that has only ever set one channel. */
static void send(struct port *port, int channel, double value, uint64_t t_ns)
{
  struct input_sample *sample = snapshot_begin(&port->inputs);
  memset(sample, 0, CHANNELS * sizeof *sample);
  sample[channel] = (struct input_sample){.value = value, .t_ns = t_ns};
  snapshot_publish(&port->inputs);
}

static void latch(struct bench *b, uint64_t now_ns)
{
  inputs_latch(&b->in, b->port, 2, now_ns, true);
}

static void nothing_sent_is_zero_and_fresh(void **state)
{
  struct bench *b = *state;
  latch(b, T0);
  for (int c = 0; c < CHANNELS; c++) assert_true(b->in.value[c] == 0.0);
  assert_true(b->in.age_ns == UINT64_MAX);
  assert_int_equal(b->in.stale_mask, 0);
  assert_false(b->in.stale || b->in.stale_safe || b->in.limited);
}

static void a_sample_acts_until_its_hold_time(void **state)
{
  struct bench *b = *state;
  for (int i = 0; i < WRENCHES; i++) {
    send(&b->osc, i * INPUT_WRENCH_CHANNELS + 1, 7.5, T0);
    latch(b, T0 + 50 * MS);
    assert_true(b->in.value[i * INPUT_WRENCH_CHANNELS + 1] == 7.5);
  }
  assert_int_equal(b->in.stale_mask, 0);
  assert_true(b->in.age_ns == 50 * MS);
}

static void hold_keeps_the_value_and_says_so(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 0, 7.5, T0);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[0] == 7.5);
  assert_true(b->in.stale);
  assert_int_equal(b->in.stale_mask, 1);
  latch(b, T0 + UINT64_C(3600) * 1000 * MS);
  assert_true(b->in.value[0] == 7.5);
  assert_false(b->in.stale_safe);
}

static void ramp_goes_to_zero_in_a_straight_line(void **state)
{
  struct bench *b = *state;
  const int c = INPUT_WRENCH_CHANNELS;
  send(&b->osc, c, -8.0, T0);
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
  send(&b->osc, INPUT_WRENCH_CHANNELS, -8.0, T0);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 0.0);
}

static void what_is_tuned_holds_at_once(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  memcpy(tuned, b->spec, sizeof tuned);
  send(&b->osc, 0, -90.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == -90.0);
  assert_false(b->in.limited);

  tuned[0].limit_force = 50.0;
  tuned[0].policy = INPUT_SAFE;
  tuned[0].hold = 0.1;
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 99 * MS); /* nothing was sent since */
  assert_true(b->in.value[0] == -50.0);
  assert_true(b->in.limited);
  assert_false(b->in.stale_safe);
  latch(b, T0 + 101 * MS);
  assert_true(b->in.stale_safe);
  assert_true(b->spec[0].limit_force == 100.0); /* the table of signals belongs to all */
}

static void safe_drops_at_once_and_asks_for_the_safe_state(void **state)
{
  struct bench *b = *state;
  const int c = 2 * INPUT_WRENCH_CHANNELS + 5;
  send(&b->osc, c, 3.0, T0);
  latch(b, T0 + 50 * MS);
  assert_true(b->in.value[c] == 3.0);
  assert_false(b->in.stale_safe);
  latch(b, T0 + 51 * MS);
  assert_true(b->in.value[c] == 0.0);
  assert_true(b->in.stale_safe);
  assert_int_equal(b->in.stale_mask, 4);
}

static void a_fresh_sample_ends_staleness(void **state)
{
  struct bench *b = *state;
  send(&b->osc, INPUT_WRENCH_CHANNELS, 1.0, T0);
  latch(b, T0 + 400 * MS);
  assert_true(b->in.stale);
  send(&b->osc, INPUT_WRENCH_CHANNELS, 2.0, T0 + 401 * MS);
  latch(b, T0 + 410 * MS);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 2.0);
  assert_false(b->in.stale);
}

static void the_newest_port_wins(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 0, 1.0, T0 + 2);
  send(&b->modbus, 0, 2.0, T0 + 1);
  latch(b, T0 + 3);
  assert_true(b->in.value[0] == 1.0);
  send(&b->modbus, 0, 3.0, T0 + 4);
  latch(b, T0 + 5);
  assert_true(b->in.value[0] == 3.0);
  send(&b->osc, 0, 4.0, T0 + 3); /* published late, but older */
  latch(b, T0 + 6);
  assert_true(b->in.value[0] == 3.0);
}

static void channels_of_different_ports_stand_side_by_side(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 0, 1.0, T0);
  send(&b->modbus, 4, 2.0, T0 - 10 * MS);
  latch(b, T0 + 10 * MS);
  assert_true(b->in.value[0] == 1.0 && b->in.value[4] == 2.0);
  assert_true(b->in.age_ns == 20 * MS); /* of the older */
}

static void limits_clamp_flag_and_count_each_sample_once(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 1, -250.0, T0);
  for (int k = 0; k < 4; k++) {
    latch(b, T0 + (uint64_t)k * MS);
    assert_true(b->in.value[1] == -100.0);
    assert_true(b->in.limited);
  }
  assert_true(b->in.clamped == 1);
  send(&b->osc, 4, 10.5, T0 + 5 * MS); /* a torque has its own limit */
  latch(b, T0 + 5 * MS);
  assert_true(b->in.value[4] == 10.0);
  assert_true(b->in.clamped == 2);
  send(&b->osc, 4, 10.0, T0 + 6 * MS);
  send(&b->modbus, 1, 100.0, T0 + 6 * MS);
  latch(b, T0 + 6 * MS);
  assert_false(b->in.limited);
  assert_true(b->in.clamped == 2);
}

static void a_value_is_one_channel_with_a_limit_of_its_own(void **state)
{
  struct bench *b = *state;
  send(&b->osc, VALUE, -2.5, T0);
  latch(b, T0);
  assert_true(b->in.value[VALUE] == -2.0 && b->in.limited && b->in.clamped == 1);
  assert_true(b->in.value[VALUE - 1] == 0.0);
  latch(b, T0 + 300 * MS); /* half way down the ramp */
  assert_true(fabs(b->in.value[VALUE] + 1.0) < 1e-12);
  assert_int_equal(b->in.stale_mask, 1 << WRENCHES); /* bits count inputs, not channels */
  latch(b, T0 + 551 * MS);
  assert_true(b->in.value[VALUE] == 0.0);
}

/* Inputs of every kind on a model of one body and one spring; two wrenches on the body. */
static void values_reach_the_model(void **state)
{
  struct bench *b = *state;
  ali3_model *m = ali3_model_new();
  const ali3_body_spec body = {.name = "A",
                               .mass = 2.0,
                               .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .orientation = {sqrt(0.5), 0, 0, sqrt(0.5)}}; /* a quarter turn about z */
  const ali3_force_spec coil[2] = {
      {.name = "S", .type = ALI3_FORCE_SPRING, .body_a = ALI3_GROUND, .damping = {1}, .rest = 1},
      {.name = "T", .type = ALI3_FORCE_SPRING, .body_a = ALI3_GROUND, .damping = {1}, .rest = 1}};
  assert_int_equal(ali3_model_add_body(m, &body), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(ali3_model_add_force(m, &coil[i]), i);
  for (int i = 0; i < WRENCHES; i++) {
    b->spec[i].body = 0;
    assert_int_equal(input_add_loads(m, &b->spec[i], (const double[]){0, 1, 0}, i == 1), ALI3_OK);
  }
  b->spec[WRENCHES].force = 1;
  const ali3_options options = ali3_options_default();
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_OK);
  ali3_data *d = ali3_data_new(m);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);

  struct input_sample *sample = snapshot_begin(&b->osc.inputs);
  memset(sample, 0, CHANNELS * sizeof *sample);
  sample[0] = (struct input_sample){.value = 10.0, .t_ns = T0};                    /* force.x, world */
  sample[INPUT_WRENCH_CHANNELS] = (struct input_sample){.value = 4.0, .t_ns = T0}; /* force.x, body */
  sample[2 * INPUT_WRENCH_CHANNELS + 5] = (struct input_sample){.value = 3.0, .t_ns = T0}; /* torque.z */
  sample[VALUE] = (struct input_sample){.value = 1.5, .t_ns = T0};
  snapshot_publish(&b->osc.inputs);
  latch(b, T0);
  inputs_apply(&b->in, m, d);
  /* The point, 1 m along the body's y, is at the world's -x: no moment of the force along the world's x,
   * -4 N m of the one along the body's. */
  struct body_load load;
  stage_load(m, d, 0, &load);
  assert_true(fabs(load.force[0] - 10.0) < 1e-12 && fabs(load.force[1] - 4.0) < 1e-12);
  assert_true(fabs(load.torque[2] - (3.0 - 4.0)) < 1e-12);
  assert_true(d->value[0] == 0.0 && d->value[1] == 1.5);

  inputs_forget(&b->in, T0);
  inputs_apply(&b->in, m, d);
  stage_load(m, d, 0, &load);
  assert_true(load.force[0] == 0.0 && load.torque[2] == 0.0 && d->value[1] == 0.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

static void what_is_not_finite_never_gets_in(void **state)
{
  struct bench *b = *state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  send(&b->osc, 0, 1.5, T0);
  latch(b, T0);
  for (size_t k = 0; k < 3; k++) {
    send(&b->osc, 0, bad[k], T0 + k + 1);
    latch(b, T0 + k + 1);
    assert_true(b->in.value[0] == 1.5);
  }
}

static void a_sample_from_after_the_wake_up_is_of_age_zero(void **state)
{
  struct bench *b = *state;
  send(&b->osc, INPUT_WRENCH_CHANNELS, 1.0, T0 + 1000);
  latch(b, T0);
  assert_true(b->in.value[INPUT_WRENCH_CHANNELS] == 1.0);
  assert_true(b->in.age_ns == 0);
}

static void what_is_forgotten_does_not_come_back(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 0, 1.0, T0);
  send(&b->modbus, 1, 2.0, T0);
  latch(b, T0 + 1);
  inputs_forget(&b->in, T0 + 2);
  assert_true(b->in.value[0] == 0.0);
  struct input_sample *sample = snapshot_begin(&b->osc.inputs); /* senders repeat all they ever got */
  memset(sample, 0, CHANNELS * sizeof *sample);
  sample[0] = (struct input_sample){.value = 1.0, .t_ns = T0};
  sample[2] = (struct input_sample){.value = 3.0, .t_ns = T0 + 3};
  snapshot_publish(&b->osc.inputs);
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0 && b->in.value[1] == 0.0 && b->in.value[2] == 3.0);
  assert_true(b->in.age_ns == 1);
}

static void what_came_after_is_not_forgotten(void **state)
{
  struct bench *b = *state;
  send(&b->osc, 0, 1.0, T0);
  send(&b->modbus, 1, 2.0, T0 + 3);
  latch(b, T0 + 4);
  inputs_forget(&b->in, T0 + 2);
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0 && b->in.value[1] == 2.0);
  inputs_forget(&b->in, T0 + 1); /* of another port, which was asked later */
  send(&b->osc, 0, 1.0, T0 + 2);
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(nothing_sent_is_zero_and_fresh),
      TEST(a_sample_acts_until_its_hold_time),
      TEST(hold_keeps_the_value_and_says_so),
      TEST(ramp_goes_to_zero_in_a_straight_line),
      TEST(a_ramp_of_no_length_drops_at_once),
      TEST(what_is_tuned_holds_at_once),
      TEST(safe_drops_at_once_and_asks_for_the_safe_state),
      TEST(a_fresh_sample_ends_staleness),
      TEST(the_newest_port_wins),
      TEST(channels_of_different_ports_stand_side_by_side),
      TEST(limits_clamp_flag_and_count_each_sample_once),
      TEST(a_value_is_one_channel_with_a_limit_of_its_own),
      TEST(values_reach_the_model),
      TEST(what_is_not_finite_never_gets_in),
      TEST(a_sample_from_after_the_wake_up_is_of_age_zero),
      TEST(what_is_forgotten_does_not_come_back),
      TEST(what_came_after_is_not_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
