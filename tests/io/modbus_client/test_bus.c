/* SPDX-License-Identifier: MIT
 * The client on a serial line, here a pseudo terminal, with libmodbus' RTU server at its other end. */
#include "modbus_client/poll_bench.h"

#include "modbus_client/bus.h"

#include "rt/clock.h"
#include "wire/serial.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

static char path[64];

TEST(values_go_both_ways)
{
  fake_start_line(&fake, path);
  at_line(0, path);
  fake_set(&fake, 0, 321);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(0, 1, TABLE_DISCRETE, 0, WIRE_BIT);
  for (int i = 0; i < 70; i++) writes(0, i, TABLE_HOLDING, 10 + 2 * i, WIRE_F32);
  writes(0, 1, TABLE_COIL, 3, WIRE_BIT);
  cycle(STATE_RUNNING, 0.0);
  start_client(1);
  EVENTUALLY(device_state(0) == DEVICE_UP);
  assert_true(sample(0, 0).value == 321.0);
  assert_int_equal(fake_get(&fake, 10 + 2 * 69), 0x428a); /* 69 */
  assert_int_equal(fake_coil(&fake, 3), 1);
  assert_int_equal(device_errors(&view[0]), 0);
}

/* A gateway that passes the bytes of one TCP connection to the line and back. */
struct gateway {
  int listener, line, port, connections;
  _Atomic bool quit;
  pthread_t thread;
};

static void pass_bytes(struct gateway *g, int fd)
{
  uint8_t bytes[300];
  struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = g->line, .events = POLLIN}};
  while (!g->quit && poll(p, 2, 50) >= 0) {
    for (int i = 0; i < 2; i++) {
      const ssize_t n = p[i].revents ? read(p[i].fd, bytes, sizeof bytes) : -1;
      if (p[i].revents && n <= 0) return;
      if (n > 0 && write(p[!i].fd, bytes, (size_t)n) != n) return;
    }
  }
}

static void *run_gateway(void *arg)
{
  struct gateway *g = arg;
  while (!g->quit) {
    struct pollfd p = {.fd = g->listener, .events = POLLIN};
    if (poll(&p, 1, 50) <= 0) continue;
    const int fd = accept(g->listener, NULL, NULL);
    if (fd < 0) continue;
    g->connections++;
    pass_bytes(g, fd);
    close(fd);
  }
  return NULL;
}

static void start_gateway(struct gateway *g)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  struct termios raw;
  *g = (struct gateway){.listener = socket(AF_INET, SOCK_STREAM, 0), .line = open(path, O_RDWR | O_NOCTTY)};
  assert_true(g->line >= 0 && tcgetattr(g->line, &raw) == 0);
  cfmakeraw(&raw);
  assert_int_equal(tcsetattr(g->line, TCSANOW, &raw), 0);
  assert_int_equal(bind(g->listener, (struct sockaddr *)&at, sizeof at), 0);
  assert_int_equal(listen(g->listener, 4), 0);
  assert_int_equal(getsockname(g->listener, (struct sockaddr *)&at, &length), 0);
  g->port = ntohs(at.sin_port);
  assert_int_equal(pthread_create(&g->thread, NULL, run_gateway, g), 0);
}

static void stop_gateway(struct gateway *g)
{
  g->quit = true;
  pthread_join(g->thread, NULL);
  close(g->listener);
  close(g->line);
}

/* Frames of a line over TCP: two units share the connection, and one that is silent takes nothing from the other. */
TEST(devices_behind_a_gateway_that_passes_bytes)
{
  struct gateway g;
  fake_start_line(&fake, path);
  start_gateway(&g);
  for (int d = 0; d < 2; d++)
    device[d].remote = (struct remote_config){.host = "127.0.0.1", .port = g.port, .rtu = true};
  device[1].unit = FAKE_UNIT + 1;
  device[1].timeout = 0.1;
  fake_set(&fake, 0, 321);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  for (int i = 0; i < 70; i++) writes(0, i, TABLE_HOLDING, 10 + 2 * i, WIRE_F32);
  reads(1, 1, TABLE_HOLDING, 0, WIRE_U16);
  cycle(STATE_RUNNING, 0.0);
  start_client(2);
  EVENTUALLY(device_state(0) == DEVICE_UP && sample(0, 0).value == 321.0);
  EVENTUALLY(errors(1, DEVICE_ERROR_timeout) >= 4);
  EVENTUALLY(fake_get(&fake, 10 + 2 * 69) == 0x428a); /* 69 */
  assert_int_equal(device_errors(&view[0]), 0);
  assert_int_equal(sample(1, 1).t_ns, 0);
  assert_int_equal(g.connections, 1);
  endpoint_stop(&client);
  client = (struct endpoint){0};
  stop_gateway(&g);
}

/* Unit 8 does not exist: its 0.1 s are spent less and less often. */
TEST(a_silent_neighbour_does_not_starve_the_others)
{
  fake_start_line(&fake, path);
  at_line(0, path);
  at_line(1, path);
  device[1].unit = FAKE_UNIT + 1;
  device[1].timeout = 0.1;
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(1, 1, TABLE_HOLDING, 0, WIRE_U16);
  start_client(2);
  EVENTUALLY(errors(1, DEVICE_ERROR_timeout) >= 4);
  assert_int_equal(device_state(1), DEVICE_FAILING);
  assert_int_equal(device_state(0), DEVICE_UP);
  assert_int_equal(device_errors(&view[0]), 0);
  assert_true(counter_get(&view[0].polls) > counter_get(&view[1].polls));
  assert_int_equal(sample(1, 1).t_ns, 0);
}

/* On a line only the time distinguishes the answer to one request from the answer to the next. */
TEST(a_late_answer_is_nobodys)
{
  fake_start_line(&fake, path);
  at_line(0, path);
  fake_set(&fake, 0, 1000);
  fake_set(&fake, 100, 2000);
  device[0].timeout = 2; /* s, and an equally long silence */
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(0, 1, TABLE_HOLDING, 100, WIRE_U16);
  start_client(1);
  EVENTUALLY(device_state(0) == DEVICE_UP);
  fake.late_ms = 2400;
  fake.manner = ANSWERS_LATE;
  EVENTUALLY(errors(0, DEVICE_ERROR_timeout) > 0);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP);
  assert_true(sample(0, 0).value == 1000.0 && sample(0, 1).value == 2000.0);
}

TEST(a_line_that_vanishes_is_opened_again)
{
  fake_start_line(&fake, path);
  at_line(0, path);
  at_line(1, path);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(1, 1, TABLE_HOLDING, 1, WIRE_U16);
  start_client(2);
  for (int i = 0; i < 2; i++) {
    EVENTUALLY(device_state(0) == DEVICE_UP && device_state(1) == DEVICE_UP);
    fake_stop(&fake);
    EVENTUALLY(device_state(0) == DEVICE_CONNECTING && device_state(1) == DEVICE_CONNECTING);
    char text[DEVICE_TEXT];
    EVENTUALLY(
        (device_told(&view[0], text), strcmp(text, "opening the line: No such file or directory") == 0));
    fake_restart(&fake);
  }
  EVENTUALLY(device_state(0) == DEVICE_UP && device_state(1) == DEVICE_UP);
}

TEST(answers_from_elsewhere_are_refused)
{
  fake_start_line(&fake, path);
  at_line(0, path);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  device[0].timeout = 0.1;
  fake.manner = GARBLES;
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_wrong) + errors(0, DEVICE_ERROR_timeout) >= 2);
  assert_int_equal(sample(0, 0).t_ns, 0);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP && sample(0, 0).t_ns);
}

/* libmodbus replaces an unknown speed by 9600. */
TEST(every_speed_is_set)
{
  static const struct {
    int baud;
    speed_t speed;
  } speeds[] = {
#define SPEED(n) {n, B##n},
      SERIAL_BAUD_LIST(SPEED)
#undef SPEED
  };
  fake_start_line(&fake, path);
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    struct bus b;
    struct termios t;
    char error[80] = "";
    assert_true(serial_has_baud(speeds[i].baud));
    const struct remote_config place = {
        .serial = {.path = path, .baud = speeds[i].baud, .stop_bits = 2, .parity = PARITY_EVEN}};
    assert_true(bus_init(&b, &place, -1));
    assert_int_equal(bus_open(&b, error, sizeof error), BUS_OK);
    assert_int_equal(tcgetattr(modbus_get_socket(b.context), &t), 0);
    assert_int_equal(cfgetospeed(&t), speeds[i].speed);
    assert_int_equal(cfgetispeed(&t), speeds[i].speed);
    bus_free(&b);
  }
  assert_false(serial_has_baud(19000));
}

/* The safe values go to a device last, and the thread that ends the client may be late. */
TEST(the_last_requests_are_not_interrupted)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  int stop[2];
  struct bus b;
  char error[80] = "";
  const uint16_t last = 7;
  assert_int_equal(pipe(stop), 0);
  assert_true(bus_init(&b, &device[0].remote, stop[0]));
  bus_address(&b, FAKE_UNIT, PATIENCE_MS * (NS_PER_S / 1000));
  assert_int_equal(bus_open(&b, error, sizeof error), BUS_OK);
  /* An interrupt ends the connection; one that comes behind bus_leave() does not. */
  bus_interrupt(&b);
  assert_int_equal(bus_write(&b, TABLE_HOLDING, 2, 1, &last, error, sizeof error), BUS_LOST);
  assert_int_equal(bus_open(&b, error, sizeof error), BUS_OK);
  bus_leave(&b);
  assert_int_equal(bus_open(&b, error, sizeof error), BUS_OK);
  bus_interrupt(&b);
  assert_int_equal(bus_write(&b, TABLE_HOLDING, 2, 1, &last, error, sizeof error), BUS_OK);
  EVENTUALLY(fake_get(&fake, 2) == 7);
  bus_free(&b);
  close(stop[0]);
  close(stop[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      POLL_TEST(values_go_both_ways),
      POLL_TEST(devices_behind_a_gateway_that_passes_bytes),
      POLL_TEST(a_silent_neighbour_does_not_starve_the_others),
      POLL_TEST(a_late_answer_is_nobodys),
      POLL_TEST(a_line_that_vanishes_is_opened_again),
      POLL_TEST(answers_from_elsewhere_are_refused),
      POLL_TEST(every_speed_is_set),
      POLL_TEST(the_last_requests_are_not_interrupted),
  };
  snprintf(path, sizeof path, "/tmp/ali3-line-%d", (int)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
