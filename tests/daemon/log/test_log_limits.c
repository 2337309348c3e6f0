/* SPDX-License-Identifier: MIT
 * Limits by kind of line, with an artificial clock. Standard error is a file here. */
#include "check.h"
#include "log/log_limits.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
static const uint64_t T0 = UINT64_C(50000000000);

static struct log_limits limits;
static int file, saved;

static int redirect(void **state)
{
  (void)state;
  char path[] = "/tmp/ali3-limits-XXXXXX";
  unsetenv("JOURNAL_STREAM");
  file = mkstemp(path);
  unlink(path);
  saved = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  log_limits_init(&limits);
  return 0;
}

static int put_back(void **state)
{
  (void)state;
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(file);
  return 0;
}

/* How often `part` was logged. */
static int times_logged(const char *part)
{
  static char text[1 << 20];
  const ssize_t n = pread(file, text, sizeof text - 1, 0);
  int count = 0;
  text[n > 0 ? n : 0] = '\0';
  for (const char *p = text; (p = strstr(p, part)); p++) count++;
  return count;
}

/* 1600 a second for three seconds, a tick every 20 ms. */
TEST(a_flood_is_summed_up)
{
  const unsigned reset = (unsigned)log_kind_of_command(COMMAND_RESET);
  int sent = 0;
  for (int tick = 0; tick < 150; tick++) {
    const uint64_t now = T0 + (uint64_t)tick * 20 * MS;
    log_limits_tick(&limits, now, false);
    for (int i = 0; i < 32; i++) log_limited(&limits, reset, LOG_LEVEL_INFO, now, "reset %d of many", ++sent);
  }
  log_limits_tick(&limits, T0 + 3000 * MS, true);
  assert_int_equal(times_logged("reset 1 of many"), 1);
  assert_int_equal(times_logged("\n"), 3 * (LOG_LIMIT + 1));
  assert_int_equal(times_logged("ali3d: 1595 more in the last 1.0 s; the last: reset 1600 of many\n"), 1);
  assert_int_equal(times_logged("ali3d: 1595 more in the last "), 3);
  assert_int_equal(times_logged("the last: reset 4800 of many"), 1);
}

TEST(a_flood_of_one_kind_leaves_the_others_alone)
{
  for (int i = 0; i < 100; i++) log_limited(&limits, LOG_KIND_PLATFORM_SET, LOG_LEVEL_INFO, T0, "set");
  log_limited(&limits, (unsigned)log_kind_of_command(COMMAND_PAUSE), LOG_LEVEL_INFO, T0, "pause");
  log_limited(&limits, (unsigned)log_kind_of_command(1000), LOG_LEVEL_INFO, T0, "unheard of");
  assert_int_equal(times_logged("pause"), 1);
  assert_int_equal(times_logged("unheard of"), 1);
  assert_int_equal(times_logged("set\n"), LOG_LIMIT);
}

TEST(a_limit_of_a_minute_counts_what_it_holds)
{
  const uint64_t second = 1000 * MS;
  struct rate_limit r = rate_limit_in_minute(2);
  double over = 0;
  assert_true(rate_limit_passes(&r, T0));
  assert_true(rate_limit_passes(&r, T0 + second));
  assert_false(rate_limit_passes(&r, T0 + 2 * second));
  rate_limit_hold(&r, T0 + 3 * second, 3); /* lines that their source lost */
  assert_false(rate_limit_passes(&r, T0 + 59 * second));
  assert_int_equal(rate_limit_sum(&r, T0 + 59 * second, false, &over), 0);
  assert_int_equal(rate_limit_sum(&r, T0 + 60 * second, false, &over), 5);
  assert_true(over == 58.0);
  assert_true(rate_limit_passes(&r, T0 + 60 * second));
  assert_int_equal(rate_limit_sum(&r, T0 + 200 * second, false, &over), 0);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, redirect, put_back)
  const struct CMUnitTest tests[] = {
      ROW(a_flood_is_summed_up),
      ROW(a_flood_of_one_kind_leaves_the_others_alone),
      cmocka_unit_test(a_limit_of_a_minute_counts_what_it_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
