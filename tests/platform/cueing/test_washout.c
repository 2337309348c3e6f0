/* SPDX-License-Identifier: MIT */
#include "common/random.h"
#include "hexapod/pose.h"
#include "platform/washout_bench.h"

#include <string.h>

static bool motion_is_finite(const struct platform_motion *m)
{
  bool finite = true;
  for (int i = 0; i < PLATFORM_DOF; i++)
    finite = finite && isfinite(m->p[i]) && isfinite(m->v[i]) && isfinite(m->a[i]);
  return finite;
}

static double largest(const double *x, int n)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

TEST(nothing_in_nothing_out)
{
  struct washout w = washout_by_default(0.001);
  struct platform_motion m;
  run(&w, level, still, 1.0, &m);
  const struct platform_motion rest = {0};
  for (int i = 0; i < PLATFORM_DOF; i++) assert_true(m.p[i] == rest.p[i] && m.v[i] == 0.0 && m.a[i] == 0.0);
}

/* Motion of the head point 0.1 s after an input began, and after a while. */
TEST(input_leads_the_right_way)
{
  const double forward[3] = {1, 0, G}, left[3] = {0, 1, G}, up[3] = {0, 0, G + 1};
  const double roll[3] = {0.2, 0, 0}, pitch[3] = {0, 0.2, 0}, yaw[3] = {0, 0, 0.2};
  const struct {
    const double *force, *spin;
    int dof;
    int tilts; /* coordinate that tilts for a lasting force, and its sign */
    double sign;
  } cases[] = {{forward, still, 0, 4, -1}, {left, still, 1, 3, 1},   {up, still, 2, -1, 0},
               {level, roll, 3, -1, 0},    {level, pitch, 4, -1, 0}, {level, yaw, 5, -1, 0}};
  for (int i = 0; i < 6; i++) {
    struct washout w = washout_by_default(0.001);
    struct platform_motion m;
    double R[9], force[3], spin[3];
    run(&w, cases[i].force, cases[i].spin, 0.1, &m);
    pose_rotation(R, m.p + 3);
    for (int k = 0; k < 3; k++)
      m.p[k] += R[3 * k] * head[0] + R[3 * k + 1] * head[1] + R[3 * k + 2] * head[2] - head[k];
    for (int k = 0; k < PLATFORM_DOF; k++) {
      if (k == cases[i].dof) assert_true(m.p[k] > 1e-4);
      if (k != cases[i].dof && k != cases[i].tilts) assert_true(fabs(m.p[k]) < 1e-15);
    }
    if (cases[i].tilts < 0) continue;
    run(&w, cases[i].force, cases[i].spin, 20.0, &m);
    assert_true(cases[i].sign * m.p[cases[i].tilts] > 0.04);
    pose_felt(force, spin, &m, head, G);
    for (int k = 0; k < 2; k++) assert_true(fabs(force[k] - 0.44 * cases[i].force[k]) < 1e-6);
  }
}

/* Forward is the direction of the platform's nose. */
TEST(travel_goes_along_the_platform)
{
  const double forward[3] = {1, 0, G}, yaw[3] = {0, 0, 0.5};
  struct washout w = washout_by_default(0.001);
  struct platform_motion before, after;
  run(&w, level, yaw, 0.8, &before);
  const double heading = before.p[5];
  assert_true(heading > 0.1);
  struct washout twin = w;
  washout_step(&w, level, yaw, nothing, &before);
  washout_step(&twin, forward, yaw, nothing, &after);
  const double push[2] = {twin.travel[0][1] - w.travel[0][1], twin.travel[1][1] - w.travel[1][1]};
  assert_true(fabs(atan2(push[1], push[0]) - heading) < 1e-12);
}

/* The response at a given time does not depend on the period. That of the tilt does a little: its jerk is constant over a cycle. */
TEST(the_period_does_not_matter)
{
  const double force[3] = {0.4, -0.3, G + 0.5}, yaw[3] = {0, 0, 0.1}, period[3] = {0.001, 0.01, 0.037};
  for (int turning = 0; turning < 2; turning++)
    for (int k = 1; k <= 20; k++) {
      struct platform_motion m[3];
      for (int j = 0; j < 3; j++) {
        struct platform_params p;
        struct washout w;
        params_default(&p);
        set_parameter(&p, "tilt_max", 0.0);
        washout_init(&w, &p, period[j], head);
        run(&w, turning ? level : force, turning ? yaw : still, 0.37 * k, &m[j]);
      }
      for (int j = 1; j < 3; j++)
        for (int i = 0; i < PLATFORM_DOF; i++)
          assert_true(fabs(m[j].p[i] - m[0].p[i]) < 1e-12 && fabs(m[j].v[i] - m[0].v[i]) < 1e-12 &&
                      fabs(m[j].a[i] - m[0].a[i]) < 1e-12);
    }
}

/* Rates are those of a gyro on the platform: on a rolled platform, a pitch rate also changes yaw. */
TEST(rates_turn_with_the_platform)
{
  const double roll[3] = {0.5, 0, 0}, pitch[3] = {0, 0.5, 0}, excess[PLATFORM_DOF] = {[3] = -0.02};
  struct washout w = washout_by_default(0.001);
  struct platform_motion m;
  run(&w, level, roll, 0.8, &m);
  const double angle = m.p[3] - 0.02;
  assert_true(angle > 0.05);
  const double yaw = m.v[5];
  washout_step(&w, level, pitch, excess, &m);
  assert_true(fabs(m.v[5] - yaw - 0.3 * sin(angle)) < 3e-3 * 0.3 * sin(angle)); /* 0.3: times its gain */
}

/* Velocity is the derivative of position, and acceleration that of velocity. */
static void follow_the_wave(const struct platform_params *p, double *worst_v, double *worst_a)
{
  const double period = 2e-5;
  struct washout w;
  struct platform_motion last = {0}, m;
  double force[3], spin[3];
  *worst_v = *worst_a = 0.0;
  washout_init(&w, p, period, head);
  for (int cycle = 0; cycle < 200000; cycle++) {
    wave(cycle * period, force, spin);
    washout_step(&w, force, spin, nothing, &m);
    for (int i = 0; i < PLATFORM_DOF && cycle > 10000; i++) {
      *worst_v = fmax(*worst_v, fabs((m.p[i] - last.p[i]) / period - 0.5 * (m.v[i] + last.v[i])));
      *worst_a = fmax(*worst_a, fabs((m.v[i] - last.v[i]) / period - 0.5 * (m.a[i] + last.a[i])));
    }
    last = m;
  }
}

TEST(derivatives_belong_together)
{
  struct platform_params p;
  double worst_v, worst_a;
  params_default(&p);
  follow_the_wave(&p, &worst_v, &worst_a);
  if (!(worst_v < 1e-5)) fail_msg("velocity off by %g", worst_v);
  if (!(worst_a < 1.0)) fail_msg("acceleration off by %g", worst_a); /* the tilt begins or ends to brake */
  set_parameter(&p, "tilt_rate", 20.0);
  set_parameter(&p, "tilt_acc", 1000.0);
  set_parameter(&p, "tilt_jerk", 1e5);
  set_parameter(&p, "tilt_max", 40.0);
  follow_the_wave(&p, &worst_v, &worst_a);
  if (!(worst_v < 1e-5)) fail_msg("velocity off by %g", worst_v);
  if (!(worst_a < 2e-4)) fail_msg("acceleration off by %g", worst_a);
}

/* 10 s beyond reach, then the opposite: the motion does not stay at the limit. */
TEST(does_not_wind_up)
{
  const struct {
    const char *name;
    double value;
  } variant[] = {{"gain_lin.x", 0.5}, {"hp_wn.x", 0.8}, {"hp_wn.x", 0.2}, {"hp_wn.x", 6.0},
                 {"hp_wb.x", 0.2},    {"rot_wn", 0.2},  {"rot_wn", 3.0},  {"hp_zeta", 0.3}};
  const double period[] = {0.001, 0.01};
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < 2; j++)
      for (int dof = 0; dof < PLATFORM_DOF; dof += 5) {
        struct platform_params p;
        struct washout w;
        struct platform_motion m;
        double excess[PLATFORM_DOF] = {0}, limit = dof < 3 ? 0.02 : 0.05, out = -1.0;
        params_default(&p);
        set_parameter(&p, variant[k].name, variant[k].value);
        set_parameter(&p, "tilt_max", 0.0);
        washout_init(&w, &p, period[j], still);
        for (int cycle = 1; cycle * period[j] < 10.15; cycle++) {
          const double sign = cycle * period[j] < 10.0 ? 1.0 : -1.0;
          const double force[3] = {dof == 0 ? sign * 15.0 : 0.0, 0, G},
                       spin[3] = {0, 0, dof == 5 ? sign : 0.0};
          washout_step(&w, force, spin, excess, &m);
          excess[dof] = fmax(-limit, fmin(limit, m.p[dof])) - m.p[dof];
          if (cycle * period[j] > 10.0 && out < 0.0 && m.p[dof] < limit) out = cycle * period[j] - 10.0;
        }
        if (!(out >= 0.0 && out <= 0.1))
          fail_msg("%s %g, period %g, coordinate %d: leaves the limit after %g s", variant[k].name,
                   variant[k].value, period[j], dof, out);
      }
}

TEST(what_is_no_number_is_passed_over)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int where = 0; where < 12; where++) {
      struct washout w = washout_by_default(0.001), twin = w;
      struct platform_motion m, expected;
      double force[3] = {1, 2, G + 3}, spin[3] = {0.1, 0.2, 0.3}, excess[PLATFORM_DOF] = {0};
      run(&w, force, spin, 1.0, &m);
      run(&twin, force, spin, 1.0, &expected);
      assert_false(w.bad_input);
      *(where < 3 ? force + where : where < 6 ? spin + where - 3 : excess + where - 6) = bad[k];
      for (int cycle = 0; cycle < 100; cycle++) {
        washout_step(&w, force, spin, excess, &m);
        assert_true(w.bad_input && !w.reset);
      }
      run(&twin, (double[3]){1, 2, G + 3}, (double[3]){0.1, 0.2, 0.3}, 0.1, &expected);
      assert_memory_equal(&m, &expected, sizeof m);
      washout_step(&w, level, still, nothing, &m);
      assert_false(w.bad_input);
    }
}

TEST(a_filter_that_is_lost_begins_anew)
{
  const double force[3] = {1, 1, G + 1}, spin[3] = {0.1, 0.1, 0.1};
  for (int where = 0; where < 4; where++) {
    struct washout w = washout_by_default(0.001), fresh = w;
    struct platform_motion m, expected;
    run(&w, force, spin, 1.0, &m);
    *(where == 0   ? &w.travel[1][0]
      : where == 1 ? &w.slow[0][1]
      : where == 2 ? &w.turn[2][1]
                   : &w.tilt[0].p) = NAN;
    washout_step(&w, force, spin, nothing, &m);
    assert_true(w.reset && largest(m.p, PLATFORM_DOF) == 0.0 && motion_is_finite(&m));
    run(&w, force, spin, 1.0, &m);
    run(&fresh, force, spin, 1.0, &expected);
    assert_false(w.reset);
    assert_memory_equal(&m, &expected, sizeof m);
  }
}

/* Extreme parameters, inputs of any size, and a platform that follows only a little. */
TEST(stays_finite_whatever_comes)
{
  static const double period[] = {1e-5, 1e-3, 0.037, 10.0};
  struct random random = {31};
  for (int round = 0; round < 60; round++) {
    struct platform_params p;
    struct washout w;
    struct platform_motion m;
    double force[3], spin[3], excess[PLATFORM_DOF] = {0};
    params_default(&p);
    for (int i = 0; i < PARAMS; i++)
      set_parameter(&p, params_table[i].name,
                    random_below(&random, 2) ? params_table[i].least : params_table[i].greatest);
    washout_init(&w, &p, period[round % 4], head);
    for (int cycle = 0; cycle < 2000; cycle++) {
      random_vector(&random, force, 3);
      random_vector(&random, spin, 3);
      const double size = pow(10.0, random_between(&random, -300.0, 308.0));
      for (int i = 0; i < 3; i++) {
        force[i] *= size;
        spin[i] *= size;
      }
      washout_step(&w, force, spin, excess, &m);
      assert_true(motion_is_finite(&m) && !w.reset);
      for (int i = 0; i < PLATFORM_DOF; i++) excess[i] = fmax(-0.1, fmin(0.1, m.p[i])) - m.p[i];
    }
  }
}

TEST(comes_back_to_neutral_after_an_hour)
{
  struct random random = {41};
  struct washout w = washout_by_default(0.01);
  struct platform_motion m;
  double force[3], spin[3], most = 0.0;
  for (int cycle = 0; cycle < 360000; cycle++) {
    random_vector(&random, force, 3);
    random_vector(&random, spin, 3);
    for (int i = 0; i < 3; i++) force[i] = 10.0 * force[i] + (i == 2 ? G : 0.0);
    washout_step(&w, force, spin, nothing, &m);
    most = fmax(most, largest(m.p, PLATFORM_DOF));
  }
  assert_true(most > 0.05);
  run(&w, level, still, 60.0, &m);
  assert_true(largest(m.p, PLATFORM_DOF) < 1e-6 && largest(m.v, PLATFORM_DOF) < 1e-6 &&
              largest(m.a, PLATFORM_DOF) < 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_in_nothing_out),
      cmocka_unit_test(input_leads_the_right_way),
      cmocka_unit_test(travel_goes_along_the_platform),
      cmocka_unit_test(the_period_does_not_matter),
      cmocka_unit_test(rates_turn_with_the_platform),
      cmocka_unit_test(derivatives_belong_together),
      cmocka_unit_test(does_not_wind_up),
      cmocka_unit_test(what_is_no_number_is_passed_over),
      cmocka_unit_test(a_filter_that_is_lost_begins_anew),
      cmocka_unit_test(stays_finite_whatever_comes),
      cmocka_unit_test(comes_back_to_neutral_after_an_hour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
