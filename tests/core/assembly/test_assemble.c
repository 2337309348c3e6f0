/* SPDX-License-Identifier: MIT
 * Mechanisms that are open in the poses of the model. They are closed within the options, or refused with the worst joint. A
 * mechanism that fits does not change. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double none[3] = {0.0};
static const double DEGREE = 3.14159265358979323846 / 180.0;

static ali3_joint_spec joint(const char *name, ali3_joint_type type, int a, int b)
{
  return (ali3_joint_spec){.name = name, .type = type, .body_a = a, .body_b = b};
}

/* A reset ends with this status, and its report has all the words. */
static ali3_data *start(const ali3_model *m, int status, const char *words[], int count)
{
  ali3_data *d = ali3_data_new(m);
  char text[2400];
  assert_non_null(d);
  int got = ali3_reset(m, d);
  ali3_report_text(m, d, text, sizeof text);
  if (got != status) fail_msg("status %d, not %d: %s", got, status, text);
  for (int i = 0; i < count; i++)
    if (!strstr(text, words[i])) fail_msg("expected \"%s\" in: %s", words[i], text);
  return d;
}

static void end(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

static void check_norms(const ali3_model *m, const ali3_data *d)
{
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    double s = 0.0;
    ali3_body_get(m, d, b, &x);
    for (int i = 0; i < 4; i++) s += x.orientation[i] * x.orientation[i];
    if (!(fabs(s - 1.0) < 1e-9)) fail_msg("body %d: Euler parameters of norm %g", b, sqrt(s));
  }
}

/* Two rods on a hinge each. The axes of the second joint, of this type, are as wrong as possible. loose: adds a body far
 * away, beside which errors look small. */
static ali3_model *at_right_angles(ali3_joint_type type, bool loose)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec a = toy_body("a", (const double[]){0.5, 0, 0}, 10, 1),
                 b = toy_body("b", (const double[]){1.5, 0, 0}, 10, 1),
                 far = toy_body("loose", (const double[]){9, 9, 9}, 1, 1);
  a.inertia[0] = b.inertia[0] = 0.01;
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, 0, -9.81}));
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  if (loose) toy_added(m, ali3_model_add_body(m, &far));
  ali3_joint_spec p = joint("p", ALI3_JOINT_REVOLUTE, ALI3_GROUND, 0), q = joint("q", type, 0, 1);
  p.axis_a[1] = p.axis_b[1] = 1;
  p.point_b[0] = -0.5;
  q.point_a[0] = 0.5;
  q.point_b[0] = -0.5;
  q.axis_a[1] = 1;
  q.axis_b[type == ALI3_JOINT_UNIVERSAL ? 1 : 2] = 1;
  toy_added(m, ali3_model_add_joint(m, &p));
  toy_added(m, ali3_model_add_joint(m, &q));
  return m;
}

TEST(axes_at_right_angles_are_closed_or_named)
{
  static const ali3_joint_type type[] = {ALI3_JOINT_REVOLUTE, ALI3_JOINT_CYLINDRICAL, ALI3_JOINT_PLANAR,
                                         ALI3_JOINT_UNIVERSAL};
  const char *words[] = {"joint \"q\": axes are 90.0 degrees ", "assembly allows 5 mm and 2.0 degrees"};
  for (size_t i = 0; i < sizeof type / sizeof *type; i++)
    for (int loose = 0; loose < 2; loose++) {
      ali3_model *m = at_right_angles(type[i], loose);
      toy_freeze(m, 0.01);
      ali3_data *d = start(m, ALI3_E_ASSEMBLE, words, 2);
      assert_int_equal(ali3_data_report(d)->worst_joint, 1);
      assert_true(ali3_data_initial(d)->too_far);
      end(m, d);

      m = at_right_angles(type[i], loose);
      toy_freeze_apart(m, 0.001);
      d = start(m, ALI3_MOVED, words, 1);
      assert_true(fabs(ali3_data_initial(d)->moved_orientation - 90 * DEGREE) < 25 * DEGREE);
      assert_true(ali3_data_report(d)->position < 1e-11);
      check_norms(m, d);
      toy_run(m, d, 300);
      check_norms(m, d);
      end(m, d);
    }
}

/* Coinciding points of a distance joint have no direction to move apart. */
TEST(points_that_coincide_are_parted)
{
  const char *words[] = {"joint \"rod\" is open by 700 mm"};
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", (const double[]){0, 2, 0}, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec rod = joint("rod", ALI3_JOINT_DISTANCE, ALI3_GROUND, 0);
  rod.point_a[1] = 2;
  rod.length = 0.7;
  toy_added(m, ali3_model_add_joint(m, &rod));
  toy_freeze_apart(m, 0.001);
  ali3_data *d = start(m, ALI3_MOVED, words, 1);
  assert_true(fabs(ali3_data_initial(d)->moved_position - 0.7) < 1e-3);
  toy_run(m, d, 100);
  end(m, d);
}

/* Two links in a line, whose end has to come nearer along the line: every lever arm lies in the line. */
TEST(links_in_a_line_are_bent)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec a = toy_body("a", (const double[]){0.5, 0, 0}, 1, 0.1),
                 b = toy_body("b", (const double[]){1.5, 0, 0}, 1, 0.1);
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "J1", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
  toy_spherical(m, "J2", 0, (const double[]){0.5, 0, 0}, 1, (const double[]){-0.5, 0, 0});
  toy_spherical(m, "J3", 1, (const double[]){0.5, 0, 0}, ALI3_GROUND, (const double[]){1.4, 0, 0});
  toy_freeze_apart(m, 0.001);
  const char *words[] = {"joint \"J3\" is open by 600 mm"};
  ali3_data *d = start(m, ALI3_MOVED, words, 1);
  assert_true(ali3_data_report(d)->position < 1e-11);
  check_norms(m, d);
  end(m, d);
}

/* A rhombus whose third joint is open by 300 mm. stretch: it cannot close. */
static ali3_model *four_bar(double stretch)
{
  ali3_model *m = ali3_model_new();
  const double at[3][3] = {{0, 0.5, 0}, {0.5, 1, 0}, {1, 0.5, 0}};
  const char *name[] = {"A", "B", "C"};
  for (int i = 0; i < 3; i++) {
    ali3_body_spec b = toy_body(name[i], at[i], 1, 1);
    toy_added(m, ali3_model_add_body(m, &b));
  }
  ali3_joint_spec j[4] = {joint("l12", ALI3_JOINT_REVOLUTE, ALI3_GROUND, 0),
                          joint("l23", ALI3_JOINT_REVOLUTE, 0, 1), joint("r23", ALI3_JOINT_REVOLUTE, 1, 2),
                          joint("r12", ALI3_JOINT_REVOLUTE, 2, ALI3_GROUND)};
  j[0].point_b[1] = -0.5;
  j[1].point_a[1] = 0.5;
  j[1].point_b[0] = -0.5;
  j[2].point_a[0] = 0.5 + 0.3 + stretch;
  j[2].point_b[1] = 0.5;
  j[3].point_a[1] = -0.5;
  j[3].point_b[0] = 1;
  for (int i = 0; i < 4; i++) {
    j[i].axis_a[2] = j[i].axis_b[2] = 1;
    toy_added(m, ali3_model_add_joint(m, &j[i]));
  }
  return m;
}

TEST(the_joint_that_is_wrong_is_named)
{
  const char *far[] = {"joint \"r23\" is open by 300 mm at the start; to close it, body", "would move by",
                       "turn by"};
  const char *never[] = {"cannot be assembled: joint \"r23\" is open by 5300 mm at the start"};
  ali3_model *m = four_bar(0);
  toy_freeze(m, 0.01);
  ali3_data *d = start(m, ALI3_E_ASSEMBLE, far, 3);
  assert_int_equal(ali3_data_report(d)->worst_joint, 2);
  assert_true(fabs(ali3_data_report(d)->position - 0.3) < 1e-12);
  end(m, d);
  m = four_bar(5);
  toy_freeze_apart(m, 0.01);
  d = start(m, ALI3_E_ASSEMBLE, never, 1);
  assert_int_equal(ali3_data_report(d)->worst_joint, 2);
  assert_false(ali3_data_initial(d)->too_far);
  end(m, d);
}

/* A mechanism as open as possible: the result has equal bits for any number of shares. */
static void serial(void *context, void (*work)(void *, int, int), void *arg)
{
  const int shares = *(const int *)context;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

TEST(shares_have_no_effect)
{
  ali3_body_state first[3], again[3];
  for (int shares = 1; shares <= 4; shares++) {
    const ali3_exec exec = {&shares, shares, serial, 1e-9};
    ali3_model *m = at_right_angles(ALI3_JOINT_REVOLUTE, true);
    toy_freeze_apart(m, 0.01);
    ali3_data *d = ali3_data_new(m);
    ali3_data_set_exec(d, &exec);
    assert_int_equal(ali3_reset(m, d), ALI3_MOVED);
    toy_run(m, d, 10);
    for (int b = 0; b < 3; b++) ali3_body_get(m, d, b, shares == 1 ? &first[b] : &again[b]);
    if (shares > 1) assert_memory_equal(first, again, sizeof first);
    end(m, d);
  }
}

/* Welded to the ground `off` m and `turn` rad away. */
static int weld(double off, double turn, double position, double angle, double arm)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", (const double[]){off, 0, 0}, 1, 1);
  b.orientation[0] = cos(0.5 * turn);
  b.orientation[3] = sin(0.5 * turn);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = joint("weld", ALI3_JOINT_FIXED, ALI3_GROUND, 0);
  j.relative_orientation[0] = 1;
  j.point_a[2] = j.point_b[2] = arm;
  toy_added(m, ali3_model_add_joint(m, &j));
  ali3_options o = ali3_options_default();
  o.assembly_position = position;
  o.assembly_angle = angle;
  toy_freeze_with(m, &o);
  ali3_data *d = ali3_data_new(m);
  int status = ali3_reset(m, d);
  assert_true(status == ALI3_MOVED || ali3_data_initial(d)->too_far);
  end(m, d);
  return status;
}

TEST(the_options_limit_how_far_bodies_move)
{
  assert_int_equal(weld(0.0049, 0, 0, 0, 1), ALI3_MOVED);
  assert_int_equal(weld(0.0051, 0, 0, 0, 1), ALI3_E_ASSEMBLE);
  assert_int_equal(weld(0, 1.9 * DEGREE, 0, 0, 1), ALI3_MOVED);
  assert_int_equal(weld(0, 2.1 * DEGREE, 0, 0, 1), ALI3_E_ASSEMBLE);
  assert_int_equal(weld(3, 0, 3.1, 0, 1), ALI3_MOVED);
  assert_int_equal(weld(0, 1, 0, 1.1, 1), ALI3_MOVED);
  assert_int_equal(weld(0, 1, INFINITY, 0, 1), ALI3_E_ASSEMBLE);
  assert_int_equal(weld(100, 1, INFINITY, INFINITY, 1), ALI3_MOVED);
  /* a twentieth of a mechanism of 2 mm by default; an option replaces the default */
  assert_int_equal(weld(0.00009, 0, 0, 0, 0.002), ALI3_MOVED);
  assert_int_equal(weld(0.00011, 0, 0, 0, 0.002), ALI3_E_ASSEMBLE);
  assert_int_equal(weld(0.00011, 0, 0.005, 0, 0.002), ALI3_MOVED);
}

TEST(half_a_turn_is_reported)
{
  const char *words[] = {"joint \"weld\": orientations are 180.0 degrees apart"};
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = joint("weld", ALI3_JOINT_FIXED, ALI3_GROUND, 0);
  j.relative_orientation[2] = 1;
  toy_added(m, ali3_model_add_joint(m, &j));
  toy_freeze_apart(m, 0.01);
  end(m, start(m, ALI3_E_ASSEMBLE, words, 1));
}

/* Twelve links with joints that are open by these mm; the smallest four are not listed. */
TEST(open_joints_are_listed_in_order)
{
  enum { N = 12 };
  const int mm[N] = {5, 1, 12, 3, 11, 2, 7, 9, 4, 10, 6, 8};
  ali3_model *m = ali3_model_new();
  char name[16], words[2400], text[2400];
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "b%d", i);
    ali3_body_spec b = toy_body(name, (const double[]){i + 0.5, 0, 0}, 1, 1);
    toy_added(m, ali3_model_add_body(m, &b));
    snprintf(name, sizeof name, "J%d", i);
    toy_spherical(m, name, i - 1, (const double[]){i ? 0.5 : 0, 1e-3 * mm[i], 0}, i,
                  (const double[]){-0.5, 0, 0});
  }
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  ali3_report_text(m, d, text, sizeof text);
  size_t used = 0;
  for (int i = 0; i < N; i++)
    if (mm[i] > 4)
      used +=
          (size_t)snprintf(words + used, sizeof words - used, "joint \"J%d\" is open by %d mm; ", i, mm[i]);
  snprintf(words + used, sizeof words - used, "and 4 more");
  if (!strstr(text, words)) fail_msg("expected \"%s\" in: %s", words, text);
  end(m, d);
}

TEST(openings_are_those_of_the_model)
{
  ali3_model *m = four_bar(0);
  ali3_opening o;
  char text[200];
  assert_int_equal(ali3_joint_opening(m, 2, &o), ALI3_E_ARGUMENT); /* not frozen */
  toy_freeze(m, 0.01);
  assert_int_equal(ali3_joint_opening(m, 2, &o), ALI3_OK);
  assert_true(o.open && fabs(o.distance - 0.3) < 1e-12 && o.angle == 0.0);
  assert_true(ali3_joint_opening_text(m, 2, text, sizeof text) == (int)strlen(text));
  assert_string_equal(text, "joint \"r23\" is open by 300 mm");
  assert_int_equal(ali3_joint_opening(m, 1, &o), ALI3_OK);
  assert_false(o.open);
  assert_int_equal(ali3_joint_opening_text(m, 1, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_int_equal(ali3_joint_opening(m, 4, &o), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_joint_opening(m, -1, &o), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_force_opening(m, 0, &o), ALI3_E_ARGUMENT);
  ali3_model_free(m);
}

/* A drive that begins at another coordinate moves bodies. */
TEST(a_drive_that_begins_elsewhere_is_open)
{
  const char *words[] = {"drive \"d\" begins 30.0 degrees away from joint \"p\""};
  for (int allowed = 0; allowed < 2; allowed++) {
    ali3_model *m = at_right_angles(ALI3_JOINT_SPHERICAL, false);
    ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
    drive.name = "d";
    drive.offset = 390 * DEGREE; /* a full turn is no opening */
    toy_added(m, ali3_model_add_force(m, &drive));
    ali3_opening o;
    (allowed ? toy_freeze_apart : toy_freeze)(m, 0.01);
    ali3_data *d = start(m, allowed ? ALI3_MOVED : ALI3_E_ASSEMBLE, words, 1);
    assert_int_equal(ali3_force_opening(m, 0, &o), ALI3_OK);
    assert_true(o.open && fabs(o.angle - 30 * DEGREE) < 1e-12 && o.distance == 0.0);
    if (!allowed) assert_int_equal(ali3_data_report(d)->worst_force, 0);
    end(m, d);
  }
}

/* Velocities of the model are kept when the assembly turns bodies. */
TEST(velocities_turn_with_the_body)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1, 1);
  b.angular_velocity[2] = 3;
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = joint("hinge", ALI3_JOINT_REVOLUTE, ALI3_GROUND, 0);
  j.axis_a[0] = j.axis_b[2] = 1; /* the assembly turns its z to the world's x */
  toy_added(m, ali3_model_add_joint(m, &j));
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.angular_velocity[2] - 3) < 1e-9 && ali3_data_initial(d)->moved_angular_velocity < 1e-9);
  end(m, d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_at_right_angles_are_closed_or_named),
      cmocka_unit_test(points_that_coincide_are_parted),
      cmocka_unit_test(links_in_a_line_are_bent),
      cmocka_unit_test(the_joint_that_is_wrong_is_named),
      cmocka_unit_test(shares_have_no_effect),
      cmocka_unit_test(the_options_limit_how_far_bodies_move),
      cmocka_unit_test(half_a_turn_is_reported),
      cmocka_unit_test(open_joints_are_listed_in_order),
      cmocka_unit_test(openings_are_those_of_the_model),
      cmocka_unit_test(a_drive_that_begins_elsewhere_is_open),
      cmocka_unit_test(velocities_turn_with_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
