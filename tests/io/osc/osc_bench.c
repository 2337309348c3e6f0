/* SPDX-License-Identifier: MIT */
#include "osc/osc_bench.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static struct input_spec input[] = {{.name = "push", .count = CHANNELS}};
const struct signals signals = {.platform_first = -1,
                                .bodies = BODIES,
                                .body_first = BODY_FIRST,
                                .inputs = 1,
                                .input = input,
                                .channels = CHANNELS};
static char name_text[BODIES][8];
const char *body_name[BODIES];

struct port port;
struct counters counters;
struct endpoint osc;
struct osc_target target[2];
const struct osc_config config = {.bind = "127.0.0.1",
                                  .prefix = "/ali3",
                                  .period = 0.01,
                                  .body_name = body_name,
                                  .target = target,
                                  .targets = 2};
int client, listener[2];
uint8_t bytes[65536];

int open_socket(const char *host, int to_port, int *own_port)
{
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)to_port)};
  assert_int_equal(inet_pton(AF_INET, host, &at.sin_addr), 1);
  if (own_port) {
    socklen_t n = sizeof at;
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *own_port = ntohs(at.sin_port);
  } else {
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
  }
  return fd;
}

bool bench_starts(struct endpoint *e, const struct osc_config *c, char error[200])
{
  error[0] = '\0';
  *e = (struct endpoint){.protocol = &osc_protocol,
                         .config = c,
                         .count = 1,
                         .signals = &signals,
                         .port = &port,
                         .counters = &counters};
  return endpoint_start(e, error, 200);
}

void bench_start(void)
{
  char error[200];
  if (!bench_starts(&osc, &config, error)) fail_msg("%s", error);
  client = open_socket("127.0.0.1", osc_port(&osc), NULL);
}

int bench_setup(void **state)
{
  (void)state;
  memset(&counters, 0, sizeof counters);
  for (int i = 0; i < BODIES; i++) {
    snprintf(name_text[i], sizeof name_text[i], "b%d", i);
    body_name[i] = name_text[i];
  }
  assert_true(port_init(&port, "osc", VALUES, CHANNELS, true));
  for (int i = 0; i < 2; i++) {
    target[i] =
        (struct osc_target){.host = "127.0.0.1", .divisor = i ? 3 : 1, .doubles = i, .stream = STREAM_ALL};
    listener[i] = open_socket("127.0.0.1", 0, &target[i].port);
  }
  bench_start();
  return 0;
}

int bench_teardown(void **state)
{
  (void)state;
  endpoint_stop(&osc);
  port_free(&port);
  close(client);
  for (int i = 0; i < 2; i++) close(listener[i]);
  return 0;
}

void publish_silently(uint64_t cycle, enum run_state run_state)
{
  double values[VALUES];
  for (int i = 0; i < VALUES; i++) values[i] = (double)cycle + i / 8.0;
  port_publish(&port, &(struct frame){.cycle = cycle,
                                      .time = 0.01 * (double)cycle,
                                      .state = run_state,
                                      .misses = 3,
                                      .last_cycle_us = 70,
                                      .max_cycle_us = 90,
                                      .input_age_ms = UINT32_MAX,
                                      .count = VALUES,
                                      .values = values});
}

void publish(uint64_t cycle, enum run_state run_state)
{
  publish_silently(cycle, run_state);
  port_wake(&port);
}

bool wait_readable(int fd, int ms)
{
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, ms) == 1;
}

void put(size_t n)
{
  assert_int_equal(send(client, bytes, n, 0), n);
}

const uint8_t *get(int fd, const char *address, const char *types)
{
  uint64_t end = clock_now_ns() + PATIENCE_MS * (NS_PER_S / 1000);
  while (clock_now_ns() < end) {
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);
    if (n < 0) continue;
    const uint8_t *args = wire_find(bytes, (size_t)n, address, types);
    if (args) return args;
  }
  fail_msg("no %s ,%s came", address, types);
  return NULL;
}

void assert_counts_to(const _Atomic uint64_t *counter, uint64_t expected)
{
  uint64_t end = clock_now_ns() + PATIENCE_MS * (NS_PER_S / 1000);
  while (counter_get(counter) < expected && clock_now_ns() < end) poll(NULL, 0, 1);
  assert_int_equal(counter_get(counter), expected);
}

void assert_alive(void)
{
  static int id;
  put(wire_message(bytes, "/ali3/ping", "ih", ++id, INT64_C(-5)));
  const uint8_t *args = get(client, "/ali3/pong", "ihhh");
  assert_int_equal(wire_get_u32(args), id);
  assert_int_equal((int64_t)wire_get_u64(args + 4), -5);
  uint64_t received = wire_get_u64(args + 12), sent = wire_get_u64(args + 20);
  assert_true(received <= sent && sent <= clock_now_ns());
}
