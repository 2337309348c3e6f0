/* SPDX-License-Identifier: MIT
 * Ages of bytes that waited: exact if possible, never too young. */
#include "check.h"
#include "transport/stream_arrival.h"

#include <string.h>

#define READ(...) stream_take(&a, &(struct stream_read){__VA_ARGS__})

static struct stream_arrival a;

static int setup(void **state)
{
  (void)state;
  stream_begin(&a, 1000);
  return 0;
}

TEST(a_frame_that_ends_the_queue_has_its_own_time)
{
  READ(.bytes = 12, .start_ns = 5000, .kernel_ns = 4900);
  assert_int_equal(stream_stamp(&a, true), 4900);
  READ(.bytes = 12, .start_ns = 7000, .kernel_ns = 6100);
  assert_int_equal(stream_stamp(&a, true), 6100);
}

/* The kernel has one stamp for joined segments: the stamp of the newest. */
TEST(frames_before_it_are_as_old_as_they_may_be)
{
  stream_seen_empty(&a, 3000);
  READ(.bytes = 36, .start_ns = 900000, .kernel_ns = 899000);
  const uint64_t first = stream_stamp(&a, false), second = stream_stamp(&a, false);
  assert_int_equal(first, 3000);
  assert_int_equal(second, 3001);
  assert_int_equal(stream_stamp(&a, true), 899000);
  /* bytes of the next read came after that read began */
  READ(.bytes = 24, .start_ns = 901000, .kernel_ns = 900500);
  assert_int_equal(stream_stamp(&a, false), 900000);
  assert_int_equal(stream_stamp(&a, true), 900500);
}

TEST(without_a_stamp_the_empty_queue_tells)
{
  stream_seen_empty(&a, 3000);
  stream_seen_empty(&a, 2000); /* an older fact */
  READ(.bytes = 8, .start_ns = 5000);
  assert_int_equal(stream_stamp(&a, true), 3000);
  READ(.bytes = 8, .start_ns = 6000);
  assert_int_equal(stream_stamp(&a, true), 5000);
}

/* A stamp from before the queue was empty comes from a clock that was set. */
TEST(stamps_stay_within_known_bounds)
{
  stream_seen_empty(&a, 3000);
  READ(.bytes = 8, .start_ns = 5000, .kernel_ns = 10);
  assert_int_equal(stream_stamp(&a, true), 3000);
}

TEST(a_queue_that_never_runs_empty_ages_by_its_length)
{
  READ(.bytes = 100, .left = 250, .start_ns = 5000, .kernel_ns = 4990);
  assert_int_equal(stream_stamp(&a, true), 1000);
  READ(.bytes = 100, .left = 400, .start_ns = 6000, .kernel_ns = 5990);
  assert_int_equal(stream_stamp(&a, false), 1001);
  READ(.bytes = 100, .left = 400, .start_ns = 7000, .kernel_ns = 6990);
  assert_int_equal(stream_stamp(&a, false), 1002);
  READ(.bytes = 100, .left = 400, .start_ns = 8000,
       .kernel_ns = 7990); /* beyond the mark: the next bytes came after 5000 */
  assert_int_equal(stream_stamp(&a, false), 1003);
  READ(.bytes = 100, .left = 300, .start_ns = 9000, .kernel_ns = 8990);
  assert_int_equal(stream_stamp(&a, false), 5000);
  READ(.bytes = 300, .left = 0, .start_ns = 10000, .kernel_ns = 9990);
  assert_int_equal(stream_stamp(&a, false), 5001);
  assert_int_equal(stream_stamp(&a, true), 9990);
}

TEST(a_frame_held_back_keeps_its_time)
{
  READ(.bytes = 24, .start_ns = 5000, .kernel_ns = 4900);
  READ(.bytes = 12, .start_ns = 9000, .kernel_ns = 8900, .behind = true);
  assert_int_equal(stream_stamp(&a, false), 1000);
}

/* Random arrivals, reads and looks compared with the truth: no stamp is later than the arrival of its byte, nor earlier
 * than the stamp of the byte before. */
TEST(no_stamp_is_too_young)
{
  enum { BYTES = 20000 };
  static uint64_t came[BYTES];
  uint32_t seed = 1;
  uint64_t now = 2000, last = 0;
  size_t there = 0, got = 0;
  while (got < BYTES) {
    seed = seed * 1664525u + 1013904223u;
    now += 2 + (seed >> 8) % 100;
    switch (seed >> 28) {
    case 0:
    case 1:
    case 2:
      if (there == got) stream_seen_empty(&a, now - 1);
      break;
    case 3:
    case 4: {
      size_t n = there - got;
      const size_t room = 1 + (seed >> 12) % 40;
      if (n == 0) break;
      if (n > room) n = room;
      READ(.bytes = n, .left = there - got - n, .start_ns = now,
           .kernel_ns = seed >> 27 & 1 ? came[there - 1] : 0);
      for (size_t i = 0; i < n; i++) {
        const uint64_t t = stream_stamp(&a, i + 1 == n);
        assert_true(t <= came[got + i] + n); /* 1 ns apart each */
        assert_true(t > last);
        last = t;
      }
      got += n;
      break;
    }
    default:
      if (there < BYTES) came[there++] = now;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_frame_that_ends_the_queue_has_its_own_time, setup),
      cmocka_unit_test_setup(frames_before_it_are_as_old_as_they_may_be, setup),
      cmocka_unit_test_setup(without_a_stamp_the_empty_queue_tells, setup),
      cmocka_unit_test_setup(stamps_stay_within_known_bounds, setup),
      cmocka_unit_test_setup(a_queue_that_never_runs_empty_ages_by_its_length, setup),
      cmocka_unit_test_setup(a_frame_held_back_keeps_its_time, setup),
      cmocka_unit_test_setup(no_stamp_is_too_young, setup),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
