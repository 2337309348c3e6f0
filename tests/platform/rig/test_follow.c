/* SPDX-License-Identifier: MIT
 * The following error: zero for a rig that is only late by its known delay, and the offset of one that is off. */
#include "rig/follow.h"

#include "check.h"
#include "platform/hexapods.h"

#include <string.h>

static const double PERIOD = 0.01;

struct follow_bench {
  struct hexapod h;
  struct follow f;
  struct follow_position sent[400];
  int cycles;
};

static void begin_bench(struct follow_bench *b, const struct follow_spec *spec)
{
  const struct platform_geometry g = test_legs();
  char error[300];
  memset(b, 0, sizeof *b);
  if (!hexapod_init(&b->h, &g, error, sizeof error)) fail_msg("%s", error);
  follow_init(&b->f, spec, PERIOD);
}

static struct follow_position place_at(const struct follow_bench *b, double t)
{
  struct follow_position p;
  struct hexapod_state s;
  const double pose[PLATFORM_DOF] = {0.05 * sin(3.0 * t), 0.03 * cos(2.0 * t), 0.04 * sin(t),
                                     0.05 * sin(2.5 * t), -0.06 * sin(t),      0.1 * sin(0.7 * t)};
  memcpy(p.pose, pose, sizeof pose);
  hexapod_solve(&b->h, pose, NULL, &s);
  memcpy(p.leg, s.leg, sizeof p.leg);
  return p;
}

/* A cycle in which the rig is where it was commanded `late` seconds ago; leg `off` is longer by `by`. */
static void follow_cycle(struct follow_bench *b, double late, int off, double by)
{
  const double t = PERIOD * b->cycles++;
  const struct follow_position now = place_at(b, t);
  struct follow_position then = place_at(b, t - late);
  then.leg[off] += by;
  follow_step(&b->f, &b->h, &now, b->f.spec.legs ? then.leg : then.pose);
}

TEST(a_known_delay_is_no_error)
{
  struct follow_bench b;
  const struct follow_spec legs = {.legs = true, .delay = 0.03}, pose = {.delay = 0.03};
  for (int n = 0; n < 2; n++) {
    begin_bench(&b, n ? &pose : &legs);
    for (int i = 0; i < 200; i++) follow_cycle(&b, 0.03, 0, 0.0);
    assert_true(b.f.known);
    for (int i = 0; i < FOLLOW_ERRORS; i++) assert_near(b.f.error[i], 0.0, 1e-6);
  }
}

/* Between two cycles the command is on the straight line. */
TEST(a_delay_of_half_a_cycle_is_no_error)
{
  struct follow_bench b;
  const struct follow_spec spec = {.legs = true, .delay = 0.025};
  begin_bench(&b, &spec);
  for (int i = 0; i < 200; i++) follow_cycle(&b, 0.025, 0, 0.0);
  for (int i = 0; i < FOLLOW_ERRORS; i++) assert_near(b.f.error[i], 0.0, 2e-5);
}

TEST(a_leg_that_is_off_is_named)
{
  struct follow_bench b;
  const struct follow_spec spec = {.legs = true, .filter = 0.05, .trip = {.leg = 0.01}};
  begin_bench(&b, &spec);
  for (int i = 0; i < 50; i++) follow_cycle(&b, 0.0, 4, 0.0);
  assert_int_equal(follow_beyond(&b.f, &spec.trip), -1);
  int cycles = 0;
  for (; follow_beyond(&b.f, &spec.trip) < 0 && cycles < 100; cycles++) follow_cycle(&b, 0.0, 4, 0.02);
  assert_int_equal(follow_beyond(&b.f, &spec.trip), 4);
  /* Half of 0.02 m passes after ln 2 times the filter. */
  assert_true(fabs(cycles * PERIOD - 0.05 * log(2.0)) <= PERIOD);
  assert_true(b.f.known);
  assert_true(fabs(b.f.error[PLATFORM_LEGS]) > 1e-4);
}

/* The error stays where it is while nothing fresh comes. */
TEST(without_a_report_the_error_stays)
{
  struct follow_bench b;
  const struct follow_spec spec = {.legs = true, .filter = 0.05};
  begin_bench(&b, &spec);
  for (int i = 0; i < 50; i++) follow_cycle(&b, 0.0, 2, 0.005);
  const double before = b.f.error[2];
  const struct follow_position now = place_at(&b, 1.0);
  for (int i = 0; i < 10; i++) follow_step(&b.f, &b.h, &now, NULL);
  assert_true(b.f.error[2] == before && before > 0.004);
}

TEST(levels_count_by_their_share)
{
  struct follow_bench b;
  const struct follow_spec spec = {.delay = 0.0};
  const struct follow_levels levels = {.position = 0.01, .angle = 0.02};
  begin_bench(&b, &spec);
  struct follow_position now = place_at(&b, 0.0), off = now;
  off.pose[1] -= 0.015;
  off.pose[5] += 0.05;
  off.leg[0] += 1.0;
  follow_step(&b.f, &b.h, &now, off.pose);
  assert_int_equal(follow_beyond(&b.f, &levels), PLATFORM_LEGS + 5);
  assert_near(b.f.error[PLATFORM_LEGS + 1], -0.015, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_known_delay_is_no_error),   cmocka_unit_test(a_delay_of_half_a_cycle_is_no_error),
      cmocka_unit_test(a_leg_that_is_off_is_named),  cmocka_unit_test(without_a_report_the_error_stays),
      cmocka_unit_test(levels_count_by_their_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
