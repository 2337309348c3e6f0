/* SPDX-License-Identifier: MIT
 * The tread of a tyre, compared with closed forms and with its balance of energy. */
#include "actuators/tyre.h"
#include "check.h"

#include <math.h>
#include <string.h>

static ali3_force_spec road_tyre(void)
{
  ali3_force_spec t = ali3_force_spec_default(ALI3_FORCE_TYRE);
  t.load = 4000.0;
  t.slip_stiffness[0] = 20.0;
  t.slip_stiffness[1] = 15.0;
  t.relaxation[0] = 0.2;
  t.relaxation[1] = 0.5;
  t.grip[1] = 0.9;
  t.shape = 1.6;
  t.curvature = 0.3;
  return t;
}

static void assert_near_to(double found, double expected, double within)
{
  if (!(fabs(found - expected) <= within)) fail_msg("expected %.17g, found %.17g", expected, found);
}

static double magic(const ali3_force_spec *t, double s)
{
  const double x = s / t->shape;
  return sin(t->shape * atan((1.0 - t->curvature) * x + t->curvature * atan(x)));
}

/* Slip that stays: the magic formula of both components together, at any load, after any step. */
TEST(steady_slip_has_the_force_of_the_formula)
{
  const ali3_force_spec t = road_tyre();
  static const double sliding[][2] = {{1e-4, 0.0}, {-0.8, 0.0}, {0.0, 1.5}, {3.0, -2.0}, {-20.0, 20.0}};
  for (size_t k = 0; k < sizeof sliding / sizeof *sliding; k++)
    for (int heavy = 0; heavy < 2; heavy++)
      for (int coarse = 0; coarse < 2; coarse++) {
        const struct tyre_motion at = {.sliding = {sliding[k][0], sliding[k][1]}, .rolling = -20.0};
        const struct tyre_way way = {at, at, 2000.0 + 4000.0 * heavy, coarse ? 0.5 : 0.002};
        double own[TYRE_STATES] = {0}, mean[2], slope[2], s[2];
        for (int i = 0; i < 3000; i++) tyre_step(&t, &way, own, own, mean, slope);
        for (int i = 0; i < 2; i++) s[i] = -t.slip_stiffness[i] / t.grip[i] * sliding[k][i] / 20.0;
        const double size = sqrt(s[0] * s[0] + s[1] * s[1]);
        for (int i = 0; i < 2; i++) {
          const double force = t.grip[i] * way.load * magic(&t, size) * s[i] / size;
          assert_near_to(mean[i], force, 1e-9 * way.load);
          assert_true(slope[i] >= 0.0);
        }
        double end[2];
        tyre_force(&t, own, &at, way.load, end);
        for (int i = 0; i < 2; i++) assert_near_to(end[i], mean[i], 1e-9 * way.load);
      }
}

/* A wheel that does not roll is a spring up to the friction, then slides with the friction of a locked wheel. It loses the work that
 * it takes, less the energy that it stores. */
TEST(a_wheel_that_stands_is_a_spring)
{
  ali3_force_spec t = road_tyre();
  t.shape = 1.0;
  const double v = 1e-4, dt = 0.01;
  const struct tyre_motion at = {.sliding = {v, 0.0}};
  double own[TYRE_STATES] = {0}, mean[2], slope[2], work = 0.0;
  for (int i = 0; i < 200000; i++) {
    tyre_step(&t, &(struct tyre_way){at, at, 4000.0, dt}, own, own, mean, slope);
    work -= mean[0] * v * dt;
    const double far = v * dt * (i + 0.5); /* in the middle of the step */
    assert_near_to(mean[0], -4000.0 * (1.0 - exp(-tyre_stiffness(&t, 0) * far / 4000.0)), 1e-3);
    assert_true(mean[0] >= -4000.0 * (1.0 + 1e-12));
    assert_near_to(own[ACTUATOR_LOST] + tyre_energy(&t, own, 0), work, 1e-3 * work);
  }
  assert_near_to(mean[0], -4000.0, 1e-5);
  /* it stands still: no force and no deflection is lost */
  const struct tyre_motion still = {.sliding = {0.0, 0.0}};
  const double before = own[TYRE_DEFLECTION];
  for (int i = 0; i < 1000; i++)
    tyre_step(&t, &(struct tyre_way){still, still, 4000.0, dt}, own, own, mean, slope);
  assert_true(own[TYRE_DEFLECTION] == before);
  assert_near_to(mean[0], -4000.0, 1e-5);
  assert_near_to(tyre_stiffness(&t, 0), 20.0 * 4000.0 / 0.2, 1e-9);
}

/* The forces follow a load that falls, and an unloaded tread is free: it loses what it stored. */
TEST(the_load_limits_the_force)
{
  const ali3_force_spec t = road_tyre();
  const struct tyre_motion still = {.sliding = {0.0, 0.0}};
  double own[TYRE_STATES] = {0}, mean[2], slope[2], stored = 0.0;
  own[TYRE_DEFLECTION] = 0.008;
  own[TYRE_DEFLECTION + 1] = -0.02;
  for (int i = 0; i < 2; i++) stored += tyre_energy(&t, own, i);
  for (double load = 4000.0; load >= 0.0; load -= 500.0) {
    tyre_step(&t, &(struct tyre_way){still, still, load, 0.01}, own, own, mean, slope);
    const double x = mean[0], y = mean[1] / 0.9;
    assert_true(sqrt(x * x + y * y) <= load * (1.0 + 1e-12));
    double left = own[ACTUATOR_LOST];
    for (int i = 0; i < 2; i++) left += tyre_energy(&t, own, i);
    assert_near_to(left, stored, 0.05 * stored);
  }
  assert_true(mean[0] == 0.0 && mean[1] == 0.0 && own[TYRE_DEFLECTION] == 0.0 &&
              own[TYRE_DEFLECTION + 1] == 0.0);
}

/* The slopes are the derivatives of the mean force by the sliding at the end. */
TEST(slopes_are_derivatives)
{
  ali3_force_spec t = road_tyre();
  t.slip_damping[0] = 300.0;
  t.slip_damping[1] = 200.0;
  for (int rolls = 0; rolls < 2; rolls++)
    for (int i = 0; i < 2; i++) {
      const struct tyre_motion at = {.sliding = {0.1, -0.2}, .rolling = 10.0 * rolls};
      struct tyre_way way = {at, at, 3500.0, 2e-3};
      const double from[TYRE_STATES] = {[TYRE_DEFLECTION] = 1e-3, [TYRE_DEFLECTION + 1] = 2e-3}, h = 1e-6;
      double own[TYRE_STATES], slope[2], none[2], mean[2][2];
      tyre_step(&t, &way, from, own, mean[0], slope);
      for (int e = 0; e < 2; e++) {
        way.end.sliding[i] = at.sliding[i] + (e ? h : -h);
        tyre_step(&t, &way, from, own, mean[e], none);
      }
      assert_near_to(slope[i], (mean[0][i] - mean[1][i]) / (2.0 * h), 1e-4 * slope[i]);
    }
}

TEST(slip_is_shown_as_it_moves)
{
  double slip, angle;
  tyre_slip(&(struct tyre_motion){.sliding = {-1.0, -2.0}, .rolling = 20.0}, &slip, &angle);
  assert_near_to(slip, 0.05, 1e-15);
  assert_near_to(angle, atan(0.1), 1e-15);
  tyre_slip(&(struct tyre_motion){.sliding = {-50.0, 0.0}, .rolling = -1.0}, &slip, &angle);
  assert_true(slip == 10.0 && angle == 0.0);
  tyre_slip(&(struct tyre_motion){.sliding = {-1e-5, 1e-6}, .rolling = 1e-6}, &slip, &angle);
  assert_true(slip == 0.0 && angle == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_slip_has_the_force_of_the_formula),
      cmocka_unit_test(a_wheel_that_stands_is_a_spring),
      cmocka_unit_test(the_load_limits_the_force),
      cmocka_unit_test(slopes_are_derivatives),
      cmocka_unit_test(slip_is_shown_as_it_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
