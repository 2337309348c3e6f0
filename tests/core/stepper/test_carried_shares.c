/* SPDX-License-Identifier: MIT
 * Massless bodies in shared steps and in tiles with unused lanes: the results have the bits of a single share. */
#include "common/points.h"

/* Runs the shares one after the other, the last first; see test_stage.c for real threads. */
static int runs;

static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  int shares = *(const int *)context;
  runs++;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

/* A row of a hundred pendulums with massless carriages between them. */
static ali3_model *train(int cars)
{
  ali3_model *m = falling();
  for (int i = 0; i < cars; i++) {
    char name[32];
    snprintf(name, sizeof name, "H%d", i);
    int hub = point(m, name, 0.0, i, 0, 0, 0);
    snprintf(name, sizeof name, "S%d", i);
    spring(m, slide(m, name, i == 0 ? ALI3_GROUND : hub - 2, hub, 0), 0, 3);
    snprintf(name, sizeof name, "B%d", i);
    ali3_body_spec s = toy_body(name, (const double[]){i + 0.5, 0, 0}, 1.0, 0.1);
    int body = toy_added(m, ali3_model_add_body(m, &s));
    ali3_joint_spec j = {.type = ALI3_JOINT_REVOLUTE, .body_a = hub, .body_b = body, .point_b = {-0.5, 0, 0}};
    snprintf(name, sizeof name, "R%d", i);
    j.name = name;
    to_point((const double[]){0, 0, 1}, j.axis_a);
    j.axis_b[2] = 1.0;
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  toy_freeze(m, 0.01);
  return m;
}

TEST(shares_do_not_change_a_bit)
{
  enum { CARS = 40 };
  static const int counts[] = {1, 2, 3, 8};
  ali3_model *m = train(CARS);
  for (int i = 0; i < 4; i++) {
    int shares = counts[i];
    const ali3_exec exec = {&shares, shares, backwards, 1.0};
    ali3_data *d = ali3_data_new(m), *serial = ali3_data_new(m);
    assert_true(d && serial);
    runs = 0;
    ali3_data_set_exec(d, &exec);
    assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, serial) >= 0);
    for (int k = 0; k < 30; k++) {
      run_well(m, d, 1);
      run_well(m, serial, 1);
      for (int b = 0; b < 2 * CARS; b++) {
        ali3_body_state x, y;
        ali3_body_get(m, d, b, &x);
        ali3_body_get(m, serial, b, &y);
        if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%d shares change body %d in step %d", shares, b, k + 1);
      }
    }
    assert_true(shares == 1 || runs > 30); /* the stages were shared */
    ali3_data_free(d);
    ali3_data_free(serial);
  }
  ali3_model_free(m);
}

/* Chains of three bodies on hinges; each first body has a bushing with a massless body. */
static ali3_model *flags(int copies)
{
  ali3_model *m = falling();
  for (int i = 0; i < 3 * copies; i++) {
    char name[32];
    bool first = i % 3 == 0;
    double at[3] = {i % 3 + 0.5, 0, i / 3};
    snprintf(name, sizeof name, "B%d", i);
    ali3_body_spec s = toy_body(name, at, 1.0, 0.1);
    ali3_joint_spec j = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i % 3 == 1 ? ali3_model_bodies(m) - 2 : ali3_model_bodies(m) - 1,
                         .point_a = {0.5, 0, 0},
                         .point_b = {-0.5, 0, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    if (first) {
      j.body_a = ALI3_GROUND;
      j.point_a[0] = 0;
      j.point_a[2] = at[2];
    }
    j.body_b = toy_added(m, ali3_model_add_body(m, &s));
    toy_added(m, ali3_model_add_joint(m, &j));
    if (!first) continue;
    snprintf(name, sizeof name, "M%d", i);
    s = toy_body(name, at, 0.0, 0.0);
    ali3_force_spec bushing = ali3_force_spec_default(ALI3_FORCE_BUSHING);
    bushing.name = name;
    bushing.body_a = j.body_b;
    bushing.body_b = toy_added(m, ali3_model_add_body(m, &s));
    for (int k = 0; k < 6; k++) {
      bushing.stiffness[k] = 500;
      bushing.damping[k] = 5;
    }
    toy_added(m, ali3_model_add_force(m, &bushing));
  }
  toy_freeze(m, 0.01);
  return m;
}

/* Massless bodies in tiles with unused lanes: numbers that a failed step leaves there must not return. */
TEST(a_failed_step_leaves_nothing_in_lanes_not_in_use)
{
  static const double bad[] = {NAN, INFINITY, 1e200};
  for (int copies = 1; copies <= 9; copies++)
    for (int i = 0; i < 3; i++) {
      ali3_model *m = flags(copies);
      ali3_data *d = ali3_data_new(m), *other = ali3_data_new(m);
      assert_true(d && other && ali3_reset(m, d) >= 0 && ali3_reset(m, other) >= 0);
      run_well(m, d, 3);
      run_well(m, other, 3);
      ali3_set_wrench(m, d, 0, (const double[]){bad[i], 0, 0}, none);
      assert_int_equal(ali3_step(m, d), ALI3_E_DIVERGED);
      ali3_set_wrench(m, d, 0, none, none);
      for (int k = 0; k < 5; k++) {
        run_well(m, d, 1);
        run_well(m, other, 1);
      }
      for (int b = 0; b < ali3_model_bodies(m); b++) {
        ali3_body_state x, y;
        ali3_body_get(m, d, b, &x);
        ali3_body_get(m, other, b, &y);
        if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%d copies, load %g: body %d", copies, bad[i], b);
      }
      ali3_set_wrench(m, d, 0, (const double[]){bad[i], 0, 0}, none);
      assert_int_equal(ali3_step(m, d), ALI3_E_DIVERGED);
      ali3_data_free(other);
      done(m, d);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_do_not_change_a_bit),
      cmocka_unit_test(a_failed_step_leaves_nothing_in_lanes_not_in_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
