/* SPDX-License-Identifier: MIT
 * Parameters of the washout that change while it runs. */
#include "common/random.h"
#include "platform/washout_bench.h"

/* Random parameters again and again, also during a blend, cause no jump. The tilt may brake at any time, so accelerations are
 * compared without it. */
static void changes_leave_no_jump(bool tilting)
{
  const double period = 0.001;
  struct random random = {21};
  struct washout w = washout_by_default(period);
  struct platform_motion last = {0}, m;
  const double force[3] = {1.0, -0.7, G + 1.2}, spin[3] = {0.05, -0.04, 0.08};
  struct platform_params p;
  params_default(&p);
  for (int cycle = -9100; cycle < 60000; cycle++) {
    if (cycle % 700 == 0) {
      for (int i = 0; i < PARAMS && cycle >= 0; i++) {
        const struct params_scalar *s = &params_table[i];
        set_parameter(&p, s->name, random_between(&random, s->least, s->greatest));
      }
      set_parameter(&p, "blend", random_between(&random, 0.5, 2.0));
      if (!tilting) set_parameter(&p, "tilt_max", 0.0);
      washout_tune(&w, &p);
    }
    washout_step(&w, force, spin, nothing, &m);
    for (int i = 0; i < PLATFORM_DOF && cycle > -3000; i++) {
      const double v = 0.5 * (fabs(m.v[i]) + fabs(last.v[i])), a = 0.5 * (fabs(m.a[i]) + fabs(last.a[i]));
      assert_true(fabs(m.p[i] - last.p[i]) <= (v + 0.01) * period);
      const double braking = tilting ? 20.0 : 0.5; /* rad/s^2: the largest tilt_acc */
      assert_true(fabs(m.v[i] - last.v[i]) <= (2.0 * a + braking) * period);
      if (!tilting) assert_true(fabs(m.a[i] - last.a[i]) < 0.25);
    }
    last = m;
  }
}

TEST(parameters_change_without_a_jump)
{
  changes_leave_no_jump(true);
  changes_leave_no_jump(false);
}

TEST(parameters_move_in_a_straight_line)
{
  struct washout w = washout_by_default(0.001);
  struct platform_params p;
  struct platform_motion m;
  params_default(&p);
  set_parameter(&p, "gain_lin.x", 1.0);
  set_parameter(&p, "tilt_rate", 6.0);
  set_parameter(&p, "blend", 2.0);
  washout_tune(&w, &p);
  run(&w, level, still, 1.0, &m);
  assert_true(w.blending && fabs(w.now.gain_lin[0] - 0.72) < 1e-12);
  assert_true(fabs(w.now.tilt_rate[0] - 4.5 * M_PI / 180.0) < 1e-12);
  set_parameter(&p, "gain_lin.x", 0.25);
  set_parameter(&p, "blend", 0.5);
  washout_tune(&w, &p);
  run(&w, level, still, 0.25, &m);
  assert_true(w.blending && fabs(w.now.gain_lin[0] - 0.485) < 1e-12);
  run(&w, level, still, 0.26, &m);
  assert_true(!w.blending && w.now.gain_lin[0] == 0.25);
}

/* After a blend and some time, the motion is that of a washout that always had these parameters. */
TEST(a_blend_ends_in_the_new_parameters)
{
  struct platform_params p;
  struct washout w = washout_by_default(0.01), fresh;
  struct platform_motion m, expected;
  double force[3], spin[3];
  params_default(&p);
  set_parameter(&p, "hp_wn.x", 1.7);
  set_parameter(&p, "hp_wb.x", 0.4);
  set_parameter(&p, "lp_wn", 4.0);
  set_parameter(&p, "rot_wn", 0.7);
  washout_init(&fresh, &p, 0.01, head);
  washout_tune(&w, &p);
  for (int cycle = 0; cycle < 10000; cycle++) {
    wave(0.01 * cycle, force, spin);
    washout_step(&w, force, spin, nothing, &m);
    washout_step(&fresh, force, spin, nothing, &expected);
  }
  for (int i = 0; i < PLATFORM_DOF; i++) assert_true(fabs(m.p[i] - expected.p[i]) < 1e-9);
}

/* The mean force of the third order decays after the third order is switched off. */
TEST(no_offset_is_left_by_a_change)
{
  const double up[3] = {0, 0, G + 2};
  struct washout w = washout_by_default(0.01);
  struct platform_params p;
  struct platform_motion m;
  params_default(&p);
  set_parameter(&p, "hp_wb.z", 0.0);
  run(&w, up, still, 60.0, &m);
  washout_tune(&w, &p);
  run(&w, level, still, 10.0, &m);
  assert_true(fabs(m.p[2]) > 0.01);
  run(&w, level, still, 300.0, &m);
  assert_true(fabs(m.p[2]) < 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_change_without_a_jump),
      cmocka_unit_test(parameters_move_in_a_straight_line),
      cmocka_unit_test(a_blend_ends_in_the_new_parameters),
      cmocka_unit_test(no_offset_is_left_by_a_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
