/* SPDX-License-Identifier: MIT
 * Limits log lines that others can cause at will: at most five a second of each kind, then a sum. Messages about a stopped
 * motion are never limited. One ordinary thread calls these functions. */
#ifndef LOG_LOG_LIMITS_H
#define LOG_LOG_LIMITS_H

#include "log/log.h"
#include "log/rate_limit.h"
#include "signals/exchange.h"

enum {
  LOG_LIMIT = 5,        /* lines of a kind in a second */
  LOG_LIMIT_TEXT = 700, /* bytes kept of the last suppressed line */
  LOG_COMMANDS = 32     /* kinds of commands; larger codes share the last kind */
};

enum log_kind {
  LOG_KIND_PLATFORM_STATE,
  LOG_KIND_PLATFORM_SET,
  LOG_KIND_INJECTION,
  LOG_KIND_SIGNAL,
  LOG_KIND_HOST, /* stops, suspends, the wall clock */
  LOG_KIND_EVENTS_LOST,
  LOG_KIND_VIOLATED,   /* steps */
  LOG_KIND_PARAMETERS, /* states and parameters */
  LOG_KIND_REFUSALS,   /* requests for states and parameters that failed */
  LOG_KIND_RIG,        /* signs of the rig */
  LOG_KIND_RECORDER,   /* states of the recorder */
  LOG_KIND_COMMAND,    /* + code: one kind for each command */
  LOG_KINDS = LOG_KIND_COMMAND + LOG_COMMANDS
};

static inline int log_kind_of_command(uint32_t code)
{
  return LOG_KIND_COMMAND + (int)(code < LOG_COMMANDS ? code : LOG_COMMANDS - 1);
}

struct log_limits {
  struct {
    struct rate_limit rate;
    enum log_level level;      /* most severe of the suppressed lines */
    char last[LOG_LIMIT_TEXT]; /* last suppressed line */
  } kind[LOG_KINDS];
};

void log_limits_init(struct log_limits *l);
/* Logs the line, or counts it if its kind has used up its share. */
__attribute__((format(printf, 5, 6))) void log_limited(struct log_limits *l, unsigned kind,
                                                       enum log_level level, uint64_t now_ns,
                                                       const char *format, ...);
/* Call once a tick before the lines of that tick, and at the end with last = true: "1595 more in the last 1.0 s; the
 * last: ...". */
void log_limits_tick(struct log_limits *l, uint64_t now_ns, bool last);

#endif
