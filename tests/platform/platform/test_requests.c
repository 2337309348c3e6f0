/* SPDX-License-Identifier: MIT
 * The platform block from request to request: its states, and that every transition is smooth. */
#include "check.h"
#include "platform/bench.h"

#include <stddef.h>
#include <stdlib.h>

static void expect_unknown(const struct bench *b)
{
  const double *out = (const double *)&b->platform.out;
  for (int i = 0; i < PLATFORM_MOTION_SIGNALS; i++) assert_true(isnan(out[i]));
  assert_int_equal(state_of(b), PLATFORM_UNKNOWN);
  assert_true(b->platform.out.mode[0] == PLATFORM_EXTERNAL);
  assert_false(has(b, PLATFORM_IS_PARKED) || has(b, PLATFORM_ENGAGED));
  assert_false(platform_is_parked(&b->platform) || platform_is_known(&b->platform));
}

/* The pose of the rig is unknown until a request up. The output then begins at the park pose, at rest, and continues without a
 * step. */
TEST(no_pose_is_claimed_before_an_order_up)
{
  static const enum platform_request down[] = {PLATFORM_TO_PARK, PLATFORM_TO_FREEZE, PLATFORM_TO_FAULT,
                                               PLATFORM_TO_SAFE};
  static const enum platform_request up[] = {PLATFORM_TO_NEUTRAL, PLATFORM_TO_RUN};
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
    assert_int_equal(state_of(b), PLATFORM_PARKED); /* the pose is known from here on */
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

/* RUN without READY before: the platform engages first. */
TEST(run_engages_first)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  const double run = time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  assert_true(run >= 5.0 && run < 5.3);
  free(b);
}

TEST(an_e_stop_brakes_at_the_limits)
{
  struct rig_driver d = {.random.state = 5};
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  for (int i = 0; i < 100; i++) {
    drive(b, &d, PLATFORM_TO_RUN, 0.37);
    /* 0.4 m/s at 4 m/s^2 and 100 m/s^3, 40 deg/s at 300 and 6000: about 0.2 s, twice that if an acceleration has to turn */
    b->in.request = PLATFORM_TO_SAFE;
    double t = 0.0;
    for (; distance(b->platform.out.velocity, NULL, 6) > 1e-9 && t < 1.0; t += b->spec.period) go_on(b);
    assert_true(t < 0.35);
    time_to(b, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL, 12.0);
    time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 1.0);
  }
  assert_true(b->jerk[0] <= 1.0 + 1e-9 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

/* Follows a surge of 0.1 m/s, then gives a request. Returns the seconds until the platform is at rest, and the largest deceleration. */
static double stop_surge(enum platform_request request, double *most)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  double t = 0.0;
  *most = 0.0;
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 10.0);
  for (int i = 0; i < 200; i++) {
    if (i >= 100) b->in.external[0] += 0.1 * b->spec.period;
    go_on(b);
  }
  assert_true(fabs(b->platform.out.velocity[0] - 0.1) < 0.01);
  b->in.request = request;
  for (go_on(b); !envelope_at_rest(&b->platform.envelope) && t < 2.0; t += b->spec.period) {
    *most = fmax(*most, -b->platform.out.acceleration[0]);
    go_on(b);
  }
  free(b);
  return t;
}

/* A stop in 0.5 s, whose velocity is a cubic, decelerates by 1.5 v/T. */
TEST(an_order_that_is_not_urgent_stops_softly)
{
  static const enum platform_request soft[] = {PLATFORM_TO_PARK, PLATFORM_TO_NEUTRAL, PLATFORM_TO_JOG},
                                     hard[] = {PLATFORM_TO_SAFE, PLATFORM_TO_FAULT};
  double most, t;
  for (size_t i = 0; i < sizeof soft / sizeof *soft; i++) {
    t = stop_surge(soft[i], &most);
    assert_true(t > 0.45 && t < 0.55);
    assert_true(most > 0.25 && most < 0.35);
  }
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
    t = stop_surge(hard[i], &most);
    assert_true(t < 0.15);
    assert_true(most > 1.0);
  }
}

/* SAFE during a soft stop; and a request to neutral, given before the stop is over, does not make it softer. */
TEST(an_e_stop_ends_a_soft_stop)
{
  struct rig_driver d = {.random.state = 8};
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  for (int i = 0; i < 50; i++) {
    time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 20.0);
    drive(b, &d, PLATFORM_TO_RUN, 0.37);
    go_for(b, PLATFORM_TO_PARK, 0.1);
    go_for(b, PLATFORM_TO_SAFE, 0.05);
    b->in.request = PLATFORM_TO_NEUTRAL;
    double t = 0.0;
    for (; state_of(b) == PLATFORM_STOP && t < 1.0; t += b->spec.period) go_on(b);
    assert_true(t < 0.3);
    time_to(b, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL, 12.0);
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
    const enum platform_request request =
        (enum platform_request)random_below(&d.random, PLATFORM_TO_SAFE + 1);
    if (random_below(&d.random, 5) == 0) b->in.restart = true;
    drive(b, &d, request, random_between(&d.random, 0.01, 3.0));
    if (random_below(&d.random, 2)) drive(b, &d, PLATFORM_TO_RUN, random_between(&d.random, 1.0, 9.0));
  }
  print_message("largest jerk of any transition: %.6f and %.6f of the limits\n", b->jerk[0], b->jerk[1]);
  assert_true(b->jerk[0] > 0.5 && b->jerk[0] <= 1.0 + 1e-9);
  assert_true(b->jerk[1] > 0.5 && b->jerk[1] <= 1.0 + 1e-9);
  free(b);
}

/* READY, PAUSED, RUNNING: the filters have forgotten the run before. */
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pose_is_claimed_before_an_order_up),
      cmocka_unit_test(engages_runs_and_parks_in_time),
      cmocka_unit_test(run_engages_first),
      cmocka_unit_test(an_e_stop_brakes_at_the_limits),
      cmocka_unit_test(an_order_that_is_not_urgent_stops_softly),
      cmocka_unit_test(an_e_stop_ends_a_soft_stop),
      cmocka_unit_test(a_pause_holds_the_pose_and_the_filters),
      cmocka_unit_test(after_a_fault_it_goes_to_neutral_and_parks),
      cmocka_unit_test(random_orders_never_jerk),
      cmocka_unit_test(filters_begin_anew_after_neutral),
      cmocka_unit_test(same_inputs_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
