/* SPDX-License-Identifier: MIT
 * Invalid arguments to the library. The getters and setters of the loop are built into this test with their asserts
 * (tests.cmake), as in a debug build of the library. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double none[3] = {0.0};

TEST(no_options_are_the_default_ones)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  assert_int_equal(ali3_model_freeze(m, NULL), ALI3_OK);
  const ali3_options *o = ali3_model_options(m), expected = ali3_options_default();
  assert_true(o->dt == expected.dt && o->iterations == expected.iterations &&
              o->substeps == expected.substeps);
  assert_true(o->compliance == expected.compliance && o->gamma == expected.gamma);
  assert_int_equal(ali3_model_freeze(m, NULL), ALI3_E_FROZEN);
  ali3_model_free(m);
}

TEST(a_step_wants_a_reset)
{
  char text[200];
  for (int extrapolate = 0; extrapolate < 2; extrapolate++) {
    ali3_options o = ali3_options_default();
    o.extrapolate = extrapolate;
    ali3_model *m = toy_double_pendulum_with(1, 1, &o);
    ali3_data *d = ali3_data_new(m);
    assert_int_equal(ali3_step(m, d), ALI3_E_ARGUMENT);
    assert_int_equal(ali3_prepare(m, d), ALI3_E_ARGUMENT);
    assert_int_equal(ali3_feedback(m, d), ALI3_E_ARGUMENT);
    assert_int_equal(ali3_data_report(d)->status, ALI3_E_ARGUMENT);
    ali3_report_text(m, d, text, sizeof text);
    assert_string_equal(text, "there is no initial state: call ali3_reset() before the first step");
    assert_int_equal(ali3_reset(m, d), ALI3_OK);
    toy_run(m, d, 3);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A step may not continue from a refused state, whose reason persists. */
TEST(a_step_wants_a_reset_that_went_well)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "pin", ALI3_GROUND, (const double[]){1, 0, 0}, 0, none);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_E_ASSEMBLE);
  assert_int_equal(ali3_step(m, d), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_data_report(d)->status, ALI3_E_ASSEMBLE);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(null_is_refused)
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_add_body(m, NULL), ALI3_E_ARGUMENT);
  assert_string_equal(ali3_model_problem(m)->text, "an argument is NULL");
  assert_string_equal(ali3_model_problem(m)->element, "body");
  assert_int_equal(ali3_model_add_joint(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_add_load(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_add_force(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_add_sensor(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_set_name(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_set_gravity(m, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_find_body(m, NULL), -2);
  assert_int_equal(ali3_model_find_sensor(m, NULL), -2);
  assert_null(ali3_data_new(m)); /* not frozen */
  assert_int_equal(ali3_reset(m, NULL), ALI3_E_ARGUMENT);
  ali3_model_free(m);

  const ali3_body_spec b = toy_body("b", none, 1, 1);
  assert_int_equal(ali3_model_add_body(NULL, &b), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_set_gravity(NULL, none), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_freeze(NULL, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_problem(NULL)->status, ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_bodies(NULL) + ali3_model_joints(NULL) + ali3_model_rows(NULL), 0);
  assert_int_equal(ali3_model_find_joint(NULL, "J"), -2);
  assert_null(ali3_model_name(NULL));
  assert_null(ali3_model_body_name(NULL, 0));
  assert_string_equal(ali3_model_isa(NULL), "");
  assert_int_equal(ali3_data_size(NULL), 0);
  assert_null(ali3_data_new(NULL));
  ali3_data_free(NULL);
  ali3_data_set_exec(NULL, NULL);
  assert_int_equal(ali3_reset(NULL, NULL), ALI3_E_ARGUMENT);
}

TEST(indices_out_of_range_find_nothing)
{
  ali3_model *m = toy_chain(2, true, 0.01);
  const int wrong[] = {-2, 2, 1 << 30};
  for (int i = 0; i < 3; i++) {
    assert_null(ali3_model_body_name(m, wrong[i]));
    assert_null(ali3_model_joint_name(m, wrong[i]));
    assert_null(ali3_model_force_name(m, wrong[i]));
    assert_null(ali3_model_sensor_name(m, wrong[i]));
    assert_int_equal(ali3_model_joint_type(m, wrong[i]), ALI3_JOINT_TYPES);
    assert_int_equal(ali3_model_force_type(m, wrong[i]), ALI3_FORCE_TYPES);
    assert_int_equal(ali3_model_sensor_type(m, wrong[i]), ALI3_SENSOR_TYPES);
    assert_false(ali3_model_force_turns(m, wrong[i]) || ali3_model_force_takes_command(m, wrong[i]));
  }
  assert_string_equal(ali3_model_body_name(m, ALI3_GROUND), "ground");
  assert_string_equal(ali3_model_body_name(m, 1), "b2");
  ali3_model_free(m);
}

TEST(sensors_are_found_by_name)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  for (int i = 0; i < 2; i++) {
    ali3_sensor_spec s = {.name = i ? "tip" : "root", .type = ALI3_SENSOR_POINT};
    toy_added(m, ali3_model_add_sensor(m, &s));
  }
  assert_int_equal(ali3_model_find_sensor(m, "tip"), 1);
  assert_int_equal(ali3_model_find_sensor(m, "b"), -2);
  assert_string_equal(ali3_version(), ALI3_VERSION);
  ali3_model_free(m);
}

/* RT calls with an invalid index. */
enum call { SET_LOAD, SET_VECTOR, SET_VALUE, BODY, JOINT, FORCE, POINT, SENSOR, CALLS };

static void call(enum call which, const ali3_model *m, ali3_data *d, int index)
{
  union {
    ali3_body_state body;
    ali3_joint_state joint;
    ali3_force_state force;
    ali3_point_state point;
    ali3_sensor_state sensor;
  } o;
  switch (which) {
  case SET_LOAD:
    ali3_set_wrench(m, d, index, none, none);
    break;
  case SET_VECTOR:
    ali3_set_load(m, d, index, none);
    break;
  case SET_VALUE:
    ali3_set_command(m, d, index, 0);
    break;
  case BODY:
    ali3_body_get(m, d, index, &o.body);
    break;
  case JOINT:
    ali3_joint_get(m, d, index, &o.joint);
    break;
  case FORCE:
    ali3_force_get(m, d, index, &o.force);
    break;
  case POINT:
    ali3_point_get(m, d, index, none, &o.point);
    break;
  default:
    ali3_sensor_get(m, d, index, &o.sensor);
  }
}

/* Runs in a process of its own. Returns the signal that ends it, or 0. */
static int ends_by(enum call which, const ali3_model *m, ali3_data *d, int index)
{
  int status;
  fflush(stdout);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    call(which, m, d, index);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(a_debug_build_stops_at_a_wrong_index)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "pin", ALI3_GROUND, none, 0, none);
  ali3_load_spec load = {.name = "l", .type = ALI3_LOAD_FORCE};
  toy_added(m, ali3_model_add_load(m, &load));
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "s";
  spring.body_b = 0;
  spring.point_a[0] = 1;
  spring.stiffness[0] = 1;
  toy_added(m, ali3_model_add_force(m, &spring));
  ali3_sensor_spec sensor = {.name = "p", .type = ALI3_SENSOR_POINT};
  toy_added(m, ali3_model_add_sensor(m, &sensor));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 0; i < CALLS; i++) {
    bool ground = i == BODY || i == POINT; /* objects that accept the ground */
    assert_int_equal(ends_by((enum call)i, m, d, 0), 0);
    assert_int_equal(ends_by((enum call)i, m, d, 1), SIGABRT);
    assert_int_equal(ends_by((enum call)i, m, d, -1), ground ? 0 : SIGABRT);
    assert_int_equal(ends_by((enum call)i, m, d, -2), SIGABRT);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_options_are_the_default_ones),      cmocka_unit_test(a_step_wants_a_reset),
      cmocka_unit_test(a_step_wants_a_reset_that_went_well),  cmocka_unit_test(null_is_refused),
      cmocka_unit_test(indices_out_of_range_find_nothing),    cmocka_unit_test(sensors_are_found_by_name),
      cmocka_unit_test(a_debug_build_stops_at_a_wrong_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
