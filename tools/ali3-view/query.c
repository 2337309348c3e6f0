/* SPDX-License-Identifier: MIT */
#include "query.h"

#include "telemetry/object.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SEEK_MOST = 1e9, SPEED_MOST = 100, SHAPE_MOST = 1e6;

struct query query_default(void)
{
  return (struct query){.rate = 30, .seek = -1, .speed = 1, .shape = -1};
}

bool query_matches(const char *globs, const char *name)
{
  for (const char *p = globs; *p;) {
    char one[256];
    const size_t n = strcspn(p, ",");
    if (n > 0 && n < sizeof one) {
      snprintf(one, sizeof one, "%.*s", (int)n, p);
      if (fnmatch(one, name, 0) == 0) return true;
    }
    p += n + (p[n] == ',');
  }
  return false;
}

__attribute__((format(printf, 3, 4))) static bool refuse_query(char *why, size_t size, const char *format,
                                                               ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(why, size, format, list);
  va_end(list);
  return false;
}

static bool take_query_number(const char *key, const char *value, double least, double most, double *x,
                              char *why, size_t size)
{
  char *end;
  const double got = strtod(value, &end);
  if (end != value && *end == '\0' && isfinite(got) && got >= least && got <= most) {
    *x = got;
    return true;
  }
  return refuse_query(why, size, "%s: expected a number from %g to %g", key, least, most);
}

static bool take_query_shape(struct query *q, const char *value, char *why, size_t size)
{
  double x = 0;
  if (!take_query_number("shape", value, 0, SHAPE_MOST, &x, why, size)) return false;
  q->shape = (int)x;
  return q->shape == x || refuse_query(why, size, "shape: expected a whole number");
}

/* Adds a word to a list with commas. */
static bool append_wanted(char *list, const char *word, size_t length)
{
  const size_t used = strlen(list);
  if (used + length + 2 > QUERY_SIGNALS) return false;
  snprintf(list + used, QUERY_SIGNALS - used, "%s%.*s", used ? "," : "", (int)length, word);
  return true;
}

static bool take_wanted_signals(struct query *q, const char *value, char *why, size_t size)
{
  const struct {
    const char *word;
    bool *flag;
  } groups[] = {{"pose", &q->pose}, {"platform", &q->platform}, {"loop", &q->loop}, {"events", &q->events}};
  for (const char *p = value; *p;) {
    const size_t n = strcspn(p, ",");
    bool is_group = false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
      if (strlen(groups[i].word) != n || strncmp(groups[i].word, p, n) != 0) continue;
      is_group = *groups[i].flag = true;
    }
    if (!is_group && n > 0 && !append_wanted(q->signals, p, n))
      return refuse_query(why, size, "signals: expected at most %d characters", QUERY_SIGNALS);
    p += n + (p[n] == ',');
  }
  return true;
}

bool query_add(struct query *q, const char *key, size_t key_size, const char *value, size_t value_size,
               char *why, size_t why_size)
{
  /* Copies that end; a text with a zero byte in it is refused. */
  char name[16], text[QUERY_SIGNALS];
  if (key_size >= sizeof name || value_size >= sizeof text || memchr(key, 0, key_size) ||
      (value_size && memchr(value, 0, value_size)))
    return refuse_query(why, why_size, "the query has an unknown key or a value that is too long");
  memcpy(name, key, key_size);
  name[key_size] = '\0';
  if (value_size) memcpy(text, value, value_size);
  text[value_size] = '\0';
  /* The keys. */
  if (strcmp(name, "name") == 0) {
    if (!telemetry_valid_name(text))
      return refuse_query(why, why_size, "name: expected 1 to 63 of A-Z a-z 0-9 _ -");
    snprintf(q->name, sizeof q->name, "%.63s", text);
    return true;
  }
  if (strcmp(name, "signals") == 0) return take_wanted_signals(q, text, why, why_size);
  if (strcmp(name, "dense") == 0) {
    memcpy(q->dense, text, value_size + 1);
    return true;
  }
  if (strcmp(name, "rate") == 0)
    return take_query_number("rate", text, QUERY_RATE_LEAST, QUERY_RATE_MOST, &q->rate, why, why_size);
  if (strcmp(name, "seek") == 0)
    return take_query_number("seek", text, 0, SEEK_MOST, &q->seek, why, why_size);
  if (strcmp(name, "speed") == 0)
    return take_query_number("speed", text, 0.01, SPEED_MOST, &q->speed, why, why_size);
  if (strcmp(name, "history") == 0)
    return take_query_number("history", text, 0, QUERY_HISTORY_MOST, &q->history, why, why_size);
  if (strcmp(name, "shape") == 0) return take_query_shape(q, text, why, why_size);
  return refuse_query(why, why_size,
                      "expected the keys name, signals, dense, rate, seek, speed, history and shape");
}
