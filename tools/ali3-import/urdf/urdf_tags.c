/* SPDX-License-Identifier: MIT
 * Attributes of URDF as texts and numbers, and the end of an import at a mistake. */
#include "urdf/urdf_elements.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void reader_stop(struct reader *x)
{
  if (x->ended) return;
  x->ended = true;
  xmlStopParser(x->parser);
}

bool reader_fail(struct reader *x, int line, const char *format, ...)
{
  char text[500];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  note_error(x->notes, line, "%s", text);
  reader_stop(x);
  return false;
}

bool reader_no_memory(struct reader *x)
{
  return reader_fail(x, 0, "out of memory");
}

const char *tag_value(struct reader *x, const struct tag *t, const char *name, bool *good)
{
  for (int i = 0; i < t->attributes; i++) {
    const unsigned char **a = t->attribute + 5 * (ptrdiff_t)i;
    if (strcmp((const char *)a[0], name) != 0) continue;
    const size_t size = (size_t)(a[4] - a[3]);
    char *text = robot_take(x->robot, size + 1, 1);
    if (!text) {
      *good = reader_no_memory(x);
      return NULL;
    }
    memcpy(text, a[3], size);
    return text;
  }
  return NULL;
}

const char *tag_needs(struct reader *x, const struct tag *t, const char *name)
{
  bool good = true;
  const char *value = tag_value(x, t, name, &good);
  if (!value && good) reader_fail(x, t->line, "<%s>: expected the attribute %s, found none", t->name, name);
  return value;
}

bool tag_numbers(struct reader *x, const struct tag *t, const char *name, int count, double *out, bool *found)
{
  bool good = true;
  const char *value = tag_value(x, t, name, &good);
  if (found) *found = value != NULL;
  if (!value) return good;
  /* Each number ends at a blank. */
  const char *at = value, *blank = " \t\r\n";
  for (int i = 0; i < count; i++) {
    char *end;
    at += strspn(at, blank);
    out[i] = strtod(at, &end);
    good &= end != at && isfinite(out[i]) && (!*end || strchr(blank, *end));
    at = end;
  }
  at += strspn(at, blank);
  if (good && !*at) return true;
  return reader_fail(x, t->line, "<%s>: %s: expected %d finite number%s, found '%.100s'%s", t->name, name,
                     count, count > 1 ? "s" : "", value,
                     strstr(value, "${") ? "; expand the file with xacro first" : "");
}

bool tag_number(struct reader *x, const struct tag *t, const char *name, double *out)
{
  bool found;
  if (!tag_numbers(x, t, name, 1, out, &found)) return false;
  if (found) return true;
  return reader_fail(x, t->line, "<%s>: expected the attribute %s, found none", t->name, name);
}

bool tag_origin(struct reader *x, const struct tag *t, struct frame *out)
{
  double rpy[3] = {0};
  *out = frame_one;
  if (!tag_numbers(x, t, "xyz", 3, out->p, NULL) || !tag_numbers(x, t, "rpy", 3, rpy, NULL)) return false;
  frame_from_rpy(out->R, rpy);
  return true;
}
