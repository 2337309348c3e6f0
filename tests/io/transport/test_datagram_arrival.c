/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "transport/datagram_arrival.h"

#include "rt/clock.h"

static const uint64_t MS = NS_PER_S / 1000;
static const uint64_t T = 1000 * NS_PER_S, WALL = 1700000000 * NS_PER_S; /* now, by both clocks */

TEST(a_datagram_has_its_true_age)
{
  struct datagram_arrival a = {0};
  datagram_arrival_empty(&a, T - 200 * MS);
  datagram_arrival_begin(&a, T, WALL);
  assert_int_equal(datagram_arrival_of(&a, WALL - 150 * MS, T), T - 150 * MS);
  assert_int_equal(datagram_arrival_of(&a, WALL - 20 * MS, T), T - 20 * MS);
  assert_int_equal(datagram_arrival_of(&a, WALL, T), T);
}

TEST(no_two_share_a_time)
{
  struct datagram_arrival a = {0};
  datagram_arrival_begin(&a, T, WALL);
  for (uint64_t i = 0; i < 100; i++)
    assert_int_equal(datagram_arrival_of(&a, WALL - 5 * MS, T), T - 5 * MS + i);
  assert_int_equal(datagram_arrival_of(&a, WALL - 6 * MS, T), T - 5 * MS + 100); /* the order of the socket */
}

/* A datagram that is read after the socket was empty came later; none comes from the future. */
TEST(stamps_that_make_no_sense_are_bounded)
{
  struct datagram_arrival a = {0};
  datagram_arrival_empty(&a, T - 10 * MS);
  datagram_arrival_begin(&a, T, WALL);
  assert_int_equal(datagram_arrival_of(&a, WALL - 3600 * NS_PER_S, T), T - 10 * MS);
  assert_int_equal(datagram_arrival_of(&a, WALL + 3600 * NS_PER_S, T), T);
  assert_int_equal(datagram_arrival_of(&a, 0, T), T + 1); /* no stamp */
}

TEST(without_a_stamp_it_is_as_old_as_it_may_be)
{
  struct datagram_arrival a = {0};
  datagram_arrival_empty(&a, T - 300 * MS);
  datagram_arrival_begin(&a, T, WALL);
  assert_int_equal(datagram_arrival_of(&a, 0, T), T - 300 * MS);
}

/* Neither passes an old value for fresh, nor gets a value an age of an hour. */
TEST(a_step_of_the_wall_clock_makes_nothing_younger)
{
  static const int64_t hours[] = {1, -1};
  for (int i = 0; i < 2; i++) {
    struct datagram_arrival a = {0};
    const uint64_t step = (uint64_t)(hours[i] * 3600 * (int64_t)NS_PER_S);
    datagram_arrival_begin(&a, T - 400 * MS, WALL - 400 * MS);
    datagram_arrival_empty(&a, T - 400 * MS);
    datagram_arrival_begin(&a, T, WALL + step); /* came 300 ms ago, before the step */
    assert_int_equal(datagram_arrival_of(&a, WALL - 300 * MS, T), T - 400 * MS);
    datagram_arrival_empty(&a, T);
    datagram_arrival_begin(&a, T + 20 * MS, WALL + 20 * MS + step); /* and after it */
    assert_int_equal(datagram_arrival_of(&a, WALL + 15 * MS + step, T + 20 * MS), T + 15 * MS);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_datagram_has_its_true_age),
      cmocka_unit_test(no_two_share_a_time),
      cmocka_unit_test(stamps_that_make_no_sense_are_bounded),
      cmocka_unit_test(without_a_stamp_it_is_as_old_as_it_may_be),
      cmocka_unit_test(a_step_of_the_wall_clock_makes_nothing_younger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
