/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "rt/clock.h"

#include "common/sanitized.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

TEST(conversion_is_exact)
{
  static const struct {
    uint64_t ns;
    long s, rest;
  } row[] = {{0, 0, 0},
             {1, 0, 1},
             {999999999, 0, 999999999},
             {1000000000, 1, 0},
             {3500000000, 3, 500000000},
             {UINT64_C(4294967296999999999), 4294967296, 999999999}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const struct timespec t = clock_timespec(row[i].ns);
    assert_int_equal(t.tv_sec, row[i].s);
    assert_int_equal(t.tv_nsec, row[i].rest);
    assert_int_equal(clock_ns(t), row[i].ns);
  }
}

/* A stall longer than a second after which tv_nsec looks earlier: code that compares only that part would miss it. */
TEST(stalls_beyond_a_second_are_seen)
{
  const uint64_t nominal = clock_ns((struct timespec){3, 999999999});
  const uint64_t woke = clock_ns((struct timespec){5, 10});
  assert_true(woke > nominal);
  assert_int_equal(woke - nominal, 1000000011);
  const uint64_t next = nominal + 10000000; /* into the next second */
  assert_int_equal(clock_timespec(next).tv_sec, 4);
  assert_int_equal(clock_timespec(next).tv_nsec, 9999999);
}

TEST(clock_is_monotonic)
{
  uint64_t last = clock_now_ns();
  for (int i = 0; i < 10000; i++) {
    const uint64_t now = clock_now_ns();
    assert_true(now >= last);
    last = now;
  }
}

TEST(past_instants_do_not_wait)
{
  const uint64_t start = clock_now_ns();
  for (int i = 0; i < 100; i++) {
    clock_sleep_until_ns(start);
    clock_sleep_until_ns(start > 5 * NS_PER_S ? start - 5 * NS_PER_S : 0);
    clock_sleep_until_ns(0);
  }
  assert_in_time((double)(clock_now_ns() - start), 10.0 * (double)NS_PER_S);
}

static volatile sig_atomic_t signals;
static void count_signal(int number)
{
  (void)number;
  signals++;
}

TEST(sleep_goes_on_after_signals)
{
  const struct sigaction action = {.sa_handler = count_signal}; /* no SA_RESTART: calls end with EINTR */
  const struct itimerval every = {{0, 3000}, {0, 3000}}, off = {{0, 0}, {0, 0}};
  struct sigaction before;
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &every, NULL);
  const uint64_t wanted = clock_now_ns() + 150000000;
  clock_sleep_until_ns(wanted);
  const uint64_t woke = clock_now_ns();
  setitimer(ITIMER_REAL, &off, NULL);
  sigaction(SIGALRM, &before, NULL);
  assert_true(woke >= wanted);
  if (!TEST_SANITIZED) assert_true(signals >= 1); /* some sanitizers deliver signals late */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conversion_is_exact),         cmocka_unit_test(stalls_beyond_a_second_are_seen),
      cmocka_unit_test(clock_is_monotonic),          cmocka_unit_test(past_instants_do_not_wait),
      cmocka_unit_test(sleep_goes_on_after_signals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
