/* SPDX-License-Identifier: MIT
 * Errors and notes on standard error. Names come from the file: control characters are shown as a question mark. */
#include "notes.h"

#include <stdarg.h>
#include <string.h>

enum { TEXT_MOST = 600 };

static void print_line(struct notes *n, int line, const char *word, const char *format, va_list list)
    __attribute__((format(printf, 4, 0)));
static void print_line(struct notes *n, int line, const char *word, const char *format, va_list list)
{
  char text[TEXT_MOST];
  vsnprintf(text, sizeof text, format, list);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  if (!n->to) return;
  if (line > 0)
    fprintf(n->to, "%s:%d: %s%s\n", n->file, line, word, text);
  else
    fprintf(n->to, "%s: %s%s\n", n->file, word, text);
}

bool note_error(struct notes *n, int line, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  print_line(n, line, "error: ", format, list);
  va_end(list);
  n->failed = true;
  return false;
}

void note(struct notes *n, int line, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  print_line(n, line, "note: ", format, list);
  va_end(list);
  n->count++;
}

void note_often(struct notes *n, int line, const char *format, ...)
{
  char text[sizeof n->kind[0].text];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  for (int i = 0; i < n->kinds; i++)
    if (strcmp(n->kind[i].text, text) == 0) {
      n->kind[i].count++;
      return;
    }
  if (n->kinds == NOTE_KINDS_MOST) {
    note(n, line, "%s", text);
    return;
  }
  /* A new kind. */
  struct note_kind *k = &n->kind[n->kinds++];
  memcpy(k->text, text, sizeof text);
  k->line = line;
  k->count = 1;
}

void note_flush(struct notes *n)
{
  for (int i = 0; i < n->kinds; i++) {
    const struct note_kind *k = &n->kind[i];
    if (k->count > 1)
      note(n, k->line, "%s (%d times)", k->text, k->count);
    else
      note(n, k->line, "%s", k->text);
  }
  n->kinds = 0;
}
