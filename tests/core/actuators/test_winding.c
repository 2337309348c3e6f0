/* SPDX-License-Identifier: MIT
 * The winding of an electric motor, compared with closed forms and with its balance of energy. */
#include "actuators/winding.h"
#include "check.h"

#include <math.h>
#include <string.h>

static ali3_force_spec servo(void)
{
  ali3_force_spec w = ali3_force_spec_default(ALI3_FORCE_WINDING);
  w.resistance = 0.8;
  w.inductance = 2e-3;
  w.constant = 0.15;
  return w;
}

static void assert_near_to(double found, double expected, double within)
{
  if (!(fabs(found - expected) <= within)) fail_msg("expected %.17g, found %.17g", expected, found);
}

/* A locked rotor: i = u/R (1 - exp(-R t/L)), with order two. */
TEST(a_locked_rotor_follows_its_time_constant)
{
  const ali3_force_spec w = servo();
  double off[2], slope;
  for (int run = 0; run < 2; run++) {
    double own[WINDING_STATES];
    const int steps = 40 << run;
    const double T = 5e-3, dt = T / steps;
    winding_begin(&w, own);
    for (int i = 0; i < steps; i++)
      winding_step(&w, &(struct winding_way){0.0, 0.0, dt, 24.0}, own, own, &slope);
    off[run] = fabs(own[WINDING_CURRENT] - 30.0 * (1.0 - exp(-0.8 * T / 2e-3)));
    assert_near_to(winding_torque(&w, own), 0.15 * own[WINDING_CURRENT], 1e-12);
    assert_near_to(winding_energy(&w, own), 1e-3 * own[WINDING_CURRENT] * own[WINDING_CURRENT], 1e-12);
  }
  assert_true(off[0] < 1e-3 && off[0] / off[1] > 3.5 && off[0] / off[1] < 4.5);
}

/* A winding that is far faster than the step, or has no inductance, has its steady current after one step. */
TEST(a_fast_winding_settles_at_once)
{
  for (int i = 0; i < 2; i++) {
    ali3_force_spec w = servo();
    double own[WINDING_STATES], slope;
    w.inductance = i * 1e-9;
    w.current = 7.0;
    winding_begin(&w, own);
    winding_step(&w, &(struct winding_way){20.0, 20.0, 0.01, 12.0}, own, own, &slope);
    assert_near_to(own[WINDING_CURRENT], (12.0 - 0.15 * 20.0) / 0.8, 1e-12 + i * 1e-3);
    assert_near_to(slope, 0.15 * 0.15 / 0.8, 1e-6);
  }
}

TEST(a_superconductor_keeps_its_flux)
{
  ali3_force_spec w = servo();
  double own[WINDING_STATES], slope;
  w.resistance = 0.0;
  w.current = 5.0;
  winding_begin(&w, own);
  winding_step(&w, &(struct winding_way){0.0, 8.0, 0.01, 0.0}, own, own, &slope);
  assert_near_to(own[WINDING_CURRENT], 5.0 - 0.15 * (0.5 * 0.01 * 8.0) / 2e-3, 1e-9); /* the angle so far */
}

/* The controller lowers the voltage at the limit of the current, also against a motion that generates. */
TEST(limits_hold)
{
  ali3_force_spec w = servo();
  double own[WINDING_STATES], slope;
  w.max_current = 12.0;
  w.max_voltage = 48.0;
  winding_begin(&w, own);
  for (int i = 0; i < 100; i++)
    winding_step(&w, &(struct winding_way){0.0, 0.0, 0.001, 1e3}, own, own, &slope);
  assert_true(own[WINDING_CURRENT] == 12.0 && slope == 0.0);
  assert_near_to(own[WINDING_VOLTAGE], 9.6, 1e-9);
  for (int i = 0; i < 100; i++)
    winding_step(&w, &(struct winding_way){400.0, 400.0, 0.001, 0.0}, own, own, &slope);
  assert_true(own[WINDING_CURRENT] == -12.0);
  w.max_current = INFINITY;
  for (int i = 0; i < 100; i++)
    winding_step(&w, &(struct winding_way){0.0, 0.0, 0.001, -1e3}, own, own, &slope);
  assert_near_to(own[WINDING_CURRENT], -60.0, 1e-6);
}

TEST(slope_is_that_of_differences)
{
  for (double dt = 1e-5; dt < 1.0; dt *= 10.0) {
    const ali3_force_spec w = servo();
    double from[WINDING_STATES], a[WINDING_STATES], b[WINDING_STATES], slope;
    winding_begin(&w, from);
    winding_step(&w, &(struct winding_way){3.0, 4.0, dt, 9.0}, from, a, &slope);
    winding_step(&w, &(struct winding_way){3.0, 5.0, dt, 9.0}, from, b, &slope);
    assert_near_to(slope, winding_torque(&w, a) - winding_torque(&w, b), 1e-12);
  }
}

/* Supplied energy goes into the shaft, the resistance and the winding, with limits too. */
TEST(energy_balances)
{
  double left[2];
  for (int run = 0; run < 2; run++) {
    ali3_force_spec w = servo();
    double own[WINDING_STATES], slope, work = 0.0, last = 0.0;
    const int steps = 4000 << run;
    const double dt = 1.0 / steps;
    w.max_current = 20.0;
    winding_begin(&w, own);
    for (int i = 0; i < steps; i++) {
      const double rate0 = 60.0 * sin(9.0 * i * dt), rate = 60.0 * sin(9.0 * (i + 1) * dt);
      winding_step(&w, &(struct winding_way){rate0, rate, dt, 40.0 * cos(5.0 * (i + 1) * dt)}, own, own,
                   &slope);
      const double power = winding_torque(&w, own) * rate;
      work += 0.5 * dt * (last + power);
      last = power;
    }
    left[run] = own[ACTUATOR_SUPPLIED] - own[ACTUATOR_LOST] - winding_energy(&w, own) - work;
    assert_true(own[ACTUATOR_SUPPLIED] > 50.0 && own[ACTUATOR_LOST] > 50.0);
  }
  assert_true(fabs(left[0]) < 0.02 && fabs(left[1]) < 0.4 * fabs(left[0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_locked_rotor_follows_its_time_constant),
      cmocka_unit_test(a_fast_winding_settles_at_once),
      cmocka_unit_test(a_superconductor_keeps_its_flux),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(slope_is_that_of_differences),
      cmocka_unit_test(energy_balances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
