/* SPDX-License-Identifier: MIT
 * The cost of sending: no memory, and processor time, which is counted. 128 bodies go to 8 subscribers. */
#include "check.h"
#include "common/heap.h"
#include "common/sanitized.h"
#include "osc/osc_packet.h"
#include "osc/osc_wire.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  BODIES = 128,
  SUBSCRIBERS = 8,
  CHANNELS = 6,
  BODY_FIRST = CHANNELS,
  VALUES = BODY_FIRST + BODIES * SIGNALS_BODY,
  CYCLES = 500
};

static struct input_spec input[] = {{.name = "push", .count = CHANNELS}};
static const struct signals signals = {.platform_first = -1,
                                       .count = VALUES,
                                       .bodies = BODIES,
                                       .body_first = BODY_FIRST,
                                       .inputs = 1,
                                       .input = input,
                                       .channels = CHANNELS,
                                       .figure_first = VALUES};
static char name_text[BODIES][16];
static const char *name[BODIES];
static const struct osc_config config = {.prefix = "/ali3", .period = 0.01, .body_name = name};
static struct port port;
static struct counters counters;
static struct osc_space *space;
static struct osc_out *out;
static struct osc_in *in;
static double values[VALUES];
static struct frame frame;
static int server, client[SUBSCRIBERS];
static struct inet_address at[SUBSCRIBERS];
static uint8_t bytes[4096];

static int open_socket(struct inet_address *a)
{
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(inet_address_parse("127.0.0.1", 0, a), 0);
  assert_int_equal(bind(fd, &a->name.any, a->length), 0);
  assert_int_equal(getsockname(fd, &a->name.any, &a->length), 0);
  return fd;
}

static int setup(void **state)
{
  (void)state;
  char error[200];
  struct inet_address unused;
  memset(&counters, 0, sizeof counters);
  for (int i = 0; i < BODIES; i++) {
    snprintf(name_text[i], sizeof name_text[i], "link_%d", i);
    name[i] = name_text[i];
  }
  assert_true(port_init(&port, "osc", VALUES, CHANNELS, false));
  frame = (struct frame){.state = STATE_RUNNING, .values = values};
  server = open_socket(&unused);
  space = osc_space_new(&config, &signals, error, sizeof error);
  assert_non_null(space);
  out = osc_out_new(&config, space, &signals, &counters, server, error, sizeof error);
  assert_non_null(out);
  in = osc_in_new(&config, space, &signals, &port, &counters, out);
  assert_non_null(in);
  for (int i = 0; i < SUBSCRIBERS; i++) client[i] = open_socket(&at[i]);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  osc_in_free(in);
  osc_out_free(out);
  osc_space_free(space);
  port_free(&port);
  close(server);
  for (int i = 0; i < SUBSCRIBERS; i++) close(client[i]);
  return 0;
}

static void subscribe_all(int profile)
{
  for (int i = 0; i < SUBSCRIBERS; i++)
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/sub", "siii", "all", 0, 1, profile), &at[i], 1);
  assert_int_equal(counter_get(&counters.osc_clients), SUBSCRIBERS);
}

/* Reads all packets of frames that have come. */
static int read_all(int fd)
{
  uint8_t got[OSC_DATAGRAM];
  int packets = 0;
  for (ssize_t n; (n = recv(fd, got, sizeof got, MSG_DONTWAIT)) > 0;)
    packets += memcmp(got, "#bundle", 8) == 0;
  return packets;
}

static void send_cycles(int cycles)
{
  for (int k = 0; k < cycles; k++) {
    frame.cycle++;
    for (int i = 0; i < VALUES; i++) values[i] += 1.0 / 1024;
    osc_out_frame(out, &frame, frame.cycle * 10000000);
    for (int i = 0; i < SUBSCRIBERS; i++) assert_true(read_all(client[i]) > 0);
  }
}

TEST(its_cost_is_counted)
{
  for (int profile = 0; profile < 2; profile++) {
    subscribe_all(profile);
    const uint64_t before = counter_get(&counters.osc_send_ns), frames = counter_get(&counters.osc_frames),
                   sent = counter_get(&counters.osc_sent);
    send_cycles(CYCLES);
    assert_int_equal(counter_get(&counters.osc_frames) - frames, CYCLES);
    const uint64_t ns = counter_get(&counters.osc_send_ns) - before;
    assert_true(ns > 0);
    print_message(
        "%d bodies to %d subscribers, profile %s: %.0f packets, %.1f us of processor time a cycle\n", BODIES,
        SUBSCRIBERS, profile ? "d" : "f", (double)(counter_get(&counters.osc_sent) - sent) / CYCLES,
        (double)ns / 1e3 / CYCLES);
  }
  assert_int_equal(counter_get(&counters.osc_send_errors), 0);
}

#if !TEST_SANITIZED
TEST(nothing_that_comes_or_goes_takes_memory)
{
  static const char *const asked[] = {"/ali3/status", "/ali3/body/link_7/state", "/ali3/input/push",
                                      "/ali3/no/such", "/ali3/cmd/run"};
  subscribe_all(0);
  const long before = heap_calls();
  for (int k = 0; k < 100; k++) {
    send_cycles(3);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
      osc_in_packet(in, bytes, wire_message(bytes, asked[i], ""), &at[i], frame.cycle * 10000000);
    osc_in_packet(in, bytes,
                  wire_message(bytes, "/ali3/in/frame", "ihffffff", k, INT64_C(1), 1., 2., 3., 4., 5., 6.),
                  &at[0], frame.cycle * 10000000);
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/sync", "i", k), &at[0], frame.cycle * 10000000);
    struct command c;
    assert_true(ring_pop(&port.commands, &c));
    assert_true(ring_push(&port.answers, &(struct answer){.code = c.code, .id = c.id, .client = c.client}));
    osc_in_answers(in, 1);
    subscribe_all(k % 2);
  }
  assert_int_equal(heap_calls() - before, 0);
  assert_true(counter_get(&counters.osc_received) > 500);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(its_cost_is_counted, setup, teardown),
#if !TEST_SANITIZED
    cmocka_unit_test_setup_teardown(nothing_that_comes_or_goes_takes_memory, setup, teardown),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
