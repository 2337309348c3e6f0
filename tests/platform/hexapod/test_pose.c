/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "hexapod/pose.h"
#include "math/euler.h"

enum { ROUNDS = 200 };

static void assert_all_near(const double *a, const double *b, int n, double tolerance)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("element %d: %.17g and %.17g", i, a[i], b[i]);
}

/* Random angles, with a pitch away from 90 degrees. */
static void random_angles(struct random *random, double angle[3])
{
  angle[0] = random_between(random, -3.1, 3.1);
  angle[1] = random_between(random, -1.4, 1.4);
  angle[2] = random_between(random, -3.1, 3.1);
}

/* Euler parameters of a turn about one axis. */
static void about(double p[4], int axis, double angle)
{
  for (int i = 0; i < 4; i++) p[i] = i == 0 ? cos(0.5 * angle) : i == 1 + axis ? sin(0.5 * angle) : 0.0;
}

static void parameters_of(double p[4], const double angle[3])
{
  double roll[4], pitch[4], yaw[4], part[4];
  about(roll, 0, angle[0]);
  about(pitch, 1, angle[1]);
  about(yaw, 2, angle[2]);
  p_mul(part, pitch, roll);
  p_mul(p, yaw, part);
}

TEST(rotation_is_yaw_after_pitch_after_roll)
{
  struct random random = {1};
  for (int round = 0; round < ROUNDS; round++) {
    double angle[3], p[4], R[9], expected[9];
    random_angles(&random, angle);
    parameters_of(p, angle);
    p_rotation(expected, p);
    pose_rotation(R, angle);
    assert_all_near(R, expected, 9, 1e-14);
  }
}

/* A smooth motion and its derivatives. */
static void motion_at(double t, struct platform_motion *m)
{
  for (int i = 0; i < PLATFORM_DOF; i++) {
    const double size = 0.3 + 0.1 * i, w = 1.0 + 0.3 * i, phase = 0.7 * i;
    m->p[i] = size * sin(w * t + phase);
    m->v[i] = size * w * cos(w * t + phase);
    m->a[i] = -size * w * w * sin(w * t + phase);
  }
}

/* Angular velocity from the change of the rotation: R'dR/dt = w~. */
static void spin_by_differences(double w[3], double t, double dt)
{
  struct platform_motion m;
  double before[9], now[9], after[9], rate[9], W[9];
  motion_at(t - dt, &m);
  pose_rotation(before, m.p + 3);
  motion_at(t, &m);
  pose_rotation(now, m.p + 3);
  motion_at(t + dt, &m);
  pose_rotation(after, m.p + 3);
  for (int i = 0; i < 9; i++) rate[i] = (after[i] - before[i]) / (2.0 * dt);
  for (int i = 0; i < 9; i++) {
    W[i] = 0.0;
    for (int k = 0; k < 3; k++) W[i] += now[3 * k + i / 3] * rate[3 * k + i % 3];
  }
  w[0] = W[7];
  w[1] = W[2];
  w[2] = W[3];
}

TEST(spins_are_those_of_the_rotation)
{
  for (double t = 0.0; t < 20.0; t += 0.37) {
    const double dt = 1e-4;
    struct platform_motion m;
    double w[3], wd[3], expected[3], before[3], after[3];
    motion_at(t, &m);
    pose_spin(w, m.p + 3, m.v + 3);
    spin_by_differences(expected, t, dt);
    assert_all_near(w, expected, 3, 1e-7);
    pose_spin_rate(wd, m.p + 3, m.v + 3, m.a + 3);
    motion_at(t - dt, &m);
    pose_spin(before, m.p + 3, m.v + 3);
    motion_at(t + dt, &m);
    pose_spin(after, m.p + 3, m.v + 3);
    for (int i = 0; i < 3; i++) expected[i] = (after[i] - before[i]) / (2.0 * dt);
    assert_all_near(wd, expected, 3, 1e-6);
  }
}

TEST(rates_and_accelerations_come_back)
{
  struct random random = {2};
  for (int round = 0; round < ROUNDS; round++) {
    double angle[3], rate[3], acceleration[3], w[3], wd[3], back[3];
    random_angles(&random, angle);
    random_vector(&random, rate, 3);
    random_vector(&random, acceleration, 3);
    pose_spin(w, angle, rate);
    pose_angle_rates(back, angle, w);
    assert_all_near(back, rate, 3, 1e-13);
    pose_spin_rate(wd, angle, rate, acceleration);
    pose_angle_accelerations(back, angle, rate, wd);
    assert_all_near(back, acceleration, 3, 1e-13);
  }
}

TEST(standing_on_end_is_no_division_by_zero)
{
  const double angle[3] = {0.3, 1.5707963267948966, 0.1}, w[3] = {1, 2, 3}, rate[3] = {1, 1, 1};
  double o[3];
  pose_angle_rates(o, angle, w);
  for (int i = 0; i < 3; i++) assert_true(fabs(o[i]) < 1000.0);
  pose_angle_accelerations(o, angle, rate, w);
  for (int i = 0; i < 3; i++) assert_true(fabs(o[i]) < 1000.0);
}

TEST(angles_count_from_the_neutral_orientation)
{
  struct random random = {3};
  for (int round = 0; round < ROUNDS; round++) {
    double angle[3], turned[4], neutral[4], p[4], o[3];
    random_angles(&random, angle);
    random_unit(&random, neutral, 4);
    parameters_of(turned, angle);
    p_mul(p, neutral, turned);
    const double length = random_between(&random, -2.0, 2.0); /* negative: the same orientation */
    for (int i = 0; i < 4; i++) p[i] *= length;
    pose_angles(o, p, neutral);
    assert_all_near(o, angle, 3, 1e-12);
    pose_angles(o, neutral, neutral);
    assert_all_near(o, (double[3]){0}, 3, 1e-15);
  }
}

/* Motion of the head, from the base. */
static void head_at(double t, const double head[3], double o[3])
{
  struct platform_motion m;
  double R[9];
  motion_at(t, &m);
  pose_rotation(R, m.p + 3);
  m3_mul(o, R, head);
  v3_axpy(o, 1.0, m.p);
}

TEST(what_is_felt_is_how_the_head_accelerates)
{
  const double head[3] = {0.1, -0.2, 0.9}, dt = 2e-4;
  for (double t = 0.0; t < 20.0; t += 0.37) {
    struct platform_motion m;
    double before[3], now[3], after[3], up[3], R[9], expected[3], force[3], w[3], spin[3];
    head_at(t - dt, head, before);
    head_at(t, head, now);
    head_at(t + dt, head, after);
    for (int i = 0; i < 3; i++)
      up[i] = (after[i] - 2.0 * now[i] + before[i]) / (dt * dt) + (i == 2 ? 9.81 : 0);
    motion_at(t, &m);
    pose_rotation(R, m.p + 3);
    m3_tmul(expected, R, up);
    pose_felt(force, w, &m, head, 9.81);
    assert_all_near(force, expected, 3, 2e-6);
    pose_spin(spin, m.p + 3, m.v + 3);
    assert_all_near(w, spin, 3, 0.0);
  }
}

TEST(tilted_back_one_is_pushed_forward)
{
  const double head[3] = {0, 0, 0.9}, nose_up = -0.1, left_up = 0.2;
  double force[3], w[3];
  const struct platform_motion back = {.p = {[4] = nose_up}}, side = {.p = {[3] = left_up}};
  pose_felt(force, w, &back, head, 9.81);
  assert_all_near(force, (double[3]){9.81 * sin(0.1), 0, 9.81 * cos(0.1)}, 3, 1e-14);
  pose_felt(force, w, &side, head, 9.81);
  assert_all_near(force, (double[3]){0, 9.81 * sin(0.2), 9.81 * cos(0.2)}, 3, 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_is_yaw_after_pitch_after_roll),
      cmocka_unit_test(spins_are_those_of_the_rotation),
      cmocka_unit_test(rates_and_accelerations_come_back),
      cmocka_unit_test(standing_on_end_is_no_division_by_zero),
      cmocka_unit_test(angles_count_from_the_neutral_orientation),
      cmocka_unit_test(what_is_felt_is_how_the_head_accelerates),
      cmocka_unit_test(tilted_back_one_is_pushed_forward),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
