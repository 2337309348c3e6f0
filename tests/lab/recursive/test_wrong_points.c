/* SPDX-License-Identifier: MIT
 * The problems of `ali3-lab table p4-oscillator` are built in, so that no model file can change them. Here each one is at 5 s
 * where its exact solution in tests/reference is; with 2 % more mass or other places it misses by far more than the table allows. */
#include "recursive/small_mass.h"

#include "check.h"

#include <math.h>

enum { COORDINATES = 4 };
static const double END = 5; /* s */

/* Largest difference from the exact places (bodies, d), m. */
static double run(struct small_mass_problem problem, double tolerance, const double *exact)
{
  struct small_mass_run o;
  struct radau_result result;
  double at[COORDINATES], off = 0;
  assert_null(small_mass_start(&o, &problem));
  assert_true(small_mass_run_to(&o, 0, END, tolerance, &result));
  small_mass_positions(&o, at);
  for (int i = 0; i < problem.bodies * problem.d; i++) off = fmax(off, fabs(at[i] - exact[i]));
  return off;
}

static void check_changes(struct small_mass_problem right, double tolerance, double allowed,
                          const double *exact)
{
  struct small_mass_problem heavy = right, wide = right;
  assert_true(run(right, tolerance, exact) < allowed);
  heavy.point[1].mass *= 1.02;
  assert_true(run(heavy, tolerance, exact) > 10 * allowed);
  wide.point[1].position[0] += 0.02; /* further from where its springs are slack */
  assert_true(run(wide, tolerance, exact) > 10 * allowed);
}

static void the_oscillator(void **state)
{
  (void)state;
  check_changes(small_mass_oscillator(0.1, 2), 1e-6, 1e-5,
                (const double[]){-0.0530539598762745, -0.0549535861416475});
  check_changes(small_mass_oscillator(0, 2), 1e-6, 1e-5,
                (const double[]){-0.0523472761058476, -0.053730270090458});
}

static void point_masses(void **state)
{
  (void)state;
  check_changes(small_mass_points(1, 0.1), 1e-10, 1e-10,
                (const double[]){-0.0207828251480196, 0, -0.0609785174980641, -1.3});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_oscillator), cmocka_unit_test(point_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
