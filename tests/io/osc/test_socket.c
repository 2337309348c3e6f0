/* SPDX-License-Identifier: MIT
 * The socket on the loopback: arrival times of the kernel, and datagrams for which it had no room. */
#include "check.h"
#include "osc/socket.h"

#include "rt/clock.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

static struct counters counters;
static struct osc_socket *receiver;
static int sender;

static int setup(void **state)
{
  (void)state;
  static const struct osc_config config = {.bind = "127.0.0.1"};
  char error[200];
  struct inet_address to;
  memset(&counters, 0, sizeof counters);
  receiver = osc_socket_open(&config, &counters, error, sizeof error);
  if (!receiver || inet_address_parse("127.0.0.1", osc_socket_port(receiver), &to) != 0) return -1;
  sender = socket(AF_INET, SOCK_DGRAM, 0);
  return connect(sender, &to.name.any, to.length);
}

static int teardown(void **state)
{
  (void)state;
  osc_socket_close(receiver);
  close(sender);
  return 0;
}

static void send_bytes(size_t n)
{
  static const uint8_t bytes[8192];
  assert_int_equal(send(sender, bytes, n, 0), n);
}

/* The kernel starts stamping shortly after the first socket asks for it; earlier datagrams get the time of the read. */
static void wait_for_stamps(void)
{
  struct osc_received got[OSC_BATCH];
  for (int i = 0; i < 1000; i++) {
    send_bytes(4);
    const uint64_t sent = clock_now_ns();
    usleep(5000);
    assert_int_equal(osc_socket_read(receiver, got), 1);
    if (got[0].t_ns < sent + NS_PER_S / 500) return;
  }
  fail_msg("the kernel does not stamp datagrams");
}

/* A datagram that waited has its true age, for example after a stop of the process. */
TEST(waiting_datagrams_grow_old)
{
  struct osc_received got[OSC_BATCH];
  wait_for_stamps();
  assert_int_equal(osc_socket_read(receiver, got), 0);
  const uint64_t before = clock_now_ns();
  send_bytes(4);
  send_bytes(8);
  const uint64_t sent = clock_now_ns();
  usleep(100000);
  send_bytes(12);
  assert_int_equal(osc_socket_read(receiver, got), 3);
  const uint64_t slack = NS_PER_S / 500; /* two clocks are read */
  assert_true(got[0].t_ns + slack >= before && got[1].t_ns <= sent + slack);
  assert_true(got[0].t_ns < got[1].t_ns && got[1].t_ns < got[2].t_ns);
  assert_true(got[2].t_ns + slack >= sent + NS_PER_S / 10);
  assert_true(got[0].size == 4 && got[1].size == 8 && got[2].size == 12);
}

TEST(its_length_is_the_length_of_the_datagram)
{
  struct osc_received got[OSC_BATCH];
  send_bytes(8000);
  assert_int_equal(osc_socket_read(receiver, got), 1);
  assert_int_equal(got[0].size, 8000);
}

TEST(datagrams_that_had_no_room_are_counted)
{
  enum { DATAGRAMS = 100, BUFFER = 16384 };
  struct osc_received got[OSC_BATCH];
  const int small = BUFFER;
  assert_int_equal(setsockopt(osc_socket_fd(receiver), SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
  uint64_t read = 0;
  for (int round = 1; round <= 2; round++) {
    for (int i = 0; i < DATAGRAMS; i++) send_bytes(4000);
    for (int n; (n = osc_socket_read(receiver, got)) > 0;) read += (uint64_t)n;
    send_bytes(4); /* brings the count with it */
    assert_int_equal(osc_socket_read(receiver, got), 1);
    assert_int_equal(counter_get(&counters.osc_overflow), (uint64_t)round * DATAGRAMS - read);
  }
  assert_true(read < DATAGRAMS);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      ROW(waiting_datagrams_grow_old),
      ROW(its_length_is_the_length_of_the_datagram),
      ROW(datagrams_that_had_no_room_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
