/* SPDX-License-Identifier: MIT
 * Notes for the supervisor, which logs them. */
#include "parameters/param_server_parts.h"
#include "rt/clock.h"

#include <stdarg.h>
#include <stdio.h>

static const uint64_t PUSH_NS = 2 * NS_PER_S,
                      PUSH_TRY_NS = NS_PER_S / 1000; /* wait for room at most, and between two looks */

void param_server_note(struct param_server *l, int level, const char *format, ...)
{
  struct param_server_note note = {.level = level};
  va_list list;
  va_start(list, format);
  vsnprintf(note.text, sizeof note.text, format, list);
  va_end(list);
  param_server_add_note(l, &note);
}

void param_server_add_note(struct param_server *l, const struct param_server_note *note)
{
  param_server_push(l, &l->notes, note, NULL);
}

void param_server_push(struct param_server *l, struct ring *r, const void *record, struct port *reader)
{
  const uint64_t end = clock_now_ns() + PUSH_NS;
  while (ring_room(r) == 0 && clock_now_ns() < end && !atomic_load(&l->quit)) {
    if (reader) port_wake(reader);
    clock_sleep_until_ns(clock_now_ns() + PUSH_TRY_NS);
  }
  ring_push(r, record);
}

uint64_t param_server_lost_notes(struct param_server *l)
{
  return l ? ring_dropped(&l->notes) : 0;
}

bool param_server_next_note(struct param_server *l, struct param_server_note *note)
{
  return l && ring_pop(&l->notes, note);
}
