/* SPDX-License-Identifier: MIT
 * The platform block as a whole: its life, its modes, and that no transition has a jerk in it. */
#include "check.h"
#include "platform/rig.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const double LEVEL[3] = {0.0, 0.0, RIG_GRAVITY};

struct bench {
  struct platform platform;
  struct platform_spec spec;
  struct platform_input in;
  struct platform_output before;
  double jerk[2]; /* largest so far, as a part of the limit: of translations, of rotations */
};

static struct bench *bench_new(enum platform_mode mode)
{
  char error[300];
  struct bench *b = calloc(1, sizeof *b);
  rig_spec(&b->spec);
  b->spec.mode = mode;
  if (!platform_init(&b->platform, &b->spec, error, sizeof error)) fail_msg("%s", error);
  memcpy(b->in.specific_force, LEVEL, sizeof LEVEL);
  return b;
}

static void go_on(struct bench *b)
{
  struct platform_limits l;
  b->before = b->platform.out;
  const bool first = b->before.legs[0] == 0.0;
  platform_step(&b->platform, &b->in);
  b->in.restart = false;
  params_limits(&b->spec.params, &l);
  for (int k = 0; k < PLATFORM_DOF && !first; k++) {
    const double jerk = (b->platform.out.acceleration[k] - b->before.acceleration[k]) / b->spec.period;
    b->jerk[k / 3] = fmax(b->jerk[k / 3], fabs(jerk) / l.jerk[k]);
  }
}

static void go_for(struct bench *b, enum platform_order order, double seconds)
{
  b->in.order = order;
  for (int i = 0; i < (int)lround(seconds / b->spec.period); i++) go_on(b);
}

static enum platform_state state_of(const struct bench *b)
{
  return (enum platform_state)b->platform.out.state[0];
}

static bool has(const struct bench *b, enum platform_flag flag)
{
  return ((unsigned)b->platform.out.flags[0] & flag) != 0;
}

/* Seconds until it is in a state, at most `most`. */
static double time_to(struct bench *b, enum platform_order order, enum platform_state state, double most)
{
  b->in.order = order;
  for (int i = 0; i * b->spec.period < most; i++) {
    if (state_of(b) == state) return i * b->spec.period;
    go_on(b);
  }
  fail_msg("no %s within %g s, but %s", platform_state_name(state), most, platform_state_name(state_of(b)));
  return most;
}

static double distance(const double *a, const double *b, int n)
{
  double most = 0.0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - (b ? b[k] : 0.0)));
  return most;
}

static void expect_unknown(const struct bench *b)
{
  const double *out = (const double *)&b->platform.out;
  for (int i = 0; i < PLATFORM_MOTION_SIGNALS; i++) assert_true(isnan(out[i]));
  assert_int_equal(state_of(b), PLATFORM_UNKNOWN);
  assert_true(b->platform.out.mode[0] == PLATFORM_EXTERNAL);
  assert_false(has(b, PLATFORM_IS_PARKED) || has(b, PLATFORM_ENGAGED));
  assert_false(platform_is_parked(&b->platform) || platform_is_known(&b->platform));
}

/* Where the rig stands is not known until it is ordered up; then the output begins at the park pose, at rest, and goes on from
 * there without a step. */
TEST(no_pose_is_claimed_before_an_order_up)
{
  static const enum platform_order down[] = {PLATFORM_TO_PARK, PLATFORM_TO_FREEZE, PLATFORM_TO_FAULT};
  static const enum platform_order up[] = {PLATFORM_TO_NEUTRAL, PLATFORM_TO_RUN};
  for (size_t i = 0; i < sizeof up / sizeof *up; i++) {
    struct bench *b = bench_new(PLATFORM_EXTERNAL);
    expect_unknown(b);
    for (size_t k = 0; k < sizeof down / sizeof *down; k++) {
      go_for(b, down[k], 0.1);
      expect_unknown(b);
    }
    struct platform_params q = b->spec.params;
    q.pos_max[2] = 0.1;
    platform_tune(&b->platform, PLATFORM_EXTERNAL, &q);
    go_for(b, PLATFORM_TO_PARK, 0.05);
    go_for(b, up[i], b->spec.period);
    const struct platform_output *o = &b->platform.out;
    assert_int_equal(state_of(b), PLATFORM_PARKED);
    assert_true(platform_is_known(&b->platform));
    assert_memory_equal(o->pose, b->platform.spec.park, sizeof o->pose);
    assert_memory_equal(o->target, b->platform.spec.park, sizeof o->target);
    assert_true(distance(o->velocity, NULL, 6) == 0.0 && distance(o->acceleration, NULL, 6) == 0.0);
    for (int k = 0; k < PLATFORM_MOTION_SIGNALS; k++) assert_true(isfinite(((const double *)o)[k]));
    go_for(b, up[i], b->spec.period);
    assert_int_equal(state_of(b), PLATFORM_ENGAGE);
    assert_true(distance(o->pose, b->platform.spec.park, 6) < 1e-5);
    assert_true(b->jerk[0] <= 1.0 + 1e-9 && b->jerk[1] <= 1.0 + 1e-9);
    go_for(b, PLATFORM_TO_PARK, 10.0);
    assert_int_equal(state_of(b), PLATFORM_PARKED); /* which is known from now on */
    free(b);
  }
}

TEST(engages_runs_and_parks_in_time)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  go_for(b, PLATFORM_TO_NEUTRAL, 0.01);
  assert_int_equal(state_of(b), PLATFORM_PARKED);
  assert_true(has(b, PLATFORM_IS_PARKED) && !has(b, PLATFORM_ENGAGED));
  assert_true(b->platform.out.pose[2] < -0.1);
  const double engage = time_to(b, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL, 10.0);
  assert_true(engage >= 5.0 && engage < 5.3);
  assert_true(has(b, PLATFORM_ENGAGED) && !has(b, PLATFORM_IS_PARKED));
  assert_true(distance(b->platform.out.pose, NULL, 6) < 1e-6);
  assert_true(time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 1.0) <= 0.011);
  go_for(b, PLATFORM_TO_RUN, 2.0);
  const double park = time_to(b, PLATFORM_TO_PARK, PLATFORM_PARKED, 10.0);
  assert_true(park >= 5.0 && park < 5.3);
  assert_true(distance(b->platform.out.pose, b->platform.spec.park, 6) < 1e-6);
  assert_true(distance(b->platform.out.velocity, NULL, 6) < 1e-6);
  free(b);
}

/* From RUN without READY before: engages by itself. */
TEST(run_engages_first)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  const double run = time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  assert_true(run >= 5.0 && run < 5.3);
  free(b);
}

static void drive(struct bench *b, struct rig_driver *d, enum platform_order order, double seconds)
{
  b->in.order = order;
  for (int i = 0; i < (int)lround(seconds / b->spec.period); i++) {
    rig_drive(d, b->spec.period, 1.0, &b->in);
    go_on(b);
  }
}

TEST(an_e_stop_brakes_at_the_limits)
{
  struct rig_driver d = {.random.state = 5};
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  for (int i = 0; i < 100; i++) {
    drive(b, &d, PLATFORM_TO_RUN, 0.37);
    /* 0.4 m/s at 4 m/s^2 and 100 m/s^3, 40 deg/s at 300 and 6000: some 0.2 s; twice that where an acceleration has to turn */
    b->in.order = PLATFORM_TO_PARK;
    double t = 0.0;
    for (; distance(b->platform.out.velocity, NULL, 6) > 1e-9 && t < 1.0; t += b->spec.period) go_on(b);
    assert_true(t < 0.35);
    time_to(b, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL, 12.0);
    time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 1.0);
  }
  assert_true(b->jerk[0] <= 1.0 + 1e-9 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

TEST(a_pause_holds_the_pose_and_the_filters)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 2.0);
  b->in.specific_force[0] = 2.0;
  go_for(b, PLATFORM_TO_RUN, 0.5);
  go_for(b, PLATFORM_TO_FREEZE, 0.5);
  assert_int_equal(state_of(b), PLATFORM_FREEZE);
  assert_true(has(b, PLATFORM_ENGAGED));
  const struct platform_output held = b->platform.out;
  const struct washout frozen = b->platform.live.washout;
  b->in.specific_force[0] = -5.0;
  go_for(b, PLATFORM_TO_FREEZE, 60.0);
  assert_true(distance(b->platform.out.pose, held.pose, 6) < 1e-9);
  assert_memory_equal(&frozen, &b->platform.live.washout, sizeof frozen);
  b->in.specific_force[0] = 2.0;
  go_for(b, PLATFORM_TO_RUN, 0.05);
  assert_int_equal(state_of(b), PLATFORM_RUN);
  assert_true(has(b, PLATFORM_BLENDING));
  assert_true(distance(b->platform.out.pose, held.pose, 3) < 0.01);
  go_for(b, PLATFORM_TO_RUN, 1.1);
  assert_false(has(b, PLATFORM_BLENDING));
  assert_true(b->jerk[0] <= 1.0 + 1e-9 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

TEST(after_a_fault_it_goes_to_neutral_and_parks)
{
  struct rig_driver d = {.random.state = 6};
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  drive(b, &d, PLATFORM_TO_RUN, 3.0);
  assert_true(distance(b->platform.out.pose, NULL, 6) > 0.01);
  const double there = time_to(b, PLATFORM_TO_FAULT, PLATFORM_PARK, 4.0);
  assert_true(there > 0.9 && there < 2.0);
  assert_true(distance(b->platform.out.pose, NULL, 6) < 1e-3);
  time_to(b, PLATFORM_TO_FAULT, PLATFORM_PARKED, 6.0);
  free(b);
}

TEST(random_orders_never_jerk)
{
  struct rig_driver d = {.random.state = 7};
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  for (int i = 0; i < 300; i++) {
    const enum platform_order order = (enum platform_order)random_below(&d.random, PLATFORM_TO_FAULT + 1);
    if (random_below(&d.random, 5) == 0) b->in.restart = true;
    drive(b, &d, order, random_between(&d.random, 0.01, 3.0));
    if (random_below(&d.random, 2)) drive(b, &d, PLATFORM_TO_RUN, random_between(&d.random, 1.0, 9.0));
  }
  print_message("largest jerk of any transition: %.6f and %.6f of the limits\n", b->jerk[0], b->jerk[1]);
  assert_true(b->jerk[0] > 0.5 && b->jerk[0] <= 1.0 + 1e-9);
  assert_true(b->jerk[1] > 0.5 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

/* A body that rolls and heaves about where it began, turned by 30 degrees: what its sensor reads. */
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

/* The target jumps and is on the move when a pause ends: the passage to it never goes beyond it. */
TEST(a_pause_ends_without_a_swing)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  double most = 0.0;
  for (int i = 0; i < 3000; i++) {
    b->in.order = i % 377 < 150 ? PLATFORM_TO_FREEZE : PLATFORM_TO_RUN;
    b->in.external[0] = 0.08 * sin(0.03 * i);
    go_on(b);
    most = fmax(most, fabs(b->platform.out.pose[0]));
  }
  assert_true(most > 0.06 && most < 0.081);
  free(b);
}

/* As little as without the change, however short the cycle is in which the rate appears. */
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

/* No number, or no orientation, when the model is at its start: the first pose that is one counts as neutral. */
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

/* What was known of its velocity is no reason to go on. */
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
  assert_false(has(b, PLATFORM_BAD_INPUT)); /* nobody looks at it */
  free(b);
}

/* READY, paused, and on: what the filters held of the run before is gone. */
TEST(filters_begin_anew_after_neutral)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  b->in.specific_force[0] = 3.0;
  go_for(b, PLATFORM_TO_RUN, 4.0);
  assert_true(b->platform.live.washout.slow[0][0] > 1.0);
  time_to(b, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL, 12.0);
  b->in.specific_force[0] = 0.0;
  go_for(b, PLATFORM_TO_FREEZE, 0.1);
  go_for(b, PLATFORM_TO_RUN, 0.05);
  assert_true(b->platform.live.washout.slow[0][0] == 0.0);
  free(b);
}

/* Limits that leave the platform outside do not hurry it. */
TEST(a_move_from_beyond_its_limits_takes_its_time)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  struct platform_params q = b->spec.params;
  b->in.external[0] = 0.15;
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 4.0);
  go_for(b, PLATFORM_TO_FREEZE, 1.0);
  q.pos_max[0] = 0.02;
  platform_tune(&b->platform, PLATFORM_EXTERNAL, &q);
  double fastest = 0.0;
  b->in.order = PLATFORM_TO_PARK;
  for (int i = 0; i < 600 && state_of(b) != PLATFORM_PARKED; i++) {
    go_on(b);
    fastest = fmax(fastest, fabs(b->platform.out.velocity[0]));
  }
  assert_int_equal(state_of(b), PLATFORM_PARKED);
  assert_true(fastest < 1.01 * GLIDE_RATE * 0.15 / 5.0);
  free(b);
}

/* Also where the target stays beyond them. */
TEST(limits_come_into_force)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  struct platform_params q = b->spec.params;
  b->in.external[0] = 0.15;
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  go_for(b, PLATFORM_TO_RUN, 4.0);
  q.pos_max[0] = 0.02;
  platform_tune(&b->platform, PLATFORM_EXTERNAL, &q);
  go_for(b, PLATFORM_TO_RUN, 0.05);
  assert_true(has(b, PLATFORM_PENDING));
  go_for(b, PLATFORM_TO_RUN, 3.0);
  assert_false(has(b, PLATFORM_PENDING));
  assert_true(fabs(b->platform.out.pose[0] - 0.02) < 1e-9);
  free(b);
}

/* Where laws allow less than the parameters say (see envelope.h), moves are planned with that. */
TEST(a_move_is_planned_with_what_can_be_had)
{
  static struct platform p;
  struct platform_input in = {.order = PLATFORM_TO_NEUTRAL, .specific_force = {0, 0, RIG_GRAVITY}};
  struct platform_spec s;
  char error[300];
  rig_spec(&s);
  s.period = 0.001;
  s.params.jerk_max[2] = 2.0;
  assert_true(platform_init(&p, &s, error, sizeof error));
  for (int i = 0; i < 20000 && p.out.state[0] != PLATFORM_NEUTRAL; i++) {
    platform_step(&p, &in);
    assert_true(fabs(p.out.pose[2] - p.out.target[2]) < 1e-6);
  }
  assert_int_equal(p.out.state[0], PLATFORM_NEUTRAL);
}

/* Far beyond everything: as far as it goes, and one coordinate at its end does not hold the others. */
TEST(what_is_out_of_reach_is_not_emitted)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  b->in.external[2] = 5.0;
  go_for(b, PLATFORM_TO_RUN, 3.0);
  assert_true(has(b, PLATFORM_LIMITED));
  const double heave = b->platform.out.pose[2];
  assert_true(heave > 0.1);
  b->in.external[3] = 0.2; /* heave gives way to roll, and roll to heave */
  b->in.external[5] = 0.05;
  go_for(b, PLATFORM_TO_RUN, 3.0);
  assert_true(b->platform.out.pose[2] > 0.3 * heave && b->platform.out.pose[3] > 0.06);
  assert_true(b->platform.out.pose[5] > 0.015);
  memset(b->in.external, 0, sizeof b->in.external);
  go_for(b, PLATFORM_TO_RUN, 3.0);
  assert_true(distance(b->platform.out.pose, NULL, 6) < 1e-9);
  assert_false(has(b, PLATFORM_LIMITED) || has(b, PLATFORM_UNREACHABLE));
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

/* A model on the moon: its imu shows less at rest, and that is no motion. */
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

TEST(same_inputs_same_bits)
{
  struct bench *a = bench_new(PLATFORM_WASHOUT), *b = bench_new(PLATFORM_WASHOUT);
  struct rig_driver d = {.random.state = 9}, e = {.random.state = 9};
  drive(a, &d, PLATFORM_TO_RUN, 20.0);
  drive(b, &e, PLATFORM_TO_RUN, 20.0);
  assert_memory_equal(&a->platform.out, &b->platform.out, sizeof a->platform.out);
  free(a);
  free(b);
}

static void assert_refused(const struct platform_spec *s, const char *part)
{
  static struct platform p;
  char error[300] = "";
  assert_false(platform_init(&p, s, error, sizeof error));
  if (!strstr(error, part)) fail_msg("'%s' not in '%s'", part, error);
}

TEST(a_park_pose_has_to_be_in_reach)
{
  struct platform_spec s;
  rig_spec(&s);
  s.park_given = true;
  s.park[2] = -0.5;
  assert_refused(&s, "park pose");
  s.park[2] = -0.05;
  s.park[5] = 80.0 * RIG_DEGREE;
  assert_refused(&s, "park pose");
}

/* Wherever the ends of the legs are. */
TEST(a_park_pose_is_found)
{
  static struct platform p;
  struct random random = {.state = 3};
  for (int i = 0; i < 300; i++) {
    struct platform_spec s;
    char error[300];
    rig_spec(&s);
    s.geometry.leg_min = random_between(&random, 0.6, 0.8);
    s.geometry.leg_max = random_between(&random, 0.9, 1.1);
    if (!platform_init(&p, &s, error, sizeof error)) fail_msg("%s", error);
    assert_true(p.spec.park[2] < 0.0);
  }
}

TEST(numbers_that_make_no_sense_are_refused)
{
  struct platform_spec s;
  rig_spec(&s);
  s.period = 0.0;
  assert_refused(&s, "period: expected");
  rig_spec(&s);
  s.head[1] = NAN;
  assert_refused(&s, "head point: expected");
  rig_spec(&s);
  s.params.vel_max[1] = 0.0;
  assert_refused(&s, "vel_max.y: expected");
  rig_spec(&s);
  s.params.blend[0] = NAN;
  assert_refused(&s, "blend: expected");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pose_is_claimed_before_an_order_up),
      cmocka_unit_test(engages_runs_and_parks_in_time),
      cmocka_unit_test(run_engages_first),
      cmocka_unit_test(an_e_stop_brakes_at_the_limits),
      cmocka_unit_test(a_pause_holds_the_pose_and_the_filters),
      cmocka_unit_test(after_a_fault_it_goes_to_neutral_and_parks),
      cmocka_unit_test(random_orders_never_jerk),
      cmocka_unit_test(a_pose_is_followed_as_it_is),
      cmocka_unit_test(an_input_is_followed_smoothly),
      cmocka_unit_test(a_pause_ends_without_a_swing),
      cmocka_unit_test(a_mode_that_begins_in_a_turn_does_not_swing),
      cmocka_unit_test(a_pose_sensor_is_zeroed_by_a_pose),
      cmocka_unit_test(a_pose_that_is_none_holds_the_last),
      cmocka_unit_test(filters_begin_anew_after_neutral),
      cmocka_unit_test(a_move_from_beyond_its_limits_takes_its_time),
      cmocka_unit_test(limits_come_into_force),
      cmocka_unit_test(a_move_is_planned_with_what_can_be_had),
      cmocka_unit_test(what_is_out_of_reach_is_not_emitted),
      cmocka_unit_test(modes_and_parameters_change_without_a_jump),
      cmocka_unit_test(gravity_of_the_model_is_no_motion),
      cmocka_unit_test(same_inputs_same_bits),
      cmocka_unit_test(a_park_pose_has_to_be_in_reach),
      cmocka_unit_test(a_park_pose_is_found),
      cmocka_unit_test(numbers_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
