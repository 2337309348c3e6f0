/* SPDX-License-Identifier: MIT
 * Distributions over columns: nothing is lost, and every entry is visible. */
#include "bins.h"
#include "check.h"

#include "words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct histogram h;
static struct bins b;

static double total(void)
{
  double sum = 0.0;
  for (int i = 0; i < b.columns; i++) sum += b.count[i];
  return sum;
}

TEST(ticks)
{
  static const struct {
    double x, below, above;
  } at[] = {{1, 1, 1},        {1.5, 1, 2},  {2, 2, 2},        {4.99, 2, 5},       {5, 5, 5},
            {9.99, 5, 10},    {10, 10, 10}, {999, 500, 1000}, {1000, 1000, 1000}, {123456, 100000, 200000},
            {0.07, 0.05, 0.1}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    assert_true(fabs(bins_tick_below(at[i].x) / at[i].below - 1.0) < 1e-9);
    assert_true(fabs(bins_tick_above(at[i].x) / at[i].above - 1.0) < 1e-9);
  }
}

TEST(ticks_between)
{
  double tick[TICKS_MAX];
  assert_int_equal(bins_ticks(20.0, 1000.0, tick), 6);
  static const double expected[] = {20.0, 50.0, 100.0, 200.0, 500.0, 1000.0};
  for (int i = 0; i < 6; i++) assert_true(fabs(tick[i] / expected[i] - 1.0) < 1e-9);
  assert_int_equal(bins_ticks(5.0, 5.0, tick), 1);
  assert_int_equal(bins_ticks(1e-30, 1e30, tick), TICKS_MAX);
}

/* Random times over the whole range, the overflow included. */
TEST(nothing_is_lost)
{
  srand(1); /* NOLINT(cert-msc32-c,cert-msc51-cpp): equal in every run */
  for (int run = 0; run < 50; run++) {
    histogram_clear(&h);
    const int n = 1 + run * 7;
    for (int i = 0; i < n; i++)
      histogram_add(&h, (uint64_t)(100.0 * pow(10.0, 9.5 * (double)rand() / RAND_MAX)), 1);
    for (int columns = 1; columns < 600; columns += 37) {
      bins_make(&b, &h, columns);
      assert_true(fabs(total() / n - 1.0) < 1e-9);
      assert_true(b.low_ns < b.high_ns && b.columns <= BINS_MAX);
      for (int i = 0; i < b.columns; i++) {
        const int height = bins_eighths(&b, i, 4);
        assert_in_range(height, 0, 32);
        assert_int_equal(height > 0, b.count[i] > 0.0);
      }
    }
  }
}

TEST(a_single_time_has_one_column)
{
  static const uint64_t time[] = {0,      1,       500,     1000,        20500,
                                  999999, 1000000, 1414214, 70000000000, 900000000000};
  for (size_t i = 0; i < sizeof time / sizeof *time; i++) {
    histogram_clear(&h);
    histogram_add(&h, time[i], 1);
    bins_make(&b, &h, 60);
    assert_true(fabs(total() - 1.0) < 1e-12);
    assert_true(b.count[bins_column(&b, (double)time[i])] == 1.0);
    assert_int_equal(bins_eighths(&b, bins_column(&b, (double)time[i]), 3), 24);
  }
  histogram_clear(&h);
  bins_make(&b, &h, 60);
  assert_true(b.most == 0.0);
  assert_int_equal(bins_eighths(&b, 0, 3), 0);
}

/* One in a million beside all the others: both are visible, and the rows between show their ratio. */
TEST(heights_are_logarithmic)
{
  histogram_clear(&h);
  for (int i = 0; i < 999999; i++) histogram_add(&h, 50000, 1);
  histogram_add(&h, 900000, 2);
  bins_make(&b, &h, 40);
  assert_int_equal(bins_eighths(&b, bins_column(&b, 50000.0), 6), 48);
  assert_in_range(bins_eighths(&b, bins_column(&b, 900000.0), 6), 1, 4);
  assert_true(fabs(bins_count_at(&b, 6.0, 6) - 999999.0) < 1.0);
  assert_true(bins_count_at(&b, 0.0, 6) == 0.0);
}

TEST(numbers_are_short)
{
  assert_string_equal(words_us(0).text, "0.0");
  assert_string_equal(words_us(114049).text, "114.0");
  assert_string_equal(words_us(99999949).text, "99999.9");
  assert_string_equal(words_us(UINT64_C(1234567890)).text, "1234568");
  assert_string_equal(words_us(UINT64_C(70000000000)).text, "70 s");
  assert_true(strlen(words_us(UINT64_MAX).text) <= 9);
  assert_string_equal(words_tick(500).text, "0.5us");
  assert_string_equal(words_tick(2e7).text, "20ms");
  assert_string_equal(words_tick(1e9).text, "1s");
  assert_string_equal(words_count(0).text, "0");
  assert_string_equal(words_count(999.4).text, "999");
  assert_string_equal(words_count(999.5).text, "1k");
  assert_string_equal(words_count(1e6).text, "1M");
  for (double n = 1.0; n < 1e19; n *= 1.1) assert_true(strlen(words_count(n).text) <= 4);
  assert_string_equal(words_cycle(123).text, "123");
  assert_string_equal(words_cycle(UINT64_C(1234567890)).text, "1234.57M");
  assert_string_equal(words_duration(119).text, "119 s");
  assert_string_equal(words_duration(3600).text, "60 min");
  assert_string_equal(words_duration(86400).text, "24 h");
  assert_string_equal(words_duration(864000).text, "10 d");
  assert_string_equal(words_age(UINT64_MAX).text, "none");
  assert_string_equal(words_age(12000000).text, "12 ms");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks),
      cmocka_unit_test(ticks_between),
      cmocka_unit_test(nothing_is_lost),
      cmocka_unit_test(a_single_time_has_one_column),
      cmocka_unit_test(heights_are_logarithmic),
      cmocka_unit_test(numbers_are_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
