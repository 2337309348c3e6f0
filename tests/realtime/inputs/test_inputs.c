/* SPDX-License-Identifier: MIT
 * Storage, tuning, forgetting and missing of inputs, and handing them to the model. */
#include "check.h"
#include "inputs/inputs_bench.h"
#include "kernels/elements.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void tuned_values_hold_at_once(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  memcpy(tuned, b->spec, sizeof tuned);
  send(b, 0, 0, -90.0, T0);
  latch(b, T0);
  assert_true(b->in.value[0] == -90.0);
  assert_false(b->in.limited);

  tuned[0].range[0].lower = -50.0;
  tuned[0].policy = INPUT_SAFE;
  tuned[0].hold = 0.1;
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 99 * MS); /* nothing was sent since */
  assert_true(b->in.value[0] == -50.0);
  assert_true(b->in.limited);
  assert_int_equal(b->in.lost, -1);
  latch(b, T0 + 101 * MS);
  assert_int_equal(b->in.lost, 0);
  assert_true(b->spec[0].range[0].lower == -100.0); /* the table of signals is shared */
}

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

  send(b, 0, 0, 10.0, T0);                            /* force.x, world */
  send(b, 0, INPUT_WRENCH_CHANNELS, 4.0, T0);         /* force.x, body */
  send(b, 0, 2 * INPUT_WRENCH_CHANNELS + 5, 3.0, T0); /* torque.z */
  send(b, 0, VALUE, 1.5, T0);
  latch(b, T0);
  inputs_apply(&b->in, m, d);
  /* The point, 1 m along the body's y, is at the world's -x: the force along the world's x has no moment, the one along
   * the body's x has -4 N m. */
  struct wrench load;
  body_wrench(m, d, 0, false, &load);
  assert_true(fabs(load.force[0] - 10.0) < 1e-12 && fabs(load.force[1] - 4.0) < 1e-12);
  assert_true(fabs(load.torque[2] - (3.0 - 4.0)) < 1e-12);
  assert_true(d->outside.now.command[0] == 0.0 && d->outside.now.command[1] == 1.5);

  inputs_forget(&b->in, T0);
  inputs_apply(&b->in, m, d);
  body_wrench(m, d, 0, false, &load);
  assert_true(load.force[0] == 0.0 && load.torque[2] == 0.0 && d->outside.now.command[1] == 0.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

static void forgotten_samples_do_not_come_back(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 1.0, T0);
  send(b, 1, VALUE, 2.0, T0);
  latch(b, T0 + 1);
  inputs_forget(&b->in, T0 + 2);
  assert_true(b->in.value[0] == 0.0);
  send(b, 0, 2, 3.0, T0 + 3); /* senders repeat all their values */
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0 && b->in.value[VALUE] == 0.0 && b->in.value[2] == 3.0);
  assert_true(b->in.age_ns == 1);
}

static void a_later_sample_is_not_forgotten(void **state)
{
  struct bench *b = *state;
  send(b, 0, 0, 1.0, T0);
  send(b, 1, VALUE, 2.0, T0 + 3);
  latch(b, T0 + 4);
  inputs_forget(&b->in, T0 + 2);
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0 && b->in.value[VALUE] == 2.0);
  inputs_forget(&b->in, T0 + 1); /* from another port, which was read later */
  send(b, 0, 0, 1.0, T0 + 2);
  latch(b, T0 + 4);
  assert_true(b->in.value[0] == 0.0);
}

static void tuning_to_hold_ends_a_recovery(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  memcpy(tuned, b->spec, sizeof tuned);
  b->in.spec[1].recover = 10;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 300 * MS);
  assert_true(fabs(b->in.value[RAMPED] - 5.0) < 1e-9);
  tuned[1].policy = INPUT_HOLD;
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 310 * MS);
  assert_true(fabs(b->in.value[RAMPED] - 5.0) < 1e-9 && b->in.stale); /* no way back to the 10 */
  send(b, 0, RAMPED, 7.0, T0 + 320 * MS);
  latch(b, T0 + 320 * MS);
  assert_true(b->in.value[RAMPED] == 7.0 && !b->in.stale);
}

static void required_inputs_must_be_fresh(void **state)
{
  struct bench *b = *state;
  assert_int_equal(inputs_missing(&b->in, T0), -1);
  b->in.spec[1].required = b->in.spec[WRENCHES].required = true;
  assert_int_equal(inputs_missing(&b->in, T0), 1);
  send(b, 0, RAMPED + 4, 1.0, T0);
  inputs_take(&b->in, b->port, T0, 0); /* before any latch */
  assert_int_equal(inputs_missing(&b->in, T0), WRENCHES);
  send(b, 0, VALUE, 1.0, T0 + 20 * MS);
  latch(b, T0 + 20 * MS);
  assert_int_equal(inputs_missing(&b->in, T0 + 50 * MS), -1);
  assert_int_equal(inputs_missing(&b->in, T0 + 51 * MS), 1);
}

static void a_recovering_input_is_not_fresh(void **state)
{
  struct bench *b = *state;
  b->in.spec[1].required = true;
  b->in.spec[1].recover = 10;
  send_numbered(b, 0, RAMPED, 1.0, T0, 5000);
  latch(b, T0);
  assert_int_equal(inputs_missing(&b->in, T0), -1);
  send_numbered(b, 0, RAMPED, 1.0, T0 + 10 * MS, 1);
  latch(b, T0 + 10 * MS);
  assert_int_equal(inputs_missing(&b->in, T0 + 10 * MS), 1);
}

/* Each policy with the blend: from the value in use to the value of the new policy, whatever was before. */
static void tuning_a_stale_input_blends(void **state)
{
  struct bench *b = *state;
  static const struct {
    int input; /* with the policies hold, ramp, hold */
    enum input_policy to;
    double hold, safe, start, half, end;
  } cases[] = {{0, INPUT_RAMP, 0.05, 0.0, 10.0, 5.0, 0.0},
               {1, INPUT_RAMP, 0.05, 4.0, 0.0, 2.0, 4.0},
               {0, INPUT_EXTRAPOLATE, 0.05, 2.0, 10.0, 6.0, 2.0},
               {0, INPUT_SAFE, 0.05, 2.0, 10.0, 2.0, 2.0},
               {1, INPUT_HOLD, 0.05, 4.0, 0.0, 0.0, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct input_spec tuned[INPUTS];
    const int channel = cases[i].input * INPUT_WRENCH_CHANNELS;
    const uint64_t t_ns = T0 + (uint64_t)i * 10000 * MS;
    inputs_tune(&b->in, b->spec);
    inputs_forget(&b->in, t_ns - MS);
    send(b, 0, channel, 10.0, t_ns);
    latch(b, t_ns);
    latch(b, t_ns + 2000 * MS);
    assert_true(b->in.value[channel] == cases[i].start);
    memcpy(tuned, b->spec, sizeof tuned);
    tuned[cases[i].input].policy = cases[i].to;
    tuned[cases[i].input].range[0].safe = cases[i].safe;
    tuned[cases[i].input].blend = 0.1;
    inputs_tune(&b->in, tuned);
    latch(b, t_ns + 2050 * MS);
    assert_true(fabs(b->in.value[channel] - cases[i].half) < 1e-9);
    latch(b, t_ns + 2100 * MS);
    assert_true(b->in.value[channel] == cases[i].end);
  }
}

static void tuning_to_the_same_changes_nothing(void **state)
{
  struct bench *b = *state;
  b->spec[1].blend = b->in.spec[1].blend = 0.5;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 300 * MS);
  inputs_tune(&b->in, b->spec);
  latch(b, T0 + 400 * MS);
  assert_true(fabs(b->in.value[RAMPED] - 3.0) < 1e-9);
}

static void tuning_does_not_end_the_blend_to_the_held_value(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  b->spec[0].range[0].rate = b->in.spec[0].range[0].rate = 10.0;
  memcpy(tuned, b->spec, sizeof tuned);
  send(b, 0, 0, 30.0, T0);
  latch(b, T0);
  latch(b, T0 + 1000 * MS);
  tuned[0].range[0].upper = 50.0;
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 5000 * MS);
  assert_true(b->in.value[0] == 30.0);
}

/* It was fresh by the old hold. */
static void tuning_a_shorter_hold_blends(void **state)
{
  struct bench *b = *state;
  struct input_spec tuned[INPUTS];
  memcpy(tuned, b->spec, sizeof tuned);
  b->in.spec[1].hold = 10.0;
  send(b, 0, RAMPED, 10.0, T0);
  latch(b, T0);
  latch(b, T0 + 2000 * MS);
  tuned[1].blend = 0.1;
  inputs_tune(&b->in, tuned);
  latch(b, T0 + 2050 * MS);
  assert_true(fabs(b->in.value[RAMPED] - 5.0) < 1e-9 && b->in.stale);
  latch(b, T0 + 2100 * MS);
  assert_true(b->in.value[RAMPED] == 0.0);
}

static void the_owner_is_shown_until_it_is_silent(void **state)
{
  struct bench *b = *state;
  assert_int_equal(b->in.owner[0].source, OWNER_NONE);
  send(b, 1, 0, 10.0, T0 + 100 * MS);
  latch(b, T0 + 100 * MS);
  assert_int_equal(b->in.owner[0].source, SOURCE_MODBUS);
  assert_int_equal(b->in.owner[1].source, OWNER_NONE);
  send(b, 0, 0, 20.0, T0 + 900 * MS); /* refused: the sender of the counted samples is shown */
  latch(b, T0 + 1000 * MS);
  assert_int_equal(b->in.owner[0].source, SOURCE_MODBUS);
  latch(b, T0 + 1101 * MS); /* silent: the next sample of any sender would count */
  assert_int_equal(b->in.owner[0].source, OWNER_NONE);
  send(b, 0, 0, 20.0, T0 + 1110 * MS);
  latch(b, T0 + 1110 * MS);
  assert_int_equal(b->in.owner[0].source, SOURCE_OSC);
}

static void the_client_of_the_owner_is_shown(void **state)
{
  struct bench *b = *state;
  send_by(b, 0, 0, 10.0, T0 + 100 * MS, 7);
  latch(b, T0 + 100 * MS);
  assert_int_equal(b->in.owner[0].client, 7);
  send_by(b, 1, 0, 10.0, T0 + 110 * MS, 8); /* refused */
  latch(b, T0 + 110 * MS);
  assert_int_equal(b->in.owner[0].client, 7);
  send_by(b, 0, 0, 10.0, T0 + 120 * MS, 9);
  latch(b, T0 + 120 * MS);
  assert_int_equal(b->in.owner[0].client, 9);
  inputs_forget(&b->in, T0 + 130 * MS);
  latch(b, T0 + 130 * MS);
  assert_int_equal(b->in.owner[0].source, OWNER_NONE);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(tuned_values_hold_at_once),
      ROW(values_reach_the_model),
      ROW(forgotten_samples_do_not_come_back),
      ROW(a_later_sample_is_not_forgotten),
      ROW(tuning_to_hold_ends_a_recovery),
      ROW(required_inputs_must_be_fresh),
      ROW(a_recovering_input_is_not_fresh),
      ROW(tuning_a_stale_input_blends),
      ROW(tuning_does_not_end_the_blend_to_the_held_value),
      ROW(tuning_to_the_same_changes_nothing),
      ROW(tuning_a_shorter_hold_blends),
      ROW(the_owner_is_shown_until_it_is_silent),
      ROW(the_client_of_the_owner_is_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
