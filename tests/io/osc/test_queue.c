/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "osc/queue.h"

#include "rt/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static struct osc_queue *queue;
static uint8_t bytes[OSC_IN_MAX + 4];

static int setup(void **state)
{
  (void)state;
  queue = osc_queue_new();
  return queue ? 0 : -1;
}

static int teardown(void **state)
{
  (void)state;
  osc_queue_free(queue);
  return 0;
}

static bool put_from(int host, int port, enum access access, uint64_t t_ns, size_t size)
{
  char text[32];
  struct inet_address from;
  snprintf(text, sizeof text, "10.0.%d.%d", host / 256, host % 256);
  assert_int_equal(inet_address_parse(text, port, &from), 0);
  bytes[0] = (uint8_t)t_ns;
  return osc_queue_put(queue, &from, access, t_ns, bytes, size);
}

static bool put(int host, enum access access, uint64_t t_ns, size_t size)
{
  return put_from(host, 9000, access, t_ns, size);
}

/* Fills the queue from two ports of the host in turn. Returns how many datagrams fitted. */
static int fill(int host, enum access access, size_t size)
{
  int n = 0;
  while (put_from(host, 9000, access, 1, size) || put_from(host, 9001, access, 1, size)) n++;
  return n;
}

TEST(each_class_keeps_its_order)
{
  assert_null(osc_queue_next(queue, ACCESS_WRITE));
  for (uint64_t i = 0; i < 20; i++) assert_true(put(1, i % 2 ? ACCESS_WRITE : ACCESS_READ, i, 40));
  for (uint64_t i = 0; i < 20; i++) {
    const enum access access = i % 2 ? ACCESS_WRITE : ACCESS_READ;
    const struct osc_waiting *w = osc_queue_next(queue, access);
    assert_non_null(w);
    assert_true(w->t_ns == i && w->bytes[0] == i && w->size == 40 && w->access == access);
    osc_queue_drop(queue, access);
  }
  assert_null(osc_queue_next(queue, ACCESS_WRITE));
  assert_null(osc_queue_next(queue, ACCESS_READ));
  osc_queue_drop(queue, ACCESS_READ);
}

/* A flood from one program leaves room for another program of that host. */
TEST(a_sender_leaves_room_for_its_host)
{
  int n = 0;
  while (put(1, ACCESS_WRITE, 1, 40)) n++;
  assert_int_equal(n, OSC_QUEUE_WRITER_SENDER);
  assert_true(put_from(1, 9001, ACCESS_WRITE, 1, 40));
  for (n = 0; put(1, ACCESS_READ, 1, 40);) n++;
  assert_int_equal(n, OSC_QUEUE_READER_SENDER);
  assert_true(put_from(1, 9001, ACCESS_READ, 1, 40));
}

TEST(a_host_gets_its_share)
{
  assert_int_equal(fill(1, ACCESS_READ, 40), OSC_QUEUE_READER_HOST);
  assert_int_equal(fill(2, ACCESS_READ, 40), OSC_QUEUE_READERS - OSC_QUEUE_READER_HOST);
  assert_int_equal(fill(3, ACCESS_READ, 40), 0);
  assert_int_equal(fill(1, ACCESS_WRITE, 40),
                   OSC_QUEUE_WRITER_HOST); /* readers do not take the places of writers */
  assert_int_equal(fill(2, ACCESS_WRITE, 40), OSC_QUEUE_WRITERS - OSC_QUEUE_WRITER_HOST);
  osc_queue_drop(queue, ACCESS_READ);
  assert_int_equal(fill(2, ACCESS_READ, 40), 0); /* the place belongs to another host's share */
  assert_int_equal(fill(1, ACCESS_READ, 40), 1);
}

TEST(readers_have_a_share_of_bytes)
{
  assert_int_equal(fill(1, ACCESS_READ, 4080), OSC_QUEUE_READER_BYTES / 4080);
  assert_int_equal(fill(2, ACCESS_READ, 4080), OSC_QUEUE_READER_BYTES / 4080);
  assert_int_equal(fill(3, ACCESS_READ, 4080), 0);
  while (osc_queue_next(queue, ACCESS_READ)) osc_queue_drop(queue, ACCESS_READ);
  assert_int_equal(fill(3, ACCESS_READ, 60000), 1); /* any size; it is refused when it is served */
}

/* Bytes that are served at once, of `hosts` hosts that send without end. */
static uint64_t served(int first_host, int hosts, uint64_t t_ns)
{
  uint64_t sum = 0;
  for (int i = 0; i < 2000; i++) {
    if (put(first_host + i % hosts, ACCESS_READ, t_ns, 1024)) sum += 1024;
    osc_queue_drop(queue, ACCESS_READ);
  }
  return sum;
}

TEST(readers_have_a_rate)
{
  assert_int_equal(served(1, 1, NS_PER_S), OSC_QUEUE_READER_RATE);
  assert_int_equal(served(1, 1, NS_PER_S), 0);
  assert_int_equal(served(2, 100, NS_PER_S), OSC_QUEUE_READERS_RATE - OSC_QUEUE_READER_RATE);
  assert_int_equal(served(1, 1, NS_PER_S + NS_PER_S / 4), OSC_QUEUE_READER_RATE / 4);
  for (int i = 0; i < 2000; i++) { /* writers have no such limit */
    assert_true(put(1, ACCESS_WRITE, NS_PER_S, 4080));
    osc_queue_drop(queue, ACCESS_WRITE);
  }
}

TEST(it_goes_round)
{
  for (uint64_t i = 0; i < 10 * OSC_QUEUE_WRITERS; i++) {
    assert_true(put((int)(i % 7), ACCESS_WRITE, i, 40));
    if (i < 5) continue;
    assert_int_equal(osc_queue_next(queue, ACCESS_WRITE)->t_ns, i - 5);
    osc_queue_drop(queue, ACCESS_WRITE);
  }
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      ROW(each_class_keeps_its_order),    ROW(a_host_gets_its_share), ROW(a_sender_leaves_room_for_its_host),
      ROW(readers_have_a_share_of_bytes), ROW(readers_have_a_rate),   ROW(it_goes_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
