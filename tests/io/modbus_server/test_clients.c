/* SPDX-License-Identifier: MIT
 * Clients that the server must survive: stalled, rude, deaf, silent, flooding, too many. Limits of time are ten times
 * the expected values, and below the delay that the tested fault would cause. */
#include "modbus_server/modbus_bench.h"

#include <errno.h>
#include <math.h>
#include <sys/resource.h>

enum { VICTIM_MS = 100 }; /* longest time that a client may wait because of another one */

/* One read by a client that has done nothing wrong; updates *worst with its time. */
static void victim_reads(int fd, double *worst)
{
  uint64_t start = clock_now_ns();
  ask(fd, 1, frame_short(frame, 1, 4, 0, 32));
  double ms = ms_since(start);
  if (ms > *worst) *worst = ms;
}

/* Another client's unfinished and illegal requests, each of which costs every client half a second with the stock
 * server loop. */
TEST(a_stalled_client_stalls_nobody_else)
{
  int stalled = connect_client(0), rude = connect_client(0), victim = connect_client(0);
  uint64_t begin = clock_now_ns();
  double worst = 0;
  put(stalled, frame, frame_short(frame, 1, 4, 0, 1) - 5);
  for (int k = 0; k < 40; k++) {
    put(rude, frame, frame_short(frame, k, k % 2 ? 99 : 4, 0, 126));
    victim_reads(victim, &worst);
  }
  print_message("[          ] worst read beside a stalled and a rude client: %.2f ms\n", worst);
  assert_in_time(worst, VICTIM_MS);
  assert_in_time(ms_since(begin), HALF_FRAME_MS); /* the stalled client was there all the time */
  for (int k = 0; k < 40; k++) {
    get_reply(rude, k);
    assert_int_equal(reply[1], k % 2 ? MBAP_ILLEGAL_FUNCTION : MBAP_ILLEGAL_VALUE);
  }
  assert_closed(stalled);
  double waited = ms_since(begin);
  assert_true(waited >= HALF_FRAME_MS);
  assert_counts_to(&counters.modbus_half_frames, 1);
  assert_int_equal(counter_get(&counters.modbus_exceptions), 40);
  close(stalled);
  close(rude);
  close(victim);
}

TEST(a_client_that_dies_in_mid_frame_is_counted)
{
  int fd = connect_client(0);
  ask(fd, 1, frame_short(frame, 1, 4, 0, 1));
  put(fd, frame, 5);
  close(fd); /* all that a kill -9 does to a connection */
  assert_counts_to(&counters.modbus_half_frames, 1);
  assert_counts_to(&counters.modbus_clients, 0);
}

TEST(a_stream_that_is_not_modbus_is_closed_and_counted)
{
  static const struct {
    size_t n;
    uint8_t bytes[8];
  } bad[] = {{8, "GET / HT"}, {4, {0, 1, 0, 7}}, {6, {0, 1, 0, 0, 1, 0}}, {8, {0, 1, 0, 0, 0, 6, 1, 0x84}}};
  for (int i = 0; i < 4; i++) {
    int fd = connect_client(0);
    put(fd, bad[i].bytes, bad[i].n);
    assert_closed(fd);
    close(fd);
    assert_counts_to(&counters.modbus_bad_frames, (uint64_t)i + 1);
  }
  /* good requests before the bad header are still served */
  int fd = connect_client(0);
  size_t n = frame_short(frame, 1, 4, 0, 1);
  memset(frame + n, 0xff, 10);
  put(fd, frame, n + 10);
  get_reply(fd, 1);
  assert_closed(fd);
  close(fd);
}

TEST(one_client_too_many_is_refused)
{
  int fd[MAX_CLIENTS];
  for (int i = 0; i < MAX_CLIENTS; i++) {
    fd[i] = i < HOST_CLIENTS ? connect_client(0) : connect_from("127.0.0.2");
    ask(fd[i], i, frame_short(frame, i, 4, 0, 1));
  }
  int extra = connect_from("127.0.0.3");
  assert_closed(extra);
  close(extra);
  assert_counts_to(&counters.modbus_refused, 1);
  assert_int_equal(counter_get(&counters.modbus_clients), MAX_CLIENTS);
  for (int i = 0; i < MAX_CLIENTS; i++) ask(fd[i], i, frame_short(frame, i, 4, 0, 1));
  close(fd[0]);
  assert_counts_to(&counters.modbus_clients, MAX_CLIENTS - 1);
  fd[0] = connect_from("127.0.0.3");
  ask(fd[0], 1, frame_short(frame, 1, 4, 0, 1));
  for (int i = 0; i < MAX_CLIENTS; i++) close(fd[i]);
  assert_int_equal(counter_get(&counters.modbus_replaced), 0);
}

/* A PLC restarts and leaves connections open: it gets in once they have been silent for a second. */
TEST(a_host_replaces_its_own_silent_connection)
{
  int fd[HOST_CLIENTS];
  const uint64_t start = clock_now_ns();
  for (int i = 0; i < HOST_CLIENTS; i++) {
    fd[i] = connect_client(0);
    ask(fd[i], i, frame_short(frame, i, 4, 0, 1));
  }
  const bool early = ms_since(start) < 500; /* the first one that comes again finds no silent connection */
  while (counter_get(&counters.modbus_replaced) == 0 && ms_since(start) < PATIENCE_MS) {
    for (int i = 1; i < HOST_CLIENTS; i++) ask(fd[i], i, frame_short(frame, i, 4, 0, 1));
    int again = connect_client(0);
    usleep(20000);
    close(again);
  }
  assert_true(ms_since(start) >= 1000);
  assert_closed(fd[0]); /* the others were not silent */
  for (int i = 1; i < HOST_CLIENTS; i++) ask(fd[i], i, frame_short(frame, i, 4, 0, 1));
  if (early) assert_true(counter_get(&counters.modbus_refused) > 0);
  for (int i = 0; i < HOST_CLIENTS; i++) close(fd[i]);
}

TEST(readers_leave_room_for_writers)
{
  int reader[MAX_CLIENTS], writer[2];
  bench_restart_with(ACCESS_WRITE, ACCESS_READ);
  for (int i = 0; i < MAX_CLIENTS - 1; i++) {
    reader[i] = connect_from(i < HOST_CLIENTS ? "127.0.0.2" : "127.0.0.3");
    ask(reader[i], i, frame_short(frame, i, 4, 0, 1));
  }
  reader[MAX_CLIENTS - 1] = connect_from("127.0.0.4");
  assert_closed(reader[MAX_CLIENTS - 1]);
  assert_counts_to(&counters.modbus_refused, 1);

  writer[0] = connect_client(0);
  ask(writer[0], 1, frame_short(frame, 1, 5, MAP_ESTOP, 0xff00));
  assert_int_equal(counter_get(&counters.modbus_replaced), 0);
  ask(reader[0], 1, frame_short(frame, 1, 4, 0, 1)); /* now the second has been silent for longest */
  writer[1] = connect_client(0);
  ask(writer[1], 1, frame_short(frame, 1, 5, MAP_ESTOP, 0xff00));
  assert_closed(reader[1]);
  assert_int_equal(counter_get(&counters.modbus_replaced), 1);
  ask(reader[0], 1, frame_short(frame, 1, 4, 0, 1));
  for (int i = 0; i < MAX_CLIENTS; i++) close(reader[i]);
  close(writer[0]);
  close(writer[1]);
}

/* Many more writes than are served at once: those that wait in the socket keep their age. */
TEST(values_age_while_they_wait)
{
  enum { WRITES = 1000, LENGTH = 12 };
  static uint8_t stream[WRITES * LENGTH];
  uint16_t block[65];
  int fd = connect_client(0);
  input_block(block, 1, 0);
  ask(fd, 0, frame_write(frame, 0, 100, block, 65));
  for (int k = 1; k <= WRITES; k++) frame_short(stream + (k - 1) * LENGTH, k, 6, MAP_INPUT_SEQUENCE, k);
  const uint64_t start = clock_now_ns();
  put(fd, stream, sizeof stream); /* less than a TCP window */
  usleep(10000);
  const uint64_t sent = clock_now_ns();
  uint64_t last_ns = 0;
  for (int k = 1; k <= WRITES; k++) {
    get_reply(fd, k);
    if (!snapshot_take(&port.inputs)) continue;
    const struct input_sample *sample = snapshot_value(&port.inputs);
    assert_true(sample[0].t_ns <= sent && sample[0].t_ns > last_ns && sample[0].t_ns + NS_PER_S > start);
    last_ns = sample[0].t_ns;
  }
  const double waited = ms_since(start);
  print_message("[          ] the last of %d values waited for %.0f ms\n", WRITES, waited);
  assert_true(waited > 100 && last_ns != 0);
  close(fd);
}

TEST(a_want_of_descriptors_is_survived)
{
  struct rlimit usual, now;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
  int fd = make_socket();
  now = usual;
  now.rlim_cur = (rlim_t)fd + 1; /* the client has the last descriptor: the server cannot accept */
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
  connect_socket(fd);
  put(fd, frame, frame_short(frame, 1, 4, 0, 1));
  usleep(20000);
  uint64_t accepted = counter_get(&counters.modbus_accepted);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
  assert_int_equal(accepted, 0);
  get_reply(fd, 1);
  close(fd);
  assert_counts_to(&counters.modbus_clients, 0);
}

TEST(a_descriptor_beyond_fd_setsize_is_refused)
{
  enum { LIMIT = 1100, SETSIZE = 1024 };
  struct rlimit usual, now;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
  now = usual;
  now.rlim_cur = LIMIT;
  if (setrlimit(RLIMIT_NOFILE, &now) != 0) {
    print_message("[          ] skipped: %d open files are not allowed here\n", LIMIT);
    skip();
  }
  int client = make_socket(), filler[SETSIZE], fillers = 0;
  do {
    assert_true(fillers < SETSIZE);
    filler[fillers] = dup(client);
    assert_true(filler[fillers] >= 0);
  } while (filler[fillers++] < SETSIZE - 1);
  connect_socket(client);
  assert_closed(client);
  for (int i = 0; i < fillers; i++) close(filler[i]);
  assert_counts_to(&counters.modbus_refused, 1);
  close(client);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

TEST(a_client_that_does_not_read_is_dropped)
{
  int deaf = connect_client(2048), victim = connect_client(0);
  uint64_t start = clock_now_ns();
  double worst = 0;
  while (counter_get(&counters.modbus_dropped) == 0 && ms_since(start) < PATIENCE_MS) {
    size_t n = frame_short(frame, 1, 3, 100, 66);
    if (send(deaf, frame, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) break;
    victim_reads(victim, &worst);
  }
  assert_counts_to(&counters.modbus_dropped, 1);
  assert_in_time(worst, VICTIM_MS);
  close(deaf);
  close(victim);
}

TEST(a_silent_client_is_closed)
{
  uint64_t start = clock_now_ns();
  double worst = 0;
  int silent = connect_client(0), busy = connect_client(0);
  while (counter_get(&counters.modbus_idle_closed) == 0 && ms_since(start) < PATIENCE_MS) {
    victim_reads(busy, &worst);
    usleep(50000);
  }
  assert_true(ms_since(start) >= IDLE_MS);
  assert_closed(silent);
  assert_int_equal(counter_get(&counters.modbus_idle_closed), 1);
  victim_reads(busy, &worst);
  close(silent);
  close(busy);
}

/* Twice the burst: the rest is served at the client's rate, and other clients need not wait for it. */
TEST(a_flood_is_held_back)
{
  enum { RATE = 2000, BURST = 500, FLOOD = 2 * BURST };
  static uint8_t stream[FLOOD * 12];
  for (int k = 0; k < FLOOD; k++) frame_short(stream + 12 * k, k, 4, 0, 1);
  int flood = connect_client(0), victim = connect_client(0);
  uint64_t start = clock_now_ns();
  put(flood, stream, sizeof stream);
  double worst = 0;
  for (int k = 0; k < 20; k++) victim_reads(victim, &worst);
  assert_in_time(worst, VICTIM_MS);
  for (int k = 0; k < FLOOD; k++) get_reply(flood, k);
  double ms = ms_since(start), least = 1e3 * (FLOOD - BURST - 2) / RATE;
  print_message("[          ] %d requests at once: %.0f ms, at least %.0f\n", FLOOD, ms, least);
  assert_true(ms >= least);
  assert_in_time(ms, 10 * least);
  close(flood);
  close(victim);
}

/* Requests with some bytes changed, from clients that come and go: the next request is served in any case. */
TEST(no_input_harms_the_server)
{
  unsigned seed = 7;
  uint16_t block[65];
  for (int client = 0; client < 60; client++) {
    int fd = connect_client(0);
    assert_counts_to(&counters.modbus_accepted, (uint64_t)client + 1);
    for (int k = 0; k < 50; k++) {
      size_t n;
      input_block(block, k, k);
      switch (k % 5) {
      case 0:
        n = frame_short(frame, k, 1 + k / 5 % 6, 0, 3);
        break;
      case 1:
        n = frame_write(frame, k, 100, block, 65);
        break;
      case 2:
        n = frame_write_and_read(frame, k, 100, 66, 100, block, 65);
        break;
      case 3:
        n = frame_coils(frame, k, 1, 0xf, 4);
        break;
      default:
        n = frame_short(frame, k, 4, 1000, 28);
        break;
      }
      for (int changes = k % 3; changes > 0; changes--) {
        seed = seed * 1103515245u + 12345u;
        size_t at = (seed >> 8) % n;
        if (at >= 6 || k % 10 == 9) frame[at] = (uint8_t)(seed >> 20); /* mostly leave the framing intact */
      }
      if (send(fd, frame, n, MSG_NOSIGNAL) < 0) break;
      while (recv(fd, reply, sizeof reply, MSG_DONTWAIT) > 0) continue;
    }
    shutdown(fd, SHUT_WR); /* close() with unread answers would discard what the server has not read */
    while (recv(fd, reply, sizeof reply, 0) > 0) continue;
    close(fd);
    assert_counts_to(&counters.modbus_clients, 0);
    struct command c;
    while (ring_pop(&port.commands, &c)) continue;
    snapshot_take(&port.inputs);
    const struct input_sample *sample = snapshot_value(&port.inputs);
    for (int i = 0; i < CHANNELS; i++) assert_true(isfinite(sample[i].value));
  }
  int fd = connect_client(0);
  ask(fd, 1, frame_short(frame, 1, 4, 0, 32));
  assert_int_equal(reply_register(0), 0x4133);
  assert_true(counter_get(&counters.modbus_exceptions) > 100);
  close(fd);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_stalled_client_stalls_nobody_else),
      BENCH_TEST(a_client_that_dies_in_mid_frame_is_counted),
      BENCH_TEST(a_stream_that_is_not_modbus_is_closed_and_counted),
      BENCH_TEST(one_client_too_many_is_refused),
      BENCH_TEST(a_host_replaces_its_own_silent_connection),
      BENCH_TEST(readers_leave_room_for_writers),
      BENCH_TEST(values_age_while_they_wait),
      BENCH_TEST(a_want_of_descriptors_is_survived),
      BENCH_TEST(a_descriptor_beyond_fd_setsize_is_refused),
      BENCH_TEST(a_client_that_does_not_read_is_dropped),
      BENCH_TEST(a_silent_client_is_closed),
      BENCH_TEST(a_flood_is_held_back),
      BENCH_TEST(no_input_harms_the_server),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
