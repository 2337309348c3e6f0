/* SPDX-License-Identifier: MIT
 * The inputs of a file. Which types of force take a value is the model's matter: here a joint_spring does, by
 * a replacement at link time. */
#include "scratch.h"

#include <math.h>

bool __wrap_ali3_force_type_takes_value(ali3_force_type type);
bool __wrap_ali3_force_type_takes_value(ali3_force_type type)
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

static void wrenches_have_loads_of_their_own(void **state)
{
  (void)state;
  struct settings *s = load_good(MECHANISM "inputs: [{name: p, body: A}, {name: q, body: A}]\n");
  assert_int_equal(s->inputs, 2);
  assert_int_equal(ali3_model_loads(s->model), 5);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s->input[i].kind, INPUT_WRENCH);
    assert_int_equal(s->input[i].body, 0);
    assert_int_equal(s->input[i].load, 1 + 2 * i); /* behind those of the file */
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
  ali3_set_load_vector(s->model, d, s->input[0].load, (const double[]){5, 0, 0});
  for (int i = 0; i < 2; i++) assert_true(ali3_step(s->model, d) >= 0);
  ali3_body_get(s->model, d, 0, &x);
  ali3_data_free(d);
  settings_free(s);
  return x.angular_acceleration[2];
}

/* R = [-0.28 -0.96; 0.96 -0.28]: the point (0, -1) of the body is at (0.96, 0.28) in the world. */
static void point_and_axes_are_taken(void **state)
{
  (void)state;
  assert_true(fabs(turns("")) < 1e-6);
  assert_true(fabs(turns(", point: [0, -1, 0]") + 5 * 0.28) < 0.05);
  assert_true(fabs(turns(", point: [0, -1, 0], axes: world") + 5 * 0.28) < 0.05);
  assert_true(fabs(turns(", point: [0, -1, 0], axes: body") - 5) < 0.05);
}

static void a_value_belongs_to_a_force(void **state)
{
  (void)state;
  struct settings *s = load_good(MECHANISM "inputs:\n  - {name: w, body: A}\n"
                                           "  - {name: t, force: T, limit: 3.5, policy: hold}\n"
                                           "  - {name: s, force: S}\n");
  assert_int_equal(s->inputs, 3);
  assert_true(s->input[1].kind == INPUT_VALUE && s->input[1].force == 1 && s->input[1].limit_value == 3.5 &&
              s->input[1].policy == INPUT_HOLD);
  assert_true(s->input[2].kind == INPUT_VALUE && s->input[2].force == 0 && s->input[2].limit_value == 1e4 &&
              s->input[2].policy == INPUT_RAMP && s->input[2].hold == 0.05 && s->input[2].ramp == 0.5);
  struct signals *t = signals_new(s->model, s->input, s->inputs);
  assert_non_null(t);
  assert_int_equal(t->channels, 8);
  assert_int_equal(signals_find(t, "input.t.value"), t->input_first + 6);
  signals_free(t);
  settings_free(s);
}

static void a_force_has_one_input(void **state)
{
  (void)state;
  assert_refused(MECHANISM "inputs:\n  - {name: one, force: S}\n  - {name: two, force: S}\n",
                 ":12:24: error: force: input 'two': force 'S' has its value from input 'one' already");
}

static void a_mistake_in_the_model_is_not_blamed_on_the_inputs(void **state)
{
  (void)state;
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
      cmocka_unit_test(point_and_axes_are_taken),
      cmocka_unit_test(a_value_belongs_to_a_force),
      cmocka_unit_test(a_force_has_one_input),
      cmocka_unit_test(a_mistake_in_the_model_is_not_blamed_on_the_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
