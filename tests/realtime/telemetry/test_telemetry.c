/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "telemetry/telemetry.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { WRITES = 200000, WORDS = sizeof(struct telemetry_live) / 8 };

/* A live part whose words all follow from one number. */
static struct telemetry_live make(uint64_t number)
{
  uint64_t word[WORDS];
  struct telemetry_live live;
  for (uint64_t i = 0; i < WORDS; i++) word[i] = number * UINT64_C(0x9e3779b97f4a7c15) ^ i;
  word[0] = number; /* .cycle */
  memcpy(&live, word, sizeof live);
  return live;
}

static bool whole(const struct telemetry_live *live)
{
  const struct telemetry_live expected = make(live->cycle);
  uint64_t found[WORDS], wanted[WORDS];
  memcpy(found, live, sizeof found);
  memcpy(wanted, &expected, sizeof wanted);
  return memcmp(found, wanted, sizeof wanted) == 0;
}

TEST(a_written_record_is_read)
{
  struct telemetry *t = aligned_zalloc(sizeof *t);
  struct telemetry_live live = {.cycle = 1};
  assert_true(telemetry_read(t, &live));
  assert_int_equal(live.cycle, 0);
  const struct telemetry_live written = {.cycle = 42, .time = 0.42, .stale_mask = 7, .constraint = 1e-12};
  telemetry_write(t, &written);
  assert_true(telemetry_read(t, &live));
  assert_memory_equal(&live, &written, sizeof live);
  free(t);
}

TEST(dead_writer_is_noticed)
{
  struct telemetry *t = aligned_zalloc(sizeof *t);
  struct telemetry_live live;
  atomic_store(&t->sequence, 7); /* odd: the writer died while it wrote */
  assert_false(telemetry_read(t, &live));
  free(t);
}

static void *write_many(void *arg)
{
  struct telemetry *t = arg;
  for (uint64_t n = 1; n <= WRITES; n++) {
    const struct telemetry_live live = make(n);
    telemetry_write(t, &live);
    if (n % 64 == 0) sched_yield(); /* a loop without pauses would starve any reader; the real one pauses */
  }
  return NULL;
}

TEST(two_threads_never_tear)
{
  struct telemetry *t = aligned_zalloc(sizeof *t);
  struct telemetry_live live = make(0);
  telemetry_write(t, &live);
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_many, t), 0);
  uint64_t torn = 0, backwards = 0, seen = 0, last = 0;
  while (last < WRITES) {
    if (!telemetry_read(t, &live)) continue;
    torn += !whole(&live);
    backwards += live.cycle < last;
    seen += live.cycle != last;
    last = live.cycle;
  }
  pthread_join(writer, NULL);
  assert_int_equal(torn, 0);
  assert_int_equal(backwards, 0);
  assert_true(seen > 0);
  free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_written_record_is_read),
      cmocka_unit_test(dead_writer_is_noticed),
      cmocka_unit_test(two_threads_never_tear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
