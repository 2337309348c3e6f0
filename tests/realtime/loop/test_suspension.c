/* SPDX-License-Identifier: MIT */
#include "loop/suspension.h"

#include "check.h"

#define S UINT64_C(1000000000)

/* A cycle at `now`, with a lead of CLOCK_BOOTTIME; the thread is preempted before and after that clock is read. */
static uint64_t cycle(struct suspension *s, uint64_t now, uint64_t lead, uint64_t before, uint64_t after)
{
  return suspension_take(s, now, now + before + lead, now + before + after);
}

TEST(a_suspension_is_told_once_with_its_length)
{
  struct suspension s = {0};
  for (uint64_t k = 0; k < 100; k++) assert_true(cycle(&s, 5 * S + k * S / 100, 7 * S, 30, 40) == 0);
  const uint64_t told = cycle(&s, 7 * S, 607 * S, 30, 40);
  assert_in_range(told, 600 * S - 1000, 600 * S);
  assert_true(cycle(&s, 8 * S, 607 * S, 30, 40) == 0);
  assert_in_range(cycle(&s, 9 * S, 607 * S + S / 10 + 1000, 30, 40), SUSPENSION_NS, S / 10 + 1000);
  assert_true(cycle(&s, 10 * S, 607 * S + S / 10 + 1000, 30, 40) == 0);
}

/* A machine that was never suspended: both clocks are equal. */
TEST(equal_clocks_are_no_suspension)
{
  struct suspension s = {0};
  for (uint64_t k = 0; k < 100; k++) assert_true(cycle(&s, S + k, 0, 0, 0) == 0);
  assert_true(cycle(&s, 2 * S, S, 0, 0) > 0);
}

TEST(a_preemption_between_the_clocks_is_no_suspension)
{
  struct suspension s = {0};
  for (uint64_t k = 0; k < 1000; k++) {
    const uint64_t before = k % 3 == 0 ? 2 * S : 20, after = k % 5 == 0 ? 3 * S : 20;
    assert_true(cycle(&s, (10 + 10 * k) * S, 7 * S, before, after) == 0);
  }
  /* Nor does a preemption in the cycle after it hide one. */
  assert_true(cycle(&s, 20000 * S, 17 * S, 2 * S, 20) > 9 * S);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_suspension_is_told_once_with_its_length),
      cmocka_unit_test(equal_clocks_are_no_suspension),
      cmocka_unit_test(a_preemption_between_the_clocks_is_no_suspension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
