/* SPDX-License-Identifier: MIT */
#include "base/snapshot.h"
#include "check.h"

#include <pthread.h>
#include <sched.h>

enum { WORDS = 61, PUBLISHED = 100000 };

struct value {
  uint64_t number;
  uint64_t word[WORDS]; /* all derive from the number */
};

static uint64_t word_of(uint64_t number, int i)
{
  return (number * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uint64_t)i << 56);
}

/* Sometimes the other thread runs in the middle, so that both meet on a single processor, too. */
static void fill(struct value *v, uint64_t number)
{
  v->number = number;
  for (int i = 0; i < WORDS; i++) {
    v->word[i] = word_of(number, i);
    if (number % 7 == 0 && i == WORDS / 2) sched_yield();
  }
}

static bool whole(const struct value *v)
{
  for (int i = 0; i < WORDS; i++)
    if (v->word[i] != word_of(v->number, i)) return false;
  return true;
}

static void put(struct snapshot *s, uint64_t number)
{
  fill(snapshot_begin(s), number);
  snapshot_publish(s);
}

static uint64_t value_number(const struct snapshot *s)
{
  return ((const struct value *)snapshot_value(s))->number;
}

TEST(nothing_published_is_zero)
{
  struct snapshot s;
  assert_true(snapshot_init(&s, sizeof(struct value)));
  assert_false(snapshot_take(&s));
  assert_int_equal(value_number(&s), 0);
  snapshot_free(&s);
}

TEST(latest_wins_and_is_taken_once)
{
  struct snapshot s;
  assert_true(snapshot_init(&s, sizeof(struct value)));
  for (uint64_t n = 1; n <= 5; n++) put(&s, n);
  assert_true(snapshot_take(&s));
  assert_int_equal(value_number(&s), 5);
  assert_false(snapshot_take(&s));
  assert_int_equal(value_number(&s), 5);
  put(&s, 6);
  assert_int_equal(value_number(&s), 5); /* stays until the next take */
  assert_true(snapshot_take(&s));
  assert_int_equal(value_number(&s), 6);
  snapshot_free(&s);
}

static void *write_many(void *arg)
{
  struct snapshot *s = arg;
  for (uint64_t n = 1; n <= PUBLISHED; n++) put(s, n);
  return NULL;
}

TEST(two_threads_never_tear)
{
  struct snapshot s;
  pthread_t writer;
  assert_true(snapshot_init(&s, sizeof(struct value)));
  assert_int_equal(pthread_create(&writer, NULL, write_many, &s), 0);
  uint64_t last = 0, torn = 0, backwards = 0, taken = 0;
  while (last < PUBLISHED) {
    if (!snapshot_take(&s)) {
      sched_yield();
      continue;
    }
    const struct value *v = snapshot_value(&s);
    for (int look = 0; look < 4; look++) { /* the value does not change while the reader uses it */
      torn += !whole(v);
      sched_yield();
    }
    backwards += v->number <= last;
    last = v->number;
    taken++;
  }
  pthread_join(writer, NULL);
  assert_int_equal(torn, 0);
  assert_int_equal(backwards, 0);
  assert_in_range(taken, 1, PUBLISHED);
  snapshot_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_published_is_zero),
      cmocka_unit_test(latest_wins_and_is_taken_once),
      cmocka_unit_test(two_threads_never_tear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
