/* SPDX-License-Identifier: MIT
 * Natural coordinates: rows against differences, mass matrix and weight against the bodies, which models are
 * refused. */
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"

#include "check.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <string.h>

enum { NUMBERS_MAX = 400 };

static void random_state(const struct problem *p, unsigned *seed, double *q, double *qd)
{
  for (int i = 0; i < p->n; i++) {
    q[i] = p->q[i] + 0.2 * mechanism_random(seed);
    qd[i] = mechanism_random(seed);
  }
}

/* Phi_q and d(Phi_q)/dt by central differences, exact for a quadratic except for rounding. */
static void check_rows(const struct problem *p, const double *q, const double *qd)
{
  double Phi[2][20], Phi_q[NUMBERS_MAX], shifted[2][NUMBERS_MAX], dPhi_q[NUMBERS_MAX], bias[20], other[20];
  const double step = 1e-3;
  p->kind->rows(p, NOW(p), q, Phi[0], Phi_q);
  for (int j = 0; j < p->n; j++) {
    double x[20];
    for (int side = 0; side < 2; side++) {
      memcpy(x, q, sizeof *x * (size_t)p->n);
      x[j] += side ? step : -step;
      p->kind->rows(p, NOW(p), x, Phi[side], shifted[side]);
    }
    for (int r = 0; r < p->m; r++)
      assert_near(Phi_q[r * p->n + j], (Phi[1][r] - Phi[0][r]) / (2 * step), 1e-11);
  }
  for (int side = 0; side < 2; side++) {
    double x[20];
    for (int i = 0; i < p->n; i++) x[i] = q[i] + (side ? step : -step) * qd[i];
    p->kind->rows(p, NOW(p), x, other, shifted[side]);
  }
  p->kind->row_rates(p, q, qd, dPhi_q);
  p->kind->bias(p, NOW(p), q, qd, bias);
  for (int r = 0; r < p->m; r++) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
      const int at = r * p->n + i;
      assert_near(dPhi_q[at], (shifted[1][at] - shifted[0][at]) / (2 * step), 1e-11);
      sum += dPhi_q[at] * qd[i];
    }
    assert_near(bias[r], sum, 1e-13);
  }
}

/* The energy by M and f is that of the bodies where the rods keep their lengths: at the start, whatever the
 * velocity allows. */
static void check_energy(const struct mechanism *o, const struct problem *p)
{
  double kinetic, potential, expected[2] = {0, 0}, Phi[20], Phi_q[NUMBERS_MAX];
  p->kind->energy(p, NOW(p), p->q, p->qd, &kinetic, &potential);
  for (int i = 0; i < p->bodies; i++) {
    struct lab_body body;
    ali3_body_state state;
    p->kind->body(p, p->q, p->qd, i, &body);
    ali3_body_get(o->m, o->d, i, &state);
    for (int k = 0; k < 3; k++) {
      assert_near(body.position[k], state.position[k], 1e-14);
      assert_near(body.velocity[k], state.velocity[k], 1e-14);
      assert_near(body.angular_velocity[k], state.angular_velocity[k], 1e-13);
      expected[0] += 0.5 * state.velocity[k] * state.velocity[k];
    }
    for (int k = 0; k < 4; k++) assert_near(body.orientation[k], state.orientation[k], 1e-14);
    expected[0] += 0.5 * 0.25 * state.angular_velocity[2] * state.angular_velocity[2];
    expected[1] += 9.81 * state.position[1];
  }
  assert_near(kinetic, expected[0], 1e-13);
  assert_near(potential, expected[1], 1e-13);
  p->kind->rows(p, NOW(p), p->q, Phi, Phi_q);
  for (int r = 0; r < p->m; r++) assert_near(Phi[r], 0, 1e-14);
}

static void check_mechanism(struct mechanism o, int n, int m)
{
  struct problem p;
  struct lab_refusal why;
  double q[20], qd[20];
  unsigned seed = 1;
  assert_true(problem_make(&p, &description_natural, o.m, o.d, &why));
  assert_int_equal(p.n, n);
  assert_int_equal(p.m, m);
  check_energy(&o, &p);
  for (int i = 0; i < 20; i++) {
    random_state(&p, &seed, q, qd);
    check_rows(&p, q, qd);
  }
  problem_free(&p);
  mechanism_free(&o);
}

TEST(slider_along_x_loses_a_coordinate)
{
  check_mechanism(mechanism_slider(0), 3, 2);
}

TEST(slider_along_y_loses_the_other)
{
  check_mechanism(mechanism_slider(acos(-1) / 2), 3, 2);
}

TEST(slider_on_a_slope_has_a_linear_row)
{
  check_mechanism(mechanism_slider(0.3), 4, 3);
}

TEST(chains)
{
  check_mechanism(mechanism_chain(1, false), 2, 1); /* the second point is the centre of mass */
  check_mechanism(mechanism_chain(4, false), 8, 4);
  check_mechanism(mechanism_chain(4, true), 6, 4);
}

/* A body away from the start: pose and velocity from the points, against the rod's own geometry. */
TEST(poses_follow_the_points)
{
  struct mechanism o = mechanism_chain(1, false);
  struct problem p;
  struct lab_refusal why;
  assert_true(problem_make(&p, &description_natural, o.m, o.d, &why));
  for (double angle = -3; angle < 3; angle += 0.5) {
    const double q[2] = {0.25 * cos(angle), 0.25 * sin(angle)}, qd[2] = {-2 * q[1], 2 * q[0]};
    struct lab_body body;
    double T, V;
    p.kind->body(&p, q, qd, 0, &body);
    const double half = atan2(body.orientation[3], body.orientation[0]);
    assert_near(body.angular_velocity[2], 2, 1e-14);
    assert_near(cos(2 * half), cos(angle), 1e-14);
    assert_near(sin(2 * half), sin(angle), 1e-14);
    p.kind->energy(&p, NOW(&p), q, qd, &T, &V);
    assert_near(T, 0.5 * 4 * (0.25 + 0.0625), 1e-14);
    assert_near(V, 9.81 * q[1], 1e-14);
  }
  problem_free(&p);
  mechanism_free(&o);
}

static void expect_refusal(struct mechanism o, const char *element, int index, const char *part)
{
  struct problem p;
  struct lab_refusal why;
  mechanism_ready(&o);
  assert_false(problem_make(&p, &description_natural, o.m, o.d, &why));
  assert_string_equal(why.element, element);
  assert_int_equal(why.index, index);
  if (!strstr(why.text, part)) fail_msg("expected \"%s\" in: %s", part, why.text);
  mechanism_free(&o);
}

TEST(three_points_are_refused)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 1, 0), b = mechanism_rod(&o, "B", 1, 0, 2, 0),
            c = mechanism_rod(&o, "C", 0.7, 0, 0.7, 1);
  mechanism_pin(&o, "J1", ALI3_GROUND, a, 0, 0);
  mechanism_pin(&o, "J2", a, b, 1, 0);
  mechanism_pin(&o, "J3", a, c, 0.7, 0);
  expect_refusal(o, "body", a, "two joint points per body: \"A\" has three");
}

TEST(a_centre_of_mass_beside_the_line_is_refused)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 1, 0), b = mechanism_rod(&o, "B", 1, 0.2, 2, 0.2);
  mechanism_pin(&o, "J1", ALI3_GROUND, a, 0, 0);
  mechanism_pin(&o, "J2", a, b, 1, 0.2);
  expect_refusal(o, "body", a, "on the line of its joints: it is 0.098");
}

TEST(a_line_on_a_body_is_refused)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 1, 0), b = mechanism_rod(&o, "B", 1, 0, 2, 0);
  mechanism_pin(&o, "J1", ALI3_GROUND, a, 0, 0);
  mechanism_slide(&o, "J2", a, b, 1, 0, 0);
  expect_refusal(o, "joint", 1, "this line belongs to body \"A\"");
}

TEST(drives_and_other_joints_are_refused)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 1, 0);
  const ali3_joint_spec spherical = {.name = "J1",
                                     .type = ALI3_JOINT_SPHERICAL,
                                     .body_a = ALI3_GROUND,
                                     .body_b = a,
                                     .point_b = {-0.5, 0, 0}};
  assert_true(ali3_model_add_joint(o.m, &spherical) >= 0);
  expect_refusal(o, "joint", 0, "revolute and point_on_line, not spherical");

  o = mechanism_new();
  mechanism_pin(&o, "J1", ALI3_GROUND, mechanism_rod(&o, "A", 0, 0, 1, 0), 0, 0);
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  drive.name = "drive";
  assert_true(ali3_model_add_force(o.m, &drive) >= 0);
  expect_refusal(o, "force", 0, "no angle or distance that a drive could hold");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slider_along_x_loses_a_coordinate),
                                     cmocka_unit_test(slider_along_y_loses_the_other),
                                     cmocka_unit_test(slider_on_a_slope_has_a_linear_row),
                                     cmocka_unit_test(chains),
                                     cmocka_unit_test(poses_follow_the_points),
                                     cmocka_unit_test(three_points_are_refused),
                                     cmocka_unit_test(a_centre_of_mass_beside_the_line_is_refused),
                                     cmocka_unit_test(a_line_on_a_body_is_refused),
                                     cmocka_unit_test(drives_and_other_joints_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
