/* SPDX-License-Identifier: MIT */
#include "modbus_server/modbus_bench.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>

struct port port;
struct counters counters;
struct endpoint server;
uint64_t bench_start_ns;
char bench_error[200];
uint8_t frame[FRAME_MAX], reply[FRAME_MAX];

static struct input_spec bench_input[] = {{.name = "push", .first = 0, .count = 6},
                                          {.name = "pull", .first = 6, .count = 6}};
const struct signals bench_signals = {.platform_first = -1,
                                      .count = VALUES,
                                      .bodies = BODIES,
                                      .body_first = BODY_FIRST,
                                      .channels = CHANNELS,
                                      .inputs = 2,
                                      .input = bench_input};
const struct modbus_config bench_config = {
    .tcp = true,
    .default_map = true,
    .unit = FRAME_UNIT,
    .bind = "127.0.0.1",
    .max_clients = MAX_CLIENTS,
    .owner_timeout = PATIENCE_MS / 1e3, /* inputs are freed by an end, not by silence */
    .half_frame_ms = HALF_FRAME_MS,
    .idle_ms = IDLE_MS};

bool bench_starts(struct endpoint *e, const struct modbus_config *c)
{
  *e = (struct endpoint){.protocol = &modbus_protocol,
                         .config = c,
                         .count = 1,
                         .signals = &bench_signals,
                         .port = &port,
                         .counters = &counters};
  return endpoint_start(e, bench_error, sizeof bench_error);
}

int bench_setup(void **state)
{
  (void)state;
  memset(&counters, 0, sizeof counters);
  bench_start_ns = clock_now_ns();
  if (!port_init(&port, "modbus", VALUES, CHANNELS, false)) return -1;
  if (bench_starts(&server, &bench_config)) return 0;
  fprintf(stderr, "%s\n", bench_error);
  return -1;
}
int bench_teardown(void **state)
{
  (void)state;
  endpoint_stop(&server);
  port_free(&port);
  return 0;
}

void bench_restart_with(enum access local, enum access others)
{
  static struct peer_rule rule[2];
  static struct peers peers = {rule, 2};
  endpoint_stop(&server);
  assert_true(peer_rule_parse("127.0.0.1", &rule[0]));
  assert_true(peer_rule_parse("0.0.0.0/0", &rule[1]));
  rule[0].access = local;
  rule[1].access = others;
  static struct modbus_config c;
  c = bench_config;
  c.peers = peers;
  assert_true(bench_starts(&server, &c));
}

void cycle(uint64_t number, enum run_state run_state)
{
  double values[VALUES];
  for (int i = 0; i < VALUES; i++) values[i] = (double)number + i;
  port_publish(
      &port, &(struct frame){
                 .cycle = number, .state = run_state, .period_us = 10000, .count = VALUES, .values = values});
}

double ms_since(uint64_t start_ns)
{
  return (double)(clock_now_ns() - start_ns) / 1e6;
}

int make_socket(void)
{
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  return fd;
}

void connect_socket(int fd)
{
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)modbus_server_port(&server))};
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
}

int connect_client(int receive_buffer)
{
  int fd = make_socket();
  if (receive_buffer) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  connect_socket(fd);
  return fd;
}

int connect_from(const char *address)
{
  struct sockaddr_in a = {.sin_family = AF_INET};
  int fd = make_socket();
  assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
  assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  connect_socket(fd);
  return fd;
}

void put(int fd, const uint8_t *bytes, size_t n)
{
  assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

size_t get(int fd, uint8_t *bytes, size_t n)
{
  size_t got = 0;
  while (got < n) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, PATIENCE_MS) != 1) fail_msg("no answer after %d ms", PATIENCE_MS);
    ssize_t part = recv(fd, bytes + got, n - got, 0);
    if (part <= 0) break;
    got += (size_t)part;
  }
  return got;
}

size_t get_reply(int fd, int transaction)
{
  uint8_t header[7];
  assert_int_equal(get(fd, header, 7), 7);
  assert_int_equal(header[0] << 8 | header[1], transaction);
  assert_int_equal(header[2] << 8 | header[3], 0);
  assert_int_equal(header[6], FRAME_UNIT);
  size_t n = (size_t)(header[4] << 8 | header[5]) - 1;
  assert_in_range(n, 2, 253);
  assert_int_equal(get(fd, reply, n), n);
  return n;
}
int reply_register(int i)
{
  return reply[2 + 2 * i] << 8 | reply[3 + 2 * i];
}
float reply_float(int i)
{
  return frame_get_float((uint16_t[]){(uint16_t)reply_register(i), (uint16_t)reply_register(i + 1)});
}

void ask(int fd, int transaction, size_t n)
{
  put(fd, frame, n);
  get_reply(fd, transaction);
}
void assert_exception(int fd, int transaction, size_t n, int exception)
{
  put(fd, frame, n);
  assert_int_equal(get_reply(fd, transaction), 2);
  assert_int_equal(reply[0], frame[7] | 0x80);
  assert_int_equal(reply[1], exception);
}
void assert_closed(int fd)
{
  uint8_t byte;
  assert_int_equal(get(fd, &byte, 1), 0);
}

void assert_counts_to(const _Atomic uint64_t *counter, uint64_t expected)
{
  uint64_t start = clock_now_ns();
  while (counter_get(counter) != expected && ms_since(start) < PATIENCE_MS) usleep(1000);
  assert_int_equal(counter_get(counter), expected);
}

void input_block(uint16_t block[static 65], double value, int sequence)
{
  for (int i = 0; i < 32; i++) frame_put_float(block + 2 * i, value + i);
  block[64] = (uint16_t)sequence;
}
