/* SPDX-License-Identifier: MIT
 * The thread that sends packets. The test plays the loop: it publishes frames into the port, and receives packets on a
 * socket and at the other end of a pseudo terminal. */
#include "check.h"
#include "common/udp.h"
#include "packets/packets.h"
#include "platform/platform.h"
#include "rt/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "modbus_server/line.h" /* asserts */

enum { PATIENCE_MS = 300000, SILENT_MS = 150, BIG = 1400 };

static struct port port;
static struct counters counters;
static struct endpoint packets;
static struct packet_field field[3];
static struct packet packet;
static char folder[] = "/tmp/ali3-packets-XXXXXX", path[64];
static int udp = -1, master = -1;
static uint64_t cycle;

static const struct signals none = {.platform_first = -1};

static void publish_flagged(double value, uint32_t flags)
{
  double values[PLATFORM_SIGNALS];
  for (int i = 0; i < PLATFORM_SIGNALS; i++) values[i] = value;
  port_publish(&port, &(struct frame){.cycle = ++cycle,
                                      .t_ns = clock_now_ns(),
                                      .state = STATE_RUNNING,
                                      .flags = flags,
                                      .count = PLATFORM_SIGNALS,
                                      .values = values});
  port_wake(&port);
}

static void publish(double value)
{
  publish_flagged(value, 0);
}

static void plug_in(void)
{
  master = line_plug_in(path);
}
static void unplug(void)
{
  line_unplug(&master, path);
}

static int open_udp(void)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  if (udp < 0 || bind(udp, (struct sockaddr *)&at, sizeof at) != 0) return -1;
  getsockname(udp, (struct sockaddr *)&at, &(socklen_t){sizeof at});
  return ntohs(at.sin_port);
}

/* Fields: number, state, value; on a line also padding, so that a test can fill it. */
static int setup(void **state)
{
  (void)state;
  cycle = 0;
  memset(&counters, 0, sizeof counters);
  if (!port_init(&port, "packets", PLATFORM_SIGNALS, 1, true)) return -1;
  field[0] = (struct packet_field){.type = PACKET_U16, .at = 0, .size = 2, .source = PACKET_COUNTER};
  field[1] = (struct packet_field){.type = PACKET_U8, .at = 2, .size = 1, .source = PACKET_STATE};
  field[2] =
      (struct packet_field){.type = PACKET_U8, .at = 3, .size = 1, .source = PACKET_SIGNAL, .scale = 1};
  packet = (struct packet){.divisor = 1, .field = field, .fields = 3, .size = 4};
  return 0;
}
static int setup_udp(void **state)
{
  static char name[] = "p", host[] = "127.0.0.1";
  if (setup(state) != 0) return -1;
  packet.name = name;
  packet.remote = (struct remote_config){.host = host, .port = open_udp()};
  return packet.remote.port > 0 ? 0 : -1;
}
static int setup_line(void **state)
{
  static char name[] = "p";
  if (setup(state) != 0) return -1;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/line", folder);
  packet.name = name;
  packet.remote = (struct remote_config){.serial = {.path = path, .baud = 115200, .stop_bits = 1}};
  plug_in();
  return 0;
}
static int teardown(void **state)
{
  (void)state;
  endpoint_stop(&packets);
  port_free(&port);
  if (udp >= 0) close(udp);
  udp = -1;
  if (master >= 0) {
    unplug();
    rmdir(folder);
  }
  return 0;
}

static bool starts(const struct signals *signals, char error[200])
{
  packets = (struct endpoint){.protocol = &packets_protocol,
                              .config = &packet,
                              .count = 1,
                              .signals = signals,
                              .port = &port,
                              .counters = &counters};
  return endpoint_start(&packets, error, 200);
}
static void start_with(const struct signals *signals)
{
  char error[200];
  if (!starts(signals, error)) fail_msg("%s", error);
}
static void start(void)
{
  start_with(&none);
}

static bool is_readable(int fd, int patience_ms)
{
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, patience_ms) == 1 && (p.revents & POLLIN);
}

static void expect_datagram(int number, int state, int value)
{
  uint8_t got[16];
  assert_true(is_readable(udp, PATIENCE_MS));
  assert_int_equal(recv(udp, got, sizeof got, 0), 4);
  assert_int_equal(got[0] << 8 | got[1], number);
  assert_int_equal(got[2], state);
  assert_int_equal(got[3], value);
}

/* Waits until a counter has this value. The time limit only bounds a failure. */
static void expect_count(const _Atomic uint64_t *c, uint64_t n)
{
  for (int i = 0; i < PATIENCE_MS && counter_get(c) != n; i++) poll(NULL, 0, 1);
  assert_int_equal(counter_get(c), n);
}

TEST(every_frame_is_sent_once)
{
  start();
  for (int i = 0; i < 300; i++) {
    publish(i % 200);
    expect_datagram(i, STATE_RUNNING, i % 200);
  }
  assert_false(is_readable(udp, SILENT_MS));
  expect_count(&counters.packets_sent, 300);
  assert_int_equal(counter_get(&counters.packets_errors) + counter_get(&counters.packets_dropped), 0);
}

TEST(every_third_cycle)
{
  packet.divisor = 3;
  start();
  publish(1);
  expect_datagram(0, STATE_RUNNING, 1); /* the first one at once, then the multiples */
  publish(2);
  publish(3);
  expect_datagram(1, STATE_RUNNING, 3);
  publish(4);
  publish(5);
  assert_false(is_readable(udp, SILENT_MS));
  publish(6);
  expect_datagram(2, STATE_RUNNING, 6);
}

TEST(a_stuck_loop_sends_nothing)
{
  start();
  port_show_stuck(&port, 7); /* before its first frame */
  assert_false(is_readable(udp, SILENT_MS));
  port_show_stuck(&port, 0);
  publish(5);
  expect_datagram(0, STATE_RUNNING, 5);
  port_show_stuck(&port, 7);
  for (int i = 0; i < 5; i++)
    assert_int_equal(write(port.event, &(uint64_t){1}, sizeof(uint64_t)), sizeof(uint64_t));
  assert_false(is_readable(udp, SILENT_MS));
  port_show_stuck(&port, 0);
  publish(6);
  expect_datagram(1, STATE_RUNNING, 6);
}

TEST(the_last_frame_is_sent_at_the_end)
{
  start();
  publish(9);
  endpoint_stop(&packets);
  expect_datagram(0, STATE_RUNNING, 9);
  assert_false(is_readable(udp, 0));
}

TEST(nan_is_withheld_and_missed)
{
  start();
  publish(1);
  expect_datagram(0, STATE_RUNNING, 1);
  publish(NAN);
  expect_count(&counters.packets_withheld, 1);
  publish(300);
  expect_datagram(2, STATE_RUNNING, 255);
  expect_count(&counters.packets_clamped, 1);
}

/* Value 0 is the surge of a platform. A platform that is not armed is no fault: nothing is counted, and numbers start
 * later. */
TEST(a_platform_is_withheld_until_it_is_armed)
{
  static const struct signals with = {.platform_first = 0};
  start_with(&with);
  for (int i = 0; i < 5; i++) {
    publish_flagged(i, FLAG_WITHHELD);
    assert_false(is_readable(udp, SILENT_MS / 5));
  }
  publish(6);
  expect_datagram(0, STATE_RUNNING, 6);
  publish(7);
  expect_datagram(1, STATE_RUNNING, 7);
  assert_false(is_readable(udp, SILENT_MS));
  assert_int_equal(counter_get(&counters.packets_sent), 2);
  assert_int_equal(counter_get(&counters.packets_withheld), 0);
}

/* It has no platform motion: state, mode and flags are always valid. */
TEST(signals_that_do_not_move_the_platform_are_sent)
{
  static const struct signals first = {.platform_first = 0}, later = {.platform_first = 1};
  static const struct {
    const struct signals *signals;
    int signal;
  } c[] = {{&first, PLATFORM_MOTION_SIGNALS}, {&first, PLATFORM_SIGNALS - 1}, {&later, 0}, {&none, 0}};
  for (int i = 0; i < 4; i++) {
    field[2].signal = c[i].signal;
    start_with(c[i].signals);
    publish_flagged(i, FLAG_WITHHELD);
    expect_datagram(0, STATE_RUNNING, i);
    endpoint_stop(&packets);
  }
}

/* Waits until all packets so far have been sent or dropped. */
static void expect_all(uint64_t n)
{
  for (int i = 0; i < PATIENCE_MS; i++) {
    if (counter_get(&counters.packets_sent) + counter_get(&counters.packets_errors) +
            counter_get(&counters.packets_dropped) ==
        n)
      return;
    poll(NULL, 0, 1);
  }
  fail_msg("%d packets are not accounted for", (int)n);
}

TEST(nobody_listens_for_a_while)
{
  start();
  assert_int_equal(udp_refuse(udp), 0);
  for (int i = 0; i < 11; i++) {
    publish(i);
    expect_all((uint64_t)i + 1);
  }
  assert_true(counter_get(&counters.packets_errors) > 0);
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                           .sin_port = htons((uint16_t)packet.remote.port)};
  close(udp);
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(bind(udp, (struct sockaddr *)&at, sizeof at), 0);
  publish(77); /* the refusal of the last one has no effect */
  expect_datagram(11, STATE_RUNNING, 77);
}

/* Takes n bytes from the line. */
static void expect_bytes(uint8_t *out, size_t n)
{
  for (size_t got = 0; got < n;) {
    assert_true(is_readable(master, PATIENCE_MS));
    const ssize_t part = read(master, out + got, n - got);
    assert_true(part > 0);
    got += (size_t)part;
  }
}

static void expect_packet(int number, int value)
{
  uint8_t got[4];
  expect_bytes(got, sizeof got);
  assert_int_equal(got[0] << 8 | got[1], number);
  assert_int_equal(got[3], value);
}

/* The bytes include 0x0a, 0x0d, 0x11 and 0x13: nothing is translated, and nothing controls the flow. */
TEST(a_line_carries_every_byte)
{
  start();
  for (int i = 0; i < 256; i++) {
    publish(i);
    expect_packet(i, i);
  }
  expect_count(&counters.packets_sent, 256);
}

/* A receiver that does not read loses packets, never parts of one. */
TEST(a_full_line_drops_whole_packets)
{
  static uint8_t got[BIG];
  struct packet_field big[] = {field[0], {.type = PACKET_ZEROS, .at = 2, .size = BIG - 2}};
  packet.field = big;
  packet.fields = 2;
  packet.size = BIG;
  start();
  int sent = 0;
  while (counter_get(&counters.packets_dropped) < 20 && sent < 2000) {
    publish(0);
    expect_all((uint64_t)++sent);
  }
  assert_int_equal(counter_get(&counters.packets_dropped), 20);
  const int whole = (int)counter_get(&counters.packets_sent);
  for (int i = 0, last = -1; i < whole;
       i++) { /* each whole, with its zeros; the kernel may make room in between */
    expect_bytes(got, BIG);
    assert_in_range(got[0] << 8 | got[1], last + 1, sent - 1);
    last = got[0] << 8 | got[1];
    for (int k = 2; k < BIG; k++) assert_int_equal(got[k], 0);
  }
  assert_false(is_readable(master, SILENT_MS));
  publish(0);
  expect_bytes(got, BIG);
  assert_int_equal(got[0] << 8 | got[1], sent); /* dropped packets leave a gap */
}

/* Waits until the line is reported as lost, or as back. */
static bool is_lost(void)
{
  struct endpoint_line line;
  assert_true(packets_protocol.line(&packets, 0, &line));
  assert_string_equal(line.who, "packet p");
  assert_false(packets_protocol.line(&packets, 1, &line));
  return packets_protocol.line(&packets, 0, &line) && line.lost;
}
static void expect_lost(bool lost)
{
  for (int i = 0; i < PATIENCE_MS && is_lost() != lost; i++) poll(NULL, 0, 1);
  assert_int_equal(is_lost(), lost);
}

TEST(a_line_that_comes_back_is_used_again)
{
  start();
  publish(1);
  expect_packet(0, 1);
  assert_false(is_lost());
  unplug();
  expect_lost(true); /* also without a packet */
  publish(2);
  expect_count(&counters.packets_errors, 1);
  plug_in();
  expect_count(&counters.packets_reopened, 1);
  expect_lost(false);
  publish(3);
  expect_packet(2, 3);
}

TEST(a_line_that_is_not_there_stops_the_start)
{
  char error[200];
  unplug();
  assert_false(starts(&none, error));
  assert_non_null(strstr(error, "packet p: cannot open the serial line "));
  assert_non_null(strstr(error, "plug in the adapter or change the path"));
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_frame_is_sent_once, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(every_third_cycle, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(a_stuck_loop_sends_nothing, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(the_last_frame_is_sent_at_the_end, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(nan_is_withheld_and_missed, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(a_platform_is_withheld_until_it_is_armed, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(signals_that_do_not_move_the_platform_are_sent, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(nobody_listens_for_a_while, setup_udp, teardown),
      cmocka_unit_test_setup_teardown(a_line_carries_every_byte, setup_line, teardown),
      cmocka_unit_test_setup_teardown(a_full_line_drops_whole_packets, setup_line, teardown),
      cmocka_unit_test_setup_teardown(a_line_that_comes_back_is_used_again, setup_line, teardown),
      cmocka_unit_test_setup_teardown(a_line_that_is_not_there_stops_the_start, setup_line, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
