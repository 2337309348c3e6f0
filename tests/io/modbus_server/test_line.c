/* SPDX-License-Identifier: MIT
 * The server on a serial line: a pseudo terminal. The test is the master at its other end. */
#include "modbus_server/modbus_bench.h"
#include "modbus_server/rtu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>

#include "modbus_server/line.h" /* asserts */

enum { UNIT = 9, SILENT_MS = 200 };

static char folder[] = "/tmp/ali3-line-XXXXXX", path[64];
static struct modbus_config config;
static int master = -1;
static uint8_t rtu[FRAME_MAX];

/* A new line under the old path. */
static void plug_in(void)
{
  master = line_plug_in(path);
}
static void unplug(void)
{
  line_unplug(&master, path);
}

static bool start(void)
{
  return bench_starts(&server, &config);
}

static int setup(void **state)
{
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/line", folder);
  memset(&counters, 0, sizeof counters);
  if (!port_init(&port, "modbus", VALUES, CHANNELS, false)) return -1;
  config = bench_config;
  config.serial = (struct serial_config){.path = path, .baud = 115200, .parity = PARITY_EVEN, .stop_bits = 1};
  config.serial_access = ACCESS_WRITE;
  config.unit = UNIT;
  plug_in();
  if (start()) return 0;
  fprintf(stderr, "%s\n", bench_error);
  return -1;
}
static int teardown(void **state)
{
  (void)state;
  endpoint_stop(&server);
  port_free(&port);
  if (master >= 0) unplug();
  return rmdir(folder);
}

static void send_line(const uint8_t *bytes, size_t n)
{
  assert_int_equal(write(master, bytes, n), n);
}

/* The bytes that came, up to n, until none comes for a while. */
static size_t hear(uint8_t *bytes, size_t n, int patience_ms)
{
  size_t got = 0;
  while (got < n) {
    struct pollfd p = {.fd = master, .events = POLLIN};
    if (poll(&p, 1, patience_ms) != 1) break;
    ssize_t part = read(master, bytes + got, n - got);
    if (part <= 0) break;
    got += (size_t)part;
  }
  return got;
}

/* The answer of n bytes: checks unit and CRC, and leaves the PDU in `reply`. */
static void expect_answer(size_t n)
{
  uint8_t answer[RTU_ADU_MAX];
  assert_int_equal(hear(answer, n, PATIENCE_MS), n);
  assert_int_equal(answer[0], UNIT);
  assert_int_equal(frame_crc(answer, n), 0); /* the CRC over a frame with its CRC is 0 */
  memcpy(reply, answer + 1, n - 3);
}
static void expect_silence(void)
{
  uint8_t byte;
  assert_int_equal(hear(&byte, 1, SILENT_MS), 0);
}

/* Puts the unit into the request in `frame`, n bytes. */
static size_t to(int unit, size_t n)
{
  return frame_rtu(rtu, unit, frame, n);
}
static size_t reads_magic(int unit)
{
  return to(unit, frame_short(frame, 0, 4, 0, 2));
}
enum { MAGIC_ANSWER = 9 };
static void expect_magic(void)
{
  expect_answer(MAGIC_ANSWER);
  assert_int_equal(reply_register(0), MAP_MAGIC);
}

TEST(the_line_is_served_from_the_same_map)
{
  cycle(5, STATE_RUNNING);
  send_line(rtu, to(UNIT, frame_short(frame, 0, 4, 1000, 14)));
  expect_answer(5 + 28);
  assert_true(reply_float(0) == 5 + BODY_FIRST);

  uint16_t block[65];
  input_block(block, 2.5, 1);
  send_line(rtu, to(UNIT, frame_write(frame, 0, 100, block, 65)));
  expect_answer(8);
  assert_true(snapshot_take(&port.inputs));
  const struct input_sample *sample = snapshot_value(&port.inputs);
  assert_true(sample[0].value == 2.5 && sample[0].sequence == 1 && sample[0].counted == 16);
  /* it owns the inputs, and they can be read over TCP */
  int fd = connect_client(0);
  input_block(block, 1, 2);
  assert_exception(fd, 1, frame_write(frame, 1, 100, block, 65), MBAP_BUSY);
  ask(fd, 2, frame_short(frame, 2, 3, 100, 2));
  assert_true(reply_float(0) == 2.5f);
  close(fd);
  assert_int_equal(counter_get(&counters.modbus_rtu_requests), 2);
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), 0);
}

TEST(commands_come_from_serial)
{
  char name[CLIENT_NAME];
  struct command c = {0};
  send_line(rtu, to(UNIT, frame_write(frame, 0, 0, (uint16_t[]){COMMAND_RUN, 0, 7}, 3)));
  expect_answer(8);
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_RUN);
  clients_get(&port.clients, c.client, name);
  assert_string_equal(name, "serial");
  send_line(rtu, to(UNIT, frame_mask(frame, 0, 2, 0xfff0, 8)));
  expect_answer(10);
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.id, 8);
}

TEST(errors_are_answered)
{
  static const uint8_t identify[] = {43, 14, 4, 1}, unknown[] = {7};
  send_line(rtu, to(UNIT, frame_short(frame, 0, 4, 32, 1)));
  expect_answer(5);
  assert_int_equal(reply[0], 0x84);
  assert_int_equal(reply[1], MBAP_ILLEGAL_ADDRESS);
  send_line(rtu, to(UNIT, frame_pdu(frame, 0, unknown, sizeof unknown)));
  expect_answer(5);
  assert_int_equal(reply[1], MBAP_ILLEGAL_FUNCTION);
  send_line(rtu, to(UNIT, frame_pdu(frame, 0, identify, sizeof identify)));
  expect_answer(3 + 7 + 2 + 5);
  assert_memory_equal(reply + 9, "ali3d", 5);
}

/* Sends the frame of n bytes byte by byte until it is answered: a host that holds a program or the line up for 20 ms ends the
 * frame early. */
static void expect_magic_for_pieces(size_t n)
{
  uint8_t answer[RTU_ADU_MAX];
  size_t got = 0;
  const uint64_t begin = clock_now_ns();
  while (got == 0 && ms_since(begin) < PATIENCE_MS) {
    for (size_t i = 0; i < n; i++) {
      send_line(rtu + i, 1);
      if (i == 3) usleep(2000); /* longer than 3.5 characters: no reason to drop it */
    }
    got = hear(answer, MAGIC_ANSWER, 2 * SILENT_MS);
  }
  assert_int_equal(got, MAGIC_ANSWER);
  assert_int_equal(frame_crc(answer, got), 0);
  while (hear(answer, MAGIC_ANSWER, SILENT_MS) > 0) continue; /* to tries that seemed to be in vain */
}

TEST(frames_may_come_in_pieces_and_in_packs)
{
  expect_magic_for_pieces(reads_magic(UNIT));
  const uint64_t errors = counter_get(&counters.modbus_rtu_errors); /* of pieces that came too late */
  uint8_t pack[10 * 8];
  for (int i = 0; i < 10; i++) memcpy(pack + 8 * i, rtu, 8);
  send_line(pack, sizeof pack);
  for (int i = 0; i < 10; i++) expect_magic();
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), errors);
}

TEST(garbage_is_got_over)
{
  uint8_t line[64] = {0xff, 0x55, UNIT, 3};
  size_t n = reads_magic(UNIT);
  memcpy(line + 4, rtu, n);
  send_line(line, 4 + n); /* its last two bytes look like the start of a request */
  expect_magic();
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), 1);

  rtu[n - 1] ^= 0xff;
  send_line(rtu, n);
  assert_counts_to(&counters.modbus_rtu_errors, 2);
  expect_silence();
  reads_magic(UNIT);
  send_line(rtu, n - 3); /* an incomplete frame */
  assert_counts_to(&counters.modbus_rtu_errors, 3);
  expect_silence();
  send_line(rtu, n);
  expect_magic();
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), 3);
}

TEST(requests_to_other_units_are_not_ours)
{
  send_line(rtu, reads_magic(UNIT + 1));
  static const uint8_t answer[] = {4, 4, 0x41, 0x33, 0, 1};
  send_line(rtu, to(UNIT + 1, frame_pdu(frame, 0, answer, sizeof answer)));
  expect_silence();
  send_line(rtu, reads_magic(UNIT));
  expect_magic();
  assert_int_equal(counter_get(&counters.modbus_rtu_requests), 1);
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), 0);
}

TEST(a_broadcast_acts_without_an_answer)
{
  struct command c = {0};
  send_line(rtu, to(0, frame_write(frame, 0, 0, (uint16_t[]){COMMAND_PAUSE, 0, 3}, 3)));
  send_line(rtu, to(0, frame_short(frame, 0, 6, 5, 1))); /* refused, without an answer */
  const uint64_t begin = clock_now_ns();
  while (!ring_pop(&port.commands, &c) && ms_since(begin) < PATIENCE_MS) usleep(1000);
  assert_int_equal(c.code, COMMAND_PAUSE);
  expect_silence();
  send_line(rtu, to(UNIT, frame_short(frame, 0, 3, 0, 6)));
  expect_answer(5 + 12);
  assert_int_equal(reply_register(2), 3);
  assert_int_equal(reply_register(5), 0);
  assert_int_equal(counter_get(&counters.modbus_rtu_errors), 0);
}

TEST(a_line_that_disappears_is_opened_again)
{
  uint16_t block[65];
  input_block(block, 2.5, 1);
  send_line(rtu, to(UNIT, frame_write(frame, 0, 100, block, 65)));
  expect_answer(8);
  unplug();
  int fd = connect_client(0);
  uint64_t begin = clock_now_ns();
  do ask(fd, 1, frame_write(frame, 1, 100, block, 65)); /* the inputs are free again, and TCP is served */
  while (reply[0] != 16 && ms_since(begin) < PATIENCE_MS);
  assert_int_equal(reply[0], 16);
  assert_int_equal(counter_get(&counters.modbus_rtu_reopened), 0);
  plug_in();
  assert_counts_to(&counters.modbus_rtu_reopened, 1);
  send_line(rtu, reads_magic(UNIT));
  expect_magic();
  close(fd);
}

TEST(the_line_alone)
{
  endpoint_stop(&server);
  config.tcp = false;
  assert_true(start());
  assert_int_equal(modbus_server_port(&server), -1);
  send_line(rtu, reads_magic(UNIT));
  expect_magic();
}

static void assert_refused(const char *why)
{
  struct endpoint second;
  assert_false(bench_starts(&second, &config));
  if (!strstr(bench_error, why) || !strstr(bench_error, config.serial.path))
    fail_msg("expected \"%s\" and the path in: %s", why, bench_error);
}

TEST(a_line_that_cannot_be_opened_is_said)
{
  config.tcp = false;
  config.serial.path = "/tmp/ali3-no-such-line";
  assert_refused("No such file");
  config.serial.path = "/dev/null";
  assert_refused("this file is no serial line");
  config.serial.path = path;
  config.serial.baud = 12345;
  assert_refused("12345");
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(the_line_is_served_from_the_same_map),
      ROW(commands_come_from_serial),
      ROW(errors_are_answered),
      ROW(frames_may_come_in_pieces_and_in_packs),
      ROW(garbage_is_got_over),
      ROW(requests_to_other_units_are_not_ours),
      ROW(a_broadcast_acts_without_an_answer),
      ROW(a_line_that_disappears_is_opened_again),
      ROW(the_line_alone),
      ROW(a_line_that_cannot_be_opened_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
