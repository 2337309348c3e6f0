/* SPDX-License-Identifier: MIT
 * Copies a block that is being written: by pread(2), in the order that its sequence locks need. Makes the copy safe to
 * use; no other file does so. */
#include "telemetry/fields.h"
#include "telemetry/read.h"

#include <sched.h>
#include <string.h>

enum {
  LIVE_TRIES = 1000, /* the loop writes for less than a microsecond in a cycle */
  TEXT_TRIES = 10,
  TRIES_BETWEEN_YIELDS = 16,
  TAIL = offsetof(struct telemetry, misses) /* records with their own sequence locks begin here */
};

/* Keeps reads before the call ahead of reads after it, on any processor. */
static void keep_order(void)
{
  _Atomic int fence = 0;
  atomic_fetch_add_explicit(&fence, 1, memory_order_seq_cst);
}

static bool read_sequence(int fd, uint32_t *sequence)
{
  keep_order();
  const bool read = object_read(fd, sequence, sizeof *sequence, offsetof(struct telemetry, sequence));
  keep_order();
  return read;
}

static enum telemetry_copied copy_live(int fd, struct telemetry_live *live)
{
  for (int i = 1; i <= LIVE_TRIES; i++) {
    uint32_t before, after;
    if (!read_sequence(fd, &before) ||
        !object_read(fd, live, sizeof *live, offsetof(struct telemetry, live)) || !read_sequence(fd, &after))
      return TELEMETRY_NOT_READ;
    if (before % 2 == 0 && before == after) return TELEMETRY_WHOLE;
    /* The writer may be an ordinary thread that waits for this CPU. */
    if (i % TRIES_BETWEEN_YIELDS == 0) sched_yield();
  }
  return TELEMETRY_TORN;
}

/* The sequence numbers of all records with their own lock. */
struct sequences {
  uint64_t miss[MISS_LOG], device[DEVICES_MAX];
};

static void note_sequences(const struct telemetry *t, struct sequences *s)
{
  for (int i = 0; i < MISS_LOG; i++)
    s->miss[i] = atomic_load_explicit(&t->misses.slot[i].sequence, memory_order_relaxed);
  for (int i = 0; i < DEVICES_MAX; i++)
    s->device[i] = atomic_load_explicit(&t->device[i].sequence, memory_order_relaxed);
}

static bool was_written(uint64_t before, uint64_t after)
{
  return before % 2 || before != after;
}

/* Three reads: numbers, records, numbers. A miss record that was written meanwhile is left out; the text of a device is
 * read again. */
static bool copy_tail(int fd, struct telemetry *t)
{
  struct sequences before, after;
  for (int i = 0; i < TEXT_TRIES; i++) {
    struct miss_log *log = &t->misses;
    char *tail = (char *)t + TAIL;
    const size_t size = sizeof *t - TAIL;
    /* Read the numbers before. */
    if (!object_read(fd, tail, size, TAIL)) return false;
    note_sequences(t, &before);
    const uint64_t written = atomic_load_explicit(&log->written, memory_order_relaxed);
    keep_order();
    struct {
      _Alignas(64) char byte[sizeof(struct telemetry) - TAIL];
    } records;
    if (!object_read(fd, records.byte, size, TAIL)) return false;
    keep_order();
    if (!object_read(fd, tail, size, TAIL)) return false;
    note_sequences(t, &after);
    memcpy(tail, records.byte, size);
    atomic_store_explicit(&log->written, written, memory_order_relaxed);
    /* Mark a record whose number changed as never written. */
    for (int k = 0; k < MISS_LOG; k++)
      atomic_store_explicit(&log->slot[k].sequence,
                            was_written(before.miss[k], after.miss[k]) ? 0 : before.miss[k],
                            memory_order_relaxed);
    bool torn = false;
    for (int k = 0; k < DEVICES_MAX; k++) torn |= was_written(before.device[k], after.device[k]);
    if (!torn) break;
  }
  /* Drop a text that was torn in every try. */
  for (int k = 0; k < DEVICES_MAX; k++) {
    struct device_view *v = &t->device[k];
    if (was_written(before.device[k], after.device[k])) memset(v->text, 0, sizeof v->text);
    atomic_store_explicit(&v->sequence, 0, memory_order_relaxed);
  }
  return true;
}

/* Length in bytes of the UTF-8 character at s, at most `size`; 0: no character, or one that controls a terminal. */
static size_t shown_length(const unsigned char *s, size_t size)
{
  if (s[0] < 0x80) return s[0] >= ' ' && s[0] != 0x7f;
  const size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                   : (s[0] & 0xf0) == 0xe0       ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;
  if (n == 0 || n > size) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (s[0] == 0xc2 && s[1] < 0xa0) return 0; /* U+0080 to U+009F are control characters, too */
  const bool longer = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);   /* an overlong form */
  const bool beyond = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90); /* outside Unicode */
  return longer || beyond ? 0 : n;
}

void telemetry_clean_text(char *text, size_t size)
{
  text[size - 1] = '\0';
  unsigned char *s = (unsigned char *)text;
  for (size_t left = strlen(text); left > 0;) {
    const size_t n = shown_length(s, left);
    if (n == 0) *s = '?';
    s += n ? n : 1;
    left -= n ? n : 1;
  }
}

static uint64_t at_most(uint64_t v, uint64_t most)
{
  return v < most ? v : most;
}

static void clean_name(struct client_name *n)
{
  char text[CLIENT_NAME];
  const uint32_t id = client_name_read(n, text);
  telemetry_clean_text(text, sizeof text);
  client_name_write(n, id, text);
}

/* Bounds all data from outside; no other function does so. */
static void make_safe(struct telemetry *t, const char *instance)
{
  memset(t->instance, 0, sizeof t->instance);
  memcpy(t->instance, instance, strnlen(instance, sizeof t->instance - 1));
  /* Texts of the list of fields. */
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    if (f->kind == FIELD_NAME || f->kind == FIELD_REASON)
      telemetry_clean_text((char *)t + f->offset, f->size);
  }
  /* Counts, which bound every loop over the block. */
  t->inputs = (uint32_t)at_most(t->inputs, TELEMETRY_INPUTS);
  t->devices = at_most(t->devices, DEVICES_MAX);
  t->permissives = (uint32_t)at_most(t->permissives, RIG_PERMISSIVES_MAX);
  t->histograms.levels = at_most(t->histograms.levels, LEVELS_MAX);
  /* Names and texts of levels, inputs, messages and devices. */
  for (int i = 0; i < LEVELS_MAX; i++)
    telemetry_clean_text(t->histograms.level[i].name, sizeof t->histograms.level[i].name);
  for (int i = 0; i < RIG_PERMISSIVES_MAX; i++)
    telemetry_clean_text(t->permissive[i], sizeof t->permissive[i]);
  for (int i = 0; i < TELEMETRY_INPUTS; i++) {
    telemetry_clean_text(t->input[i].name, sizeof t->input[i].name);
    clean_name(&t->input[i].owner_name);
    t->input[i].channels = (uint32_t)at_most(t->input[i].channels, INPUT_WRENCH_CHANNELS);
  }
  for (int i = 0; i < TELEMETRY_STRAYS; i++) {
    clean_name(&t->stray[i].address);
    clean_name(&t->stray[i].types);
    clean_name(&t->stray[i].sender);
  }
  for (int i = 0; i < DEVICES_MAX; i++) {
    char text[DEVICE_TEXT];
    telemetry_clean_text(t->device[i].name, sizeof t->device[i].name);
    device_told(&t->device[i], text);
    telemetry_clean_text(text, sizeof text);
    device_tell(&t->device[i], text);
  }
}

/* Names of threads in the records of misses. */
static void clean_misses(struct miss_log *log)
{
  for (int i = 0; i < MISS_LOG; i++) {
    struct culprit *c = &log->slot[i].miss.culprit;
    telemetry_clean_text(c->name, sizeof c->name);
  }
}

enum telemetry_copied telemetry_copy_file(int fd, const char *instance, struct telemetry *copy)
{
  struct telemetry_live live;
  struct stat st;
  enum telemetry_copied copied = TELEMETRY_NOT_READ;
  if (fstat(fd, &st) == 0 && (uint64_t)st.st_size == sizeof *copy && object_read(fd, copy, TAIL, 0) &&
      copy->magic == TELEMETRY_MAGIC && copy->version == TELEMETRY_VERSION && copy->size == sizeof *copy &&
      copy_tail(fd, copy))
    copied = copy_live(fd, &live);
  if (copied == TELEMETRY_NOT_READ) {
    memset(copy, 0, sizeof *copy);
    return copied;
  }
  copy->live = live;
  atomic_store_explicit(&copy->sequence, 0, memory_order_relaxed);
  make_safe(copy, instance);
  clean_misses(&copy->misses);
  return copied;
}

enum telemetry_copied telemetry_copy(const struct telemetry_reader *r, struct telemetry *copy)
{
  return telemetry_copy_file(r->fd, r->instance, copy);
}
