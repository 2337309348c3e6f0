/* SPDX-License-Identifier: MIT
 * Standard error is a pipe here while the lines are written. */
#include "check.h"
#include "log/log.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 3000 }; /* lines: more than a pipe holds */

static int reader, saved;
static char text[1 << 18];

static int redirect(void **state)
{
  (void)state;
  int end[2];
  if (pipe(end) != 0) return -1;
  saved = dup(STDERR_FILENO);
  reader = end[0];
  fcntl(reader, F_SETFL, O_NONBLOCK);
  dup2(end[1], STDERR_FILENO);
  close(end[1]);
  unsetenv("JOURNAL_STREAM");
  alarm(1000); /* kills the test if a write waits for a reader */
  return 0;
}

static int put_back(void **state)
{
  (void)state;
  alarm(0);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(reader);
  return 0;
}

/* The text since the last call. */
static const char *written(void)
{
  size_t used = 0;
  for (ssize_t n; used < sizeof text - 1 && (n = read(reader, text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)n;
  text[used] = '\0';
  return text;
}

TEST(lines_carry_the_name)
{
  log_line(LOG_LEVEL_INFO, "cycle %d", 7);
  log_line(LOG_LEVEL_ERROR, "no");
  assert_string_equal(written(), "ali3d: cycle 7\nali3d: error: no\n");
}

TEST(only_the_journal_gets_priorities)
{
  setenv("JOURNAL_STREAM", "1:1", 1); /* inherited from the parent of the terminal */
  log_line(LOG_LEVEL_WARNING, "w");
  assert_string_equal(written(), "ali3d: w\n");

  struct stat st;
  char stream[64];
  assert_int_equal(fstat(STDERR_FILENO, &st), 0);
  snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
  setenv("JOURNAL_STREAM", stream, 1);
  log_line(LOG_LEVEL_WARNING, "w");
  assert_string_equal(written(), "<4>w\n");
}

TEST(a_reader_who_has_stopped_holds_nobody_up)
{
  for (int i = 0; i < MANY; i++) log_line(LOG_LEVEL_INFO, "line %d, long enough to fill the pipe", i);
  int lines = 0;
  for (const char *p = written(); (p = strchr(p, '\n')); p++) lines++;
  assert_in_range(lines, 1, MANY - 1);

  char expected[80];
  snprintf(expected, sizeof expected,
           "ali3d: %d log lines dropped: standard error was not read\nali3d: again\n", MANY - lines);
  log_line(LOG_LEVEL_INFO, "again");
  assert_string_equal(written(), expected);
}

/* A name in a line can neither begin another line nor control the terminal. */
TEST(control_characters_are_replaced)
{
  log_line(LOG_LEVEL_INFO, "model %s", "\x1b[2J\n<0>gone\x7f \xc2\x9b \xc3\xa9");
  assert_string_equal(written(), "ali3d: model ?[2J?<0>gone? ?\x9b \xc3\xa9\n");
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, redirect, put_back)
  const struct CMUnitTest tests[] = {
      ROW(lines_carry_the_name),
      ROW(only_the_journal_gets_priorities),
      ROW(control_characters_are_replaced),
      ROW(a_reader_who_has_stopped_holds_nobody_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
