/* SPDX-License-Identifier: MIT
 * The binary form of the kernel's ring buffer: a page has its time, the number of its bytes, and records. A record
 * begins with a word: 5 bits of type or length, 27 bits of time since the record before. The file events/header_page
 * of tracefs describes it. */
#include "trace/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEADER = 16,       /* a page begins with time, bytes and flags */
  LONGEST_TYPE = 28, /* up to here the type is the length in words */
  TYPE_PADDING = 29,
  TYPE_TIME_EXTEND = 30,
  TYPE_TIME_STAMP = 31,
  TYPE_BITS = 5,
  DELTA_BITS = 27,
  STAMP_BITS = 59, /* in an absolute time; the higher bits stay */
  WORD = 4,
};
static const uint32_t MISSED = UINT32_C(1) << 31;
static const uint32_t LENGTH_MASK = (UINT32_C(1) << 27) - 1;
static const uint64_t REPORTED_STATES = 0xff; /* none of them: the thread that leaves wants to go on */

struct trace_kind_row {
  const char *path;
  enum trace_kind kind;
  bool needed;
  const char *name;
};
#define ROW(path, kind, needed, name) {path, kind, needed, name},
static const struct trace_kind_row event_row[TRACE_EVENTS] = {TRACE_EVENT_LIST(ROW)};
#undef ROW

/* The fields of each kind; NULL ends a list. */
static const char *const field_names[][TRACE_FIELDS + 1] = {
    [TRACE_SWITCH] = {"prev_pid", "prev_prio", "prev_state", "prev_comm", "next_pid", "next_prio",
                      "next_comm"},
    [TRACE_WAKING] = {"pid"},
    [TRACE_MIGRATE] = {"pid", "dest_cpu"},
    [TRACE_INTERRUPT_ENTRY] = {"irq", "name"},
    [TRACE_INTERRUPT_EXIT] = {"irq"},
    [TRACE_VECTOR_ENTRY] = {NULL},
    [TRACE_VECTOR_EXIT] = {NULL},
    [TRACE_SOFTIRQ_ENTRY] = {"vec"},
    [TRACE_SOFTIRQ_EXIT] = {"vec"},
};

const char *trace_event_path(int i)
{
  return event_row[i].path;
}

bool trace_event_needed(int i)
{
  return event_row[i].needed;
}

/* --- formats --- */

static bool number_after(const char *from, const char *end, const char *word, uint16_t *out)
{
  const char *at = strstr(from, word);
  if (!at || at >= end) return false;
  const unsigned long n = strtoul(at + strlen(word), NULL, 10);
  *out = (uint16_t)n;
  return n <= UINT16_MAX;
}

/* A line is "field:DECLARATION NAME[SIZE];\toffset:N;\tsize:N;\tsigned:N;". */
static bool find_field(const char *text, const char *name, struct trace_field *field)
{
  const size_t length = strlen(name);
  for (const char *line = strstr(text, "field:"); line; line = strstr(line + 1, "field:")) {
    const char *end = strchr(line, '\n'), *semicolon = strchr(line, ';');
    if (!end || !semicolon || semicolon > end) return false;
    const char *word = semicolon;
    while (word > line && word[-1] != ' ' && word[-1] != '*') word--;
    if (strncmp(word, name, length) != 0 || (word[length] != ';' && word[length] != '[')) continue;
    return number_after(semicolon, end, "offset:", &field->offset) &&
           number_after(semicolon, end, "size:", &field->size);
  }
  return false;
}

bool trace_format_read(int i, const char *text, struct trace_format *f)
{
  const struct trace_kind_row *row = &event_row[i];
  *f = (struct trace_format){.kind = row->kind, .name = row->name};
  if (!number_after(text, text + strlen(text), "ID:", &f->id)) return false;
  for (int k = 0; k < TRACE_FIELDS && field_names[row->kind][k]; k++)
    if (!find_field(text, field_names[row->kind][k], &f->field[k])) return false;
  f->known = true;
  return true;
}

/* --- records --- */

struct record {
  const uint8_t *data;
  size_t size;
};

static uint64_t trace_number(const struct record *r, struct trace_field field)
{
  uint64_t value = 0; /* the bytes of a smaller number come first in memory, see trace_page_decode() */
  const size_t end = (size_t)field.offset + field.size;
  if (field.size > sizeof value || end > r->size) return 0;
  memcpy(&value, r->data + field.offset, field.size);
  return value;
}

static int32_t trace_int(const struct record *r, struct trace_field field)
{
  return (int32_t)(uint32_t)trace_number(r, field);
}

static void copy_name(char to[static CULPRIT_NAME], const uint8_t *from, size_t most)
{
  size_t n = 0;
  while (n < most && n < CULPRIT_NAME - 1 && from[n]) n++;
  memcpy(to, from, n);
  to[n] = '\0';
}

static void field_array(const struct record *r, struct trace_field field, char to[static CULPRIT_NAME])
{
  to[0] = '\0';
  if ((size_t)field.offset + field.size <= r->size) copy_name(to, r->data + field.offset, field.size);
}

/* A text of any length lies behind the record: its field holds length and place, 16 bits each. */
static void field_text(const struct record *r, struct trace_field field, char to[static CULPRIT_NAME])
{
  const uint32_t where = (uint32_t)trace_number(r, field);
  const size_t offset = where & UINT16_MAX, length = where >> 16;
  to[0] = '\0';
  if (offset + length <= r->size) copy_name(to, r->data + offset, length);
}

static const char *softirq_name(int32_t vector)
{
  static const char *const names[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                      "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
  return vector >= 0 && (size_t)vector < sizeof names / sizeof *names ? names[vector] : "?";
}

/* The order of the fields is that of field_names. */
static void fill_event(const struct trace_format *f, const struct record *r, struct trace_event *e)
{
  switch (f->kind) {
  /* Threads. */
  case TRACE_SWITCH:
    e->id = trace_int(r, f->field[0]);
    e->priority = trace_int(r, f->field[1]);
    e->runnable = !(trace_number(r, f->field[2]) & REPORTED_STATES);
    field_array(r, f->field[3], e->name);
    e->next = trace_int(r, f->field[4]);
    e->next_priority = trace_int(r, f->field[5]);
    field_array(r, f->field[6], e->next_name);
    break;
  case TRACE_MIGRATE:
    e->id = trace_int(r, f->field[0]);
    e->next = trace_int(r, f->field[1]);
    break;
  /* Interrupts. */
  case TRACE_INTERRUPT_ENTRY:
    e->id = trace_int(r, f->field[0]);
    field_text(r, f->field[1], e->name);
    break;
  case TRACE_VECTOR_ENTRY:
  case TRACE_VECTOR_EXIT:
    snprintf(e->name, sizeof e->name, "%s", f->name);
    break;
  case TRACE_SOFTIRQ_ENTRY:
    e->id = trace_int(r, f->field[0]);
    snprintf(e->name, sizeof e->name, "%s", softirq_name(e->id));
    break;
  case TRACE_WAKING:
  case TRACE_INTERRUPT_EXIT:
  case TRACE_SOFTIRQ_EXIT:
    e->id = trace_int(r, f->field[0]);
    break;
  }
}

static const struct trace_format *format_of(const struct trace_format f[static TRACE_EVENTS], uint16_t id)
{
  for (int i = 0; i < TRACE_EVENTS; i++)
    if (f[i].known && f[i].id == id) return &f[i];
  return NULL;
}

static uint32_t word_at(const uint8_t *p)
{
  uint32_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

static size_t up_to_word(size_t n)
{
  return (n + WORD - 1) / WORD * WORD;
}

/* Takes the record at `at` of `left` bytes, and moves the time. Returns its length; 0: the page ends here, or the
 * record is damaged (*good is then false). */
static size_t next_record(const uint8_t *at, size_t left, uint64_t *t_ns, struct record *r, bool *good)
{
  /* Take the word apart. Three types have a second word. */
  const uint32_t word = word_at(at), type = word & ((1U << TYPE_BITS) - 1), delta = word >> TYPE_BITS;
  const bool second = type == 0 || type > LONGEST_TYPE;
  *r = (struct record){.data = NULL};
  if (type == TYPE_PADDING && delta == 0) return 0;
  if (second && left < 2 * WORD) {
    *good = false;
    return 0;
  }
  const uint32_t more = second ? word_at(at + WORD) : 0;
  const uint64_t wide = delta | (uint64_t)more << DELTA_BITS;
  size_t length;
  switch (type) {
  /* Times, and a record that was taken back. */
  case TYPE_TIME_EXTEND:
    *t_ns += wide;
    return (size_t)2 * WORD;
  case TYPE_TIME_STAMP:
    *t_ns = wide | (*t_ns >> STAMP_BITS << STAMP_BITS);
    return (size_t)2 * WORD;
  case TYPE_PADDING:
    length = WORD + up_to_word(more);
    break;
  /* Data: its length includes the second word. */
  case 0:
    *t_ns += delta;
    length = WORD + up_to_word(more);
    if (more >= WORD && length <= left) *r = (struct record){at + (size_t)2 * WORD, more - WORD};
    break;
  default:
    *t_ns += delta;
    length = WORD + (size_t)type * WORD;
    if (length <= left) *r = (struct record){at + WORD, length - WORD};
  }
  *good = length <= left;
  return *good ? length : 0;
}

bool trace_page_decode(const struct trace_format f[static TRACE_EVENTS], int cpu, const void *page,
                       size_t size, trace_take *take, void *context, bool *missed, uint64_t *begin_ns)
{
  const uint8_t *p = page;
  uint64_t t_ns, commit = 0;
  /* Read the head: both numbers are in the order of this machine, and the flags are in the low word. */
  if (size < HEADER) return false;
  memcpy(&t_ns, p, sizeof t_ns);
  memcpy(&commit, p + sizeof t_ns, sizeof commit);
  const size_t length = (size_t)commit & LENGTH_MASK;
  *missed = ((uint32_t)commit & MISSED) != 0;
  *begin_ns = t_ns;
  if (length > size - HEADER) return false;
  /* Read the records. */
  bool good = true;
  for (size_t at = 0; at + WORD <= length;) {
    struct record r;
    const size_t step = next_record(p + HEADER + at, length - at, &t_ns, &r, &good);
    if (step == 0) break;
    at += step;
    uint16_t id;
    if (r.size < sizeof id) continue;
    memcpy(&id, r.data, sizeof id);
    const struct trace_format *format = format_of(f, id);
    if (!format) continue;
    struct trace_event e = {.t_ns = t_ns, .kind = format->kind, .cpu = cpu};
    fill_event(format, &r, &e);
    take(context, &e);
  }
  return good;
}
