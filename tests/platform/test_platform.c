/* SPDX-License-Identifier: MIT
 * The platform block as a whole: its life, its modes, and that no transition has a jerk in it. */
#include "platform/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

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

static void engages_runs_and_parks_in_time(void **state)
{
  (void)state;
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  go_for(b, PLATFORM_TO_PARK, 0.1);
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
static void run_engages_first(void **state)
{
  (void)state;
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

static void an_e_stop_brakes_at_the_limits(void **state)
{
  (void)state;
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

static void a_pause_holds_the_pose_and_the_filters(void **state)
{
  (void)state;
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

static void after_a_fault_it_goes_to_neutral_and_parks(void **state)
{
  (void)state;
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

static void random_orders_never_jerk(void **state)
{
  (void)state;
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

static void a_pose_is_followed_as_it_is(void **state)
{
  (void)state;
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

static void an_input_is_followed_smoothly(void **state)
{
  (void)state;
  const double wanted[6] = {0.05, -0.04, 0.03, 0.1, -0.08, 0.06};
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
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

/* Far beyond everything: as far as it goes, and one coordinate at its end does not hold the others. */
static void what_is_out_of_reach_is_not_emitted(void **state)
{
  (void)state;
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

static void modes_and_parameters_change_without_a_jump(void **state)
{
  (void)state;
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

static void same_inputs_same_bits(void **state)
{
  (void)state;
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

static void a_park_pose_has_to_be_in_reach(void **state)
{
  (void)state;
  struct platform_spec s;
  rig_spec(&s);
  s.park_given = true;
  s.park[2] = -0.5;
  assert_refused(&s, "park pose");
  s.park[2] = -0.05;
  s.park[5] = 80.0 * RIG_DEGREE;
  assert_refused(&s, "park pose");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(engages_runs_and_parks_in_time),
      cmocka_unit_test(run_engages_first),
      cmocka_unit_test(an_e_stop_brakes_at_the_limits),
      cmocka_unit_test(a_pause_holds_the_pose_and_the_filters),
      cmocka_unit_test(after_a_fault_it_goes_to_neutral_and_parks),
      cmocka_unit_test(random_orders_never_jerk),
      cmocka_unit_test(a_pose_is_followed_as_it_is),
      cmocka_unit_test(an_input_is_followed_smoothly),
      cmocka_unit_test(what_is_out_of_reach_is_not_emitted),
      cmocka_unit_test(modes_and_parameters_change_without_a_jump),
      cmocka_unit_test(same_inputs_same_bits),
      cmocka_unit_test(a_park_pose_has_to_be_in_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
