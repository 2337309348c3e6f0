/* SPDX-License-Identifier: MIT
 * The text of broken records, and of records with little room. test_miss.c tests the wording. */
#include "check.h"
#include "telemetry/miss.h"

#include "telemetry/late_cycle.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct histograms *levels(void)
{
  static struct {
    struct histograms histograms;
    struct book_level behind;
  } b;
  const char endless[] = "a name of no end at all, even here";
  b.histograms.levels = 8;
  memcpy(b.histograms.level[6].name, "subtrees", sizeof "subtrees");
  memcpy(b.histograms.level[7].name, endless, sizeof b.histograms.level[7].name); /* without a 0 */
  memcpy(b.behind.name, "beyond", sizeof "beyond");
  return &b.histograms;
}

static const char *told(const struct miss *m)
{
  static char text[400];
  const int length = miss_text(m, levels(), text, sizeof text);
  assert_int_equal(length, strlen(text));
  return text;
}

TEST(a_record_that_was_not_judged)
{
  struct miss m = cycle();
  m.phase = PHASES;
  assert_string_equal(told(&m), "miss 17 at cycle 48211: cause unknown");
  m.cause = 1000; /* from a writer of another version */
  assert_string_equal(told(&m), "miss 17 at cycle 48211: cause unknown");
}

TEST(levels_without_a_name)
{
  static const int32_t level[] = {6, 7, 5, 8, LEVELS_MAX, INT32_MAX, -1};
  static const char *const expected[] = {
      "subtrees worker", "a name of no end at all worker", "row 5 worker", "row 8 worker",
      "row 48 worker",   "row 2147483647 worker",          "ms, worker"};
  struct miss m = cycle();
  char text[400];
  worker_takes(&m, PHASE_feedback, 0, 12 * MS);
  miss_judge(&m);
  assert_int_equal(m.cause, MISS_WORKER);
  for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
    m.slowest.level = level[i];
    if (!strstr(told(&m), expected[i])) fail_msg("%s: %s", expected[i], told(&m));
  }
  m.slowest.level = LEVELS_MAX; /* a level that another version may have */
  struct histograms *histograms = levels();
  histograms->levels = 2 * LEVELS_MAX;
  miss_text(&m, histograms, text, sizeof text);
  assert_non_null(strstr(text, "row 48 worker 1"));
  m.slowest.level = 6;
  miss_text(&m, NULL, text, sizeof text);
  assert_non_null(strstr(text, "row 6 worker 1"));
}

/* The words that follow the cause. */
TEST(who_had_the_processor)
{
  struct miss m = cycle();
  char text[400];
  wakes_late(&m, 40 * MS);
  m.skipped = 4;
  m.culprit = (struct culprit){.kind = CULPRIT_THREAD,
                               .id = 4711,
                               .priority = 9,
                               .policy = SCHED_FIFO,
                               .ns = 39 * MS,
                               .waited_ns = 40 * MS,
                               .name = "hog"};
  miss_judge(&m);
  miss_text(&m, NULL, text, sizeof text);
  assert_string_equal(
      text, "miss 17 at cycle 48211: woke 40.0 ms late, then took 465 us; thread 4711 (hog, SCHED_FIFO 90) "
            "had its processor for 39.0 ms; 4 starts skipped");
  m.culprit.ns = 9 * MS;
  miss_text(&m, NULL, text, sizeof text);
  assert_non_null(strstr(text, "90) had its processor for 9.0 ms of 40.0 ms; 4"));
  m.culprit.kind = CULPRIT_IDLE;
  miss_text(&m, NULL, text, sizeof text);
  assert_non_null(
      strstr(text, "; its processor was idle for 9.0 ms, the interrupt that wakes it came late; 4"));
  m.culprit.kind = CULPRIT_LOST;
  miss_text(&m, NULL, text, sizeof text);
  assert_non_null(strstr(text, "; the kernel's trace does not reach back to it; 4"));
}

/* The kernel may count interrupts as work of the thread: without the trace it computes. */
TEST(interrupts_that_look_like_work)
{
  struct miss m = cycle();
  char text[400];
  computes(&m, PHASE_feedback, 40 * MS);
  miss_judge(&m);
  assert_int_equal(m.cause, MISS_COMPUTING);
  m.culprit = (struct culprit){
      .kind = CULPRIT_SOFTIRQ, .id = 3, .ns = 39 * MS, .waited_ns = 39 * MS, .name = "NET_RX"};
  miss_judge(&m);
  assert_int_equal(m.cause, MISS_STOLEN);
  miss_text(&m, NULL, text, sizeof text);
  assert_string_equal(
      text, "miss 17 at cycle 48211: feedback 40.3 ms, loop interrupted for 39.0 ms; softirq NET_RX had its "
            "processor for 39.0 ms");
  m.culprit.kind = CULPRIT_THREAD; /* a thread cannot have it while the loop works */
  miss_judge(&m);
  assert_int_equal(m.cause, MISS_COMPUTING);
}

/* Cut off at any length, like snprintf(). */
TEST(any_size_of_text)
{
  struct miss m = cycle();
  worker_takes(&m, PHASE_feedback, 20 * US, 11900 * US);
  m.worker.involuntary = m.worker.minor = 2;
  m.skipped = 1;
  miss_judge(&m);
  char whole[400];
  const int length = miss_text(&m, levels(), whole, sizeof whole);
  assert_int_equal(miss_text(&m, levels(), NULL, 0), length);
  for (size_t size = 1; size < (size_t)length + 3; size++) {
    char *text = malloc(size + 1);
    text[size] = '#';
    assert_int_equal(miss_text(&m, levels(), text, size), length);
    assert_int_equal(text[size], '#');
    assert_int_equal(strlen(text), size <= (size_t)length ? size - 1 : (size_t)length);
    assert_memory_equal(text, whole, strlen(text));
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_record_that_was_not_judged),
      cmocka_unit_test(levels_without_a_name),
      cmocka_unit_test(who_had_the_processor),
      cmocka_unit_test(interrupts_that_look_like_work),
      cmocka_unit_test(any_size_of_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
