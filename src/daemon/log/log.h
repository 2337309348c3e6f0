/* SPDX-License-Identifier: MIT
 * One line per message on standard error: whole lines only, control characters as '?', under systemd with the priority
 * that the journal understands. A reader that has stopped costs 0.05 s once; after that, lines are dropped and counted.
 * For one ordinary thread, never for the loop. */
#ifndef LOG_LOG_H
#define LOG_LOG_H

enum log_level {
  LOG_LEVEL_ERROR = 3,
  LOG_LEVEL_WARNING = 4,
  LOG_LEVEL_NOTICE = 5,
  LOG_LEVEL_INFO = 6
}; /* values of syslog */

__attribute__((format(printf, 2, 3))) void log_line(enum log_level level, const char *format, ...);

#endif
