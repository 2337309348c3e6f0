/* SPDX-License-Identifier: MIT
 * Notes for the supervisor, which logs them. */
#include "keeper/keeper_parts.h"

#include <stdarg.h>
#include <stdio.h>

void keeper_note(struct keeper *l, int level, const char *format, ...)
{
  struct keeper_note note = {.level = level};
  va_list list;
  va_start(list, format);
  vsnprintf(note.text, sizeof note.text, format, list);
  va_end(list);
  ring_push(&l->notes, &note);
}

bool keeper_next_note(struct keeper *l, struct keeper_note *note)
{
  return l && ring_pop(&l->notes, note);
}
