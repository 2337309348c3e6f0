/* SPDX-License-Identifier: MIT
 * Prints messages with their place in a file. Text of a file is not trusted: control characters never reach a terminal. */
#include "yaml/report.h"

#include <stdarg.h>
#include <string.h>

/* A longer line, such as JSON without line breaks, is shown only around the place. */
enum { LINE_SHOWN = 120, LINE_BEFORE = 60 };

static bool continues_character(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

static void put_clean(FILE *out, const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i];
    bool c1 = c >= 0x80 && c < 0xa0 && i > 0 && (unsigned char)text[i - 1] == 0xc2;
    fputc((c < ' ' && c != '\t') || c == 0x7f || c1 ? '?' : c, out);
  }
}

static const char *line_start(const struct source *s, int line)
{
  const char *p = s->text;
  for (int i = 1; i < line && p; i++) {
    p = strchr(p, '\n');
    if (p) p++;
  }
  return p;
}

static void put_line_and_caret(FILE *out, const struct source *s, struct place at)
{
  const char *line = line_start(s, at.line);
  if (!line) return;
  const char *end = line + strcspn(line, "\r\n");

  /* The column, in characters of UTF-8. */
  const char *mark = line;
  for (int c = 1; c < at.column && mark < end; c++) {
    mark++;
    while (mark < end && continues_character(*mark)) mark++;
  }
  const char *from = line;
  if (end - line > LINE_SHOWN && mark - line > LINE_BEFORE) {
    from = mark - LINE_BEFORE;
    while (continues_character(*from)) from++;
  }
  const char *to = end - from > LINE_SHOWN ? from + LINE_SHOWN : end;
  while (to < end && continues_character(*to)) to++;

  /* Print the part of the line around the place, and the mark below. */
  put_clean(out, from, (size_t)(to - from));
  fputc('\n', out);
  for (const char *p = from; p < mark; p++)
    if (!continues_character(*p)) fputc(*p == '\t' ? '\t' : ' ', out);
  fputs("^\n", out);
}

struct place report_option_place(int index)
{
  return (struct place){.line = -1 - index};
}

static const struct origin *origin_of_place(const struct report *r, struct place at)
{
  return at.origin && r->origins ? &r->origins->item[at.origin - 1] : NULL;
}

/* The file, or the text of the option, that has the place. */
static const struct source *source_of_place(const struct report *r, struct place at)
{
  if (at.line < 0) return &r->option[-1 - at.line];
  const struct origin *o = origin_of_place(r, at);
  return o ? o->source : r->source;
}

struct place report_own_place(const struct report *r, struct place at)
{
  const struct origin *o;
  while (at.line > 0 && (o = origin_of_place(r, at)) && o->source != r->source) at = o->outer;
  at.origin = 0;
  return at;
}

const char *report_place(const struct report *r, struct place at, char text[PLACE_SHOWN])
{
  const struct source *s = source_of_place(r, at);
  if (at.line < 0)
    snprintf(text, PLACE_SHOWN, "%s", s->file);
  else if (s != r->source)
    snprintf(text, PLACE_SHOWN, "line %d of %s", at.line, s->file);
  else
    snprintf(text, PLACE_SHOWN, "line %d", at.line);
  return text;
}

static void put_message(const struct report *r, struct place at, const char *kind, const char *text)
{
  const struct source *s = source_of_place(r, at);
  const bool line = at.line > 0 && !s->placeless;
  put_clean(r->out, s->file, strlen(s->file));
  if (line) fprintf(r->out, ":%d:%d", at.line, at.column);
  fprintf(r->out, ": %s: ", kind);
  put_clean(r->out, text, strlen(text));
  fputc('\n', r->out);
  if (line && s->text && s->shown) put_line_and_caret(r->out, s, at);
}

/* Another copy of the element has the same mistake. */
static bool is_reported(struct report *r, struct place at, const char *text)
{
  struct reported here = {.source = source_of_place(r, at), .line = at.line, .column = at.column};
  if (at.line <= 0 || at.origin == 0) return false;
  snprintf(here.text, sizeof here.text, "%.*s", (int)sizeof here.text - 1, text);
  for (int i = 0; i < r->reported_count; i++) {
    const struct reported *s = &r->reported[i];
    if (s->source == here.source && s->line == here.line && s->column == here.column &&
        strcmp(s->text, here.text) == 0)
      return true;
  }
  if (r->reported_count < REPORT_MAX) r->reported[r->reported_count++] = here;
  return false;
}

void report_error(struct report *r, struct place at, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (is_reported(r, at, text) || r->errors++ >= REPORT_MAX) return;

  put_message(r, at, "error", text);
  for (const struct origin *o; at.line > 0 && (o = origin_of_place(r, at)); at = o->outer)
    put_message(r, o->outer, "note", o->text);
}

void report_hint(struct report *r, struct place at, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!is_reported(r, at, text)) put_message(r, at, "hint", text);
}

void report_end(const struct report *r)
{
  if (r->errors > REPORT_MAX) fprintf(r->out, "%d more errors are not shown\n", r->errors - REPORT_MAX);
}
