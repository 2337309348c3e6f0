/* SPDX-License-Identifier: MIT */
#include "journal/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  LINE = 1024,    /* below PIPE_BUF: poll() says of a pipe that so much fits */
  READER_MS = 50, /* for a reader to make room */
};

/* The journal adds the name and takes the priority off; a terminal wants the name. The variable alone does
 * not tell: every program started from a desktop inherits it. */
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

/* One write: lines of other processes on the same terminal do not get in between. A reader who has stopped
 * must not stop the supervisor, which would hear no signal and feed no watchdog: the line is lost then.
 * Whoever closed standard error does not want to know. */
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

/* Names and paths come from others: no line of theirs may pass for ours, and no sequence of theirs move a
 * terminal's cursor. */
static void make_clean(char *text)
{
  for (unsigned char *p = (unsigned char *)text; *p; p++) {
    const bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0; /* in UTF-8 */
    if (*p < ' ' || *p == 0x7f || c1) *p = '?';
  }
}

void log_line(enum log_level level, const char *format, ...)
{
  static unsigned long lost; /* lines, since one was written */
  char line[LINE];
  if (lost) {
    const int n = put_prefix(line, sizeof line, LOG_LEVEL_WARNING);
    const int more = snprintf(line + n, sizeof line - (size_t)n, "%lu lines lost: nobody read them\n", lost);
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
