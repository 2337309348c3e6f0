/* SPDX-License-Identifier: MIT */
#include "log/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  LINE = 1024,    /* below PIPE_BUF: poll() reports a pipe as writable if this many bytes fit */
  READER_MS = 50, /* time for a reader to make room */
};

/* The journal adds the name and removes the priority; a terminal needs the name. The variable alone decides nothing:
 * every program started from a desktop inherits it. */
static bool to_journal(void)
{
  const char *stream = getenv("JOURNAL_STREAM");
  struct stat st;
  char *colon, *end;
  if (!stream || fstat(STDERR_FILENO, &st) != 0) return false;
  const unsigned long long device = strtoull(stream, &colon, 10);
  if (colon == stream || *colon != ':') return false;
  const unsigned long long inode = strtoull(colon + 1, &end, 10);
  return end != colon + 1 && *end == '\0' && st.st_dev == device && st.st_ino == inode;
}

/* One write() per line, so that other processes on the terminal cannot split it. A reader that has stopped must not
 * stop the supervisor, which would then miss signals and the watchdog: the line is dropped. A closed standard error is
 * not an error. */
static bool write_log_line(const char *line, size_t n, int wait_ms)
{
  struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (poll(&out, 1, wait_ms) == 0) return false;
  const ssize_t written = write(STDERR_FILENO, line, n);
  (void)written;
  return true;
}

static int put_prefix(char *line, size_t size, enum log_level level)
{
  if (to_journal()) return snprintf(line, size, "<%d>", level);
  return snprintf(line, size, "ali3d: %s", level <= LOG_LEVEL_ERROR ? "error: " : "");
}

/* Names and paths come from outside: they must neither fake a line nor move a terminal's cursor. */
static void make_clean(char *text)
{
  for (unsigned char *p = (unsigned char *)text; *p; p++) {
    const bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0; /* UTF-8 forms of C1 control characters */
    if (*p < ' ' || *p == 0x7f || c1) *p = '?';
  }
}

void log_line(enum log_level level, const char *format, ...)
{
  static unsigned long lost; /* lines dropped since the last written one */
  char line[LINE];
  if (lost) {
    const int n = put_prefix(line, sizeof line, LOG_LEVEL_WARNING);
    const int more = snprintf(line + n, sizeof line - (size_t)n,
                              "%lu log lines dropped: standard error was not read\n", lost);
    if (write_log_line(line, (size_t)n + (size_t)more, 0)) lost = 0;
  }
  const int prefix = put_prefix(line, sizeof line, level);
  va_list list;
  va_start(list, format);
  vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, list);
  va_end(list);
  make_clean(line + prefix);
  const size_t n = strlen(line);
  line[n] = '\n';
  if (lost || !write_log_line(line, n + 1, READER_MS)) lost++;
}
