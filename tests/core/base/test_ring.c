/* SPDX-License-Identifier: MIT */
#include "base/ring.h"
#include "check.h"

#include <pthread.h>
#include <sched.h>

enum { SENT = 300000 };

struct record {
  uint64_t number;
  uint32_t word[7];
};

static struct record make(uint64_t number)
{
  struct record r = {.number = number};
  for (uint32_t i = 0; i < 7; i++) r.word[i] = (uint32_t)(number * 2654435761u) ^ i;
  return r;
}

static bool whole(const struct record *r)
{
  const struct record expected = make(r->number);
  return memcmp(r->word, expected.word, sizeof r->word) == 0;
}

static bool send(struct ring *r, uint64_t number)
{
  const struct record x = make(number);
  return ring_push(r, &x);
}

TEST(order_is_kept_and_excess_counted)
{
  struct ring r;
  struct record x;
  assert_true(ring_init(&r, sizeof x, 5));
  assert_int_equal(r.capacity, 8);
  assert_false(ring_pop(&r, &x));
  for (uint64_t n = 1; n <= 8; n++) assert_true(send(&r, n));
  assert_false(send(&r, 9));
  assert_false(send(&r, 10));
  assert_int_equal(ring_dropped(&r), 2);
  for (uint64_t n = 1; n <= 8; n++) {
    assert_true(ring_pop(&r, &x));
    assert_int_equal(x.number, n);
    assert_true(whole(&x));
  }
  assert_false(ring_pop(&r, &x));
  assert_true(send(&r, 11));
  assert_true(ring_pop(&r, &x));
  assert_int_equal(x.number, 11);
  ring_free(&r);
}

TEST(room_is_left_for_what_matters_more)
{
  struct ring r;
  const uint64_t x = 7;
  assert_true(ring_init(&r, sizeof x, 8));
  for (int i = 0; i < 5; i++) assert_true(ring_push_sparing(&r, &x, 3));
  assert_false(ring_push_sparing(&r, &x, 3));
  assert_true(ring_dropped(&r) == 1);
  for (int i = 0; i < 3; i++) assert_true(ring_push(&r, &x));
  assert_false(ring_push(&r, &x));
  ring_free(&r);
}

TEST(indices_wrap)
{
  struct ring r;
  struct record x;
  assert_true(ring_init(&r, sizeof x, 4));
  atomic_store(&r.head, UINT32_MAX - 1);
  atomic_store(&r.tail, UINT32_MAX - 1);
  for (uint64_t n = 1; n <= 4; n++) assert_true(send(&r, n));
  assert_false(send(&r, 5));
  for (uint64_t n = 1; n <= 4; n++) {
    assert_true(ring_pop(&r, &x));
    assert_int_equal(x.number, n);
  }
  assert_false(ring_pop(&r, &x));
  ring_free(&r);
}

TEST(impossible_sizes_are_refused)
{
  struct ring r;
  assert_false(ring_init(&r, 16, UINT32_MAX)); /* no power of two is large enough */
  assert_false(ring_init(&r, SIZE_MAX / 4, 64));
  ring_free(&r);
}

struct producer {
  struct ring ring;
  bool patient; /* waits for room instead of dropping */
  atomic_bool done;
};

static void *produce(void *arg)
{
  struct producer *p = arg;
  for (uint64_t n = 1; n <= SENT; n++)
    while (!send(&p->ring, n) && p->patient) sched_yield();
  atomic_store(&p->done, true);
  return NULL;
}

static void two_threads(bool patient)
{
  struct producer p = {.patient = patient};
  struct record x;
  pthread_t thread;
  uint64_t last = 0, received = 0, broken = 0, disorder = 0;
  assert_true(ring_init(&p.ring, sizeof x, 64));
  assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
  for (bool done = false; !done;) {
    done = atomic_load(&p.done); /* read before the last look, which then sees everything */
    while (ring_pop(&p.ring, &x)) {
      broken += !whole(&x);
      disorder += patient ? x.number != last + 1 : x.number <= last;
      last = x.number;
      received++;
    }
    sched_yield();
  }
  pthread_join(thread, NULL);
  assert_int_equal(broken, 0);
  assert_int_equal(disorder, 0);
  if (patient)
    assert_int_equal(received, SENT);
  else
    assert_int_equal(received + ring_dropped(&p.ring), SENT);
  ring_free(&p.ring);
}

TEST(two_threads_lose_nothing)
{
  two_threads(true);
}

TEST(two_threads_count_what_is_dropped)
{
  two_threads(false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_kept_and_excess_counted),
      cmocka_unit_test(room_is_left_for_what_matters_more),
      cmocka_unit_test(indices_wrap),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(two_threads_lose_nothing),
      cmocka_unit_test(two_threads_count_what_is_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
