/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double none[3] = {0.0};

TEST(a_frozen_model_cannot_be_changed)
{
  ali3_model *m = toy_chain(2, true, 0.01);
  ali3_options options = ali3_options_default();
  ali3_body_spec b = toy_body("late", none, 1.0, 1.0);
  ali3_joint_spec j = {.name = "late", .type = ALI3_JOINT_SPHERICAL, .body_a = 0, .body_b = 1};
  ali3_load_spec l = {.name = "late"};
  assert_int_equal(ali3_model_add_body(m, &b), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_add_joint(m, &j), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_add_load(m, &l), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_set_gravity(m, none), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_set_name(m, "late"), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_E_FROZEN);
  assert_int_equal(ali3_model_problem(m)->status, ALI3_E_FROZEN);
  assert_int_equal(ali3_model_bodies(m), 2);
  assert_int_equal(ali3_model_rows(m), 6);
  ali3_model_free(m);
}

TEST(a_model_without_bodies_is_refused)
{
  ali3_model *m = ali3_model_new();
  ali3_options options = ali3_options_default();
  assert_int_equal(ali3_model_rows(m), 0);
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "bodies");
  ali3_body_spec b = toy_body("b", none, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &b)); /* the user can correct a refused model */
  options.dt = -1.0;
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "dt");
  toy_freeze(m, 0.01);
  ali3_model_free(m);
}

/* Accelerations of one free body, 2 kg and 0.5 kg m^2, turned by 90 degrees about z, under constant loads. */
TEST(loads_of_the_model_act)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec other = toy_body("other", none, 1.0, 1.0), b = toy_body("b", none, 2.0, 0.5);
  b.orientation[0] = b.orientation[3] = sqrt(0.5);
  toy_added(m, ali3_model_add_body(m, &other));
  toy_added(m, ali3_model_add_body(m, &b));
  const ali3_load_spec loads[] = {
      {.name = "push", .type = ALI3_LOAD_FORCE, .body = 1, .vector = {4, 0, 0}},
      {.name = "twist", .type = ALI3_LOAD_TORQUE, .body = 1, .vector = {0, 0, 1}},
      /* its arm, 1 m along the body's x, points along the world's y: a moment of -2 N m about z */
      {.name = "pull", .type = ALI3_LOAD_FORCE, .body = 1, .vector = {2, 0, 0}, .point = {1, 0, 0}},
  };
  for (int i = 0; i < 3; i++) assert_int_equal(ali3_model_add_load(m, &loads[i]), i);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x;
  ali3_body_get(m, d, 1, &x);
  assert_true(fabs(x.acceleration[0] - 3.0) < 1e-12);
  assert_true(fabs(x.angular_acceleration[2] + 2.0) < 1e-12);
  ali3_body_get(m, d, 0, &x);
  assert_true(x.acceleration[0] == 0.0 && x.angular_acceleration[2] == 0.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A mechanism in several pieces keeps all of them, and unconnected bodies fall. */
TEST(pieces_do_not_meet)
{
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -10, 0}));
  const char *names[] = {"held", "falls", "a", "b"};
  for (int i = 0; i < 4; i++) {
    ali3_body_spec b = toy_body(names[i], (const double[]){i, 0, 0}, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &b));
  }
  toy_spherical(m, "J1", ALI3_GROUND, none, 0, none);
  toy_spherical(m, "J2", 2, (const double[]){0.5, 0, 0}, 3, (const double[]){-0.5, 0, 0});
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 100);
  const double wanted[] = {0.0, -5.0, -5.0, -5.0};
  for (int i = 0; i < 4; i++) {
    ali3_body_state x;
    ali3_body_get(m, d, i, &x);
    assert_true(fabs(x.position[1] - wanted[i]) < 1e-9);
    assert_true(fabs(x.position[0] - i) < 1e-9);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* One ball on the ground: a leaf of 3 rows, 3 (2 13 + 7 4) operations, and a pivot of 3, 9 to factorise and 18 to
 * solve. */
TEST(flops_count_every_factorisation_and_solve_of_a_step)
{
  ali3_options o = ali3_options_default();
  for (int k = 0; k < 3; k++) {
    ali3_model *m = ali3_model_new();
    ali3_body_spec b = toy_body("b", none, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &b));
    toy_spherical(m, "J", ALI3_GROUND, none, 0, none);
    assert_true(ali3_model_flops(m) == 0.0);
    o.substeps = k > 0 ? 4 : 1;
    o.extrapolate = k > 1;
    toy_freeze_with(m, &o);
    const double factors[] = {1, 4, 4 * 6}, solves[] = {6, 4 * 6, 4 * 30};
    assert_true(fabs(ali3_model_flops(m) - (factors[k] * (162 + 9) + solves[k] * 18)) < 1e-9);
    ali3_model_free(m);
  }
}

/* n welds of one body to the ground: all but one of them are redundant, and every weld is coupled with every other. */
TEST(welds_of_one_body_are_counted_before_they_are_laid_out)
{
  static const int welds[] = {250, 500, 2000, 20000};
  for (size_t k = 0; k < sizeof welds / sizeof *welds; k++) {
    ali3_model *m = ali3_model_new();
    ali3_options options = ali3_options_default();
    ali3_body_spec b = toy_body("block", none, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &b));
    for (int i = 0; i < welds[k]; i++) {
      char name[32];
      snprintf(name, sizeof name, "weld%d", i);
      const ali3_joint_spec j = {.name = name, .type = ALI3_JOINT_FIXED, .body_a = 0, .body_b = ALI3_GROUND};
      toy_added(m, ali3_model_add_joint(m, &j));
    }
    const clock_t start = clock();
    assert_int_equal(ali3_model_freeze(m, &options), ALI3_E_MODEL);
    const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    char expected[80];
    snprintf(expected, sizeof expected, "body 'block' is coupled to %d joints and forces", welds[k]);
    assert_non_null(strstr(ali3_model_problem(m)->text, expected));
    assert_non_null(strstr(ali3_model_problem(m)->text, "remove joints that repeat others"));
    assert_true(took < 5.0); /* CPU time; it was 11 s and more */
    ali3_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frozen_model_cannot_be_changed),
      cmocka_unit_test(welds_of_one_body_are_counted_before_they_are_laid_out),
      cmocka_unit_test(a_model_without_bodies_is_refused),
      cmocka_unit_test(loads_of_the_model_act),
      cmocka_unit_test(pieces_do_not_meet),
      cmocka_unit_test(flops_count_every_factorisation_and_solve_of_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
