/* SPDX-License-Identifier: MIT */
#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void log_line(enum log_level level, const char *format, ...)
{
  char line[1024];
  /* The journal adds the name and takes the priority off; a terminal wants the name. */
  const int prefix = getenv("JOURNAL_STREAM") ? snprintf(line, sizeof line, "<%d>", level)
                                              : snprintf(line, sizeof line, "ali3d: %s",
                                                         level <= LOG_LEVEL_ERROR ? "error: " : "");
  va_list list;
  va_start(list, format);
  vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, list);
  va_end(list);
  const size_t n = strlen(line);
  line[n] = '\n';
  /* One write: lines of other processes on the same terminal do not get in between. Whoever closed standard
   * error does not want to know. */
  const ssize_t written = write(STDERR_FILENO, line, n + 1);
  (void)written;
}
