/* SPDX-License-Identifier: MIT
 * A mass between two taut springs or cables: it oscillates across their line with the stiffness 2 pull/length. */
#include "stepper/corners.h"

struct swing {
  double period;    /* s */
  double amplitude; /* m, in the second half */
  double off;       /* J, largest deviation of the energy */
  int degraded;     /* steps */
};

static const double LENGTH = 1.0, STIFFNESS = 1e6, START = 1e-3;

static struct swing swing(ali3_force_type type, double pull, const ali3_options *o)
{
  struct swing seen = {0};
  ali3_model *m = ali3_model_new();
  ali3_body_spec mass = toy_body("mass", (double[]){0, START, 0}, 1.0, 0.01);
  toy_added(m, ali3_model_add_body(m, &mass));
  for (int i = 0; i < 2; i++) {
    ali3_force_spec s = ali3_force_spec_default(type);
    s.name = i ? "right" : "left";
    s.body_a = ALI3_GROUND;
    s.body_b = 0;
    s.point_a[0] = i ? LENGTH : -LENGTH;
    s.stiffness[0] = STIFFNESS;
    s.rest = LENGTH - pull / STIFFNESS;
    toy_added(m, ali3_model_add_force(m, &s));
  }
  toy_freeze_with(m, o);
  ali3_data *d = toy_start(m, ALI3_OK);
  double before = energy(m, d), y = START, first = NAN, last = NAN;
  const int steps = (int)lround(2.0 / o->dt);
  int periods = 0;
  for (int i = 1; i <= steps; i++) {
    toy_run(m, d, 1);
    seen.degraded += ali3_data_report(d)->status > 0;
    const double now = body(m, d, 0).position[1];
    if (y < 0.0 && now >= 0.0) {
      last = o->dt * (i - now / (now - y));
      if (isnan(first)) first = last;
      periods++;
    }
    y = now;
    if (2 * i > steps) seen.amplitude = fmax(seen.amplitude, fabs(y));
    seen.off = fmax(seen.off, fabs(energy(m, d) - before));
  }
  seen.period = (last - first) / (periods - 1);
  end(m, d);
  return seen;
}

/* The trapezoidal rule advances the phase by 2 atan(omega dt/2) per step. */
static double period_of_the_rule(double pull, double dt)
{
  const double pi = acos(-1.0), omega = sqrt(2.0 * pull / LENGTH);
  return pi * dt / atan(0.5 * omega * dt);
}

TEST(three_iterations_follow_the_swing)
{
  ali3_options o = ali3_options_default();
  const double pull[] = {100, 1000, 4000, 10000, 20000, 40000};
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < sizeof pull / sizeof *pull; k++) {
      const struct swing s = swing(i ? ALI3_FORCE_CABLE : ALI3_FORCE_SPRING, pull[k], &o);
      const double wanted = period_of_the_rule(pull[k], o.dt);
      print_message("%s, %5g N: period %.6f s of %.6f, amplitude %.2e m of %.0e, %d degraded steps\n",
                    i ? "cables" : "springs", pull[k], s.period, wanted, s.amplitude, START, s.degraded);
      assert_true(fabs(s.period - wanted) < 2e-3 * wanted);
      assert_true(fabs(s.amplitude - START) < 0.02 * START);
      assert_true(s.off < 0.03 * pull[k] / LENGTH * START * START);
      assert_int_equal(s.degraded, 0);
    }
}

TEST(the_period_is_right_where_the_step_is_fine)
{
  ali3_options o = ali3_options_default();
  o.dt = 1e-3;
  const struct swing s = swing(ALI3_FORCE_CABLE, 4000.0, &o);
  const double exact = 2.0 * acos(-1.0) / sqrt(2.0 * 4000.0 / LENGTH);
  print_message("cables: period %.6f s of %.6f\n", s.period, exact);
  assert_true(fabs(s.period - exact) < 1e-3 * exact);
}

/* With fewer than four steps per period the combined branches would grow, so they are not combined. */
TEST(extrapolated_it_does_not_grow)
{
  ali3_options o = ali3_options_default();
  o.extrapolate = true;
  const double pull[] = {1000, 4000, 10000, 40000};
  for (size_t k = 0; k < sizeof pull / sizeof *pull; k++) {
    const struct swing s = swing(ALI3_FORCE_SPRING, pull[k], &o);
    print_message("springs, %5g N: amplitude %.2e m of %.0e\n", pull[k], s.amplitude, START);
    assert_true(s.amplitude < 1.05 * START);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_iterations_follow_the_swing),
      cmocka_unit_test(the_period_is_right_where_the_step_is_fine),
      cmocka_unit_test(extrapolated_it_does_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
