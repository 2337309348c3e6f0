/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "telemetry/miss.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A record whose words all follow from its number. */
static struct miss make(uint64_t number)
{
  uint64_t word[sizeof(struct miss) / sizeof(uint64_t)];
  struct miss m;
  for (uint64_t i = 0; i < sizeof word / sizeof *word; i++)
    word[i] = number * UINT64_C(0x9e3779b97f4a7c15) ^ i;
  word[0] = number;
  memcpy(&m, word, sizeof m);
  return m;
}

static bool whole(const struct miss *m)
{
  const struct miss expected = make(m->number);
  return memcmp(m, &expected, sizeof expected) == 0;
}

TEST(the_last_records_are_kept)
{
  struct miss_log *log = aligned_zalloc(sizeof *log);
  struct miss m;
  assert_false(miss_log_read(log, 0, &m));
  for (uint64_t k = 0; k < 3 * MISS_LOG + 5; k++) {
    const struct miss next = make(k + 1);
    assert_false(miss_log_read(log, k, &m));
    miss_log_write(log, &next);
    for (uint64_t i = 0; i <= k; i++) {
      const bool kept = i + MISS_LOG > k;
      assert_int_equal(miss_log_read(log, i, &m), kept);
      if (kept) assert_true(m.number == i + 1 && whole(&m));
    }
  }
  assert_int_equal(log->written, 3 * MISS_LOG + 5);
  free(log);
}

/* The writer died while it wrote. */
TEST(half_a_record_is_refused)
{
  struct miss_log *log = aligned_zalloc(sizeof *log);
  struct miss m = make(1);
  for (int i = 0; i <= MISS_LOG; i++) miss_log_write(log, &m);
  atomic_store(&log->slot[1].sequence, 2 * (MISS_LOG + 1) + 1);
  assert_false(miss_log_read(log, 1, &m));
  assert_false(miss_log_read(log, MISS_LOG + 1, &m));
  assert_true(miss_log_read(log, 2, &m));
  free(log);
}

enum { RECORDS = 100000 };

static void *write_many(void *arg)
{
  for (uint64_t n = 1; n <= RECORDS; n++) {
    const struct miss m = make(n);
    miss_log_write(arg, &m);
    if (n % 16 == 0) sched_yield();
  }
  return NULL;
}

struct seen {
  uint64_t read, torn, wrong;
};

static void look_at(const struct miss_log *log, uint64_t k, struct seen *seen)
{
  struct miss m;
  if (!miss_log_read(log, k, &m)) return;
  seen->read++;
  seen->torn += !whole(&m);
  seen->wrong += m.number != k + 1;
}

TEST(two_threads_never_tear)
{
  struct miss_log *log = aligned_zalloc(sizeof *log);
  struct seen seen = {0};
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_many, log), 0);
  uint64_t written;
  do {
    written = atomic_load(&log->written);
    for (uint64_t k = written > MISS_LOG ? written - MISS_LOG : 0; k < written; k++) {
      look_at(log, k, &seen);
      look_at(log, atomic_load(&log->written), &seen); /* the record that is being written */
    }
  } while (written < RECORDS);
  pthread_join(writer, NULL);
  assert_int_equal(seen.torn, 0);
  assert_int_equal(seen.wrong, 0);
  assert_true(seen.read >= MISS_LOG); /* at least the records of the end */
  free(log);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_records_are_kept),
      cmocka_unit_test(half_a_record_is_refused),
      cmocka_unit_test(two_threads_never_tear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
