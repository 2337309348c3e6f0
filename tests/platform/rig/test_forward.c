/* SPDX-License-Identifier: MIT
 * Forward kinematics returns to the pose from which the legs came, for legs and for cranks. */
#include "rig/forward.h"

#include "check.h"
#include "common/random.h"
#include "platform/hexapods.h"

#include <string.h>

static struct hexapod make_hexapod(struct platform_geometry g)
{
  struct hexapod h;
  char error[300];
  if (!hexapod_init(&h, &g, error, sizeof error)) fail_msg("%s", error);
  return h;
}

/* Random poses within the limits, found from a start some mm and half a degree away. */
static void expect_return(struct platform_geometry g)
{
  const struct hexapod h = make_hexapod(g);
  struct random random = {.state = 7};
  int tried = 0;
  for (int n = 0; n < 4000 && tried < 500; n++) {
    double pose[PLATFORM_DOF], found[PLATFORM_DOF];
    struct hexapod_state s, again;
    for (int k = 0; k < PLATFORM_DOF; k++) pose[k] = random_between(&random, -0.1, 0.1);
    if (!hexapod_solve(&h, pose, NULL, &s) || !hexapod_within(&h, &s, 0.0)) continue;
    tried++;
    for (int k = 0; k < PLATFORM_DOF; k++) found[k] = pose[k] + random_between(&random, -0.01, 0.01);
    assert_true(forward_pose(&h, s.leg, 12, found));
    hexapod_solve(&h, found, NULL, &again);
    for (int i = 0; i < PLATFORM_LEGS; i++) assert_near(again.leg[i], s.leg[i], 1e-6);
    for (int k = 0; k < PLATFORM_DOF; k++) assert_near(found[k], pose[k], 1e-5);
  }
  assert_true(tried >= 100);
}

TEST(the_pose_returns_from_its_legs)
{
  expect_return(test_legs());
}

TEST(the_pose_returns_from_its_cranks)
{
  expect_return(test_cranks());
}

/* Legs that no pose has, and legs that are no numbers. */
TEST(legs_that_do_not_close_are_told)
{
  const struct hexapod h = make_hexapod(test_legs());
  double pose[PLATFORM_DOF] = {0}, legs[PLATFORM_LEGS] = {0.2, 3.0, 0.2, 3.0, 0.2, 3.0};
  assert_false(forward_pose(&h, legs, 12, pose));
  for (int k = 0; k < PLATFORM_DOF; k++) assert_true(isfinite(pose[k]));
  legs[2] = (double)NAN;
  memset(pose, 0, sizeof pose);
  assert_false(forward_pose(&h, legs, 12, pose));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pose_returns_from_its_legs),
      cmocka_unit_test(the_pose_returns_from_its_cranks),
      cmocka_unit_test(legs_that_do_not_close_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
