/* SPDX-License-Identifier: MIT
 * Constant loads of the model and loads changed from outside, on a body that turns, compared with closed forms. */
#include "check.h"
#include "common/toys.h"
#include "kernels/data.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double none[3] = {0.0};
static const double MASS = 2.0, INERTIA = 0.5;

/* A free body, no gravity, under `loads`; it turns about z with `spin` rad/s. */
static ali3_model *body_under(const ali3_load_spec *load, int loads, double spin, const ali3_options *options)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, MASS, INERTIA);
  b.angular_velocity[2] = spin;
  toy_added(m, ali3_model_add_body(m, &b));
  for (int i = 0; i < loads; i++) toy_added(m, ali3_model_add_load(m, &load[i]));
  toy_freeze_with(m, options);
  return m;
}

static ali3_body_state after(const ali3_model *m, ali3_data *d, int steps)
{
  ali3_body_state x;
  toy_run(m, d, steps);
  ali3_body_get(m, d, 0, &x);
  return x;
}

/* A force F along the body's x while it turns with w: m r'' = F (cos wt, sin wt). Error of the position after 2 s. */
static double thrust_error(double dt, bool extrapolate)
{
  const double F = 3.0, w = 2.0, t = 2.0, k = F / (MASS * w * w);
  ali3_options options = ali3_options_default();
  options.dt = dt;
  options.extrapolate = extrapolate;
  const ali3_load_spec thrust = {.name = "thrust", .vector = {F, 0, 0}, .body_axes = true};
  ali3_model *m = body_under(&thrust, 1, w, &options);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x = after(m, d, (int)lround(t / dt));
  double error = hypot(x.position[0] - k * (1.0 - cos(w * t)), x.position[1] - k * (w * t - sin(w * t)));
  assert_true(fabs(x.angular_velocity[2] - w) < 1e-4 && fabs(x.position[2]) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
  return error;
}

TEST(a_force_in_body_axes_turns_with_the_body)
{
  double coarse = thrust_error(0.01, false), fine = thrust_error(0.005, false),
         best = thrust_error(0.01, true);
  print_message("error at 10 ms %.2e m, at 5 ms %.2e m, extrapolated %.2e m\n", coarse, fine, best);
  assert_true(coarse < 1e-3);
  assert_true(coarse / fine > 3.5 && coarse / fine < 4.5);
  assert_true(best < coarse / 50.0);
}

/* With an arm it makes a constant torque: angle a t^2 / 2, and m r'' along the body's x at that angle, which the test
 * integrates by Simpson's rule. In world axes only the arm turns: J angle'' = F p cos(angle), a pendulum, which keeps its
 * energy. */
TEST(a_force_at_a_point)
{
  const double F = 3.0, p = 0.4, t = 1.0, a = p * F / INERTIA;
  ali3_options options = ali3_options_default();
  options.dt = 1e-3;
  ali3_load_spec push = {.name = "push", .vector = {F, 0, 0}, .point = {0, -p, 0}, .body_axes = true};
  ali3_model *m = body_under(&push, 1, 0.0, &options);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x = after(m, d, 1000);
  double v[2] = {0.0};
  enum { N = 1000 };
  for (int i = 0; i <= N; i++) {
    double at = t * i / N, weight = (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0) * t / (3.0 * N);
    v[0] += weight * F / MASS * cos(0.5 * a * at * at);
    v[1] += weight * F / MASS * sin(0.5 * a * at * at);
  }
  assert_true(fabs(x.angular_velocity[2] - a * t) < 1e-5);
  assert_true(fabs(x.velocity[0] - v[0]) < 1e-5 && fabs(x.velocity[1] - v[1]) < 1e-5);
  ali3_data_free(d);
  ali3_model_free(m);

  push.body_axes = false;
  m = body_under(&push, 1, 0.0, &options);
  d = toy_start(m, ALI3_OK);
  x = after(m, d, 1000);
  double angle = 2.0 * atan2(x.orientation[3], x.orientation[0]), w = x.angular_velocity[2];
  assert_true(angle > 0.5);
  assert_true(fabs(0.5 * INERTIA * w * w - F * p * sin(angle)) < 1e-5);
  assert_true(fabs(x.velocity[0] - F / MASS * t) < 1e-10 && fabs(x.velocity[1]) < 1e-10);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A quarter turn about x: the body's y is the world's z. Angular accelerations are in body axes. */
TEST(a_torque_in_either_axes)
{
  for (int own = 0; own < 2; own++) {
    ali3_model *m = ali3_model_new();
    ali3_body_spec b = toy_body("b", none, MASS, INERTIA);
    b.orientation[0] = b.orientation[1] = sqrt(0.5);
    toy_added(m, ali3_model_add_body(m, &b));
    const ali3_load_spec twist = {.name = "twist",
                                  .type = ALI3_LOAD_TORQUE,
                                  .vector = {0, 1, 0},
                                  .point = {5, 5, 5}, /* unused by this type */
                                  .body_axes = own};
    toy_added(m, ali3_model_add_load(m, &twist));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_body_state x;
    ali3_body_get(m, d, 0, &x);
    const double expected[3] = {0.0, own ? 1.0 / INERTIA : 0.0, own ? 0.0 : -1.0 / INERTIA};
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(x.angular_acceleration[i] - expected[i]) < 1e-12);
      assert_true(fabs(x.acceleration[i]) < 1e-12);
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Two forces and the load set on the body add up, and each can change during the run. */
TEST(loads_add_up_and_change)
{
  const ali3_options options = ali3_options_default();
  const ali3_load_spec load[] = {{.name = "one", .vector = {1, 0, 0}}, {.vector = {0, 2, 0}}};
  ali3_model *m = body_under(load, 2, 0.0, &options);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_wrench(m, d, 0, (const double[]){0, 0, 4}, none);
  assert_int_equal(ali3_reset(m, d), ALI3_OK); /* the first acceleration thus contains it */
  ali3_body_state x = after(m, d, 100);
  const double t = 1.0;
  for (int i = 0; i < 3; i++) assert_true(fabs(x.velocity[i] - (1 << i) / MASS * t) < 1e-10);

  ali3_set_load(m, d, 1, (const double[]){0, -6, 0});
  after(m, d, 1); /* the step of the change uses both values */
  ali3_body_get(m, d, 0, &x);
  const double y = x.velocity[1];
  x = after(m, d, 99);
  assert_true(fabs(x.velocity[0] - 2.0 * 1.0 / MASS) < 1e-10);
  assert_true(fabs(x.velocity[1] - (y - 0.99 * 6.0 / MASS)) < 1e-10);
  assert_true(fabs(x.acceleration[1] + 6.0 / MASS) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_reset_brings_back_what_the_model_says)
{
  const ali3_options options = ali3_options_default();
  const ali3_load_spec load = {.vector = {1, 0, 0}, .point = {0, 0.1, 0}, .body_axes = true};
  ali3_model *m = body_under(&load, 1, 1.0, &options);
  ali3_data *d = toy_start(m, ALI3_OK);
  const ali3_body_state before = after(m, d, 50);
  ali3_set_load(m, d, 0, (const double[]){7, 8, 9});
  assert_true(after(m, d, 50).position[2] > 0.1);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  const ali3_body_state again = after(m, d, 50);
  assert_memory_equal(&before, &again, sizeof before);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(values_are_kept_by_force_until_a_reset)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", none, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &b));
  static const char *const name[] = {"S", "T"};
  for (int i = 0; i < 2; i++) {
    const ali3_force_spec coil = {.name = name[i],
                                  .type = ALI3_FORCE_SPRING,
                                  .body_a = ALI3_GROUND,
                                  .point_a = {1, i, 0},
                                  .stiffness = {1},
                                  .rest = NAN};
    toy_added(m, ali3_model_add_force(m, &coil));
  }
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  assert_true(d->outside.now.command[0] == 0.0 && d->outside.now.command[1] == 0.0);
  ali3_set_command(m, d, 1, -2.5);
  toy_run(m, d, 3);
  assert_true(d->outside.now.command[0] == 0.0 && d->outside.now.command[1] == -2.5);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  assert_true(d->outside.now.command[1] == 0.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_in_body_axes_turns_with_the_body),
      cmocka_unit_test(a_force_at_a_point),
      cmocka_unit_test(a_torque_in_either_axes),
      cmocka_unit_test(loads_add_up_and_change),
      cmocka_unit_test(a_reset_brings_back_what_the_model_says),
      cmocka_unit_test(values_are_kept_by_force_until_a_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
