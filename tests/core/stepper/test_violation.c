/* SPDX-License-Identifier: MIT
 * Joints, drives and gears that contradict each other: refused at the start, a status during the run, and the report names
 * the drive that causes it. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MAIN, BIG, SMALL, SLIDE }; /* joints of the slider crank */

static int hinge(ali3_model *m, const char *name, ali3_joint_type type, int a, const double pa[3], int b,
                 const double pb[3], double x)
{
  ali3_joint_spec s = {.name = name, .type = type, .body_a = a, .body_b = b};
  memcpy(s.point_a, pa, sizeof s.point_a);
  memcpy(s.point_b, pb, sizeof s.point_b);
  s.axis_a[0] = s.axis_b[0] = x;
  s.axis_a[2] = s.axis_b[2] = 1.0 - x;
  return toy_added(m, ali3_model_add_joint(m, &s));
}

static int bar(ali3_model *m, const char *name, double x0, double y0, double x1, double y1, double mass)
{
  double l = hypot(x1 - x0, y1 - y0), angle = atan2(y1 - y0, x1 - x0);
  ali3_body_spec s =
      toy_body(name, (const double[]){0.5 * (x0 + x1), 0.5 * (y0 + y1), 0}, mass, mass * l * l / 12.0);
  s.orientation[0] = cos(0.5 * angle);
  s.orientation[3] = sin(0.5 * angle);
  return toy_added(m, ali3_model_add_body(m, &s));
}

/* Crank 0.2, rod 0.6, crank at 1 rad, slide along x: reaches 0.8. All lengths times `scale`. rail: slide of the piston. */
static ali3_model *slider_crank(double scale, ali3_joint_type rail)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  const double r = 0.2 * scale, l = 0.6 * scale, x = r * cos(1.0), y = r * sin(1.0);
  const double end = x + sqrt(l * l - y * y);
  const int crank = bar(m, "crank", 0, 0, x, y, 1), rod = bar(m, "rod", x, y, end, 0, 1);
  ali3_body_spec piston = toy_body("piston", (const double[]){end, 0, 0}, 2, 0.01 * scale * scale);
  const int b = toy_added(m, ali3_model_add_body(m, &piston));
  const double o[3] = {0}, end_at[3] = {end, 0, 0};
  const double left[2][3] = {{-0.5 * r, 0, 0}, {-0.5 * l, 0, 0}},
               right[2][3] = {{0.5 * r, 0, 0}, {0.5 * l, 0, 0}};
  hinge(m, "main", ALI3_JOINT_REVOLUTE, ALI3_GROUND, o, crank, left[0], 0);
  hinge(m, "big", ALI3_JOINT_REVOLUTE, crank, right[0], rod, left[1], 0);
  hinge(m, "small", ALI3_JOINT_REVOLUTE, rod, right[1], b, o, 0);
  hinge(m, "slide", rail, ALI3_GROUND, end_at, b, o, rail == ALI3_JOINT_PRISMATIC);
  return m;
}

static ali3_force_spec drive(const char *name, int joint, double speed)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  s.name = name;
  s.joint = joint;
  s.speed = speed;
  return s;
}

static ali3_force_spec external(const char *name, int joint)
{
  ali3_force_spec s = drive(name, joint, 0);
  s.external = true;
  s.max_rate = 10;
  s.max_acceleration = 1;
  return s;
}

static ali3_force_spec gear(const char *name, int joint, int joint_b, double ratio)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_GEAR);
  s.name = name;
  s.joint = joint;
  s.joint_b = joint_b;
  s.ratio = ratio;
  return s;
}

static const char *words(const ali3_model *m, const ali3_data *d)
{
  static char text[600];
  ali3_report_text(m, d, text, sizeof text);
  return text;
}

static void assert_says(const ali3_model *m, const ali3_data *d, const char *part)
{
  if (!strstr(words(m, d), part)) fail_msg("expected \"%s\" in \"%s\"", part, words(m, d));
}

static void end(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Steps until a step fails, or `steps` times. */
static int go_on(const ali3_model *m, ali3_data *d, int steps)
{
  int status = ALI3_OK;
  for (int k = 0; k < steps && status >= 0; k++) status = ali3_step(m, d);
  return status;
}

TEST(a_joint_has_one_drive)
{
  ali3_model *m = slider_crank(1, ALI3_JOINT_PRISMATIC);
  ali3_force_spec a = drive("a", MAIN, 1), b = external("b", MAIN), c = drive("c", SLIDE, 0);
  toy_added(m, ali3_model_add_force(m, &a));
  assert_int_equal(ali3_model_add_force(m, &b), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "joint");
  assert_string_equal(ali3_model_problem(m)->text,
                      "joint 'main' is driven by 'a' and 'b': expected one drive, remove the other");
  toy_added(m, ali3_model_add_force(m, &c));
  ali3_model_free(m);
}

TEST(gears_of_two_joints_agree)
{
  ali3_model *m = slider_crank(1, ALI3_JOINT_PRISMATIC);
  ali3_force_spec a = gear("a", MAIN, BIG, 4), same = gear("same", BIG, MAIN, 0.25),
                  b = gear("b", BIG, MAIN, 4), other = gear("other", MAIN, SMALL, 3);
  toy_added(m, ali3_model_add_force(m, &other));
  toy_added(m, ali3_model_add_force(m, &a));
  toy_added(m, ali3_model_add_force(m, &same));
  assert_int_equal(ali3_model_add_force(m, &b), ALI3_E_MODEL);
  assert_non_null(strstr(ali3_model_problem(m)->text, "by the ratios"));
  assert_non_null(strstr(ali3_model_problem(m)->text, "locks both"));
  ali3_model_free(m);
}

/* For any unit of length. */
TEST(rates_that_contradict_are_refused_at_the_start)
{
  for (double scale = 1e-3; scale < 2e3; scale *= 10) {
    ali3_model *m = slider_crank(scale, ALI3_JOINT_PRISMATIC);
    ali3_force_spec a = drive("turn", MAIN, 1), b = drive("push", SLIDE, 0.1 * scale);
    toy_added(m, ali3_model_add_force(m, &a));
    toy_added(m, ali3_model_add_force(m, &b));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_E_VIOLATED);
    const ali3_violation *v = ali3_data_violation(d);
    assert_true(v->rates && v->drive >= 0 && v->other >= 0 && v->drive + v->other == 1);
    assert_says(m, d, "\"turn\"");
    assert_says(m, d, "\"push\"");
    assert_says(m, d, "the joints do not allow both");
    end(m, d);
  }
}

/* dx/dt of the piston for the crank at 1 rad/s, by hand. */
static double piston_rate(void)
{
  const double y = 0.2 * sin(1.0);
  return -y - y * 0.2 * cos(1.0) / sqrt(0.36 - y * y);
}

TEST(rates_that_agree_are_taken)
{
  ali3_model *m = slider_crank(1, ALI3_JOINT_PRISMATIC);
  ali3_force_spec a = drive("turn", MAIN, 1), b = drive("push", SLIDE, piston_rate());
  toy_added(m, ali3_model_add_force(m, &a));
  toy_added(m, ali3_model_add_force(m, &b));
  toy_freeze(m, 0.001);
  ali3_data *d = toy_start(m, ALI3_MOVED); /* the velocities */
  int status = ALI3_OK;
  while (status == ALI3_OK && ali3_data_report(d)->step < 100) status = ali3_step(m, d);
  assert_true(status == ALI3_VIOLATED); /* the drives diverge: the piston would have to slow down */
  assert_true(ali3_data_report(d)->position > 1e-6 && ali3_data_report(d)->position < 1e-4);
  assert_says(m, d, "the joints do not allow both");
  end(m, d);
}

/* Two drives on one degree of freedom. */
TEST(a_violation_is_a_status_and_then_a_failure)
{
  ali3_model *m = slider_crank(1, ALI3_JOINT_PRISMATIC);
  ali3_force_spec a = external("turn", MAIN), b = external("push", SLIDE);
  toy_added(m, ali3_model_add_force(m, &a));
  toy_added(m, ali3_model_add_force(m, &b));
  ali3_options o = ali3_options_default();
  o.violation = 1e-3;
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  assert_int_equal(go_on(m, d, 10), ALI3_OK);
  assert_true(ali3_data_violation(d)->joint == -1 && ali3_data_violation(d)->drive == -1);
  assert_string_equal(words(m, d), "");
  ali3_set_command(m, d, 0, 0.5);
  int status = ALI3_OK, violated = 0;
  ali3_force_state before = {0};
  while (status >= 0 && violated < 1000) {
    ali3_force_get(m, d, 0, &before);
    status = ali3_step(m, d);
    violated += status == ALI3_VIOLATED;
    if (status == ALI3_VIOLATED) {
      assert_true(ali3_data_violation(d)->relative <= o.violation);
      assert_says(m, d, "the limit is ");
    }
  }
  assert_int_equal(status, ALI3_E_VIOLATED);
  assert_true(violated > 0);
  assert_true(ali3_data_violation(d)->drive >= 0 && ali3_data_violation(d)->other >= 0);
  ali3_force_state now;
  ali3_force_get(m, d, 0, &now);
  assert_true(now.position == before.position && now.target == before.target);
  end(m, d);
}

TEST(a_drive_past_the_geometry_is_named)
{
  for (int way = 0; way < 4; way++) {
    ali3_model *m = slider_crank(1, ALI3_JOINT_PRISMATIC);
    ali3_force_spec push = way == 3 ? external("push", SLIDE) : drive("push", SLIDE, way == 0 ? 0.1 : 2.0);
    toy_added(m, ali3_model_add_force(m, &push));
    ali3_options o = ali3_options_default();
    o.extrapolate = way == 2;
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, way == 3 ? ALI3_OK : ALI3_MOVED);
    ali3_set_command(m, d, 0, 0.5);
    assert_true(go_on(m, d, 300) < 0);
    assert_true(ali3_data_violation(d)->drive == 0 && ali3_data_violation(d)->other == -1);
    assert_says(m, d, "drive \"push\" asks 0.1");
    assert_says(m, d, " m of joint \"slide\", which is at 0.1");
    end(m, d);
  }
}

/* A pin instead of the roller of the piston. */
TEST(a_drive_of_a_locked_mechanism_is_named)
{
  ali3_model *m = slider_crank(1, ALI3_JOINT_REVOLUTE);
  ali3_force_spec turn = drive("turn", MAIN, 1);
  toy_added(m, ali3_model_add_force(m, &turn));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_E_VIOLATED);
  assert_says(m, d, "drive \"turn\" asks 1 rad/s of joint \"main\": the joints do not let it go there");
  end(m, d);

  m = slider_crank(1, ALI3_JOINT_REVOLUTE);
  turn = external("turn", MAIN);
  toy_added(m, ali3_model_add_force(m, &turn));
  toy_freeze(m, 0.01);
  d = toy_start(m, ALI3_OK);
  ali3_set_command(m, d, 0, 1.0);
  assert_true(go_on(m, d, 300) < 0);
  assert_says(m, d, "drive \"turn\" asks ");
  end(m, d);
}

/* A drive is not blamed for a step that is far too long for the rest of the mechanism, for any length of the chain. */
TEST(a_drive_is_not_accused_of_another_failure)
{
  static const int links[] = {3, 16, 128};
  for (int i = 0; i < 3; i++) {
    ali3_model *m = ali3_model_new();
    char name[2][20];
    for (int k = 0; k < links[i]; k++) {
      snprintf(name[0], sizeof name[0], "b%d", k);
      snprintf(name[1], sizeof name[1], "j%d", k);
      int b = bar(m, name[0], k, 0, k + 1, 0, 1);
      const double p = k > 0 ? 0.5 : 0.0;
      hinge(m, name[1], ALI3_JOINT_REVOLUTE, b - 1 < 0 ? ALI3_GROUND : b - 1, (const double[]){p, 0, 0}, b,
            (const double[]){-0.5, 0, 0}, 0);
    }
    ali3_force_spec turn = drive("turn", 0, 0);
    turn.amplitude = 0.5;
    turn.frequency = 1.0;
    toy_added(m, ali3_model_add_force(m, &turn));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    ali3_set_wrench(m, d, links[i] - 1, (const double[]){0, 1e6, 0}, (const double[]){0, 0, 1e6});
    assert_true(go_on(m, d, 300) < 0);
    assert_int_equal(ali3_data_violation(d)->drive, -1);
    assert_null(strstr(words(m, d), "asks"));
    end(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_joint_has_one_drive),
      cmocka_unit_test(gears_of_two_joints_agree),
      cmocka_unit_test(rates_that_contradict_are_refused_at_the_start),
      cmocka_unit_test(rates_that_agree_are_taken),
      cmocka_unit_test(a_violation_is_a_status_and_then_a_failure),
      cmocka_unit_test(a_drive_past_the_geometry_is_named),
      cmocka_unit_test(a_drive_of_a_locked_mechanism_is_named),
      cmocka_unit_test(a_drive_is_not_accused_of_another_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
