/* SPDX-License-Identifier: MIT
 * Rods and couplers without mass or inertia, compared with a mechanism assembled without them or with a little mass. */
#include "common/points.h"

/* A pendulum A on the ground and a body B that a rod ties to it, universal at A, spherical at B. A massless rod only pulls
 * along its length. mass < 0: a distance joint instead. */
static ali3_data *hang(ali3_model **model, double mass, const ali3_options *o)
{
  const double on_a[3] = {0.5, 0, 0}, on_b[3] = {-0.1, 0.1, 0.2}, L[3] = {0.2, -0.3, 1.1};
  const double half[3] = {L[0] / 2, L[1] / 2, L[2] / 2}, back[3] = {-half[0], -half[1], -half[2]};
  ali3_model *m = *model = falling();
  ali3_body_spec a = toy_body("A", (const double[]){0.5, 0, 0}, 1.0, 0.1),
                 b = toy_body("B", (const double[]){1.3, -0.4, 0.9}, 2.0, 0.3);
  b.inertia[4] = 0.2;
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "J", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
  ali3_joint_spec s = {.name = "U", .type = ALI3_JOINT_UNIVERSAL, .body_a = 0, .body_b = 2};
  memcpy(s.point_a, on_a, sizeof on_a);
  if (mass < 0.0) {
    s.type = ALI3_JOINT_DISTANCE;
    s.body_b = 1;
    memcpy(s.point_b, on_b, sizeof on_b);
  } else {
    double square = L[0] * L[0] + L[1] * L[1] + L[2] * L[2];
    ali3_body_spec rod =
        toy_body("rod", (const double[]){1 + half[0], half[1], half[2]}, mass, mass * square / 12);
    toy_added(m, ali3_model_add_body(m, &rod));
    memcpy(s.point_b, back, sizeof back);
    s.axis_a[1] = 1.0;
    s.axis_b[0] = L[2];
    s.axis_b[2] = -L[0];
    toy_spherical(m, "S", 2, half, 1, on_b);
  }
  toy_added(m, ali3_model_add_joint(m, &s));
  toy_freeze_with(m, o);
  return toy_start(m, ALI3_OK);
}

/* Largest difference of the positions of the first two bodies of two mechanisms. */
static double apart(const ali3_model *m, ali3_data *d, const ali3_model *n, ali3_data *e, int steps)
{
  double largest = 0.0;
  for (int i = 0; i < steps; i++) {
    run_well(m, d, 1);
    run_well(n, e, 1);
    for (int b = 0; b < 2; b++) {
      ali3_body_state x, y;
      ali3_body_get(m, d, b, &x);
      ali3_body_get(n, e, b, &y);
      for (int k = 0; k < 3; k++) larger(&largest, x.position[k] - y.position[k]);
      for (int k = 0; k < 4; k++) larger(&largest, x.orientation[k] - y.orientation[k]);
    }
  }
  return largest;
}

TEST(a_massless_rod_is_a_distance_joint)
{
  ali3_options o = options_with(0.002);
  ali3_model *m, *n;
  ali3_data *d = hang(&m, 0.0, &o), *e = hang(&n, -1.0, &o);
  double difference = apart(m, d, n, e, 500);
  ali3_joint_state rod, line;
  ali3_joint_get(m, d, ali3_model_find_joint(m, "S"), &rod);
  ali3_joint_get(n, e, ali3_model_find_joint(n, "U"), &line);
  print_message("rod and distance joint are %.1e m apart\n", difference);
  assert_true(difference < 1e-6);
  for (int i = 0; i < 3; i++) assert_true(fabs(rod.force[i] - line.force[i]) < 1e-3); /* equal pulls on B */
  done(m, d);
  done(n, e);
}

/* Four unequal bars in a plane with a coupler of the given mass, at rest. */
static ali3_data *four_bar(ali3_model **model, double mass, const ali3_options *o)
{
  static const double p[4][2] = {{0, 0}, {0.5, 0.866}, {2.2, 1.2}, {2, 0.1}};
  ali3_model *m = *model = falling();
  double half[3];
  for (int i = 0; i < 3; i++) {
    static const char *const name[] = {"crank", "coupler", "rocker"};
    double dx = p[i + 1][0] - p[i][0], dy = p[i + 1][1] - p[i][1], turn = 0.5 * atan2(dy, dx);
    double own = i == 1 ? mass : 1.0;
    half[i] = 0.5 * hypot(dx, dy);
    ali3_body_spec s = toy_body(name[i], (const double[]){p[i][0] + 0.5 * dx, p[i][1] + 0.5 * dy, 0}, own,
                                own * half[i] * half[i] / 3);
    s.orientation[0] = cos(turn);
    s.orientation[3] = sin(turn);
    toy_added(m, ali3_model_add_body(m, &s));
  }
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "J%d", i + 1);
    ali3_joint_spec s = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i == 3 ? ALI3_GROUND : i,
                         .point_a = {i > 0 ? half[i - 1] : 0},
                         .point_b = {i < 3 ? -half[i] : p[3][0], i < 3 ? 0 : p[3][1]},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_joint(m, &s));
  }
  toy_freeze_with(m, o);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_true(ali3_reset(m, d) >= 0);
  return d;
}

static double coupler_matters(double mass, const ali3_options *o)
{
  ali3_model *m, *n;
  ali3_data *d = four_bar(&m, mass, o), *e = four_bar(&n, 0.0, o);
  double difference = apart(m, d, n, e, 50);
  print_message("coupler of %g kg: %.2e m from none\n", mass, difference);
  done(m, d);
  done(n, e);
  return difference;
}

TEST(a_light_coupler_comes_to_be_a_massless_one)
{
  for (int extrapolate = 0; extrapolate < 2; extrapolate++) {
    ali3_options o = options_with(0.002);
    o.extrapolate = extrapolate;
    double last = coupler_matters(1e-2, &o);
    for (double mass = 1e-3; mass > 1e-8; mass /= 10) {
      double now = coupler_matters(mass, &o);
      if (!(last / now > 8 && last / now < 12))
        fail_msg("%g kg: a tenth of the mass matters %.1f times less", mass, last / now);
      last = now;
    }
  }
}

TEST(a_massless_coupler_keeps_energy_and_constraints)
{
  ali3_options o = options_with(0.001);
  ali3_model *m;
  ali3_data *d = four_bar(&m, 0.0, &o);
  ali3_energy before, after;
  ali3_energy_get(m, d, &before);
  for (int i = 0; i < 3000; i++) {
    run_well(m, d, 1);
    assert_true(ali3_data_report(d)->position < 1e-12);
  }
  ali3_energy_get(m, d, &after);
  print_message("energy off by %.1e J in 3 s\n", after.total - before.total);
  assert_true(fabs(after.total - before.total) < 1e-3);
  done(m, d);
}

/* A rod on a universal joint whose axes are both oblique to it. The joint holds the rod about its own axis, so its inertia
 * there may be 0. */
static void rod_end(double inertia, double dt, double o[3])
{
  const double q = sqrt(0.5);
  ali3_model *m = falling();
  ali3_body_spec b = toy_body("rod", (const double[]){0.5, 0, 0}, 1.0, 0.2);
  b.inertia[0] = inertia;
  toy_added(m, ali3_model_add_body(m, &b));
  toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = "U",
                                                          .type = ALI3_JOINT_UNIVERSAL,
                                                          .body_a = ALI3_GROUND,
                                                          .point_b = {-0.5, 0, 0},
                                                          .axis_a = {0, q, q},
                                                          .axis_b = {0, -q, q}}));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  run_well(m, d, (int)lround(1.0 / dt));
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  memcpy(o, x.position, sizeof x.position);
  done(m, d);
}

TEST(a_rod_needs_no_inertia_about_its_axis)
{
  double thin[3], thinner[3], fine[3], finest[3], thick[3], thicker[3];
  rod_end(0.0, 0.01, thin);
  rod_end(0.0, 0.002, fine);
  rod_end(0.0, 0.0004, finest);
  rod_end(1e-8, 0.01, thinner);
  rod_end(1e-4, 0.01, thick);
  rod_end(1e-3, 0.01, thicker);
  print_message("inertia 0: 10 ms and 2 ms are off by %.2e and %.2e m\n", check_distance(thin, finest),
                check_distance(fine, finest));
  assert_true(check_distance(thin, finest) < 2e-3);
  assert_true(check_distance(thin, finest) / check_distance(fine, finest) >
              20); /* 25, minus the error of the finest solution */
  assert_true(check_distance(thin, thinner) < 1e-6);
  double ratio = check_distance(thin, thicker) / check_distance(thin, thick);
  assert_true(ratio > 8 && ratio < 12);
}

/* A rod without inertia about its hinge axis, under a torque, on a torsional spring and damper. */
static struct error turning(double k, double c, double dt)
{
  const double torque = 3.0;
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("rod", none, 1.0, 0.2);
  b.inertia[0] = 0.0;
  toy_added(m, ali3_model_add_body(m, &b));
  spring(m,
         toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = "R",
                                                                 .type = ALI3_JOINT_REVOLUTE,
                                                                 .body_a = ALI3_GROUND,
                                                                 .axis_a = {1, 0, 0},
                                                                 .axis_b = {1, 0, 0}})),
         k, c);
  toy_added(m, ali3_model_add_load(
                   m, &(ali3_load_spec){.name = "T", .type = ALI3_LOAD_TORQUE, .vector = {torque, 0, 0}}));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_MOVED); /* it turns from the first step on */
  for (int i = 0; i <= (int)lround(2.0 / dt); i++) {
    double gone = exp(-k / c * i * dt);
    ali3_joint_state j;
    if (i > 0) run_well(m, d, 1);
    ali3_joint_get(m, d, 0, &j);
    larger(&e.position, j.position - (k > 0.0 ? torque / k * (1 - gone) : torque / c * i * dt));
    larger(&e.velocity, j.velocity - torque / c * gone);
  }
  done(m, d);
  return e;
}

TEST(a_torsional_damper_holds_what_has_no_inertia)
{
  struct error coarse = turning(2, 0.5, 0.01), fine = turning(2, 0.5, 0.001), steady = turning(0, 0.5, 0.01);
  below("spring and damper, 10 ms", "0", coarse, 7e-5, 3e-4);
  second_order("0", coarse, fine);
  below("damper alone, 10 ms", "0", steady, 1.1e-3, 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_massless_rod_is_a_distance_joint),
      cmocka_unit_test(a_light_coupler_comes_to_be_a_massless_one),
      cmocka_unit_test(a_massless_coupler_keeps_energy_and_constraints),
      cmocka_unit_test(a_rod_needs_no_inertia_about_its_axis),
      cmocka_unit_test(a_torsional_damper_holds_what_has_no_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
