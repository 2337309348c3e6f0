/* SPDX-License-Identifier: MIT
 * The inputs of a file. The model decides which types of force take a value. In this test a joint_spring takes one, by a
 * replacement at link time. */
#include "scratch.h"

#include "signals/exchange.h"

#include <ali3/model.h>
#include <math.h>

bool __wrap_ali3_force_type_takes_command(ali3_force_type type);
bool __wrap_ali3_force_type_takes_command(ali3_force_type type)
{
  return type == ALI3_FORCE_JOINT_SPRING;
}

#define MECHANISM                                                                                            \
  "model:\n  bodies:\n"                                                                                      \
  "    - {name: A, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0], orientation: [0.6, 0, 0, 0.8]}\n"       \
  "  joints:\n"                                                                                              \
  "    - {name: J, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 0, 1]}\n"             \
  "  forces:\n"                                                                                              \
  "    - {name: F, type: force, body: A, force: [0, 0, 0]}\n"                                                \
  "    - {name: S, type: joint_spring, joint: J, stiffness: 1}\n"                                            \
  "    - {name: T, type: joint_spring, joint: J, stiffness: 1}\n"

TEST(wrenches_have_loads_of_their_own)
{
  struct settings *s = load_good(MECHANISM "inputs: [{name: p, body: A}, {name: q, body: A}]\n");
  assert_int_equal(s->inputs, 2);
  assert_int_equal(ali3_model_loads(s->model), 5);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s->input[i].kind, INPUT_WRENCH);
    assert_int_equal(s->input[i].body, 0);
    assert_int_equal(s->input[i].load, 1 + 2 * i); /* after the loads of the file */
  }
  settings_free(s);
}

/* Angular acceleration about the joint of 1 + 0 kg m^2 under a force of 5 N along x. */
static double turns(const char *keys)
{
  char text[1000];
  snprintf(text, sizeof text, MECHANISM "inputs: [{name: p, body: A%s}]\n", keys);
  struct settings *s = load_good(text);
  ali3_data *d = ali3_data_new(s->model);
  ali3_body_state x;
  assert_int_equal(ali3_reset(s->model, d), ALI3_OK);
  ali3_set_load(s->model, d, s->input[0].load, (const double[]){5, 0, 0});
  for (int i = 0; i < 2; i++) assert_true(ali3_step(s->model, d) >= 0);
  ali3_body_get(s->model, d, 0, &x);
  ali3_data_free(d);
  settings_free(s);
  return x.angular_acceleration[2];
}

/* R = [-0.28 -0.96; 0.96 -0.28]: the point (0, -1) of the body is at (0.96, 0.28) in the world. */
TEST(point_and_axes_are_applied)
{
  assert_true(fabs(turns("")) < 1e-6);
  assert_true(fabs(turns(", point: [0, -1, 0]") + 5 * 0.28) < 0.05);
  assert_true(fabs(turns(", point: [0, -1, 0], axes: world") + 5 * 0.28) < 0.05);
  assert_true(fabs(turns(", point: [0, -1, 0], axes: body") - 5) < 0.05);
}

TEST(a_value_acts_on_a_force)
{
  struct settings *s = load_good(MECHANISM "inputs:\n  - {name: w, body: A}\n"
                                           "  - {name: t, force: T, limit: 3.5, policy: hold}\n"
                                           "  - {name: s, force: S}\n");
  assert_int_equal(s->inputs, 3);
  assert_true(s->input[1].kind == INPUT_VALUE && s->input[1].force == 1 &&
              s->input[1].range[0].upper == 3.5 && s->input[1].policy == INPUT_HOLD);
  assert_true(s->input[2].kind == INPUT_VALUE && s->input[2].force == 0 &&
              s->input[2].range[0].upper == 1e4 && s->input[2].policy == INPUT_RAMP &&
              s->input[2].hold == 0.15 && s->input[2].ramp == 0.5);
  struct signals *t = signals_new(s->model, s->input, s->inputs);
  assert_non_null(t);
  assert_int_equal(t->channels, 8);
  assert_int_equal(signals_find(t, "input.t.value"), t->input_first + 6);
  signals_free(t);
  settings_free(s);
}

/* Three periods of a timer of 20 Hz, so that jitter and a lost message leave the input fresh; never above the fault. */
TEST(the_default_hold_suits_a_timer_of_20_hz)
{
  struct settings *s =
      load_good(MECHANISM "inputs:\n  - {name: a, body: A}\n  - {name: b, body: A, fault: 0.1}\n"
                          "  - {name: c, body: A, fault: 0.2}\n");
  assert_true(s->input[0].hold == 0.15 && s->input[1].hold == 0.1 && s->input[2].hold == 0.15);
  settings_free(s);
}

TEST(ranges_are_filled)
{
  struct settings *s = load_good(
      MECHANISM
      "osc: {}\ninputs:\n"
      "  - {name: w, body: A, limit_force: 5, rate_torque: 7, safe_force: [1, 2, 3], required: true, hold: 2,"
      " from: osc}\n"
      "  - {name: t, force: T, limit: 3, lower: -1, rate: 4, safe: 2, policy: safe, required: true}\n"
      "  - {name: s, force: S, policy: extrapolate, fault: 5, from: any}\n");
  const struct input_spec *w = &s->input[0], *t = &s->input[1], *other = &s->input[2];
  for (int k = 0; k < 3; k++) {
    assert_true(w->range[k].lower == -5 && w->range[k].upper == 5 && w->range[k].rate == 0);
    assert_true(w->range[k].safe == 1 + k && w->range[k + 3].safe == 0);
    assert_true(w->range[k + 3].upper == 1e4 && w->range[k + 3].rate == 7);
  }
  assert_true(w->required && w->fault == 2 && w->recover == 10 && w->blend == 0.5); /* at least hold */
  assert_true(w->sources == UINT64_C(1) << SOURCE_OSC);
  assert_true(t->range[0].lower == -1 && t->range[0].upper == 3 && t->range[0].rate == 4 &&
              t->range[0].safe == 2);
  assert_true(t->required && t->fault == 0 && t->sources == 0); /* the policy decides */
  assert_true(other->policy == INPUT_EXTRAPOLATE && other->fault == 5 && !other->required);
  settings_free(s);
}

TEST(injections_are_read)
{
  struct settings *s =
      load_good(MECHANISM "inputs:\n  - {name: w, body: A}\n  - {name: t, force: T}\ninjections:\n"
                          "  - {name: late, input: t, kind: delay, cycles: 7, active: true}\n"
                          "  - {name: loud, input: w, kind: noise, amplitude: 2, from: 1.5}\n"
                          "  - {name: lossy, input: w, kind: drop, for: 4}\n");
  assert_int_equal(s->injections, 3);
  const struct injection *late = &s->injection[0], *loud = &s->injection[1], *lossy = &s->injection[2];
  assert_string_equal(late->name, "late");
  assert_true(late->kind == INJECT_DELAY && late->input == 1 && late->cycles == 7 && late->active &&
              !late->window);
  assert_true(loud->kind == INJECT_NOISE && loud->input == 0 && loud->amplitude == 2 && !loud->active);
  assert_true(loud->window && loud->from == 1.5 && isinf(loud->length));
  assert_true(lossy->window && lossy->from == 0 && lossy->length == 4 && lossy->probability == 1);
  settings_free(s);
}

TEST(the_number_of_injections_is_limited)
{
  char text[16384];
  int used = snprintf(text, sizeof text, MECHANISM "inputs: [{name: w, body: A}]\ninjections:\n");
  for (int i = 0; i <= INJECTIONS_MAX; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "  - {name: n%d, input: w, kind: nan}\n", i);
  assert_refused(text, ":76:5: error: injections: expected at most 64");
}

TEST(a_force_has_one_input)
{
  assert_refused(MECHANISM "inputs:\n  - {name: one, force: S}\n  - {name: two, force: S}\n",
                 ":12:24: error: force: input 'two': force 'S' is set by input 'one' already");
}

TEST(a_mistake_in_the_model_is_not_reported_for_the_inputs)
{
  struct loaded l =
      load_text("model:\n  bodies:\n    - {name: A, mass: -1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                "inputs:\n  - {name: p, body: A}\n  - {name: q, force: S}\n");
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, ":3:23: error: mass: "));
  assert_null(strstr(strstr(l.errors, ": error: ") + 1, ": error: "));
  free(l.errors);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrenches_have_loads_of_their_own),
      cmocka_unit_test(point_and_axes_are_applied),
      cmocka_unit_test(a_value_acts_on_a_force),
      cmocka_unit_test(the_default_hold_suits_a_timer_of_20_hz),
      cmocka_unit_test(ranges_are_filled),
      cmocka_unit_test(injections_are_read),
      cmocka_unit_test(the_number_of_injections_is_limited),
      cmocka_unit_test(a_force_has_one_input),
      cmocka_unit_test(a_mistake_in_the_model_is_not_reported_for_the_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
