/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "osc/limit.h"

#include "rt/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static struct osc_limit limit;
static uint64_t now_ns;

static int clear(void **state)
{
  (void)state;
  memset(&limit, 0, sizeof limit);
  now_ns = 5 * NS_PER_S;
  return 0;
}

static struct inet_address host(int i)
{
  char text[32];
  snprintf(text, sizeof text, "10.0.%d.%d", i / 256, i % 256);
  struct inet_address a;
  assert_int_equal(inet_address_parse(text, 1000 + i, &a), 0);
  return a;
}

/* Bytes that a host gets for requests of 20 bytes with answers of 1020 bytes, until it is refused. */
static size_t drain(int i)
{
  const struct inet_address a = host(i);
  size_t got = 0;
  while (osc_limit_allows(&limit, &a, 20, 1020, now_ns)) got += 1020 - 2 * 20;
  return got;
}

TEST(short_answers_are_free)
{
  const struct inet_address a = host(1);
  drain(1);
  for (int i = 0; i < 1000; i++) assert_true(osc_limit_allows(&limit, &a, 20, 40, now_ns));
  assert_false(osc_limit_allows(&limit, &a, 20, 41 + 1020, now_ns));
}

TEST(a_bucket_fills_in_a_second)
{
  assert_in_range(drain(1), OSC_LIMIT_BYTES - 980, OSC_LIMIT_BYTES);
  assert_int_equal(drain(1), 0);
  now_ns += NS_PER_S / 2;
  assert_in_range(drain(1), OSC_LIMIT_BYTES / 2 - 2 * 980, OSC_LIMIT_BYTES / 2 + 980);
  now_ns += 10 * NS_PER_S;
  assert_in_range(drain(1), OSC_LIMIT_BYTES - 980, OSC_LIMIT_BYTES); /* and the bucket holds no more */
}

TEST(ports_of_a_host_share_its_bucket)
{
  struct inet_address a = host(1);
  drain(1);
  inet_address_set_port(&a, 9);
  assert_false(osc_limit_allows(&limit, &a, 20, 1020, now_ns));
  assert_true(drain(2) > 0);
}

/* For any number of invented sources. */
TEST(all_together_are_bounded)
{
  size_t all = 0;
  for (int i = 0; i < 1000; i++) all += drain(i);
  assert_true(all <= (OSC_LIMIT_HOSTS + 1) * OSC_LIMIT_BYTES);
  assert_true(all > OSC_LIMIT_HOSTS * (OSC_LIMIT_BYTES - 980));
  now_ns += NS_PER_S;
  assert_true(drain(999) > 0); /* places are free again */
}

TEST(answers_of_a_turn_are_shared)
{
  struct osc_budget b = {0};
  int answers = 0;
  const struct inet_address first = host(1), second = host(2), third = host(3), writer = host(4);
  while (osc_budget_allows(&b, &first, true)) answers++;
  assert_int_equal(answers, OSC_ANSWERS_HOST);
  while (osc_budget_allows(&b, &second, true)) answers++;
  assert_int_equal(answers, OSC_ANSWERS_READERS);
  assert_false(osc_budget_allows(&b, &third, true));
  assert_true(osc_budget_allows(&b, &writer, false)); /* readers do not use up its answers */
  for (int i = 0; i < 1000; i++) {
    const struct inet_address any = host(i);
    answers += osc_budget_allows(&b, &any, false);
  }
  assert_true(answers < OSC_ANSWERS_READERS + OSC_ANSWERS_HOSTS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(short_answers_are_free, clear),
      cmocka_unit_test_setup(a_bucket_fills_in_a_second, clear),
      cmocka_unit_test_setup(ports_of_a_host_share_its_bucket, clear),
      cmocka_unit_test_setup(all_together_are_bounded, clear),
      cmocka_unit_test_setup(answers_of_a_turn_are_shared, clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
