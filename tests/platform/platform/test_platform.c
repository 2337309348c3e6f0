/* SPDX-License-Identifier: MIT
 * The platform block at its limits, and which specifications it refuses. */
#include "check.h"
#include "platform/bench.h"

#include <stdlib.h>

/* Tighter limits do not make the platform hurry back. */
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
  b->in.request = PLATFORM_TO_PARK;
  for (int i = 0; i < 600 && state_of(b) != PLATFORM_PARKED; i++) {
    go_on(b);
    fastest = fmax(fastest, fabs(b->platform.out.velocity[0]));
  }
  assert_int_equal(state_of(b), PLATFORM_PARKED);
  assert_true(fastest < 1.01 * GLIDE_RATE * 0.15 / 5.0);
  free(b);
}

/* The bytes of a platform may come from a file of a stranger. */
TEST(bytes_that_are_no_platform_are_found)
{
  struct bench *b = bench_new(PLATFORM_EXTERNAL);
  struct platform copy = b->platform;
  assert_true(platform_bytes_are_sound(&copy));
  const size_t flags[] = {offsetof(struct platform, anew), offsetof(struct platform, envelope.pending),
                          offsetof(struct platform, live.washout.tilt[1].rate_limited)};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    unsigned char *flag = (unsigned char *)&copy + flags[i];
    *flag = 2;
    assert_false(platform_bytes_are_sound(&copy));
    *flag = 1;
    assert_true(platform_bytes_are_sound(&copy));
    *flag = 0;
  }
  memset(&copy.state, 0x7f, sizeof copy.state);
  assert_false(platform_bytes_are_sound(&copy));
  free(b);
}

/* A target that stays beyond the new limits. */
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

/* If the laws of the envelope reduce the limits (see envelope.h), moves use the reduced ones. */
TEST(a_move_is_planned_with_what_can_be_had)
{
  static struct platform p;
  struct platform_input in = {.request = PLATFORM_TO_NEUTRAL, .specific_force = {0, 0, RIG_GRAVITY}};
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

/* A target far beyond all limits: the platform goes as far as possible, and a coordinate at its limit does not hold the
 * others. */
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

/* Legs of several ranges. */
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
      cmocka_unit_test(a_move_from_beyond_its_limits_takes_its_time),
      cmocka_unit_test(limits_come_into_force),
      cmocka_unit_test(bytes_that_are_no_platform_are_found),
      cmocka_unit_test(a_move_is_planned_with_what_can_be_had),
      cmocka_unit_test(what_is_out_of_reach_is_not_emitted),
      cmocka_unit_test(a_park_pose_has_to_be_in_reach),
      cmocka_unit_test(a_park_pose_is_found),
      cmocka_unit_test(numbers_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
