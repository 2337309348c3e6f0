/* SPDX-License-Identifier: MIT
 * The motion felt at the head point, through the whole washout, against closed forms and published figures. */
#include "hexapod/pose.h"
#include "platform/washout_bench.h"

#include <complex.h>

static struct platform_params surge(double gain, double wn, double wb)
{
  struct platform_params p;
  params_default(&p);
  set_parameter(&p, "gain_lin.x", gain);
  set_parameter(&p, "hp_wn.x", wn);
  set_parameter(&p, "hp_wb.x", wb);
  set_parameter(&p, "tilt_acc", 1000.0);
  set_parameter(&p, "tilt_jerk", 1e5);
  return p;
}

/* Position of the head along x. */
static double head_travel(const struct platform_motion *m)
{
  double R[9];
  pose_rotation(R, m->p + 3);
  return m->p[0] + R[0] * head[0] + R[1] * head[1] + R[2] * head[2] - head[0];
}

/* Largest travel of the head within a minute after a step of 3 m/s^2, and its position at the end. */
static double travel_of_step(const struct platform_params *p, double *last)
{
  const double force[3] = {3, 0, G};
  struct washout w;
  struct platform_motion m;
  double most = 0.0;
  washout_init(&w, p, 0.001, head);
  for (int cycle = 0; cycle < 60000; cycle++) {
    washout_step(&w, force, still, nothing, &m);
    *last = head_travel(&m);
    most = fmax(most, *last);
  }
  return most;
}

/* The travel filter with a third order wash-out, in tiny steps of Runge-Kutta. */
static void high_pass(const double x[3], double f, double wn, double wb, double o[3])
{
  o[0] = x[1];
  o[1] = f - x[2] - 2.0 * wn * x[1] - wn * wn * x[0];
  o[2] = wb * (f - x[2]);
}
static double travel_by_integration(double f, double wn, double wb)
{
  const double h = 1e-3;
  double x[3] = {0}, most = 0.0;
  for (int step = 0; step < 20000; step++) {
    double k[4][3], y[3];
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 3; i++) y[i] = x[i] + (s == 0 ? 0.0 : (s == 3 ? h : 0.5 * h) * k[s - 1][i]);
      high_pass(y, f, wn, wb, k[s]);
    }
    for (int i = 0; i < 3; i++) x[i] += h / 6.0 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    most = fmax(most, x[0]);
  }
  return most;
}

TEST(travel_is_as_published)
{
  double last, most;
  const struct platform_params small = surge(0.5, 2.5, 0.0), large = surge(0.6, 0.8, 0.0);
  const struct platform_params back = surge(0.5, 2.5, 0.2);
  most = travel_of_step(&small, &last);
  print_message("travel: %.4f m (wn 2.5, K 0.5)\n", most);
  assert_true(fabs(most - 1.5 / 6.25) < 1e-9 && fabs(last - most) < 1e-9);
  most = travel_of_step(&large, &last);
  print_message("travel: %.4f m (wn 0.8, K 0.6)\n", most);
  assert_true(fabs(most - 1.8 / 0.64) < 1e-9);
  most = travel_of_step(&back, &last);
  print_message("travel: %.4f m at most, %.1e at last (wn 2.5, K 0.5, wb 0.2)\n", most, last);
  assert_true(fabs(most - 0.18) < 0.005 && fabs(last) < 1e-5);
  assert_true(fabs(most - travel_by_integration(1.5, 2.5, 0.2)) <
              1e-6); /* the peak falls between two cycles */
}

/* Transfer function of specific force along x, felt over given, for small waves of w rad/s. */
static double complex response(const struct platform_params *p, double w)
{
  const double period = 0.001, size = 0.02;
  const int wave = (int)lrint(2.0 * M_PI / w / period), settle = (int)(20.0 / period) / wave * wave + wave;
  struct washout o;
  struct platform_motion m;
  double complex sum = 0.0;
  washout_init(&o, p, period, head);
  for (int cycle = 0; cycle < settle + wave; cycle++) {
    const double force[3] = {size * sin(2.0 * M_PI / wave * cycle), 0, G};
    double felt[3], spin[3];
    washout_step(&o, force, still, nothing, &m);
    pose_felt(felt, spin, &m, head, G);
    assert_false(o.tilt_limited);
    if (cycle >= settle) sum += felt[0] * cexp(-I * 2.0 * M_PI / wave * (cycle + 1));
  }
  return sum * 2.0 * I / (wave * size);
}

/* Travel and tilt together. */
static double complex transfer(double gain, double high, double low, double w)
{
  const double complex s = I * w, slow = low / (s + low), fast = s / (s + high);
  return gain * (fast * fast + slow * slow);
}

/* The twelve frequencies of the objective motion cueing test. */
TEST(surge_is_felt_as_published)
{
  const struct platform_params p = surge(0.5, 2.5, 0.0);
  double modulus[12];
  for (int i = 0; i < 12; i++) {
    const double w = 0.1 * pow(10.0, 0.2 * i);
    const double complex felt = response(&p, w), expected = transfer(0.5, 2.5, 5.0, w);
    modulus[i] = cabs(felt);
    print_message("%7.3f rad/s: %.4f, %6.2f deg; of the continuous law %.4f, %6.2f deg\n", w, modulus[i],
                  carg(felt) * 180.0 / M_PI, cabs(expected), carg(expected) * 180.0 / M_PI);
    assert_true(cabs(felt - expected) < 5e-4 * (1.0 + w)); /* the hold: w T / 2 at most */
    assert_true(fabs(carg(felt)) < 27.0 * M_PI / 180.0);
  }
  assert_true(fabs(modulus[0] - 0.50) < 0.005);
  assert_true(fabs(modulus[8] - 0.22) < 0.01); /* 3.98 rad/s */
  assert_true(fabs(modulus[11] - 0.44) < 0.005);
}

TEST(equal_corners_make_a_notch)
{
  struct platform_params p = surge(0.5, 2.5, 0.0);
  set_parameter(&p, "lp_wn", 2.5);
  const double at = cabs(response(&p, 2.5)), beside = cabs(response(&p, 1.25));
  print_message("notch: %.1e at 2.5 rad/s, %.3f at 1.25\n", at, beside);
  assert_true(at < 1e-3);
  assert_true(fabs(beside - 0.5 * (2.5 * 2.5 - 1.25 * 1.25) / (2.5 * 2.5 + 1.25 * 1.25)) < 1e-3);
}

/* The tilt builds up more slowly than the travel fades, so the felt force sags in between. The published figure has a limit of
 * the rate only; our limits of acceleration and jerk cost a little more. */
static double sag(double tilt_acc, double tilt_jerk)
{
  struct platform_params p = surge(0.5, 2.5, 0.0);
  const double force[3] = {3, 0, G}, onset = 1.5;
  struct washout w;
  struct platform_motion m;
  double least = onset, when = 0.0, felt[3], spin[3];
  p.tilt_acc[0] = tilt_acc;
  p.tilt_jerk[0] = tilt_jerk;
  washout_init(&w, &p, 0.001, head);
  for (int cycle = 1; cycle <= 10000; cycle++) {
    washout_step(&w, force, still, nothing, &m);
    pose_felt(felt, spin, &m, head, G);
    if (cycle == 1)
      assert_true(fabs(felt[0] - onset) < 0.01 || tilt_acc > 100.0); /* a slow tilt has hardly begun */
    if (felt[0] < least) {
      least = felt[0];
      when = cycle * 0.001;
    }
    assert_true(fabs(spin[1]) <= 3.0 * M_PI / 180.0 * (1 + 1e-12));
  }
  print_message("sag: %.4f m/s^2 of 1.5 after %.2f s; %.4f at last (tilt_acc %g, tilt_jerk %g)\n", least,
                when, felt[0], tilt_acc, tilt_jerk);
  assert_true(fabs(felt[0] - onset) < 1e-6);
  return least;
}

TEST(a_long_push_sags)
{
  assert_true(fabs(sag(1000.0, 1e5) - 0.13) < 0.01);
  assert_true(fabs(sag(30.0, 1e4) - 0.114) < 0.003);
  assert_true(fabs(sag(8.0, 80.0) - 0.018) < 0.002);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(travel_is_as_published),
      cmocka_unit_test(surge_is_felt_as_published),
      cmocka_unit_test(equal_corners_make_a_notch),
      cmocka_unit_test(a_long_push_sags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
