/* SPDX-License-Identifier: MIT
 * Initial velocities: given ones are kept where the joints allow it, others follow, and contradictions are named. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double none[3] = {0}, Z[3] = {0, 0, 1};

static int hinge(ali3_model *m, const char *name, int a, const double pa[3], int b, const double pb[3],
                 double velocity)
{
  ali3_joint_spec s = {
      .name = name, .type = ALI3_JOINT_REVOLUTE, .body_a = a, .body_b = b, .velocity = velocity};
  memcpy(s.point_a, pa, sizeof s.point_a);
  memcpy(s.point_b, pb, sizeof s.point_b);
  memcpy(s.axis_a, Z, sizeof Z);
  memcpy(s.axis_b, Z, sizeof Z);
  return toy_added(m, ali3_model_add_joint(m, &s));
}

static int rod(ali3_model *m, const char *name, double x, double y, double mass, double rate)
{
  ali3_body_spec b = toy_body(name, (const double[]){x, y, 0}, mass, 0.1 * mass);
  b.angular_velocity[2] = rate;
  return toy_added(m, ali3_model_add_body(m, &b));
}

static double rate_of(const ali3_model *m, const ali3_data *d, int joint)
{
  ali3_joint_state s;
  ali3_joint_get(m, d, joint, &s);
  return s.velocity;
}

/* A rod of 1 m on a hinge at its end. Only its angular velocity is given; its centre follows. */
TEST(a_rod_on_a_hinge_keeps_its_rate)
{
  static const double RATE[] = {1, -3, 1000};
  for (int i = 0; i < 3; i++) {
    ali3_model *m = ali3_model_new();
    hinge(m, "j", ALI3_GROUND, none, rod(m, "rod", 0.5, 0, 2, RATE[i]), (const double[]){-0.5, 0, 0}, 0);
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    ali3_body_state x;
    ali3_body_get(m, d, 0, &x);
    assert_true(fabs(rate_of(m, d, 0) - RATE[i]) < 1e-7 * fabs(RATE[i]));
    assert_true(fabs(x.velocity[1] - 0.5 * RATE[i]) < 1e-7 * fabs(RATE[i]));
    assert_int_equal(ali3_data_initial(d)->body_rate, -1);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A four-bar linkage: a light crank, a heavy coupler and a rocker. */
static ali3_model *four_bar(double crank_rate, double joint_rate)
{
  ali3_model *m = ali3_model_new();
  const int crank = rod(m, "crank", 0, 0.5, 0.1, crank_rate), coupler = rod(m, "coupler", 1, 1, 100, 0),
            rocker = rod(m, "rocker", 2, 0.5, 5, 0);
  hinge(m, "a", ALI3_GROUND, none, crank, (const double[]){0, -0.5, 0}, joint_rate);
  hinge(m, "b", crank, (const double[]){0, 0.5, 0}, coupler, (const double[]){-1, 0, 0}, 0);
  hinge(m, "c", coupler, (const double[]){1, 0, 0}, rocker, (const double[]){0, 0.5, 0}, 0);
  hinge(m, "d", ALI3_GROUND, (const double[]){2, 0, 0}, rocker, (const double[]){0, -0.5, 0}, 0);
  toy_freeze(m, 0.01);
  return m;
}

TEST(a_crank_keeps_its_rate_and_the_others_follow)
{
  for (int by_joint = 0; by_joint < 2; by_joint++) {
    ali3_model *m = four_bar(by_joint ? 0 : 2, by_joint ? 2 : 0);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    assert_true(fabs(rate_of(m, d, 0) - 2) < 1e-6);
    assert_true(fabs(rate_of(m, d, 3) - 2) < 1e-6); /* a parallelogram */
    ali3_body_state x;
    ali3_body_get(m, d, 1, &x);
    assert_true(fabs(x.velocity[0] + 2) < 1e-6 && fabs(x.angular_velocity[2]) < 1e-6);
    assert_int_equal(ali3_data_initial(d)->body_rate, -1);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Rates of joints add up along a chain, whatever the order of the joints and their bodies. */
TEST(joints_take_their_rates)
{
  for (int order = 0; order < 2; order++) {
    ali3_model *m = ali3_model_new();
    const int a = rod(m, "a", 0.5, 0, 1, 0), b = rod(m, "b", 1.5, 0, 1, 0);
    const double left[3] = {-0.5, 0, 0}, right[3] = {0.5, 0, 0};
    int base, elbow;
    if (order == 0) {
      base = hinge(m, "base", ALI3_GROUND, none, a, left, 1);
      elbow = hinge(m, "elbow", a, right, b, left, -3);
    } else {
      elbow = hinge(m, "elbow", a, right, b, left, -3);
      base = hinge(m, "base", a, left, ALI3_GROUND, none, 1);
    }
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    assert_true(fabs(rate_of(m, d, base) - 1) < 1e-9);
    assert_true(fabs(rate_of(m, d, elbow) + 3) < 1e-9);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

TEST(a_prismatic_joint_takes_its_rate)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("car", none, 1, 0.1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec s = {.name = "slide",
                       .type = ALI3_JOINT_PRISMATIC,
                       .body_a = ALI3_GROUND,
                       .axis_a = {1, 0, 0},
                       .velocity = 4};
  toy_added(m, ali3_model_add_joint(m, &s));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  assert_true(fabs(rate_of(m, d, 0) - 4) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A wheel in two gimbals, with rates for the outer gimbal and the wheel: the gimbal between them goes along. */
TEST(bodies_between_joints_with_rates_go_along)
{
  static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
  for (int order = 0; order < 2; order++) {
    ali3_model *m = ali3_model_new();
    const int outer = rod(m, "outer", 0, 0, 1, 0), inner = rod(m, "inner", 0, 0, 1, 0),
              wheel = rod(m, "wheel", 0, 0, 1, 0);
    const struct {
      const char *name;
      int a, b;
      const double *axis;
      double velocity;
    } list[3] = {
        {"yaw", ALI3_GROUND, outer, Y, 50}, {"pitch", outer, inner, Z, 0}, {"spin", inner, wheel, X, 500}};
    int joint[3];
    for (int k = 0; k < 3; k++) {
      const int i = order ? 2 - k : k;
      ali3_joint_spec s = {.name = list[i].name,
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = list[i].a,
                           .body_b = list[i].b,
                           .velocity = list[i].velocity};
      memcpy(s.axis_a, list[i].axis, sizeof s.axis_a);
      memcpy(s.axis_b, list[i].axis, sizeof s.axis_b);
      joint[i] = toy_added(m, ali3_model_add_joint(m, &s));
    }
    toy_freeze(m, 0.001);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    for (int i = 0; i < 3; i++)
      if (!(fabs(rate_of(m, d, joint[i]) - list[i].velocity) < 1e-6))
        fail_msg("%s: %g rad/s", list[i].name, rate_of(m, d, joint[i]));
    assert_int_equal(ali3_data_initial(d)->body_rate, -1);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A wheel on an arm that a drive moves: the wheel has its rate against the arm, and a hub between them goes along. */
TEST(a_rate_on_a_driven_body_is_relative)
{
  for (int hub = 0; hub < 2; hub++) {
    ali3_model *m = ali3_model_new();
    const double left[3] = {-0.5, 0, 0}, right[3] = {0.5, 0, 0};
    const int arm = rod(m, "arm", 0.5, 0, 1, 0), wheel = rod(m, "wheel", 1, 0, 1, 0);
    hinge(m, "base", ALI3_GROUND, none, arm, left, 0);
    int on = arm;
    if (hub) {
      on = rod(m, "hub", 1, 0, 1, 0);
      ali3_joint_spec s = {.name = "weld", .type = ALI3_JOINT_FIXED, .body_a = arm, .body_b = on};
      memcpy(s.point_a, right, sizeof right);
      toy_added(m, ali3_model_add_joint(m, &s));
    }
    const int spin = hinge(m, "spin", on, hub ? none : right, wheel, none, -7);
    ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
    drive.name = "turn";
    drive.joint = 0;
    drive.speed = 5;
    toy_added(m, ali3_model_add_force(m, &drive));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    assert_true(fabs(rate_of(m, d, spin) + 7) < 1e-6);
    ali3_body_state x;
    ali3_body_get(m, d, wheel, &x);
    assert_true(fabs(x.angular_velocity[2] + 2) < 1e-6 && fabs(x.velocity[1] - 5) < 1e-6);
    assert_int_equal(ali3_data_initial(d)->body_rate, -1);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Two cranks of a parallelogram turn at different rates: the joints allow one. */
TEST(a_contradiction_names_body_and_rates)
{
  for (int limited = 0; limited < 3; limited++) { /* not at all, by the option, by default */
    ali3_model *m = ali3_model_new();
    const int left = rod(m, "left", 0, 0.5, 1, 2), bar = rod(m, "bar", 1, 1, 1, 0),
              right = rod(m, "right", 2, 0.5, 1, 4);
    hinge(m, "a", ALI3_GROUND, none, left, (const double[]){0, -0.5, 0}, 0);
    hinge(m, "b", left, (const double[]){0, 0.5, 0}, bar, (const double[]){-1, 0, 0}, 0);
    hinge(m, "c", bar, (const double[]){1, 0, 0}, right, (const double[]){0, 0.5, 0}, 0);
    hinge(m, "d", ALI3_GROUND, (const double[]){2, 0, 0}, right, (const double[]){0, -0.5, 0}, 0);
    ali3_options o = ali3_options_default();
    o.assembly_velocity = limited == 0 ? INFINITY : limited == 1 ? 0.1 : 0;
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, limited ? ALI3_E_ASSEMBLE : ALI3_MOVED);
    const ali3_initial *i = ali3_data_initial(d);
    assert_true(i->body_rate == left || i->body_rate == right);
    const double given = i->body_rate == left ? 2 : 4;
    assert_true(i->rate_turns);
    assert_true(fabs(i->rate_given - given) < 1e-12 && i->rate_possible > 0 && i->rate_possible < 3.5);
    assert_true(fabs(i->rate_changed - fabs(given - i->rate_possible)) < 1e-9 && i->rate_changed > 0.2);
    char text[2400], expected[200];
    ali3_report_text(m, d, text, sizeof text);
    snprintf(
        expected, sizeof expected,
        "the joints do not allow the angular velocity of body \"%s\": %.4g rad/s given, %.4g rad/s possible",
        given == 2 ? "left" : "right", given, i->rate_possible);
    if (!strstr(text, expected)) fail_msg("%s", text);
    assert_true((limited == 1) ==
                !!strstr(text, "assembly allows 0.1: correct the rates, or raise assembly.velocity"));
    assert_true((limited == 2) == !!strstr(text, "correct the rates, or set assembly.velocity"));
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_on_a_hinge_keeps_its_rate),
      cmocka_unit_test(a_crank_keeps_its_rate_and_the_others_follow),
      cmocka_unit_test(joints_take_their_rates),
      cmocka_unit_test(a_prismatic_joint_takes_its_rate),
      cmocka_unit_test(bodies_between_joints_with_rates_go_along),
      cmocka_unit_test(a_rate_on_a_driven_body_is_relative),
      cmocka_unit_test(a_contradiction_names_body_and_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
