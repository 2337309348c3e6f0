/* SPDX-License-Identifier: MIT
 * The report of a recorder: the daemon believes a whole one of a living recorder that follows this daemon, and nothing else. */
#include "check.h"
#include "frames/recorder.h"
#include "telemetry/object.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char instance[40], path[OBJECT_PATH];

static struct recorder_report example(void)
{
  return (struct recorder_report){
      .start_ns = 77, .state = RECORDER_LOST, .cycles = 1000, .lost = 3, .file = "a-1.h5"};
}

static int open_report(void)
{
  char error[300];
  const int fd = recorder_report_open(instance, error, sizeof error);
  if (fd < 0) fail_msg("%s", error);
  return fd;
}

TEST(a_report_is_read_back)
{
  struct recorder_report report = example(), got;
  const int fd = open_report();
  assert_false(recorder_report_read(instance, 77, &got)); /* nothing is written yet */
  recorder_report_write(fd, &report);
  assert_true(recorder_report_read(instance, 77, &got));
  assert_memory_equal(&got, &report, sizeof got);
  assert_false(recorder_report_read(instance, 78, &got)); /* of another daemon */
  recorder_report_close(fd, instance);
  assert_false(recorder_report_read(instance, 77, &got));
  assert_int_equal(access(path, F_OK), -1);
}

TEST(a_second_recorder_is_refused)
{
  char error[300];
  const int fd = open_report();
  assert_int_equal(recorder_report_open(instance, error, sizeof error), -1);
  assert_non_null(strstr(error, "another recorder follows"));
  recorder_report_close(fd, instance);
}

/* A killed recorder leaves its file, whose lock is gone; the next one takes its place. */
TEST(a_dead_recorder_reports_nothing)
{
  struct recorder_report report = example(), got;
  int fd = open_report();
  recorder_report_write(fd, &report);
  close(fd);
  assert_false(recorder_report_read(instance, 77, &got));
  fd = open_report();
  recorder_report_close(fd, instance);
}

TEST(a_damaged_report_is_not_believed)
{
  struct recorder_report report = example(), got;
  const int fd = open_report();
  for (size_t at = 0; at < sizeof report; at += 7) {
    recorder_report_write(fd, &report);
    const char damaged = (char)(((const char *)&report)[at] ^ 4);
    assert_int_equal(pwrite(fd, &damaged, 1, (off_t)at), 1);
    assert_false(recorder_report_read(instance, 77, &got));
  }
  recorder_report_write(fd, &report);
  assert_int_equal(ftruncate(fd, sizeof report - 1), 0);
  assert_false(recorder_report_read(instance, 77, &got));
  recorder_report_close(fd, instance);
}

TEST(a_state_that_nobody_knows_is_not_believed)
{
  struct recorder_report report = example(), got;
  const int fd = open_report();
  report.state = RECORDER_STATES;
  recorder_report_write(fd, &report);
  assert_false(recorder_report_read(instance, 77, &got));
  recorder_report_close(fd, instance);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_is_read_back),
      cmocka_unit_test(a_second_recorder_is_refused),
      cmocka_unit_test(a_dead_recorder_reports_nothing),
      cmocka_unit_test(a_damaged_report_is_not_believed),
      cmocka_unit_test(a_state_that_nobody_knows_is_not_believed),
  };
  snprintf(instance, sizeof instance, "recorder-%d", (int)getpid());
  object_path(path, instance, OBJECT_RECORDER);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
