/* SPDX-License-Identifier: MIT */
#include "log/log_limits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void log_limits_init(struct log_limits *l)
{
  *l = (struct log_limits){0};
  for (int k = 0; k < LOG_KINDS; k++) {
    l->kind[k].rate.most = LOG_LIMIT;
    l->kind[k].level = LOG_LEVEL_INFO;
  }
}

void log_limited(struct log_limits *l, unsigned kind, enum log_level level, uint64_t now_ns,
                 const char *format, ...)
{
  char text[LOG_LIMIT_TEXT];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (kind >= LOG_KINDS || rate_limit_passes(&l->kind[kind].rate, now_ns)) {
    log_line(level, "%s", text);
    return;
  }
  snprintf(l->kind[kind].last, sizeof l->kind[kind].last, "%s", text);
  if (level < l->kind[kind].level) l->kind[kind].level = level;
}

void log_limits_tick(struct log_limits *l, uint64_t now_ns, bool last)
{
  for (int k = 0; k < LOG_KINDS; k++) {
    double seconds = 0.0;
    const uint64_t held = rate_limit_sum(&l->kind[k].rate, now_ns, last, &seconds);
    if (!held) continue;
    log_line(l->kind[k].level, "%" PRIu64 " more in the last %.1f s; the last: %s", held, seconds,
             l->kind[k].last);
    l->kind[k].level = LOG_LEVEL_INFO;
  }
}
