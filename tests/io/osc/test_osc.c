/* SPDX-License-Identifier: MIT
 * The running thread, over real sockets. */
#include "osc/osc_bench.h"

#include "common/udp.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(the_state_reaches_every_target_whole)
{
  publish(7, STATE_RUNNING);
  int seen = 0, parts = 1;
  for (int part = 0; part < parts; part++) {
    const uint8_t *header = get(listener[0], "/ali3/hdr", "ifiiii");
    assert_int_equal(wire_get_u32(header), 7);
    assert_true(fabs(wire_get_f(header + 4) - 0.07) < 1e-7);
    assert_int_equal(wire_get_u32(header + 8), STATE_RUNNING);
    assert_int_equal(wire_get_u32(header + 16), part);
    parts = (int)wire_get_u32(header + 20);
    for (int b = 0; b < BODIES; b++) {
      char address[64];
      snprintf(address, sizeof address, "/ali3/body/b%d/state", b);
      const uint8_t *args = wire_find(bytes, sizeof bytes, address, "fffffffffffff");
      if (!args) continue;
      seen++;
      for (int i = 0; i < SIGNALS_BODY_STATE; i++)
        assert_true(wire_get_f(args + 4 * i) == 7 + (BODY_FIRST + SIGNALS_BODY * b + i) / 8.0);
    }
    memset(bytes, 0, sizeof bytes);
  }
  assert_true(parts > 1);
  assert_int_equal(seen, BODIES);
}

TEST(a_divisor_thins_the_stream_out)
{
  uint64_t last[2] = {0, 0};
  int count[2] = {0, 0};
  for (uint64_t cycle = 1; cycle <= 30; cycle++) {
    publish(cycle, STATE_RUNNING);
    const uint8_t *header;
    do { /* the first packet of each frame */
      header = get(listener[0], "/ali3/hdr", "ifiiii");
    } while (wire_get_u32(header + 16) != 0);
    last[0] = wire_get_u32(header);
    count[0]++;
    assert_int_equal(last[0], cycle);
  }
  while (wait_readable(listener[1], last[1] == 30 ? 100 : PATIENCE_MS)) {
    ssize_t n = recv(listener[1], bytes, sizeof bytes, 0);
    const uint8_t *header = wire_find(bytes, (size_t)n, "/ali3/hdr", "hdiiii");
    if (!header || wire_get_u32(header + 24) != 0) continue;
    count[1]++;
    last[1] = wire_get_u64(header);
    assert_true(last[1] == 1 || last[1] % 3 == 0); /* the very first frame is not held back */
    const uint8_t *args = wire_find(bytes, (size_t)n, "/ali3/body/b0/state", "ddddddddddddd");
    assert_non_null(args);
    assert_true(wire_get_d(args + 96) == (double)last[1] + (BODY_FIRST + 12) / 8.0);
  }
  assert_int_equal(count[0], 30);
  assert_int_equal(count[1], 11);
  assert_int_equal(last[1], 30);
}

TEST(the_status_is_sent_on_change_and_on_request)
{
  publish(1, STATE_STOPPED);
  assert_string_equal((const char *)get(listener[0], "/ali3/status", "sifffiiii"), "STOPPED");
  publish(2, STATE_SAFE);
  const char *text = (const char *)get(listener[0], "/ali3/status", "sifffiiii");
  assert_string_equal(text, "SAFE");
  put(wire_message(bytes, "/ali3/status", ""));
  const uint8_t *args = get(client, "/ali3/status", "sifffiiii");
  assert_string_equal((const char *)args, "SAFE");
  assert_int_equal(wire_get_u32(args + 8), STATE_SAFE);
  assert_true(wire_get_f(args + 12) == 10 && wire_get_f(args + 16) == 70 && wire_get_f(args + 20) == 90);
  assert_int_equal(wire_get_u32(args + 24), 3);
  assert_int_equal((int32_t)wire_get_u32(args + 28), -1); /* no input was set yet */
  assert_int_equal(wire_get_u32(args + 36), 2);           /* two targets */
}

TEST(the_last_frame_goes_out_before_the_end)
{
  publish_silently(9, STATE_EXIT);
  endpoint_stop(&osc);
  assert_string_equal((const char *)get(listener[0], "/ali3/status", "sifffiiii"), "EXIT");
  close(client);
  bench_start();
}

TEST(commands_go_to_the_loop_and_its_answers_come_back)
{
  put(wire_message(bytes, "/ali3/cmd/pause", "i", 42));
  assert_counts_to(&counters.osc_commands, 1);
  struct command c = {0};
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_PAUSE);
  const struct answer a = {.code = c.code, .id = c.id, .client = c.client, .result = RESULT_WRONG_STATE};
  assert_true(ring_push(&port.answers, &a)); /* without an event: the thread looks by itself */
  const uint8_t *args = get(client, "/ali3/ack", "sii");
  assert_string_equal((const char *)args, "pause");
  assert_int_equal(wire_get_u32(args + 8), 42);
  assert_int_equal(wire_get_u32(args + 12), RESULT_WRONG_STATE);
}

TEST(a_subscriber_gets_its_streams)
{
  put(wire_message(bytes, "/ali3/sub", "siii", "body", 0, 2, 1));
  assert_int_equal(wire_get_u32(get(client, "/ali3/sub/ack", "si") + 8), RESULT_OK);
  publish(4, STATE_RUNNING);
  assert_int_equal(wire_get_u64(get(client, "/ali3/hdr", "hdiiii")), 4);
  put(wire_message(bytes, "/ali3/unsub", "s", "body"));
  assert_int_equal(wire_get_u32(get(client, "/ali3/unsub/ack", "si") + 8), RESULT_OK);
  publish(6, STATE_RUNNING);
  uint64_t header = 0;
  while (header != 6) header = wire_get_u32(get(listener[0], "/ali3/hdr", "ifiiii"));
  assert_false(wait_readable(client, 50));
}

TEST(it_listens_only_on_its_address)
{
  int elsewhere = open_socket("127.0.0.2", osc_port(&osc), NULL);
  size_t n = wire_message(bytes, "/ali3/cmd/run", "");
  assert_int_equal(send(elsewhere, bytes, n, 0), n);
  assert_alive();                              /* by now the datagram would have been read */
  assert_counts_to(&counters.osc_received, 1); /* only the ping */
  assert_int_equal(counter_get(&counters.osc_commands), 0);
  assert_true(send(elsewhere, bytes, n, 0) < 0 && errno == ECONNREFUSED);
  close(elsewhere);
}

TEST(a_failed_open_has_a_message)
{
  char error[200];
  struct endpoint second;
  struct osc_config twice = config;
  twice.port = osc_port(&osc);
  assert_false(bench_starts(&second, &twice, error));
  assert_non_null(strstr(error, "127.0.0.1"));
  assert_non_null(strstr(error, "in use"));
  twice.port = 0;
  twice.bind = "localhost"; /* a name: the daemon never asks a name server */
  assert_false(bench_starts(&second, &twice, error));
  assert_non_null(strstr(error, "localhost"));
  struct osc_target bad = {.host = "not.an.address", .port = 1, .divisor = 1};
  twice = (struct osc_config){
      .bind = "127.0.0.1", .prefix = "/x", .body_name = body_name, .target = &bad, .targets = 1};
  assert_false(bench_starts(&second, &twice, error));
  assert_non_null(strstr(error, "not.an.address"));
}

TEST(a_target_that_is_not_there_is_counted_and_the_others_served)
{
  assert_int_equal(udp_refuse(listener[1]), 0);
  for (uint64_t cycle = 1; cycle <= 30; cycle++) {
    publish(cycle, STATE_RUNNING);
    uint64_t seen = 0;
    while (seen != cycle) seen = wire_get_u32(get(listener[0], "/ali3/hdr", "ifiiii"));
  }
  assert_true(counter_get(&counters.osc_send_errors) > 0);
  assert_alive();
}

/* The state stream continues while more datagrams arrive than the thread can read. */
TEST(a_flood_does_not_stop_the_stream)
{
  enum { FLOODS = 3, UNDER_WAY = 1000 };
  pid_t flood[FLOODS];
  size_t n = wire_message(bytes, "/ali3/input/push/force", "fff", 1., 2., 3.);
  for (int i = 0; i < FLOODS; i++) {
    flood[i] = fork();
    if (flood[i] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test itself is killed */
      for (;;) (void)!send(client, bytes, n, MSG_DONTWAIT);
    }
  }
  uint64_t end = clock_now_ns() + 3 * PATIENCE_MS * (NS_PER_S / 1000);
  while (counter_get(&counters.osc_received) < UNDER_WAY && clock_now_ns() < end) poll(NULL, 0, 1);
  uint64_t seen = 0;
  for (uint64_t cycle = 1; seen + 1 == cycle && cycle <= 20; cycle++) {
    publish(cycle, STATE_RUNNING);
    while (seen != cycle && clock_now_ns() < end) {
      ssize_t got = wait_readable(listener[0], 100) ? recv(listener[0], bytes, sizeof bytes, 0) : 0;
      const uint8_t *header = got > 0 ? wire_find(bytes, (size_t)got, "/ali3/hdr", "ifiiii") : NULL;
      if (header) seen = wire_get_u32(header);
    }
  }
  for (int i = 0; i < FLOODS; i++) { /* before anything can fail */
    kill(flood[i], SIGKILL);
    waitpid(flood[i], NULL, 0);
  }
  assert_int_equal(seen, 20);
  assert_true(counter_get(&counters.osc_received) >= UNDER_WAY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BENCH_TEST(the_state_reaches_every_target_whole),
      BENCH_TEST(a_divisor_thins_the_stream_out),
      BENCH_TEST(the_status_is_sent_on_change_and_on_request),
      BENCH_TEST(the_last_frame_goes_out_before_the_end),
      BENCH_TEST(commands_go_to_the_loop_and_its_answers_come_back),
      BENCH_TEST(a_subscriber_gets_its_streams),
      BENCH_TEST(it_listens_only_on_its_address),
      BENCH_TEST(a_failed_open_has_a_message),
      BENCH_TEST(a_target_that_is_not_there_is_counted_and_the_others_served),
      BENCH_TEST(a_flood_does_not_stop_the_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
