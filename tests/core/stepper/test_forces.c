/* SPDX-License-Identifier: MIT
 * Soft connections compared with closed-form solutions. */
#include "check.h"

#include <math.h>

#include <ali3/ali3.h>

static const double PI = 3.14159265358979323846;

static const ali3_body_spec BODY = {
    .name = "A", .mass = 1, .inertia = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, .orientation = {1, 0, 0, 0}};

static ali3_model *model(double gravity)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0, -gravity, 0}), ALI3_OK);
  return m;
}

static ali3_data *start(ali3_model *m, double dt, bool extrapolate)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.extrapolate = extrapolate;
  if (ali3_model_freeze(m, &o) < 0) fail_msg("%s", ali3_model_problem(m)->text);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  return d;
}

static void add(ali3_model *m, const ali3_body_spec *body, const ali3_joint_spec *joint,
                const ali3_force_spec *force)
{
  if (body && ali3_model_add_body(m, body) < 0) fail_msg("%s", ali3_model_problem(m)->text);
  if (joint && ali3_model_add_joint(m, joint) < 0) fail_msg("%s", ali3_model_problem(m)->text);
  if (force && ali3_model_add_force(m, force) < 0) fail_msg("%s", ali3_model_problem(m)->text);
}

/* A body of 1 kg on a spring and damper, released where the spring is slack: largest error of its height in 5 s. */
static double oscillator_error(double dt, bool extrapolate)
{
  const double k = 100, c = 1, g = 9.81, z = c / 2, w = sqrt(k - z * z), sag = g / k;
  ali3_body_spec body = BODY;
  body.position[1] = -1;
  ali3_model *m = model(g);
  add(m, &body, NULL,
      &(ali3_force_spec){.name = "S",
                         .type = ALI3_FORCE_SPRING,
                         .body_a = ALI3_GROUND,
                         .stiffness = {k},
                         .damping = {c},
                         .rest = NAN});
  ali3_data *d = start(m, dt, extrapolate);
  double worst = 0;
  for (int i = 1; i <= (int)lround(5 / dt); i++) {
    ali3_body_state x;
    ali3_force_state f;
    assert_int_equal(ali3_step(m, d), ALI3_OK);
    double t = i * dt, exact = -1 - sag + sag * exp(-z * t) * (cos(w * t) + z / w * sin(w * t));
    ali3_body_get(m, d, 0, &x);
    ali3_force_get(m, d, 0, &f);
    worst = fmax(worst, fabs(x.position[1] - exact));
    /* Newton's law with the reported force, and the force law */
    assert_true(fabs(x.acceleration[1] - (f.value - g)) < 1e-9);
    assert_true(fabs(f.value - (k * (f.position - 1) + c * f.rate)) < 1e-6);
    assert_true(fabs(f.force[1] - f.value) < 1e-9);
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return worst;
}

TEST(a_spring_follows_the_damped_oscillator)
{
  double coarse = oscillator_error(0.01, false), fine = oscillator_error(0.005, false);
  print_message("error at 10 ms %.2e m, at 5 ms %.2e m, extrapolated %.2e m\n", coarse, fine,
                oscillator_error(0.01, true));
  assert_true(coarse < 1e-3);
  assert_true(coarse / fine > 3.5 && coarse / fine < 4.5);
  assert_true(oscillator_error(0.01, true) < coarse / 100);
}

TEST(a_bushing_of_1e8_keeps_its_static_deflection)
{
  const double k = 1e8, kr = 1e6, g = 9.81, arm = 0.5;
  ali3_body_spec body = BODY;
  body.position[0] = arm;
  ali3_model *m = model(g);
  add(m, &body, NULL,
      &(ali3_force_spec){.name = "B",
                         .type = ALI3_FORCE_BUSHING,
                         .body_a = ALI3_GROUND,
                         .point_b = {-arm, 0, 0},
                         .stiffness = {k, k, k, kr, kr, kr},
                         .damping = {1e4, 1e4, 1e4, 100, 100, 100}});
  ali3_data *d = start(m, 0.01, false);
  ali3_body_state x;
  ali3_force_state f;
  for (int i = 0; i < 2000; i++) assert_int_equal(ali3_step(m, d), ALI3_OK);
  ali3_body_get(m, d, 0, &x);
  ali3_force_get(m, d, 0, &f);
  double sag = g / k + g * arm / kr * arm; /* displacement of the bushing, and the arm on its rotation */
  print_message("deflection %.6e m, exact %.6e m\n", -x.position[1], sag);
  assert_true(fabs(-x.position[1] - sag) < 1e-4 * sag);
  print_message("force %.9f N of %.9f\n", f.force[1], g);
  assert_true(fabs(f.force[1] - g) < 1e-6);
  assert_true(fabs(f.torque[2] - g * arm) < 1e-6);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A body of 1 kg on an undamped bushing, released where it is slack: largest distance from the static deflection in the
 * second second, relative to the deflection. */
static double ringing(double k, double gamma)
{
  const double g = 9.81;
  ali3_model *m = model(g);
  add(m, &BODY, NULL,
      &(ali3_force_spec){
          .name = "B", .type = ALI3_FORCE_BUSHING, .body_a = ALI3_GROUND, .stiffness = {k, k, k}});
  ali3_options o = ali3_options_default();
  o.gamma = gamma;
  if (ali3_model_freeze(m, &o) < 0) fail_msg("%s", ali3_model_problem(m)->text);
  ali3_data *d = ali3_data_new(m);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  double worst = 0.0;
  for (int i = 0; i < 200; i++) {
    ali3_body_state x;
    assert_int_equal(ali3_step(m, d), ALI3_OK);
    ali3_body_get(m, d, 0, &x);
    if (i >= 100) worst = fmax(worst, fabs(-x.position[1] - g / k) / (g / k));
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return worst;
}

/* Oscillations that the step resolves persist. Oscillations with at most four steps per period settle. */
TEST(stiff_springs_settle_on_their_static_deflection)
{
  for (double k = 100; k < 3e4; k *= 10) assert_true(fabs(ringing(k, 0.5) - 1.0) < 0.01);
  for (double k = 1e5; k < 2e10; k *= 10) assert_true(ringing(k, 0.5) < 1e-9);
}

TEST(numerical_damping_ends_ringing)
{
  print_message("left after 1 s with gamma 0.5: %.3f, 0.55: %.3f, 0.6: %.3f\n", ringing(1e4, 0.5),
                ringing(1e4, 0.55), ringing(1e4, 0.6));
  assert_true(ringing(1e4, 0.5) > 0.99);
  assert_true(ringing(1e4, 0.6) < 0.1);
}

/* Heavy and light bodies: the limit depends on the effective mass of a body and its neighbours. A plate of 50 kg on springs
 * of 1e5 N/m keeps its energy, although the legs of 0.1 kg between them alone are too light for the step. */
TEST(what_the_joints_make_heavy_swings_on)
{
  ali3_body_spec plate = BODY, foot = BODY;
  plate.mass = 50;
  plate.velocity[1] = -0.1;
  foot.name = "foot";
  foot.mass = 0.1;
  foot.velocity[1] = -0.1;
  foot.position[1] = -1;
  ali3_model *m = model(0);
  add(m, &plate, NULL, NULL);
  add(m, &foot,
      &(ali3_joint_spec){
          .name = "weld", .type = ALI3_JOINT_FIXED, .body_a = 0, .body_b = 1, .point_a = {0, -1, 0}},
      &(ali3_force_spec){.name = "S",
                         .type = ALI3_FORCE_SPRING,
                         .body_a = ALI3_GROUND,
                         .body_b = 1,
                         .point_a = {0, -2, 0},
                         .stiffness = {1e5},
                         .rest = NAN});
  ali3_data *d = start(m, 0.01, false);
  ali3_energy first, e;
  ali3_energy_get(m, d, &first);
  for (int i = 0; i < 1000; i++) assert_int_equal(ali3_step(m, d), ALI3_OK);
  ali3_energy_get(m, d, &e);
  assert_true(fabs(e.total - first.total) < 1e-3 * first.total);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_bushing_holds_each_axis_by_itself)
{
  for (int axis = 0; axis < 6; axis++) {
    ali3_model *m = model(0);
    ali3_force_spec f = {.name = "B", .type = ALI3_FORCE_BUSHING, .body_a = ALI3_GROUND};
    const double k = 40, inertia = axis < 3 ? 1 : 0.1, amplitude = 1e-3, w = sqrt(k / inertia);
    f.stiffness[axis] = k;
    ali3_body_spec body = BODY;
    if (axis < 3) body.velocity[axis] = amplitude * w;
    if (axis >= 3) body.angular_velocity[axis - 3] = amplitude * w;
    add(m, &body, NULL, &f);
    ali3_data *d = start(m, 1e-3, false);
    for (int i = 1; i <= 500; i++) {
      ali3_body_state x;
      assert_int_equal(ali3_step(m, d), ALI3_OK);
      ali3_body_get(m, d, 0, &x);
      double now = axis < 3 ? x.position[axis] : 2 * x.orientation[axis - 2];
      assert_true(fabs(now - amplitude * sin(w * i * 1e-3)) < 1e-3 * amplitude);
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

TEST(a_joint_spring_winds_up_over_many_turns)
{
  const double inertia = 0.1 + 0.25, k = 3.5, rest = 3 * PI, w = sqrt(k / inertia);
  ali3_body_spec body = BODY;
  body.position[0] = 0.5;
  ali3_model *m = model(0);
  add(m, &body,
      &(ali3_joint_spec){.name = "J",
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = ALI3_GROUND,
                         .point_b = {-0.5, 0, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}},
      &(ali3_force_spec){
          .name = "S", .type = ALI3_FORCE_JOINT_SPRING, .joint = 0, .stiffness = {k}, .rest = rest});
  ali3_data *d = start(m, 1e-3, false);
  double worst = 0;
  for (int i = 1; i <= 4000; i++) {
    ali3_force_state f;
    ali3_joint_state j;
    assert_int_equal(ali3_step(m, d), ALI3_OK);
    ali3_force_get(m, d, 0, &f);
    ali3_joint_get(m, d, 0, &j);
    worst = fmax(worst, fabs(j.position - rest * (1 - cos(w * i * 1e-3))));
    assert_true(fabs(f.position - j.position) < 1e-9);
    assert_true(fabs(f.rate - j.velocity) < 1e-6);
  }
  print_message("largest error of the angle %.2e rad of 0 .. %.0f\n", worst, 2 * rest);
  assert_true(worst < 0.02);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_joint_spring_on_a_slide)
{
  const double k = 25, w = 5;
  ali3_body_spec body = BODY;
  body.position[0] = 2;
  ali3_model *m = model(9.81);
  add(m, &body,
      &(ali3_joint_spec){.name = "J",
                         .type = ALI3_JOINT_PRISMATIC,
                         .body_a = ALI3_GROUND,
                         .axis_a = {1, 0, 0},
                         .position = 2},
      &(ali3_force_spec){
          .name = "S", .type = ALI3_FORCE_JOINT_SPRING, .joint = 0, .stiffness = {k}, .rest = 1.5});
  ali3_data *d = start(m, 1e-3, false);
  for (int i = 1; i <= 2000; i++) {
    ali3_joint_state j;
    assert_int_equal(ali3_step(m, d), ALI3_OK);
    ali3_joint_get(m, d, 0, &j);
    assert_true(fabs(j.position - (1.5 + 0.5 * cos(w * i * 1e-3))) < 1e-4);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Two bodies on a spring alone: their forces cancel, and an undamped spring keeps the energy. */
TEST(a_spring_between_free_bodies_keeps_momentum_and_energy)
{
  ali3_body_spec a = BODY, b = BODY;
  b.name = "B";
  b.mass = 3;
  b.position[0] = 1;
  b.velocity[1] = 0.7;
  a.angular_velocity[2] = 2;
  ali3_model *m = model(0);
  add(m, &a, NULL, NULL);
  add(m, &b, NULL,
      &(ali3_force_spec){.name = "S",
                         .type = ALI3_FORCE_SPRING,
                         .body_a = 0,
                         .body_b = 1,
                         .point_a = {0.1, 0.2, 0},
                         .point_b = {-0.1, 0, 0.3},
                         .stiffness = {200},
                         .rest = 0.5});
  ali3_data *d = start(m, 1e-3, false);
  ali3_energy before, after;
  ali3_body_state x[2];
  ali3_energy_get(m, d, &before);
  for (int i = 0; i < 2000; i++) assert_int_equal(ali3_step(m, d), ALI3_OK);
  ali3_energy_get(m, d, &after);
  for (int i = 0; i < 2; i++) ali3_body_get(m, d, i, &x[i]);
  assert_true(fabs(x[0].velocity[1] + 3 * x[1].velocity[1] - 2.1) < 1e-9);
  assert_true(fabs(x[0].velocity[0] + 3 * x[1].velocity[0]) < 1e-9);
  assert_true(fabs(after.total - before.total) < 1e-3 * before.total);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_follows_the_damped_oscillator),
      cmocka_unit_test(a_bushing_of_1e8_keeps_its_static_deflection),
      cmocka_unit_test(stiff_springs_settle_on_their_static_deflection),
      cmocka_unit_test(numerical_damping_ends_ringing),
      cmocka_unit_test(what_the_joints_make_heavy_swings_on),
      cmocka_unit_test(a_bushing_holds_each_axis_by_itself),
      cmocka_unit_test(a_joint_spring_winds_up_over_many_turns),
      cmocka_unit_test(a_joint_spring_on_a_slide),
      cmocka_unit_test(a_spring_between_free_bodies_keeps_momentum_and_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
