/* SPDX-License-Identifier: MIT
 * The platform block in each of its modes: it follows its source, and no change of mode or target makes it oscillate. */
#include "check.h"
#include "platform/bench.h"

#include <stdlib.h>

/* Reading of the sensor of a body that rolls and heaves about its initial pose, which is turned by 30 degrees. */
static void put_sensor(double t, double x[19])
{
  const double w = 3.0, roll = 0.1 * sin(w * t), heave = 0.05 * sin(w * t), turned = 30.0 * RIG_DEGREE;
  const double c = cos(0.5 * turned), s = sin(0.5 * turned), cr = cos(0.5 * roll), sr = sin(0.5 * roll);
  const double position[3] = {5.0, 6.0, 7.0 + heave}, orientation[4] = {c * cr, c * sr, s * sr, s * cr};
  const double rest[12] = {0, 0, 0.05 * w * cos(w * t),      0.1 * w * cos(w * t),      0, 0,
                           0, 0, -0.05 * w * w * sin(w * t), -0.1 * w * w * sin(w * t), 0, 0};
  memcpy(x, position, sizeof position);
  memcpy(x + 3, orientation, sizeof orientation);
  memcpy(x + 7, rest, sizeof rest);
}

TEST(a_pose_is_followed_as_it_is)
{
  double sensor[19];
  struct bench *b = bench_new(PLATFORM_POSE);
  b->in.sensor = sensor;
  put_sensor(0.0, sensor);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  for (int i = 1; i <= 800; i++) {
    const double t = i * b->spec.period;
    put_sensor(t, sensor);
    go_on(b);
    if (t < 2.0) continue;
    assert_true(fabs(b->platform.out.pose[2] - 0.05 * sin(3.0 * t)) < 5e-5);
    assert_true(fabs(b->platform.out.pose[3] - 0.1 * sin(3.0 * t)) < 1e-4);
    assert_true(fabs(b->platform.out.pose[0]) < 1e-9 && fabs(b->platform.out.pose[5]) < 1e-9);
  }
  free(b);
}

TEST(an_input_is_followed_smoothly)
{
  const double wanted[6] = {0.05, -0.04, 0.03, 0.1, -0.08, 0.06};
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 1.1); /* the blend */
  memcpy(b->in.external, wanted, sizeof wanted);
  go_for(b, PLATFORM_TO_RUN, 0.6);
  assert_true(distance(b->platform.out.pose, wanted, 6) < 0.01);
  go_for(b, PLATFORM_TO_RUN, 2.0);
  assert_true(distance(b->platform.out.pose, wanted, 6) < 1e-9);
  b->in.external[4] = NAN;
  go_for(b, PLATFORM_TO_RUN, 0.1);
  assert_true(has(b, PLATFORM_BAD_INPUT));
  assert_true(distance(b->platform.out.pose, wanted, 6) < 1e-9);
  free(b);
}

/* A parameter of the washout waits in the other modes, and the flag does not wait with it. */
TEST(a_parameter_blends_in_the_washout_only)
{
  struct platform_params other;
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 1.5);
  other = b->spec.params;
  other.gain_lin[0] = 0.4;
  other.pos_max[0] = 0.05;
  platform_tune(&b->platform, PLATFORM_EXTERNAL, &other);
  go_for(b, PLATFORM_TO_RUN, 1.5);
  assert_false(has(b, PLATFORM_BLENDING));
  platform_tune(&b->platform, PLATFORM_WASHOUT, &other);
  go_for(b, PLATFORM_TO_RUN, 0.1);
  assert_true(has(b, PLATFORM_BLENDING));
  go_for(b, PLATFORM_TO_RUN, 2.0);
  assert_false(has(b, PLATFORM_BLENDING));
  free(b);
}

/* At the start of a ride the motion grows within ride_ramp, in every mode. */
TEST(a_ride_begins_softly)
{
  static const enum platform_mode mode[] = {PLATFORM_EXTERNAL, PLATFORM_WASHOUT};
  for (size_t n = 0; n < sizeof mode / sizeof *mode; n++) {
    struct bench *b = bench_new(mode[n]), *full = bench_new(mode[n]);
    b->spec.params.ride_ramp[0] = 20.0;
    platform_tune(&b->platform, mode[n], &b->spec.params);
    double early[2] = {0}, late[2] = {0};
    struct bench *const both[2] = {b, full};
    for (int i = 0; i < 2; i++) {
      time_to(both[i], PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
      for (int k = 0; k < 3000; k++) {
        const double wave = sin(0.03 * k);
        both[i]->in.external[0] = 0.08 * wave;
        both[i]->in.specific_force[0] = wave;
        go_on(both[i]);
        const double pose = fabs(both[i]->platform.out.pose[0]);
        double *most = k < 500 ? &early[i] : k >= 2200 ? &late[i] : NULL;
        if (most) *most = fmax(*most, pose);
      }
    }
    assert_true(early[0] < 0.2 * early[1] && early[0] > 0.0);
    assert_near(late[0], late[1], 0.02 * late[1]);
    free(b);
    free(full);
  }
}

/* The target jumps and moves when a pause ends: the transition does not overshoot. */
TEST(a_pause_ends_without_a_swing)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  double most = 0.0;
  for (int i = 0; i < 3000; i++) {
    b->in.request = i % 377 < 150 ? PLATFORM_TO_FREEZE : PLATFORM_TO_RUN;
    b->in.external[0] = 0.08 * sin(0.03 * i);
    go_on(b);
    most = fmax(most, fabs(b->platform.out.pose[0]));
  }
  assert_true(most > 0.06 && most < 0.081);
  free(b);
}

/* The motion is as small as without the change, for any length of the cycle in which the rate appears. */
TEST(a_mode_that_begins_in_a_turn_does_not_swing)
{
  double most = 0.0;
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  b->in.angular_velocity[2] = 0.5;
  platform_tune(&b->platform, PLATFORM_WASHOUT, &b->spec.params);
  for (int i = 0; i < 500; i++) {
    go_on(b);
    most = fmax(most, fabs(b->platform.out.pose[5]));
  }
  assert_true(most > 0.05 && most < 0.12);
  free(b);
}

/* If the sensor has NaN or no orientation at the start of the model, its first valid pose becomes neutral. */
TEST(a_pose_sensor_is_zeroed_by_a_pose)
{
  for (int i = 0; i < 2; i++) {
    double sensor[19] = {0};
    struct bench *b = bench_new(PLATFORM_POSE);
    b->in.sensor = sensor;
    if (i == 0) sensor[0] = NAN;
    go_for(b, PLATFORM_TO_RUN, 0.1);
    sensor[0] = sensor[2] = 3.0;
    sensor[3] = 1.0;
    time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
    sensor[2] += 0.05;
    go_for(b, PLATFORM_TO_RUN, 3.0);
    assert_false(has(b, PLATFORM_BAD_INPUT));
    assert_true(fabs(b->platform.out.pose[2] - 0.05) < 1e-6 && fabs(b->platform.out.pose[0]) < 1e-6);
    free(b);
  }
}

/* Without valid samples the platform stops, although its last velocity is known. */
TEST(a_pose_that_is_none_holds_the_last)
{
  double sensor[19] = {[3] = 1.0};
  struct bench *b = bench_new(PLATFORM_POSE);
  b->in.sensor = sensor;
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 1.1);
  sensor[0] = 0.02;
  sensor[7] = 0.3;
  go_for(b, PLATFORM_TO_RUN, 0.2);
  memset(sensor + 3, 0, 4 * sizeof *sensor);
  go_for(b, PLATFORM_TO_RUN, 3.0);
  assert_true(has(b, PLATFORM_BAD_INPUT));
  assert_true(fabs(b->platform.out.pose[0] - 0.02) < 1e-6);
  go_for(b, PLATFORM_TO_FREEZE, 0.1);
  assert_false(has(b, PLATFORM_BAD_INPUT)); /* no mode reads it */
  free(b);
}

TEST(modes_and_parameters_change_without_a_jump)
{
  struct rig_driver d = {.random.state = 8};
  double sensor[19];
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  b->in.sensor = sensor;
  put_sensor(0.0, sensor);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  for (int i = 0; i < 60; i++) {
    struct platform_params q = b->spec.params;
    put_sensor(0.1 * i, sensor);
    for (int k = 0; k < 6; k++) b->in.external[k] = random_between(&d.random, -0.1, 0.1);
    for (int k = 0; k < 3; k++) q.gain_lin[k] = random_between(&d.random, 0.0, 1.5);
    q.lp_wn[0] = random_between(&d.random, 5.0, 10.0);
    platform_tune(&b->platform, (enum platform_mode)(i % 3), &q);
    drive(b, &d, PLATFORM_TO_RUN, random_between(&d.random, 0.05, 1.5));
    assert_int_equal(b->platform.out.mode[0], i % 3);
  }
  assert_true(b->jerk[0] <= 1.0 + 1e-9 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

/* A model on the moon: the smaller reading of its imu at rest is no motion. */
TEST(gravity_of_the_model_is_no_motion)
{
  char error[300];
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  b->spec.gravity = b->in.specific_force[2] = 1.62;
  assert_true(platform_init(&b->platform, &b->spec, error, sizeof error));
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 20.0);
  assert_true(distance(b->platform.out.pose, NULL, 6) < 1e-9);
  assert_true(fabs(b->platform.out.specific_force[2] - RIG_GRAVITY) < 1e-6);
  free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pose_is_followed_as_it_is),
      cmocka_unit_test(an_input_is_followed_smoothly),
      cmocka_unit_test(a_parameter_blends_in_the_washout_only),
      cmocka_unit_test(a_ride_begins_softly),
      cmocka_unit_test(a_pause_ends_without_a_swing),
      cmocka_unit_test(a_mode_that_begins_in_a_turn_does_not_swing),
      cmocka_unit_test(a_pose_sensor_is_zeroed_by_a_pose),
      cmocka_unit_test(a_pose_that_is_none_holds_the_last),
      cmocka_unit_test(modes_and_parameters_change_without_a_jump),
      cmocka_unit_test(gravity_of_the_model_is_no_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
