/* SPDX-License-Identifier: MIT
 * A hydraulic cylinder by itself, compared with closed forms, with differences of its own numbers, and with balances. */
#include "actuators/cylinder.h"
#include "check.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static ali3_force_spec ram(void)
{
  ali3_force_spec c = ali3_force_spec_default(ALI3_FORCE_CYLINDER);
  c.bore = 0.08;
  c.rod = 0.05;
  c.retracted = 0.7;
  c.stroke = 0.6;
  c.supply = 160e5;
  c.tank = 2e5;
  c.flow = 1e-3;
  c.leakage = 1e-11;
  c.damping[0] = 2000.0;
  return c;
}

static double area_a(const ali3_force_spec *c)
{
  return 0.25 * PI * c->bore * c->bore;
}

static double area_b(const ali3_force_spec *c)
{
  return area_a(c) - 0.25 * PI * c->rod * c->rod;
}

static void assert_close(double a, double b, double within)
{
  if (!(fabs(a - b) <= within * (fabs(b) + 1e-300))) fail_msg("expected %.17g, found %.17g", b, a);
}

TEST(begins_at_its_pressures)
{
  const ali3_force_spec c = ram();
  const double pressure[2] = {75e5, 3e5};
  double own[CYLINDER_STATES], found[2], slope;
  cylinder_begin(&c, 1.1, pressure, own);
  cylinder_pressures(&c, own, 1.1, found);
  for (int i = 0; i < 2; i++) assert_close(found[i], pressure[i], 1e-9);
  assert_close(cylinder_force(&c, own, 1.1, 0.3, 0.0, &slope), 600.0 - 75e5 * area_a(&c) + 3e5 * area_b(&c),
               1e-9);
  const double stiffness = c.bulk_modulus * (area_a(&c) * area_a(&c) / (1e-4 + 0.4 * area_a(&c)) +
                                             area_b(&c) * area_b(&c) / (1e-4 + 0.2 * area_b(&c)));
  assert_close(slope, stiffness, 0.01); /* up to p/E */
  assert_true(slope > stiffness && slope < cylinder_stiffest(&c));
}

/* The force of an oil spring is minus the slope of its energy, with cavities too. */
TEST(energy_has_the_force_as_its_slope)
{
  const ali3_force_spec c = ram();
  static const double pressure[][2] = {{75e5, 3e5}, {0, 0}, {-0.9e5, 120e5}};
  for (int i = 0; i < 3; i++)
    for (int k = -3; k <= 3; k++) {
      const double e = 1e-7, x = 1.1 + 0.004 * k; /* 4 mm change a pressure by 150 bar */
      double own[CYLINDER_STATES], slope, more;
      cylinder_begin(&c, 1.1, pressure[i], own);
      const double rise = (cylinder_energy(&c, own, x + e) - cylinder_energy(&c, own, x - e)) / (2.0 * e);
      const double force = cylinder_force(&c, own, x, 0.0, 0.0, &slope);
      if (fabs(rise - force) > 1e-6 * fabs(force) + 0.2) fail_msg("%d %d: %.9g %.9g", i, k, rise, force);
      more =
          cylinder_force(&c, own, x + e, 0.0, 0.0, &slope) - cylinder_force(&c, own, x - e, 0.0, 0.0, &slope);
      cylinder_force(&c, own, x, 0.0, 0.0, &slope);
      if (fabs(more / (2.0 * e) - slope) > 1e-4 * slope + 10.0)
        fail_msg("%d %d: slope %.9g %.9g", i, k, slope, more / (2.0 * e));
    }
}

/* Chamber a is open to the supply, chamber b to the tank: both flows by the law of the valve. */
TEST(flows_follow_the_valve)
{
  ali3_force_spec c = ram();
  const double pressure[2] = {100e5, 20e5};
  double own[CYLINDER_STATES], flow[2];
  c.overlap = 0.1;
  cylinder_begin(&c, 1.0, pressure, own);
  cylinder_flows(&c, own, 1.0, flow);
  assert_true(flow[0] == 0.0 && flow[1] == 0.0);
  own[CYLINDER_SPOOL] = 0.55;
  cylinder_flows(&c, own, 1.0, flow);
  assert_close(flow[0], 0.5 * c.flow * sqrt(60e5 / c.flow_drop), 1e-5);
  assert_close(flow[1], -0.5 * c.flow * sqrt(18e5 / c.flow_drop), 1e-5);
  own[CYLINDER_SPOOL] = -1.0;
  cylinder_flows(&c, own, 1.0, flow);
  assert_close(flow[0], -c.flow * sqrt(98e5 / c.flow_drop), 1e-5);
  assert_close(flow[1], c.flow * sqrt(140e5 / c.flow_drop), 1e-5);
  c.overlap = -0.2; /* all edges open */
  own[CYLINDER_SPOOL] = 0.0;
  cylinder_flows(&c, own, 1.0, flow);
  const double w = 0.2 / 1.2 * c.flow / sqrt(c.flow_drop);
  assert_close(flow[0], w * (sqrt(60e5) - sqrt(98e5)), 1e-5);
  assert_close(flow[1], w * (sqrt(140e5) - sqrt(18e5)), 1e-5);
}

/* An orifice between a blocked chamber and the supply: dp/dt = E Q(p)/V, with sqrt(p_s - p) linear in time. */
TEST(a_blocked_chamber_fills_as_by_hand)
{
  ali3_force_spec c = ram();
  c.leakage = 0.0;
  const double x = 1.0, V = 1e-4 + 0.3 * area_a(&c), E = c.bulk_modulus, T = 2e-3;
  const double rate = 0.5 * E / V * 0.05 * c.flow / sqrt(c.flow_drop);
  const double root = sqrt(c.supply - 10e5) - rate * T, expected = c.supply - root * root;
  double off[2];
  for (int run = 0; run < 2; run++) {
    const int steps = 4 << run;
    const double pressure[2] = {10e5, 10e5};
    double own[CYLINDER_STATES], found[2], slope;
    cylinder_begin(&c, x, pressure, own);
    for (int i = 0; i < steps; i++)
      cylinder_step(&c, &(struct cylinder_way){x, 0.0, x, T / steps, 0.05}, own, own, &slope);
    cylinder_pressures(&c, own, x, found);
    off[run] = fabs(found[0] - expected);
  }
  assert_true(off[0] < 1e-4 * expected);
  assert_true(off[0] / off[1] > 3.0 || off[1] < 2e-6 * expected); /* order two, down to the laminar part */
}

/* A chamber at almost no drop is far faster than the step: it settles at once, and does not swing. */
TEST(a_fast_chamber_settles_in_one_step)
{
  ali3_force_spec c = ram();
  c.dead_volume[1] = 1e-7;
  c.leakage = 0.0;
  const double x = c.retracted + c.stroke - 1e-6, pressure[2] = {10e5, 3e5};
  double own[CYLINDER_STATES], found[2], slope;
  cylinder_begin(&c, x, pressure, own);
  for (int i = 0; i < 5; i++) {
    cylinder_step(&c, &(struct cylinder_way){x, 0.0, x, 0.01, 1.0}, own, own, &slope);
    cylinder_pressures(&c, own, x, found);
    if (fabs(found[1] - c.tank) > 200.0) fail_msg("step %d: %.9g Pa", i, found[1]);
  }
}

/* The slope is that of differences of whole steps, with flow, leakage, cavities and lag. */
TEST(slope_is_that_of_differences)
{
  static const double pressure[][2] = {{75e5, 30e5}, {2.1e5, 160e5}, {-1e5, 3e5}};
  static const double command[] = {0.0, 0.02, 0.7, -1.0};
  ali3_force_spec c = ram();
  c.leakage = 1e-9;
  c.lag = 0.004;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++)
      for (double dt = 1e-4; dt < 0.2; dt *= 10.0) {
        double from[CYLINDER_STATES], own[CYLINDER_STATES], slope, other, force[2];
        cylinder_begin(&c, 1.0, pressure[i], from);
        from[CYLINDER_SPOOL] = 0.1;
        const double way = 0.05 * dt, e = 1e-8;
        for (int side = 0; side < 2; side++) {
          const struct cylinder_way w = {1.0, 0.07, 1.0 + way + (side ? e : -e), dt, command[k]};
          cylinder_step(&c, &w, from, own, &other);
          force[side] = cylinder_force(&c, own, w.x, 0.0, 0.0, &other);
        }
        cylinder_step(&c, &(struct cylinder_way){1.0, 0.07, 1.0 + way, dt, command[k]}, from, own, &slope);
        const double found = (force[1] - force[0]) / (2.0 * e);
        if (fabs(slope - found) > 2e-3 * fabs(found) + 2e3)
          fail_msg("%d %d dt %g: %.9g, by differences %.9g", i, k, dt, slope, found);
      }
}

/* Supplied energy goes into the oil, into work at the piston, and into losses. */
TEST(energy_balances)
{
  ali3_force_spec c = ram();
  double left[2];
  c.damping[0] = 0.0;
  c.leakage = 1e-10;
  c.overlap = -0.05;
  for (int run = 0; run < 2; run++) {
    const int steps = 2000 << run;
    const double T = 1.0, dt = T / steps, pressure[2] = {75e5, 30e5};
    double own[CYLINDER_STATES], slope, work = 0.0, last;
    cylinder_begin(&c, 1.0, pressure, own);
    const double before = cylinder_energy(&c, own, 1.0);
    last = cylinder_force(&c, own, 1.0, 0.0, 0.0, &slope);
    for (int i = 0; i < steps; i++) {
      const double t0 = i * dt, t1 = (i + 1) * dt, x0 = 1.0 + 0.1 * sin(3.0 * t0),
                   x1 = 1.0 + 0.1 * sin(3.0 * t1);
      cylinder_step(&c, &(struct cylinder_way){x0, 0.3 * cos(3.0 * t0), x1, dt, 0.3 * sin(7.0 * t1)}, own,
                    own, &slope);
      const double force = cylinder_force(&c, own, x1, 0.0, 0.0, &slope);
      work -= 0.5 * (last + force) * (x1 - x0);
      last = force;
    }
    left[run] = cylinder_energy(&c, own, 1.0 + 0.1 * sin(3.0 * T)) - before + work + own[ACTUATOR_LOST] -
                own[ACTUATOR_SUPPLIED];
    assert_true(own[ACTUATOR_SUPPLIED] > 1000.0 && own[ACTUATOR_LOST] > 1000.0);
    assert_true(fabs(left[run]) < 0.2);
  }
  assert_true(fabs(left[1]) < 0.3 * fabs(left[0]));
}

/* A mean over a step with the valve closed does the work of the stored energy. */
TEST(mean_does_the_work_of_the_energy)
{
  ali3_force_spec c = ram();
  c.leakage = c.damping[0] = 0.0;
  const double pressure[2] = {75e5, 30e5};
  double own[CYLINDER_STATES], slope, of_mean;
  cylinder_begin(&c, 1.0, pressure, own);
  const struct cylinder_way way = {1.0, 0.2, 1.0005, 0.01, 0.0};
  const double mean = cylinder_mean(&c, &way, own, own, 0.0, &of_mean);
  assert_close(mean * 0.0005, cylinder_energy(&c, own, 1.0005) - cylinder_energy(&c, own, 1.0), 1e-7);
  (void)slope;
}

TEST(holds_a_force_with_little_pressure)
{
  const ali3_force_spec c = ram();
  static const double force[] = {-3e4, -1e3, 0.0, 500.0, 4e4};
  for (int i = 0; i < 5; i++) {
    double p[2];
    cylinder_hold(&c, force[i], p);
    if (fabs(p[0] * area_a(&c) - p[1] * area_b(&c) - force[i]) > 1e-6) fail_msg("force %g", force[i]);
    assert_true(fmin(p[0], p[1]) == c.tank);
  }
}

/* A piston that is torn out cavitates at one bar below the atmosphere, and the oil is there again when it comes back. */
TEST(oil_cavitates_and_comes_back)
{
  ali3_force_spec c = ram();
  c.leakage = 0.0;
  const double pressure[2] = {10e5, 10e5};
  double own[CYLINDER_STATES], found[2], slope;
  cylinder_begin(&c, 1.0, pressure, own);
  cylinder_step(&c, &(struct cylinder_way){1.0, 1.0, 1.01, 0.01, 0.0}, own, own, &slope);
  cylinder_pressures(&c, own, 1.01, found);
  assert_true(found[0] == CYLINDER_VACUUM);
  cylinder_step(&c, &(struct cylinder_way){1.01, -1.0, 1.0, 0.01, 0.0}, own, own, &slope);
  cylinder_pressures(&c, own, 1.0, found);
  for (int i = 0; i < 2; i++) assert_close(found[i], pressure[i], 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begins_at_its_pressures),
      cmocka_unit_test(energy_has_the_force_as_its_slope),
      cmocka_unit_test(flows_follow_the_valve),
      cmocka_unit_test(a_blocked_chamber_fills_as_by_hand),
      cmocka_unit_test(a_fast_chamber_settles_in_one_step),
      cmocka_unit_test(slope_is_that_of_differences),
      cmocka_unit_test(energy_balances),
      cmocka_unit_test(mean_does_the_work_of_the_energy),
      cmocka_unit_test(holds_a_force_with_little_pressure),
      cmocka_unit_test(oil_cavitates_and_comes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
