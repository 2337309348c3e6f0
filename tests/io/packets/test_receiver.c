/* SPDX-License-Identifier: MIT
 * Packets that arrive on a socket and on a line, the other end of a pseudo terminal: which count, and which are refused. */
#include "packets/receiver.h"

#include "check.h"
#include "packets/encode.h"
#include "packets/link.h"
#include "rt/clock.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "modbus_server/line.h" /* asserts */

enum { SIZE = 8, PATIENCE_MS = 300000, SILENT_MS = 300 };

static uint8_t mark[] = {0xa5, 0x5a};
static struct packet_field field[] = {
    {.type = PACKET_BYTES, .at = 0, .size = 2, .bytes = mark},
    {.type = PACKET_U16, .at = 2, .size = 2, .source = PACKET_COUNTER},
    {.type = PACKET_I16, .at = 4, .size = 2, .source = PACKET_SIGNAL, .signal = 11, .scale = 0.5},
    {.type = PACKET_CRC16, .little = true, .at = 6, .size = 2, .from = 0},
};
static struct packet packet = {
    .name = (char[]){"answer"}, .field = field, .fields = 4, .size = SIZE, .received = true};
static struct counters counters;
static struct port port_of_packets;
static struct packet_receiver receiver;
static struct input_sample sample[4];

static void make_answer(uint8_t out[SIZE], uint16_t count, int16_t number)
{
  memcpy(out, mark, 2);
  out[2] = (uint8_t)(count >> 8);
  out[3] = (uint8_t)count;
  out[4] = (uint8_t)((uint16_t)number >> 8);
  out[5] = (uint8_t)number;
  const uint32_t crc = packet_checksum(&field[3], out);
  out[6] = (uint8_t)crc;
  out[7] = (uint8_t)(crc >> 8);
}

/* True once a packet came. A busy host passes the bytes of a line on late and in pieces. */
static bool receive(int patience_ms)
{
  const uint64_t end_ns = clock_now_ns() + (uint64_t)patience_ms * (NS_PER_S / 1000);
  bool reopened, received;
  do {
    struct pollfd event = receiver_events(&receiver);
    poll(&event, 1, patience_ms);
    received = receiver_serve(&receiver, event.revents, clock_now_ns(), sample, &reopened);
  } while (!received && clock_now_ns() < end_ns);
  return received;
}

static void open_receiver(const struct remote_config *place)
{
  char error[300];
  memset(&counters, 0, sizeof counters);
  memset(sample, 0, sizeof sample);
  packet.remote = *place;
  receiver = (struct packet_receiver){.packet = &packet,
                                      .port = &port_of_packets,
                                      .counters = &counters,
                                      .input_first = 10,
                                      .client = 3,
                                      .shared = receiver.shared};
  if (!receiver_open(&receiver, error, sizeof error)) fail_msg("%s", error);
}

/* A socket that is bound to this address, and the port of the receiver, which was free a moment ago. */
static int sender_from(const char *address, struct sockaddr_in *to, int port)
{
  const int s = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET};
  inet_pton(AF_INET, address, &own.sin_addr);
  assert_int_equal(bind(s, (struct sockaddr *)&own, sizeof own), 0);
  *to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, "127.0.0.1", &to->sin_addr);
  return s;
}

static int free_udp_port(void)
{
  struct sockaddr_in own;
  socklen_t length = sizeof own;
  const int s = sender_from("127.0.0.1", &own, 0);
  assert_int_equal(getsockname(s, (struct sockaddr *)&own, &length), 0);
  close(s);
  return ntohs(own.sin_port);
}

TEST(datagrams_of_the_host_count)
{
  struct sockaddr_in to;
  uint8_t bytes[SIZE];
  const int port = free_udp_port();
  open_receiver(&(struct remote_config){.host = (char[]){"127.0.0.1"}, .port = port});
  const int host = sender_from("127.0.0.1", &to, port), stranger = sender_from("127.0.0.2", &to, port);
  make_answer(bytes, 7, -300);
  const uint64_t before_ns = clock_now_ns();
  assert_int_equal(sendto(host, bytes, SIZE, 0, (struct sockaddr *)&to, sizeof to), SIZE);
  assert_true(receive(PATIENCE_MS));
  assert_true(sample[1].value == -150.0 && sample[1].sequence == 7 && sample[1].counted == 16 &&
              sample[1].client == 3);
  assert_true(sample[1].t_ns >= before_ns && sample[1].t_ns <= clock_now_ns());
  /* Strangers, wrong checksums and wrong sizes change nothing. */
  make_answer(bytes, 8, 1);
  assert_int_equal(sendto(stranger, bytes, SIZE, 0, (struct sockaddr *)&to, sizeof to), SIZE);
  bytes[5] ^= 1;
  assert_int_equal(sendto(host, bytes, SIZE, 0, (struct sockaddr *)&to, sizeof to), SIZE);
  assert_int_equal(sendto(host, bytes, SIZE - 1, 0, (struct sockaddr *)&to, sizeof to), SIZE - 1);
  assert_false(receive(SILENT_MS));
  assert_true(sample[1].value == -150.0);
  assert_int_equal(counters.packets_received, 1);
  assert_int_equal(counters.packets_strangers, 1);
  assert_int_equal(counters.packets_checksums, 1);
  assert_int_equal(counters.packets_refused, 1);
  close(host);
  close(stranger);
  receiver_close(&receiver);
}

/* A thread that is held up takes a packet late, which says nothing about its age: it is as old as it may be. */
TEST(a_packet_that_waited_does_not_pass_for_a_fresh_one)
{
  char folder[] = "/tmp/ali3-receiver-XXXXXX", path[64];
  struct sockaddr_in to;
  uint8_t bytes[SIZE];
  make_answer(bytes, 7, -300);
  /* A datagram with a stamp of the kernel, and one without: the last look at the empty socket. */
  const int port = free_udp_port();
  open_receiver(&(struct remote_config){.host = (char[]){"127.0.0.1"}, .port = port});
  const int host = sender_from("127.0.0.1", &to, port);
  for (int stamps = 1; stamps >= 0; stamps--) {
    assert_int_equal(setsockopt(receiver.socket, SOL_SOCKET, SO_TIMESTAMPNS, &stamps, sizeof stamps), 0);
    uint64_t empty_ns, latest_ns;
    /* The kernel begins to stamp shortly after it was asked; earlier datagrams get the time of the read from it. */
    for (int tries = 0; tries == 0 || (stamps && sample[1].t_ns > latest_ns && tries < 1000); tries++) {
      empty_ns = clock_now_ns();
      assert_false(receive(0));
      assert_int_equal(sendto(host, bytes, SIZE, 0, (struct sockaddr *)&to, sizeof to), SIZE);
      latest_ns = clock_now_ns() + NS_PER_S / 1000; /* two clocks are read */
      usleep(20000);
      assert_true(receive(PATIENCE_MS));
    }
    assert_in_range(sample[1].t_ns, empty_ns, latest_ns);
  }
  receiver_close(&receiver);
  close(host);
  /* Two packets on a line: the last look that found nothing, and no time twice. */
  uint8_t two[2 * SIZE];
  memcpy(two, bytes, SIZE);
  memcpy(two + SIZE, bytes, SIZE);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/line", folder);
  int master = line_plug_in(path);
  open_receiver(&(struct remote_config){
      .serial = {.path = path, .baud = 115200, .parity = PARITY_NONE, .stop_bits = 1}});
  const uint64_t empty_ns = clock_now_ns();
  assert_false(receive(0));
  assert_int_equal(write(master, two, sizeof two), sizeof two);
  const uint64_t sent_ns = clock_now_ns();
  usleep(20000);
  assert_true(receive(PATIENCE_MS));
  const uint64_t together = counters.packets_received; /* usually both */
  assert_in_range(sample[1].t_ns, empty_ns + together - 1, sent_ns);
  line_unplug(&master, path);
  receiver_close(&receiver);
  rmdir(folder);
}

/* The answer comes to the socket of a sender, from another port of the host; the socket outlives the receiver. */
TEST(an_answer_comes_to_the_port_that_sends)
{
  struct sockaddr_in device = {.sin_family = AF_INET}, from;
  socklen_t length = sizeof from;
  char error[300];
  uint8_t bytes[SIZE] = {0};
  struct packet_link link;
  const int port = free_udp_port(), listens = sender_from("127.0.0.1", &device, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  const struct packet asked = {
      .name = (char[]){"asked"}, .remote = {.host = (char[]){"127.0.0.1"}, .port = port}, .answered = true};
  /* The sender sends to the device, which answers from a socket with another port. */
  inet_pton(AF_INET, "127.0.0.1", &own.sin_addr);
  const int device_socket = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(bind(device_socket, (struct sockaddr *)&own, sizeof own), 0);
  if (!packet_link_open(&link, &asked, error, sizeof error)) fail_msg("%s", error);
  assert_int_equal(packet_link_send(&link, bytes, SIZE, clock_now_ns()), LINK_SENT);
  assert_int_equal(recvfrom(device_socket, bytes, SIZE, 0, (struct sockaddr *)&from, &length), SIZE);
  packet.answers = &asked;
  receiver.shared = link.socket;
  open_receiver(&asked.remote);
  make_answer(bytes, 9, 4);
  assert_int_equal(sendto(listens, bytes, SIZE, 0, (struct sockaddr *)&from, length), SIZE);
  assert_true(receive(PATIENCE_MS));
  assert_true(sample[1].value == 2.0 && sample[1].sequence == 9);
  /* A stranger counts as one, and the end of the receiver leaves the sender its socket. */
  const int stranger = sender_from("127.0.0.2", &device, 0);
  make_answer(bytes, 10, 6);
  assert_int_equal(sendto(stranger, bytes, SIZE, 0, (struct sockaddr *)&from, length), SIZE);
  assert_false(receive(SILENT_MS));
  assert_int_equal(counters.packets_strangers, 1);
  receiver_close(&receiver);
  assert_int_equal(packet_link_send(&link, bytes, SIZE, clock_now_ns()), LINK_SENT);
  packet.answers = NULL;
  packet_link_close(&link);
  close(listens);
  close(stranger);
  close(device_socket);
}

/* Noise before a packet, a packet in two pieces, and one with a wrong checksum between good ones. */
TEST(packets_are_found_on_a_line)
{
  char folder[] = "/tmp/ali3-receiver-XXXXXX", path[64];
  uint8_t bytes[3 * SIZE + 5];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/line", folder);
  int master = line_plug_in(path);
  open_receiver(&(struct remote_config){
      .serial = {.path = path, .baud = 115200, .parity = PARITY_NONE, .stop_bits = 1}});
  memset(bytes, 0x5a, 5);
  make_answer(bytes + 5, 1, 10);
  assert_int_equal(write(master, bytes, 5 + SIZE), 5 + SIZE);
  assert_true(receive(PATIENCE_MS));
  assert_true(sample[1].value == 5.0);
  make_answer(bytes, 2, 20);
  assert_int_equal(write(master, bytes, 3), 3);
  assert_false(receive(SILENT_MS));
  assert_int_equal(write(master, bytes + 3, SIZE - 3), SIZE - 3);
  assert_true(receive(PATIENCE_MS));
  assert_true(sample[1].value == 10.0);
  make_answer(bytes, 3, 30);
  bytes[4] ^= 4;
  make_answer(bytes + SIZE, 4, 40);
  assert_int_equal(write(master, bytes, 2 * SIZE), 2 * SIZE);
  assert_true(receive(PATIENCE_MS));
  assert_true(sample[1].value == 20.0 && sample[1].sequence == 4);
  assert_int_equal(counters.packets_received, 3);
  line_unplug(&master, path);
  receiver_close(&receiver);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(datagrams_of_the_host_count),
      cmocka_unit_test(a_packet_that_waited_does_not_pass_for_a_fresh_one),
      cmocka_unit_test(an_answer_comes_to_the_port_that_sends),
      cmocka_unit_test(packets_are_found_on_a_line),
  };
  if (!port_init(&port_of_packets, "packets", 1, 1, false)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  port_free(&port_of_packets);
  return failed;
}
