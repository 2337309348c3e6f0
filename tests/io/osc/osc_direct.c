/* SPDX-License-Identifier: MIT */
#include "osc/osc_direct.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define WITHIN(limit)                                                                                        \
  {                                                                                                          \
    .lower = -(limit), .upper = (limit)                                                                      \
  }
#define WRENCH_RANGES                                                                                        \
  {                                                                                                          \
    WITHIN(10), WITHIN(10), WITHIN(10), WITHIN(2), WITHIN(2), WITHIN(2)                                      \
  }
struct input_spec input[3] = {
    {.name = "push", .first = 0, .count = 6, .range = WRENCH_RANGES},
    {.name = "push2", .first = 6, .count = 6, .range = WRENCH_RANGES},
    {.name = "turn", .kind = INPUT_VALUE, .first = 12, .count = 1, .range = {WITHIN(3)}}};
static struct signal signal_of[VALUES];
static char channel_name[VALUES][16];
static struct signal_group group[] = {{(char[]){"energy.total"}, CHANNELS, 1},
                                      {(char[]){"joint.J.force"}, CHANNELS + 1, 1},
                                      {(char[]){"loop.x"}, CHANNELS + 2, 1}};
struct signals signals = {.platform_first = -1,
                          .count = VALUES,
                          .signal = signal_of,
                          .groups = 3,
                          .group = group,
                          .inputs = 3,
                          .input = input,
                          .channels = CHANNELS,
                          .figure_first = CHANNELS + 2,
                          .figures = 1};
struct osc_config config;
struct port port;
struct counters counters;
static struct osc_space *space;
struct osc_out *out;
struct osc_in *in;
int server, client;
struct inet_address sender;
uint64_t now_ns;
uint8_t bytes[OSC_IN_MAX + 4], answer[OSC_DATAGRAM];

int open_socket(struct inet_address *at)
{
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(inet_address_parse("127.0.0.1", 0, at), 0);
  assert_int_equal(bind(fd, &at->name.any, at->length), 0);
  assert_int_equal(getsockname(fd, &at->name.any, &at->length), 0);
  return fd;
}

static void start(void)
{
  char error[200] = "";
  space = osc_space_new(&config, &signals, error, sizeof error);
  assert_non_null(space);
  out = osc_out_new(&config, space, &signals, &counters, server, error, sizeof error);
  assert_string_equal(error, "");
  in = osc_in_new(&config, space, &signals, &port, &counters, out);
  assert_non_null(in);
}

static void stop(void)
{
  osc_in_free(in);
  osc_out_free(out);
  osc_space_free(space);
}

void direct_restart(void)
{
  stop();
  start();
}

int direct_setup(void **state)
{
  (void)state;
  struct inet_address unused;
  for (int i = 0; i < VALUES; i++) {
    snprintf(channel_name[i], sizeof channel_name[i], "value.%d", i);
    signal_of[i] = (struct signal){channel_name[i], "N"};
  }
  config = (struct osc_config){.bind = "127.0.0.1", .prefix = "/ali3", .period = 0.01};
  memset(&counters, 0, sizeof counters);
  now_ns = NOW;
  assert_true(port_init(&port, "osc", VALUES, CHANNELS, false));
  server = open_socket(&unused);
  client = open_socket(&sender);
  start();
  return 0;
}

int direct_teardown(void **state)
{
  (void)state;
  stop();
  port_free(&port);
  close(server);
  close(client);
  return 0;
}

void receive_from(size_t n, const struct inet_address *from)
{
  osc_out_turn(out);
  osc_in_packet(in, bytes, n, from, now_ns);
}

void receive(size_t n)
{
  receive_from(n, &sender);
}

size_t next_answer_at(int fd)
{
  const ssize_t n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
  return n < 0 ? 0 : (size_t)n;
}

size_t next_answer(void)
{
  return next_answer_at(client);
}

const struct input_sample *taken(void)
{
  assert_true(snapshot_take(&port.inputs));
  return snapshot_value(&port.inputs);
}

void assert_acknowledged(const char *what, int id, int result)
{
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/ack", "sii");
  if (!args) fail_msg("%s was not acknowledged", what);
  assert_string_equal((const char *)args, what);
  args += (strlen(what) / 4 + 1) * 4;
  assert_int_equal(wire_get_u32(args), id);
  assert_int_equal(wire_get_u32(args + 4), result);
}

void assert_stepped(int request, uint64_t cycle, int packets)
{
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/stepped", "ihi");
  assert_non_null(args);
  assert_int_equal(wire_get_u32(args), request);
  assert_int_equal(wire_get_u64(args + 4), cycle);
  assert_int_equal(wire_get_u32(args + 12), packets);
  assert_acknowledged("step", request, RESULT_OK);
}

int other_ports(void)
{
  struct inet_address own = sender;
  assert_int_equal(getsockname(server, &own.name.any, &own.length), 0);
  int first = 20000;
  while (inet_address_port(&own) / 100 == first / 100 || inet_address_port(&sender) / 100 == first / 100)
    first += 100;
  return first;
}

uint32_t subscribe(const char *stream, int to_port, int divisor, int profile)
{
  receive(wire_message(bytes, "/ali3/sub", "siii", stream, to_port, divisor, profile));
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/sub/ack", "si");
  assert_non_null(args);
  return wire_get_u32(args + (strlen(stream) / 4 + 1) * 4);
}

struct frame *frame_of(uint64_t cycle, uint32_t state, uint32_t fault)
{
  static double values[2][VALUES];
  static struct frame kept[2];
  static int which;
  which ^= 1;
  for (int i = 0; i < VALUES; i++) values[which][i] = (double)cycle + i / 8.0;
  kept[which] = (struct frame){
      .cycle = cycle, .state = state, .fault = fault, .count = VALUES, .values = values[which]};
  return &kept[which];
}
