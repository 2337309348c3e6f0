/* SPDX-License-Identifier: MIT
 * No smooth rotation of a vehicle gives a step of the target, in any mode. Where angles have a meaning, the target has
 * them. */

#include "check.h"
#include "common/random.h"
#include "hexapod/pose.h"
#include "math/euler.h"
#include "platform/bench.h"

#include <stdlib.h>

static const double PERIOD = 0.01;

/* A body that turns: Euler parameters, and its angular velocity in its own axes. */
struct vehicle {
  double p[4], w[3], wave[3][3]; /* wave: amplitude, rate and phase of each component of w */
};

static void spin_at(const struct vehicle *v, double t, double w[3])
{
  for (int i = 0; i < 3; i++) w[i] = v->wave[i][0] * sin(v->wave[i][1] * t + v->wave[i][2]);
}

static struct vehicle random_vehicle(struct random *random)
{
  struct vehicle v = {.p = {1}};
  for (int i = 0; i < 3; i++) {
    v.wave[i][0] = random_between(random, 0.1, 2.0);
    v.wave[i][1] = random_between(random, 0.0, 3.0);
    v.wave[i][2] = random_between(random, 0.0, 2.0 * M_PI);
  }
  return v;
}

/* Turns by w over the period, exactly for a constant w. Returns the angle. */
static double turn(struct vehicle *v, const double w[3])
{
  const double angle = sqrt(v3_dot(w, w)) * PERIOD,
               k = angle > 0.0 ? sin(0.5 * angle) * PERIOD / angle : 0.5 * PERIOD;
  const double dp[4] = {cos(0.5 * angle), k * w[0], k * w[1], k * w[2]};
  double p[4];
  p_mul(p, v->p, dp);
  const double norm = sqrt(p_dot(p, p));
  for (int i = 0; i < 4; i++) v->p[i] = p[i] / norm;
  memcpy(v->w, w, sizeof v->w);
  return angle;
}

static struct attitude_target follow(struct attitude *a, const struct vehicle *v)
{
  struct attitude_target o;
  double R[9];
  p_rotation(R, v->p);
  attitude_step(a, R, PERIOD, &o);
  return o;
}

TEST(no_smooth_rotation_gives_a_step)
{
  struct random random = {.state = 20261126};
  int near_90 = 0, upside_down = 0, turned = 0;
  for (int n = 0; n < 300; n++) {
    struct vehicle v = random_vehicle(&random);
    struct attitude a = {0};
    struct attitude_target before = follow(&a, &v);
    for (int i = 0; i < 3000; i++) {
      double w[3];
      spin_at(&v, i * PERIOD, w);
      const double most = ATTITUDE_MOST * fmax(turn(&v, w), ATTITUDE_LEAST * PERIOD) * (1 + 1e-9) + 1e-9;
      const struct attitude_target o = follow(&a, &v);
      for (int k = 0; k < 3; k++) assert_true(fabs(o.angle[k] - before.angle[k]) <= most);
      assert_true(fabs(o.angle[0]) <= 0.5 * M_PI && fabs(o.angle[1]) <= 0.5 * M_PI);
      near_90 += fabs(o.angle[1]) > 1.5;
      upside_down += o.way < 0.0;
      turned += fabs(o.angle[2]) > M_PI;
      before = o;
    }
  }
  assert_true(near_90 > 1000 && upside_down > 1000 && turned > 1000); /* the search was where it hurts */
}

/* Below 80 degrees the target has the angles of the orientation, apart from whole turns of yaw. */
TEST(angles_that_have_a_meaning_are_followed)
{
  struct random random = {.state = 7};
  for (int n = 0; n < 100; n++) {
    struct attitude a = {0};
    double angle[3] = {0}, R[9];
    for (int i = 0; i < 2000; i++) {
      struct attitude_target o;
      angle[0] = 1.35 * sin(0.011 * i + n);
      angle[1] = 1.35 * sin(0.017 * i);
      angle[2] += random_between(&random, -0.01, 0.03);
      pose_rotation(R, angle);
      attitude_step(&a, R, PERIOD, &o);
      if (i == 0) continue;
      assert_false(o.lags);
      for (int k = 0; k < 3; k++) assert_near(o.angle[k], angle[k], 1e-9);
    }
  }
}

/* One rotation about an axis of the vehicle, from 0 to `turns`. */
static struct attitude_target after_turns(int axis, double turns, double most[3])
{
  struct vehicle v = {.p = {1}};
  struct attitude a = {0};
  struct attitude_target o = follow(&a, &v);
  memset(most, 0, 3 * sizeof *most);
  const int steps = (int)(turns * 1000);
  for (int i = 0; i < steps; i++) {
    double w[3] = {0};
    w[axis] = 2.0 * M_PI * turns / (steps * PERIOD);
    turn(&v, w);
    o = follow(&a, &v);
    for (int k = 0; k < 3; k++) most[k] = fmax(most[k], fabs(o.angle[k]));
  }
  return o;
}

TEST(loops_rolls_and_turns)
{
  double most[3];
  struct attitude_target o = after_turns(1, 1.0, most); /* a loop keeps roll and yaw, and ends level */
  assert_true(most[0] < 1e-6 && most[2] < 1e-6);
  assert_near(most[1], 0.5 * M_PI, 0.01);
  for (int k = 0; k < 3; k++) assert_near(o.angle[k], 0.0, 1e-6);
  o = after_turns(0, 1.0, most); /* a barrel roll ends level */
  assert_true(most[1] < 1e-6 && most[2] < 1e-6);
  for (int k = 0; k < 3; k++) assert_near(o.angle[k], 0.0, 1e-6);
  o = after_turns(2, 2.5, most); /* a turn goes on */
  assert_near(o.angle[2], 5.0 * M_PI, 1e-6);
  assert_true(most[0] < 1e-6 && most[1] < 1e-6);
}

/* --- the platform block --- */

static void put_vehicle(const struct vehicle *v, double x[19])
{
  memset(x, 0, 19 * sizeof *x);
  memcpy(x + 3, v->p, sizeof v->p);
  memcpy(x + 10, v->w, sizeof v->w);
}

/* The same vehicle in a mode: no target moves faster than the bound, apart from the smoothing. Returns the largest yaw. */
static double ride(enum platform_mode mode, bool washes, const struct vehicle *start, double turning,
                   double *last)
{
  struct bench *b = bench_new(mode);
  struct vehicle v = *start;
  double sensor[19], before[3] = {0}, most = 0.0;
  b->platform.live.washes_heading = washes;
  put_vehicle(&v, sensor);
  b->in.sensor = sensor;
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 2.0);
  for (int i = 0; i < 3000; i++) {
    double w[3] = {0, 0, turning}, R[9];
    if (turning == 0.0) spin_at(&v, i * PERIOD, w);
    turn(&v, w);
    put_vehicle(&v, sensor);
    p_rotation(R, v.p);
    pose_angles_of(b->in.external + 3, R); /* a client that wraps its angles */
    memcpy(b->in.angular_velocity, w, sizeof w);
    go_on(b);
    for (int k = 0; k < 3; k++) {
      const double rate = fabs(b->platform.out.target[3 + k] - before[k]) / PERIOD;
      if (i > 0)
        assert_true(rate <= ATTITUDE_MOST * 3.7 *
                                (1 + 1e-6)); /* the fastest vehicle: sqrt(3) 2 rad/s, and the smoothing */
      before[k] = b->platform.out.target[3 + k];
    }
    most = fmax(most, fabs(b->platform.out.pose[5]));
    *last = b->platform.out.pose[5];
  }
  free(b);
  return most;
}

TEST(no_mode_has_a_step)
{
  struct random random = {.state = 38};
  double last;
  for (int n = 0; n < 20; n++) {
    const struct vehicle v = random_vehicle(&random);
    for (int mode = 0; mode < 3; mode++)
      for (int washes = 0; washes < 2; washes++) ride((enum platform_mode)mode, washes, &v, 0.0, &last);
  }
}

/* A turn through 180 degrees: the platform stays at its limit, or its heading is washed out. */
TEST(a_turn_does_not_swing_the_platform)
{
  static const enum platform_mode mode[] = {PLATFORM_POSE, PLATFORM_EXTERNAL};
  const struct vehicle level = {.p = {1}};
  double last;
  for (size_t m = 0; m < sizeof mode / sizeof *mode; m++) {
    struct bench *b = bench_new(mode[m]);
    const double limit = b->spec.params.ang_max[2] * M_PI / 180.0;
    free(b);
    const double most = ride(mode[m], false, &level, 0.3, &last); /* 9 rad */
    assert_true(most > 0.5 * limit && most <= limit * (1 + 1e-9));
    assert_near(last, most, 1e-3);
    const double washed = ride(mode[m], true, &level, 0.1, &last);
    assert_true(washed < 0.15); /* 0.1 rad/s over rot_wn, 1 rad/s */
    assert_true(last > 0.05 && last < 0.11);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_smooth_rotation_gives_a_step),
      cmocka_unit_test(angles_that_have_a_meaning_are_followed),
      cmocka_unit_test(loops_rolls_and_turns),
      cmocka_unit_test(no_mode_has_a_step),
      cmocka_unit_test(a_turn_does_not_swing_the_platform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
