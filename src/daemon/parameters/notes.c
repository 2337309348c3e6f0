/* SPDX-License-Identifier: MIT
 * Notes for the supervisor, which logs them. */
#include "parameters/param_server_parts.h"

#include <stdarg.h>
#include <stdio.h>

void param_server_note(struct param_server *l, int level, const char *format, ...)
{
  struct param_server_note note = {.level = level};
  va_list list;
  va_start(list, format);
  vsnprintf(note.text, sizeof note.text, format, list);
  va_end(list);
  ring_push(&l->notes, &note);
}

bool param_server_next_note(struct param_server *l, struct param_server_note *note)
{
  return l && ring_pop(&l->notes, note);
}
