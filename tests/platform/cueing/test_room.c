/* SPDX-License-Identifier: MIT
 * The travel that yields in time, by what the driver feels. */
#include "platform/bench.h"

enum { RISE = 20 }; /* cycles in which a push rises */

/* m/s^2, the largest false cue since the ride began; the platform must stay away from all its ends. */
static double ride_push(const double push[3], const double spin[3])
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 20.0);
  go_for(b, PLATFORM_TO_RUN, 2.0);
  for (int i = 0; i < 1000; i++) {
    for (int k = 0; k < 3 && i < RISE; k++) {
      b->in.specific_force[k] += push[k] / RISE;
      b->in.angular_velocity[k] += spin[k] / RISE;
    }
    go_for(b, PLATFORM_TO_RUN, 0.01);
    assert_false(has(b, PLATFORM_LIMITED) || has(b, PLATFORM_UNREACHABLE));
  }
  const double most = b->platform.out.false_force_most[0];
  free(b);
  return most;
}

/* A push that lasts: the linear travel would be 1.2 times its limit, and the tilt needs room beside it. */
TEST(a_long_push_ends_softly)
{
  static const double still[3] = {0},
                      push[][3] = {{3, 0, 0}, {-3, 0, 0}, {0, 3, 0}, {0, -3, 0}, {2, 2, 0}, {-2, 2, 1}};
  for (size_t i = 0; i < sizeof push / sizeof *push; i++) {
    const double most = ride_push(push[i], still);
    print_message("push of %g %g %g m/s^2: false cue %.3f m/s^2\n", push[i][0], push[i][1], push[i][2], most);
    assert_true(most < 0.12);
  }
}

/* A gentle ride needs no room: the yield is exactly 0. */
TEST(a_gentle_ride_does_not_yield)
{
  struct bench *b = bench_new(PLATFORM_WASHOUT);
  struct rig_driver d = {.random = {3}};
  time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 20.0);
  for (int i = 0; i < 6000; i++) {
    rig_drive(&d, b->spec.period, 0.05, &b->in);
    go_on(b);
    for (int k = 0; k < 3; k++) assert_true(b->platform.live.room.yield[k] == 0.0);
  }
  free(b);
}

/* Rough rides of ten seeds, and how often a coordinate or leg still comes to its end. */
TEST(rough_rides_keep_off_their_ends)
{
  int limited = 0, cycles = 0;
  for (unsigned seed = 1; seed <= 10; seed++) {
    struct bench *b = bench_new(PLATFORM_WASHOUT);
    struct rig_driver d = {.random = {seed}};
    time_to(b, PLATFORM_TO_RUN, PLATFORM_RUN, 20.0);
    for (int i = 0; i < 6000; i++, cycles++) {
      rig_drive(&d, b->spec.period, 0.5, &b->in);
      go_on(b);
      limited += has(b, PLATFORM_LIMITED);
    }
    free(b);
  }
  print_message("a coordinate or leg at its end in %.3f %% of the cycles\n", 100.0 * limited / cycles);
  assert_true(limited < cycles / 2000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_push_ends_softly),
      cmocka_unit_test(a_gentle_ride_does_not_yield),
      cmocka_unit_test(rough_rides_keep_off_their_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
