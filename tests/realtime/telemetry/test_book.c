/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "telemetry/book.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 100000 };

static struct histogram h;

static int only_bin(void)
{
  int found = -1;
  for (int i = 0; i < BOOK_BINS; i++) {
    if (!h.bin[i]) continue;
    assert_int_equal(found, -1);
    found = i;
  }
  return found;
}

static int bin_of(uint64_t ns)
{
  histogram_clear(&h);
  histogram_add(&h, ns, 0);
  return only_bin();
}

TEST(edges_are_as_promised)
{
  for (int i = 0; i <= BOOK_LINEAR; i++) assert_true(histogram_edge(i) == 1000.0 * i);
  for (int i = 0; i <= BOOK_LOG; i++) {
    const double exact = 1e6 * exp2(i / 8.0);
    assert_true(fabs(histogram_edge(BOOK_LINEAR + i) / exact - 1.0) < 1e-6);
  }
}

TEST(every_bin_holds_its_edges)
{
  for (int i = 0; i < BOOK_BINS; i++) {
    const uint64_t low = (uint64_t)histogram_edge(i);
    assert_int_equal(bin_of(low), i);
    if (i > 0) assert_int_equal(bin_of(low - 1), i - 1);
  }
  assert_int_equal(bin_of(0), 0);
  assert_int_equal(bin_of(UINT64_MAX), BOOK_BINS - 1);
}

static uint64_t seed;
static double uniform(void)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Checks that every percentile lies between the exact value and the upper edge of its bin. */
static void percentiles_bracket_the_exact_ones(double log_low, double log_high)
{
  static const double fraction[] = {1e-9, 0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0};
  uint64_t *value = malloc(ENTRIES * sizeof *value);
  uint64_t *sorted = malloc(ENTRIES * sizeof *sorted);
  assert_true(value && sorted);
  histogram_clear(&h);
  for (int i = 0; i < ENTRIES; i++) {
    value[i] = sorted[i] = (uint64_t)pow(10.0, log_low + (log_high - log_low) * uniform());
    histogram_add(&h, value[i], (uint64_t)i);
  }
  qsort(sorted, ENTRIES, sizeof *sorted, ascending);

  assert_int_equal(h.count, ENTRIES);
  assert_int_equal(h.last_ns, value[ENTRIES - 1]);
  assert_int_equal(h.min_ns, sorted[0]);
  assert_int_equal(h.max_ns, sorted[ENTRIES - 1]);
  assert_int_equal(value[h.max_cycle], sorted[ENTRIES - 1]);
  assert_true(histogram_percentile_us(&h, 0.0) == (double)sorted[0] * 1e-3);
  assert_true(histogram_percentile_us(&h, 1.0) == (double)sorted[ENTRIES - 1] * 1e-3);
  for (size_t k = 0; k < sizeof fraction / sizeof *fraction; k++) {
    const double exact = (double)sorted[(size_t)ceil(fraction[k] * ENTRIES) - 1] * 1e-3;
    const double told = histogram_percentile_us(&h, fraction[k]);
    assert_true(told >= exact);
    const bool overflow = exact >= histogram_edge(BOOK_BINS - 1) * 1e-3;
    assert_true(overflow || told <= fmax(exact + 1.0, exact * 1.0906));
  }
  free(value);
  free(sorted);
}

TEST(percentiles_of_random_times)
{
  seed = 1;
  percentiles_bracket_the_exact_ones(2.0, 6.0);  /* 100 ns .. 1 ms */
  percentiles_bracket_the_exact_ones(3.0, 10.5); /* 1 us .. 32 s */
  percentiles_bracket_the_exact_ones(4.0, 12.0); /* 10 us .. 1000 s: many beyond the last bin */
}

TEST(empty_and_single)
{
  histogram_clear(&h);
  assert_true(histogram_percentile_us(&h, 0.5) == 0.0);
  histogram_add(&h, 12345, 77);
  assert_true(histogram_percentile_us(&h, 0.5) == 12.345); /* never above the exact maximum */
  assert_int_equal(h.max_cycle, 77);
}

/* The block in shared memory starts as zeros, without a clear. */
TEST(zeroed_memory_is_an_empty_histogram)
{
  memset(&h, 0, sizeof h);
  histogram_add(&h, 5000, 1);
  histogram_add(&h, 0, 2);
  histogram_add(&h, 7000, 3);
  assert_int_equal(h.count, 3);
  assert_int_equal(h.min_ns, 0);
  assert_int_equal(h.max_ns, 7000);
  assert_int_equal(h.max_cycle, 3);
  histogram_clear(&h);
  for (size_t i = 0; i < sizeof h; i++) assert_int_equal(((const char *)&h)[i], 0);
}

TEST(phases_lie_in_their_order)
{
  static struct histograms b;
  static const char *const names[] = {"latch",   "feedback", "observe", "platform",
                                      "publish", "record",   "account", "prepare"};
  assert_int_equal(PHASES, sizeof names / sizeof *names);
  for (unsigned i = 0; i < PHASES; i++) assert_string_equal(phase_name(i), names[i]);
  assert_string_equal(phase_name(PHASES), "?");
  assert_ptr_equal(book_histogram(&b, PHASE_latch), &b.latch);
  assert_ptr_equal(book_histogram(&b, PHASE_feedback), &b.feedback);
  assert_ptr_equal(book_histogram(&b, PHASE_observe), &b.observe);
  assert_ptr_equal(book_histogram(&b, PHASE_platform), &b.platform);
  assert_ptr_equal(book_histogram(&b, PHASE_publish), &b.publish);
  assert_ptr_equal(book_histogram(&b, PHASE_record), &b.record);
  assert_ptr_equal(book_histogram(&b, PHASE_account), &b.account);
  assert_ptr_equal(book_histogram(&b, PHASE_prepare), &b.prepare);
}

static void assert_watch(const struct stopwatch *w, uint64_t count, uint64_t last, uint64_t total,
                         uint64_t max, uint64_t max_cycle)
{
  assert_int_equal(w->count, count);
  assert_int_equal(w->last_ns, last);
  assert_int_equal(w->sum_ns, total);
  assert_int_equal(w->max_ns, max);
  assert_int_equal(w->max_cycle, max_cycle);
}

TEST(a_stopwatch_adds_up)
{
  struct stopwatch w = {0};
  stopwatch_add(&w, 0, 7); /* 0 is a time, too */
  assert_watch(&w, 1, 0, 0, 0, 7);
  stopwatch_add(&w, 300, 8);
  stopwatch_add(&w, 200, 9);
  stopwatch_add(&w, 300, 10); /* the first of equal ones */
  assert_watch(&w, 4, 300, 800, 300, 8);
  stopwatch_clear(&w);
  assert_watch(&w, 0, 0, 0, 0, 0);
  stopwatch_add(&w, 100, 11);
  assert_watch(&w, 1, 100, 100, 100, 11);
}

/* A clear removes times and keeps the names of the rows. */
TEST(a_cleared_book_is_empty)
{
  static struct histograms b, empty;
  b.levels = empty.levels = LEVELS_MAX;
  for (int i = 0; i < LEVELS_MAX; i++)
    b.level[i] = empty.level[i] = (struct book_level){.name = "level", .shared = 1, .nodes = 3};
#define FILL(name, text) histogram_add(&b.name, 12345, 1);
  BOOK_LIST(FILL)
#undef FILL
  for (int i = 0; i < LEVELS_MAX; i++) {
    stopwatch_add(&b.level[i].wait, 1, 1);
    stopwatch_add(&b.level[i].busy, 2, 1);
  }
  assert_memory_not_equal(&b, &empty, sizeof b);
  book_clear(&b, 42);
  assert_int_equal(b.cleared, 42);
  b.cleared = 0;
  assert_memory_equal(&b, &empty, sizeof b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_are_as_promised),
      cmocka_unit_test(every_bin_holds_its_edges),
      cmocka_unit_test(percentiles_of_random_times),
      cmocka_unit_test(empty_and_single),
      cmocka_unit_test(zeroed_memory_is_an_empty_histogram),
      cmocka_unit_test(phases_lie_in_their_order),
      cmocka_unit_test(a_stopwatch_adds_up),
      cmocka_unit_test(a_cleared_book_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
