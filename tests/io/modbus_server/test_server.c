/* SPDX-License-Identifier: MIT
 * The server with real sockets and correct clients. */
#include "modbus_server/modbus_bench.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

TEST(registers_follow_the_loop)
{
  int fd = connect_client(0);
  for (int k = 1; k <= 3; k++) {
    cycle(0x10000 + (uint64_t)k, STATE_RUNNING);
    ask(fd, k, frame_short(frame, k, 4, 0, 32));
    assert_int_equal(reply[1], 64);
    assert_int_equal(reply_register(0), 0x4133);
    assert_int_equal(reply_register(2), STATE_RUNNING);
    assert_int_equal(reply_register(7), k);
    assert_int_equal(reply_register(8), 1);
    assert_int_equal(reply_register(9), k);
    assert_int_equal(reply_register(31), k);
    ask(fd, k, frame_short(frame, k, 4, 1014, 14));
    for (int i = 0; i < 7; i++)
      assert_true(reply_float(2 * i) == (float)(0x10000 + k + BODY_FIRST + SIGNALS_BODY + i));
  }
  assert_int_equal(counter_get(&counters.modbus_accepted), 1);
  assert_int_equal(counter_get(&counters.modbus_clients), 1);
  assert_int_equal(counter_get(&counters.modbus_requests), 6);
  close(fd);
  assert_counts_to(&counters.modbus_clients, 0);
  assert_int_equal(counter_get(&counters.modbus_half_frames), 0);
}

TEST(commands_reach_the_loop)
{
  cycle(1, STATE_READY);
  int fd = connect_client(0);
  ask(fd, 1, frame_write(frame, 1, 0, (uint16_t[]){COMMAND_RUN, 4, 77}, 3));
  assert_int_equal(reply[0], 16);
  struct command c = {0};
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_RUN);
  assert_int_equal(c.argument, 4);
  assert_int_equal(c.id, 77);
  assert_int_not_equal(c.client, 0);
  assert_false(ring_pop(&port.commands, &c));

  ask(fd, 2, frame_short(frame, 2, 5, MAP_ESTOP, 0xff00));
  assert_true(atomic_load(&port.estop) & PORT_ESTOP);
  assert_int_equal(counter_get(&counters.modbus_commands), 2);
  cycle(2, STATE_SAFE);
  assert_exception(fd, 3, frame_write(frame, 3, 0, (uint16_t[]){COMMAND_RUN, 0, 78}, 3), MBAP_DEVICE_FAILURE);
  assert_int_equal(counter_get(&counters.modbus_exceptions), 1);
  close(fd);
}

/* The loop takes no commands: no command may be lost silently. */
TEST(a_full_command_ring_is_an_exception)
{
  int fd = connect_client(0), accepted = 0;
  reply[0] = 0;
  for (int k = 1; k <= 200 && reply[0] != 0x90; k++) {
    ask(fd, k, frame_write(frame, k, 0, (uint16_t[]){COMMAND_RUN, 0, (uint16_t)k}, 3));
    accepted += reply[0] == 16;
  }
  assert_int_equal(reply[0], 0x90);
  assert_int_equal(reply[1], MBAP_BUSY);
  assert_int_equal(counter_get(&counters.commands_dropped), 1);
  struct command c = {0};
  int popped = 0;
  while (ring_pop(&port.commands, &c)) popped++;
  assert_int_equal(popped, accepted);
  ask(fd, 9, frame_write(frame, 9, 0, (uint16_t[]){COMMAND_RUN, 0, 999}, 3));
  assert_int_equal(reply[0], 16);
  close(fd);
}

TEST(inputs_reach_the_loop_as_one_frame)
{
  /* Without a stamp of the kernel the arrival is when the server last saw that no connection waited, which may be its start. */
  int fd = connect_client(0);
  uint16_t block[65];
  input_block(block, -5.5, 1);
  ask(fd, 1, frame_write(frame, 1, 100, block, 65));
  assert_int_equal(reply[0], 16);
  assert_true(snapshot_take(&port.inputs));
  const struct input_sample *sample = snapshot_value(&port.inputs);
  for (int i = 0; i < CHANNELS; i++) {
    assert_true(sample[i].value == -5.5 + i);
    assert_in_range(sample[i].t_ns, bench_start_ns, clock_now_ns());
  }

  input_block(block, 1, 2);
  frame_put_float(block + 8, (double)NAN);
  assert_exception(fd, 2, frame_write(frame, 2, 100, block, 65), MBAP_ILLEGAL_VALUE);
  assert_false(snapshot_take(&port.inputs));
  assert_int_equal(counter_get(&counters.modbus_nonfinite), 1);
  ask(fd, 3, frame_short(frame, 3, 3, 100, 2));
  assert_true(reply_float(0) == -5.5f);
  close(fd);
}

TEST(a_writer_that_is_gone_frees_the_inputs)
{
  uint16_t block[65];
  int owner = connect_client(0), other = connect_client(0);
  input_block(block, 1, 1);
  ask(owner, 1, frame_write(frame, 1, 100, block, 65));
  input_block(block, 2, 2);
  assert_exception(other, 2, frame_write(frame, 2, 100, block, 65), MBAP_BUSY);
  close(owner);
  uint64_t start = clock_now_ns();
  do ask(other, 3, frame_write(frame, 3, 100, block, 65));
  while (reply[0] != 16 && ms_since(start) < PATIENCE_MS);
  assert_int_equal(reply[0], 16);
  close(other);
}

TEST(requests_in_one_packet_are_answered_in_order)
{
  enum { REQUESTS = 100 };
  uint8_t stream[REQUESTS * 12];
  for (int k = 0; k < REQUESTS; k++) frame_short(stream + 12 * k, k, 4, 0, 2 + k % 5);
  int fd = connect_client(0);
  put(fd, stream, sizeof stream);
  for (int k = 0; k < REQUESTS; k++) {
    assert_int_equal(get_reply(fd, k), 2 + 2 * (2 + k % 5));
    assert_int_equal(reply_register(0), 0x4133);
  }
  /* also in any split into packets, with errors between them */
  for (int k = 0; k < REQUESTS; k++) frame_short(stream + 12 * k, k, k % 3 ? 4 : 99, 0, k % 7 ? 1 : 200);
  size_t n = 0;
  for (size_t at = 0; at < sizeof stream; at += n) {
    n = 1 + (at * 7) % 31;
    if (n > sizeof stream - at) n = sizeof stream - at;
    put(fd, stream + at, n);
  }
  for (int k = 0; k < REQUESTS; k++) {
    get_reply(fd, k);
    assert_int_equal(reply[0], k % 3 == 0 ? 0xe3 : k % 7 == 0 ? 0x84 : 4);
  }
  close(fd);
}

TEST(identification_is_answered)
{
  int fd = connect_client(0);
  static const uint8_t request[] = {43, 14, 1, 0};
  put(fd, frame, frame_pdu(frame, 5, request, sizeof request));
  assert_in_range(get_reply(fd, 5), 20, 60);
  static const uint8_t head[] = {43, 14, 1, 0x81, 0, 0, 3, 0, 4, 'a', 'l', 'i', '3'};
  assert_memory_equal(reply, head, sizeof head);
  close(fd);
}

TEST(a_server_that_cannot_listen_says_why)
{
  struct endpoint second;
  struct modbus_config c = bench_config;
  c.port = modbus_server_port(&server);
  assert_false(bench_starts(&second, &c));
  assert_non_null(strstr(bench_error, "stop the program that has the port"));
  c.bind = "localhost";
  assert_false(bench_starts(&second, &c));
  assert_non_null(strstr(bench_error, "expected a numeric address"));

  struct rlimit files, few;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
  few = files;
  few.rlim_cur = 17;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  c = bench_config;
  const bool crowded = bench_starts(&second, &c);
  setrlimit(RLIMIT_NOFILE, &files);
  assert_false(crowded);
  assert_non_null(strstr(bench_error, "17"));
}

TEST(rights_go_by_address)
{
  bench_restart_with(ACCESS_NONE, ACCESS_WRITE);
  int fd = connect_client(0);
  assert_closed(fd);
  close(fd);
  assert_counts_to(&counters.modbus_denied, 1);
  assert_int_equal(counter_get(&counters.modbus_accepted), 0);

  bench_restart_with(ACCESS_READ, ACCESS_WRITE);
  fd = connect_client(0);
  ask(fd, 1, frame_short(frame, 1, 4, 0, 32));
  assert_int_equal(reply[0], 4);
  assert_exception(fd, 2, frame_write(frame, 2, 0, (uint16_t[]){COMMAND_ESTOP, 0, 1}, 3),
                   MBAP_ILLEGAL_FUNCTION);
  assert_true(atomic_exchange(&port.estop, 0) &
              PORT_ESTOP); /* the e-stop acts although the write is refused */
  assert_exception(fd, 3, frame_short(frame, 3, 5, MAP_RUN, 0xff00), MBAP_ILLEGAL_FUNCTION);
  assert_int_equal(atomic_load(&port.estop), 0);
  ask(fd, 4, frame_short(frame, 4, 5, MAP_ESTOP, 0xff00));
  assert_int_equal(reply[0], 5);
  assert_true(atomic_load(&port.estop) & PORT_ESTOP);
  close(fd);

  bench_restart_with(ACCESS_WRITE, ACCESS_NONE);
  fd = connect_client(0);
  ask(fd, 1, frame_write(frame, 1, 0, (uint16_t[]){COMMAND_RUN, 0, 1}, 3));
  assert_int_equal(reply[0], 16);
  close(fd);
}

TEST(clients_are_known_by_their_address)
{
  struct sockaddr_in own = {0};
  char name[CLIENT_NAME], expected[CLIENT_NAME];
  struct command c = {0};
  int fd = connect_client(0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &(socklen_t){sizeof own}), 0);
  snprintf(expected, sizeof expected, "127.0.0.1:%d", ntohs(own.sin_port));
  /* more other clients than named places, so that its place belongs to another one */
  for (int i = 0; i < CLIENTS_NAMED; i++) {
    int other = connect_client(0);
    ask(other, 1, frame_short(frame, 1, 4, 0, 1));
    close(other);
    assert_counts_to(&counters.modbus_clients, 1);
    ask(fd, 1, frame_short(frame, 1, 4, 0, 1)); /* the server closes a client that is silent for long */
  }
  ask(fd, 1, frame_write(frame, 1, 0, (uint16_t[]){COMMAND_RUN, 0, 1}, 3));
  assert_true(ring_pop(&port.commands, &c));
  clients_get(&port.clients, c.client, name);
  assert_string_equal(name, expected);
  close(fd);
}

/* Runs mbpoll, an independent client, with its output in `out`. Skips the test without mbpoll. */
static int mbpoll(const char *arguments, char *out, size_t size)
{
  if (system("command -v mbpoll >/dev/null 2>&1") != 0) { // NOLINT(cert-env33-c)
    print_message("[          ] skipped: mbpoll is not installed (apt install mbpoll)\n");
    skip();
  }
  char line[600];
  snprintf(line, sizeof line, "mbpoll -o 10 -m tcp -p %d -a 1 -0 -1 %s 2>&1", modbus_server_port(&server),
           arguments);
  FILE *pipe = popen(line, "r"); // NOLINT(cert-env33-c)
  assert_non_null(pipe);
  size_t n = fread(out, 1, size - 1, pipe);
  out[n] = 0;
  return pclose(pipe);
}

static void assert_shows(const char *out, const char *text)
{
  if (!strstr(out, text)) fail_msg("expected \"%s\" in\n%s", text, out);
}

TEST(mbpoll_reads_and_writes)
{
  char out[4000];
  cycle(1000, STATE_READY);
  assert_int_equal(mbpoll("-r 1000 -c 7 -t 3:float -B 127.0.0.1", out, sizeof out), 0);
  assert_shows(out, "[1000]: \t1001");
  assert_shows(out, "[1012]: \t1007");
  assert_int_equal(mbpoll("-r 0 -c 3 -t 3:hex 127.0.0.1", out, sizeof out), 0);
  assert_shows(out, "0x4133");
  assert_int_not_equal(mbpoll("-r 32 -c 1 -t 3:hex 127.0.0.1", out, sizeof out), 0);
  assert_shows(out, "Illegal data address");

  assert_int_equal(mbpoll("-r 0 -t 4 127.0.0.1 3 0 1", out, sizeof out), 0);
  struct command c = {0};
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_RUN);

  assert_int_equal(mbpoll("-r 100 -t 4:float -B 127.0.0.1 -- 2.5 -1.5", out, sizeof out), 0);
  assert_int_equal(mbpoll("-r 100 -c 2 -t 4:float -B 127.0.0.1", out, sizeof out), 0);
  assert_shows(out, "[100]: \t2.5");
  assert_shows(out, "[102]: \t-1.5");
  assert_false(snapshot_take(&port.inputs));
  char words[400]; /* 2.5, zeros, and the sequence in one request */
  int n = snprintf(words, sizeof words, "-r 100 -t 4 127.0.0.1 16416 0");
  for (int i = 2; i <= 64; i++) n += snprintf(words + n, sizeof words - (size_t)n, i < 64 ? " 0" : " 1");
  assert_int_equal(mbpoll(words, out, sizeof out), 0);
  assert_true(snapshot_take(&port.inputs));
  const struct input_sample *sample = snapshot_value(&port.inputs);
  assert_true(sample[0].value == 2.5 && sample[1].value == 0 && sample[11].t_ns != 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BENCH_TEST(registers_follow_the_loop),
      BENCH_TEST(commands_reach_the_loop),
      BENCH_TEST(a_full_command_ring_is_an_exception),
      BENCH_TEST(inputs_reach_the_loop_as_one_frame),
      BENCH_TEST(a_writer_that_is_gone_frees_the_inputs),
      BENCH_TEST(requests_in_one_packet_are_answered_in_order),
      BENCH_TEST(identification_is_answered),
      BENCH_TEST(a_server_that_cannot_listen_says_why),
      BENCH_TEST(rights_go_by_address),
      BENCH_TEST(clients_are_known_by_their_address),
      BENCH_TEST(mbpoll_reads_and_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
