/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/platform_defaults.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180.0)

TEST(defaults_are_those_of_the_list)
{
  struct platform_params p;
  memset(&p, 0xff, sizeof p);
  params_default(&p);
  assert_true(p.gain_lin[0] == 0.44 && p.gain_lin[1] == 0.44 && p.gain_lin[2] == 0.5);
  assert_true(p.hp_wn[1] == 2.5 && p.hp_wn[2] == 3.0 && p.hp_zeta[0] == 1.0);
  assert_true(p.hp_wb[1] == 0.0 && p.hp_wb[2] == 0.3);
  assert_true(p.ang_max[0] == 18.0 && p.ang_max[2] == 20.0 && p.smooth_hz[0] == 10.0);
}

/* Each parameter accepts its bounds and its default, and no value beyond. A refusal changes nothing. */
TEST(each_number_keeps_to_its_range)
{
  struct platform_params p, before;
  char error[200];
  params_default(&p);
  for (int i = 0; i < PARAMS; i++) {
    const struct params_scalar *s = &params_table[i];
    const double fallback = ((double *)&p)[i];
    before = p;
    assert_true(s->least < s->greatest);
    assert_false(params_set(&p, s->name, s->least - 1e-6, error, sizeof error));
    assert_non_null(strstr(error, s->name));
    assert_false(params_set(&p, s->name, nextafter(s->greatest, INFINITY), error, sizeof error));
    assert_false(params_set(&p, s->name, NAN, error, sizeof error));
    assert_false(params_set(&p, s->name, INFINITY, error, sizeof error));
    assert_memory_equal(&p, &before, sizeof p);
    assert_true(params_set(&p, s->name, s->least, error, sizeof error));
    assert_true(((double *)&p)[i] == s->least);
    assert_true(params_set(&p, s->name, s->greatest, error, sizeof error));
    assert_true(((double *)&p)[i] == s->greatest);
    assert_true(
        params_set(&p, s->name, fallback, error, sizeof error)); /* defaults are within their ranges */
    assert_memory_equal(&p, &before, sizeof p);
  }
}

TEST(names_lead_to_the_fields)
{
  struct platform_params p;
  char error[200];
  params_default(&p);
  assert_true(params_set(&p, "gain_lin.x", 0.25, error, sizeof error));
  assert_true(params_set(&p, "in_limit_rot.z", 0.75, error, sizeof error));
  assert_true(params_set(&p, "hp_zeta", 1.25, error, sizeof error));
  assert_true(params_set(&p, "smooth_hz", 12.0, error, sizeof error));
  assert_true(p.gain_lin[0] == 0.25 && p.in_limit_rot[2] == 0.75 && p.hp_zeta[0] == 1.25 &&
              p.smooth_hz[0] == 12.0);
}

TEST(what_is_wrong_is_said)
{
  struct platform_params p;
  char error[200];
  params_default(&p);
  assert_false(params_set(&p, "gain_lin.x", 2.0, error, sizeof error));
  assert_string_equal(error, "gain_lin.x: expected a number from 0 to 1.5, found 2");
  assert_false(params_set(&p, "tilt_rate", 0.0, error, sizeof error));
  assert_string_equal(error, "tilt_rate: expected a number from 0.1 to 20 deg/s, found 0");
  assert_false(params_set(&p, "gain_lin", 1.0, error, sizeof error));
  assert_string_equal(
      error, "gain_lin: has three numbers; set them one by one as gain_lin.x, gain_lin.y, gain_lin.z");
  assert_false(params_set(&p, "gain", 1.0, error, sizeof error));
  assert_string_equal(error, "gain: no such parameter of the platform");
  assert_false(params_set(&p, "", 1.0, error, sizeof error));
}

TEST(degrees_become_radians)
{
  struct platform_params p, si;
  struct platform_limits limits;
  params_default(&p);
  params_si(&p, &si);
  assert_true(si.gain_lin[0] == 0.44 && si.in_limit_rot[1] == 1.0 && si.smooth_hz[0] == 10.0);
  assert_true(fabs(si.tilt_rate[0] - 3.0 * DEGREE) < 1e-16 && fabs(si.tilt_acc[0] - 8.0 * DEGREE) < 1e-15 &&
              fabs(si.tilt_max[0] - 10.0 * DEGREE) < 1e-16);
  params_limits(&p, &limits);
  const struct platform_limits expected = {
      {0.2, 0.2, 0.15, 18 * DEGREE, 18 * DEGREE, 20 * DEGREE},
      {0.4, 0.4, 0.3, 30 * DEGREE, 30 * DEGREE, 40 * DEGREE},
      {4, 4, 4, 300 * DEGREE, 300 * DEGREE, 300 * DEGREE},
      {100, 100, 100, 6000 * DEGREE, 6000 * DEGREE, 6000 * DEGREE},
  };
  for (int i = 0; i < PLATFORM_DOF; i++)
    assert_true(
        fabs(limits.pos[i] - expected.pos[i]) < 1e-13 && fabs(limits.vel[i] - expected.vel[i]) < 1e-13 &&
        fabs(limits.acc[i] - expected.acc[i]) < 1e-13 && fabs(limits.jerk[i] - expected.jerk[i]) < 1e-11);
}

TEST(a_mixture_lies_on_the_line)
{
  struct platform_params a, b, o;
  char error[200];
  params_default(&a);
  b = a;
  for (int i = 0; i < PARAMS; i++)
    assert_true(params_set(&b, params_table[i].name, params_table[i].greatest, error, sizeof error));
  params_mix(&a, &b, 0.0, &o);
  assert_memory_equal(&o, &a, sizeof o);
  params_mix(&a, &b, 1.0, &o);
  assert_memory_equal(&o, &b, sizeof o);
  params_mix(&a, &b, 0.25, &o);
  assert_true(o.gain_lin[2] == 0.75 && fabs(o.blend[0] - 3.25) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_list), cmocka_unit_test(each_number_keeps_to_its_range),
      cmocka_unit_test(names_lead_to_the_fields),       cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(degrees_become_radians),         cmocka_unit_test(a_mixture_lies_on_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
