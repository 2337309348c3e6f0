/* SPDX-License-Identifier: MIT
 * Regression tests for faults in contacts and drives. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81, PI = 3.14159265358979323846;
static const double none[3] = {0};

static ali3_model *model(void)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -g, 0}));
  return m;
}

static ali3_force_spec of_type(ali3_force_type type, const char *name)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name;
  return s;
}

/* Body 0 on a hinge about z at its point {0, length, 0}. */
static void hinged(ali3_model *m, double mass, double inertia, double length, double rate)
{
  ali3_body_spec b = toy_body("b", (const double[]){0, -length, 0}, mass, inertia);
  ali3_joint_spec hinge = {.name = "hinge",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .point_b = {0, length, 0},
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  b.velocity[0] = rate * length;
  b.angular_velocity[2] = rate;
  toy_added(m, ali3_model_add_body(m, &b));
  toy_added(m, ali3_model_add_joint(m, &hinge));
}

/* A ball with friction that lies on the ground. */
static ali3_model *ball_on_plane(double stiffness)
{
  ali3_model *m = model();
  ali3_body_spec ball = toy_body("ball", (const double[]){0, 0.1, 0}, 2, 0.008);
  ali3_force_spec contact = of_type(ALI3_FORCE_SPHERE_PLANE, "contact");
  contact.body_b = 0;
  contact.normal[1] = 1;
  contact.radius_b = 0.1;
  contact.stiffness[0] = stiffness;
  contact.friction = 0.3;
  toy_added(m, ali3_model_add_body(m, &ball));
  toy_added(m, ali3_model_add_force(m, &contact));
  toy_freeze(m, 1e-3);
  return m;
}

static double value(const ali3_model *m, const ali3_data *d, int f)
{
  ali3_force_state x;
  ali3_force_get(m, d, f, &x);
  return x.value;
}

/* Rows too stiff for the step report its mean, which a restored state keeps. */
TEST(a_step_that_fails_leaves_what_stiff_contacts_report)
{
  ali3_model *m = ball_on_plane(1e9);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 60);
  double before = value(m, d, 0);
  ali3_set_wrench(m, d, 0, (const double[]){1e30, -1e30, 1e30}, none);
  assert_int_equal(ali3_step(m, d), ALI3_E_DIVERGED);
  print_message("%.17g N before, %.17g N after\n", before, value(m, d, 0));
  bool same = value(m, d, 0) == before;
  ali3_data_free(d);
  ali3_model_free(m);
  assert_true(same);
}

/* With a new factorisation in every iteration, a NaN reaches a pivot before the test of the increments sees it. */
TEST(a_load_that_is_no_number_is_no_singular_pivot)
{
  ali3_model *m = ball_on_plane(1e4);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 60);
  ali3_set_wrench(m, d, 0, (const double[]){NAN, 0, 0}, none);
  int status = ali3_step(m, d);
  char text[200];
  ali3_report_text(m, d, text, sizeof text);
  print_message("status %d: %s\n", status, text);
  ali3_data_free(d);
  ali3_model_free(m);
  assert_int_equal(status, ALI3_E_DIVERGED); /* as without contacts, test_step.c */
}

/* The report also names the body if the next factorisation fails before the test of the increments. */
TEST(the_body_that_went_non_finite_is_named)
{
  ali3_model *m = ball_on_plane(1e4);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_wrench(m, d, 0, (const double[]){NAN, 0, 0}, none);
  int status = ali3_step(m, d), worst = ali3_data_report(d)->worst_body;
  ali3_data_free(d);
  ali3_model_free(m);
  assert_int_equal(status, ALI3_E_DIVERGED);
  assert_int_equal(worst, 0);
}

/* The assembly finds the angle nearest to 0. */
TEST(a_drive_may_start_beyond_half_a_turn)
{
  ali3_model *m = model();
  hinged(m, 1, 0.5, 0, 0);
  ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
  drive.offset = 4;
  drive.speed = 1;
  toy_added(m, ali3_model_add_force(m, &drive));
  toy_freeze_apart(m, 1e-3);
  ali3_data *d = ali3_data_new(m);
  int status = ali3_reset(m, d);
  char text[200];
  ali3_report_text(m, d, text, sizeof text);
  print_message("status %d: %s\n", status, text);
  ali3_joint_state x;
  ali3_joint_get(m, d, 0, &x);
  ali3_data_free(d);
  ali3_model_free(m);
  assert_int_equal(status, ALI3_MOVED);
  assert_true(fabs(x.position - 4) < 1e-9);
}

/* The stiffness test treats the body as free: it assumes 1/0.008 where its hinge leaves 1/2.008 kg m^2. The stop oscillates
 * in 45 steps. */
TEST(a_stop_that_the_step_resolves_gives_back_the_energy)
{
  ali3_model *m = model();
  hinged(m, 2, 0.008, 1, 2);
  ali3_force_spec stop = of_type(ALI3_FORCE_STOP, "stop");
  stop.upper = 0.2;
  stop.stiffness[0] = 1e4;
  toy_added(m, ali3_model_add_force(m, &stop));
  toy_freeze(m, 2e-3);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_energy before, after;
  ali3_energy_get(m, d, &before);
  toy_run(m, d, 1000);
  ali3_energy_get(m, d, &after);
  double lost = before.total - after.total;
  print_message("%.3f of %.3f J lost\n", lost, before.kinetic);
  ali3_data_free(d);
  ali3_model_free(m);
  assert_true(fabs(lost) < 0.02 * before.kinetic);
}

static double drive_torque_error(double dt)
{
  const double A = 0.8, w = 3 * PI, inertia = 0.7;
  ali3_model *m = model();
  hinged(m, 1, inertia, 0, 0);
  ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
  drive.amplitude = A;
  drive.frequency = w / (2 * PI);
  toy_added(m, ali3_model_add_force(m, &drive));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  double worst = 0;
  for (int i = 1; i <= (int)lround(1 / dt); i++) {
    toy_run(m, d, 1);
    worst = fmax(worst, fabs(value(m, d, 0) + inertia * A * w * w * sin(w * i * dt)));
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return worst;
}

/* Multipliers of rigid rows belong to the accelerations of the formulas, not to the projected ones: their error is dt/3
 * times the jerk. With the h z of the projection, as in held rows, the order is two, and the torque on a balanced body is exact. */
TEST(the_torque_of_a_drive_is_exact_on_a_balanced_body)
{
  double coarse = drive_torque_error(1e-3), fine = drive_torque_error(5e-4);
  print_message("%.2e N m off at 1 ms, %.2e at 0.5 ms\n", coarse, fine);
  assert_true(fine < 1e-6 && coarse < 1e-6);
}

/* The smallest component of the normal determines the two directions of sliding at a contact. If another component becomes
 * the smallest, the friction at the start of the step must follow the new directions. */
TEST(friction_holds_on_where_its_directions_are_chosen_anew)
{
  static const double tilt[2][2] = {{0.5, 0}, {2.5, 0.3}}, leg[3][2] = {{0.3, 0.2}, {0.3, -0.2}, {-0.4, 0}};
  static const char *const name[] = {"p", "q", "r"};
  const double lean = 0.1, n[3] = {0, sqrt(1 - lean * lean), lean};
  ali3_model *m = model();
  hinged(m, 50, 10, 0, 0); /* the table, which turns slowly about z */
  ali3_body_spec sled = toy_body("sled", (const double[]){0, 0.15 * n[1], 0.15 * n[2]}, 2, 0.1);
  sled.orientation[0] = cos(0.5 * asin(lean));
  sled.orientation[1] = sin(0.5 * asin(lean));
  toy_added(m, ali3_model_add_body(m, &sled));
  ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
  drive.motion = (ali3_table){2, tilt};
  toy_added(m, ali3_model_add_force(m, &drive));
  for (int i = 0; i < 3; i++) {
    ali3_force_spec contact = of_type(ALI3_FORCE_SPHERE_PLANE, name[i]);
    contact.body_a = 0;
    contact.body_b = 1;
    memcpy(contact.normal, n, sizeof n);
    contact.radius_b = 0.1;
    contact.stiffness[0] = 1e5;
    contact.damping[0] = 600;
    contact.friction = 0.5;
    contact.point_b[0] = leg[i][0];
    contact.point_b[1] = -0.05;
    contact.point_b[2] = leg[i][1];
    toy_added(m, ali3_model_add_force(m, &contact));
  }
  toy_freeze(m, 1e-3);
  ali3_data *d = toy_start(m, ALI3_OK);
  double worst = 0, when = 0;
  toy_run(m, d, 600); /* from after the start of the spline to well before its end */
  for (int i = 600; i < 2400; i++) {
    ali3_body_state x;
    toy_run(m, d, 1);
    ali3_body_get(m, d, 1, &x);
    if (fabs(x.acceleration[2]) > worst) {
      worst = fabs(x.acceleration[2]);
      when = i * 1e-3;
    }
  }
  print_message("sideways %.2e m/s^2 at %.3f s\n", worst, when);
  ali3_data_free(d);
  ali3_model_free(m);
  assert_true(worst < 0.01);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_that_fails_leaves_what_stiff_contacts_report),
      cmocka_unit_test(a_load_that_is_no_number_is_no_singular_pivot),
      cmocka_unit_test(the_body_that_went_non_finite_is_named),
      cmocka_unit_test(a_drive_may_start_beyond_half_a_turn),
      cmocka_unit_test(a_stop_that_the_step_resolves_gives_back_the_energy),
      cmocka_unit_test(the_torque_of_a_drive_is_exact_on_a_balanced_body),
      cmocka_unit_test(friction_holds_on_where_its_directions_are_chosen_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
