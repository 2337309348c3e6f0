/* SPDX-License-Identifier: MIT
 * The log lines for devices and lines that go down and come back, with an artificial clock. Standard error is a file
 * here. */
#include "check.h"
#include "journal/device_log.h"

#include "base/arena.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define T0 UINT64_C(50000000000)
#define MS UINT64_C(1000000)

static struct device_log device_log;
static struct telemetry *t;
static int saved, file;
static char text[4096];

static int set_up(void **state)
{
  (void)state;
  char path[] = "/tmp/ali3-devices-XXXXXX";
  unsetenv("JOURNAL_STREAM");
  device_log = (struct device_log){0};
  t = aligned_zalloc(sizeof *t);
  saved = dup(STDERR_FILENO);
  file = mkostemp(path, O_APPEND | O_CLOEXEC);
  if (!t || file < 0) return -1;
  unlink(path);
  dup2(file, STDERR_FILENO);
  t->devices = 1;
  snprintf(t->device[0].name, sizeof t->device[0].name, "plc");
  atomic_store(&t->device[0].state, DEVICE_CONNECTING);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(file);
  free(t);
  return 0;
}

static const char *said_since(off_t before)
{
  const ssize_t n = pread(file, text, sizeof text - 1, before);
  text[n > 0 ? n : 0] = '\0';
  return text;
}

/* The log text at `ms`. */
static const char *said(uint64_t ms)
{
  const off_t before = lseek(file, 0, SEEK_END);
  device_log_tick(&device_log, t, T0 + ms * MS);
  return said_since(before);
}

/* The log text of a serial line at `ms`. */
static const char *said_of_line(int i, bool lost, uint64_t ms)
{
  const off_t before = lseek(file, 0, SEEK_END);
  device_log_line(&device_log, i, "packet rig", "/dev/ttyUSB0", lost, T0 + ms * MS);
  return said_since(before);
}

static void set(enum device_state state, const char *error)
{
  if (error) device_tell(&t->device[0], error);
  atomic_store(&t->device[0].state, state);
}

TEST(changes_are_said_once)
{
  assert_string_equal(said(0), ""); /* not tried yet */
  set(DEVICE_CONNECTING, "Connection refused");
  assert_string_equal(said(20), "ali3d: device plc: connecting: Connection refused\n");
  assert_string_equal(said(40), "");
  set(DEVICE_FAILING, "read holding 0: no answer in 0.1 s"); /* still not up: no line */
  assert_string_equal(said(60), "");
  set(DEVICE_UP, NULL);
  assert_string_equal(said(2520), "ali3d: device plc: up after 2.5 s\n");
  assert_string_equal(said(2540), "");
  set(DEVICE_FAILING, "read holding 0: no answer in 0.2 s");
  assert_string_equal(said(9000), "ali3d: device plc: failing: read holding 0: no answer in 0.2 s\n");
}

TEST(the_first_time_up_is_said)
{
  set(DEVICE_UP, NULL);
  assert_string_equal(said(0), "ali3d: device plc: up\n");
}

TEST(a_device_that_flaps_is_summed_up)
{
  for (uint64_t i = 0; i < 10; i++) {
    set(i % 2 ? DEVICE_FAILING : DEVICE_UP, "no answer");
    said(20 * i);
    assert_int_equal(text[0] != '\0', i < DEVICE_LINES);
  }
  assert_string_equal(said(1100),
                      "ali3d: device plc: 5 more changes between up and down in the last 1.0 s\n");
  assert_string_equal(said(1200), "");
}

TEST(a_line_is_said_to_go_and_to_be_back)
{
  assert_string_equal(said_of_line(3, false, 0), "");
  assert_string_equal(said_of_line(3, true, 20),
                      "ali3d: packet rig: the serial line /dev/ttyUSB0 has disappeared\n");
  assert_string_equal(said_of_line(3, true, 40), "");
  assert_string_equal(said_of_line(4, false, 60), ""); /* another line */
  assert_string_equal(said_of_line(3, false, 2520),
                      "ali3d: packet rig: the serial line /dev/ttyUSB0 is back after 2.5 s\n");
  assert_string_equal(said_of_line(3, false, 2540), "");
  assert_true(said_of_line(3, true, 9000)[0] != '\0');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(changes_are_said_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_first_time_up_is_said, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_device_that_flaps_is_summed_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_line_is_said_to_go_and_to_be_back, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
