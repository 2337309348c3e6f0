/* SPDX-License-Identifier: MIT */
#include "io/watch.h"

#include "io/telemetry_shm.h"
#include "rt/clock.h"
#include "rt/machine.h"
#include "signals/exchange.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STUCK_PERIODS = 10 };
static const double stuck_s = 1.0;
static const double miss_matters_s = 60.0;

static __attribute__((format(printf, 2, 3))) void because(struct sample *s, const char *format, ...)
{
  if (s->reasons >= REASONS_MAX) return;
  va_list list;
  va_start(list, format);
  vsnprintf(s->reason[s->reasons++], sizeof s->reason[0], format, list);
  va_end(list);
}

const char *verdict_name(enum verdict v)
{
  return v == VERDICT_HEALTHY ? "healthy" : v == VERDICT_DEGRADED ? "degraded" : "gone";
}

void watch_close(struct watch *w)
{
  telemetry_close(w->t);
  w->t = NULL;
}

/* True if the block mapped is still the one its name leads to: a daemon that was restarted has a new one. */
static bool still_current(const struct watch *w)
{
  char error[256];
  const struct telemetry *now = telemetry_open(w->t->instance, error, sizeof error);
  const bool same = now && now->pid == w->t->pid && now->start_ns == w->t->start_ns;
  telemetry_close(now);
  return same;
}

static bool attach(struct watch *w, struct sample *s)
{
  char newest[1][64];
  const char *name = w->wanted;
  if (!name) {
    if (telemetry_list(newest, 1) == 0) {
      if (w->last[0])
        because(s, "\"%s\" is gone", w->last);
      else
        because(s, "no daemon is running");
      return false;
    }
    name = newest[0];
  }
  char error[256];
  w->t = telemetry_open(name, error, sizeof error);
  if (!w->t) because(s, "%s", error);
  return w->t != NULL;
}

/* Cycle of the last miss that counts, or one after it where its record is lost; 0: the record is not there yet. */
static uint64_t last_miss(const struct telemetry *t, const struct telemetry_live *l)
{
  const struct miss_log *log = &t->misses;
  const uint64_t written = atomic_load_explicit(&log->written, memory_order_acquire);
  const uint64_t lost = atomic_load_explicit(&log->lost, memory_order_relaxed);
  uint64_t cycle = 0;
  for (uint64_t n = 1; n <= MISS_LOG && n <= written; n++) {
    struct miss m;
    if (!miss_log_read(log, written - n, &m)) continue;
    if (n == 1 && m.number + lost < l->misses + l->grace_misses) return 0;
    cycle = m.cycle;
    if (!m.grace && m.state != STATE_INIT) break;
  }
  return cycle;
}

/* A miss counts for ever, but it is no news for ever: not beyond a minute of cycles, nor when the book was cleared since. */
static void judge_misses(struct sample *s)
{
  const struct telemetry_live *l = &s->live;
  if (l->misses == 0) return;
  const char *many = l->misses == 1 ? "" : "s";
  const uint64_t cycle = last_miss(s->t, l);
  if (cycle == 0) {
    because(s, "%" PRIu64 " deadline%s missed", l->misses, many);
    return;
  }
  if (cycle <= atomic_load_explicit(&s->t->book.cleared, memory_order_relaxed)) return;
  const double ago = l->cycle > cycle ? (double)(l->cycle - cycle) * (double)s->t->period_ns * 1e-9 : 0.0;
  if (ago < miss_matters_s)
    because(s, "%" PRIu64 " deadline%s missed, the last %.0f s ago", l->misses, many, ago);
}

static void judge_devices(struct sample *s)
{
  for (uint64_t i = 0; i < s->t->devices && i < DEVICES_MAX; i++) {
    const struct device_view *v = &s->t->device[i];
    char text[DEVICE_TEXT];
    if (device_figure(&v->state) == DEVICE_UP) continue;
    device_told(v, text);
    because(s, "device %.60s %s%s%s", v->name, device_state_name(device_figure(&v->state)),
            text[0] ? ": " : "", text);
  }
}

static void judge(struct sample *s)
{
  const struct telemetry_live *l = &s->live;
  const double period = (double)s->t->period_ns * 1e-9;
  if (!l->waiting && s->age > stuck_s && s->age > STUCK_PERIODS * period)
    because(s, "the loop has not advanced for %.1f s", s->age);
  if (l->state == STATE_FAULT || l->state == STATE_SAFE)
    because(s, "state %s: %s", run_state_name(l->state), fault_text(l->fault));
  judge_misses(s);
  if (l->stale_mask || l->flags & FLAG_INPUT_STALE)
    because(s, "stale inputs, mask 0x%" PRIx32 ", until sent again or reset", l->stale_mask);
  if (l->flags & FLAG_INJECTED) because(s, "FAULT INJECTION acts on the inputs");
  judge_devices(s);
  if (s->reasons) s->verdict = VERDICT_DEGRADED;
}

void watch_look(struct watch *w, struct sample *s)
{
  *s = (struct sample){.verdict = VERDICT_GONE};
  if (w->t && !(telemetry_alive(w->t) && still_current(w))) watch_close(w);
  if (!w->t && !attach(w, s)) return;
  snprintf(w->last, sizeof w->last, "%.63s", w->t->instance);
  if (!telemetry_alive(w->t)) {
    because(s, "\"%s\" is gone: process %" PRId64 " ended without cleaning up", w->last, w->t->pid);
    watch_close(w);
    return;
  }

  s->t = w->t;
  s->verdict = VERDICT_HEALTHY;
  s->whole = telemetry_read(w->t, &s->live);
  const uint64_t now = s->now_ns = clock_now_ns();
  const uint64_t written = s->live.t_ns ? s->live.t_ns : w->t->start_ns; /* before the first cycle */
  s->age = now > written ? (double)(now - written) * 1e-9 : 0.0;
  s->uptime = now > w->t->start_ns ? (double)(now - w->t->start_ns) * 1e-9 : 0.0;
  if (!s->whole) because(s, "no consistent figures: the loop stopped in the middle of writing them");
  judge(s);
}

/* The block is written meanwhile: word by word, each an atomic, as in rt/telemetry.c. */
typedef uint64_t __attribute__((may_alias)) block_word;

static void copy_words(void *to, const void *from, size_t size)
{
  const block_word *source = from;
  block_word *target = to;
  for (size_t i = 0; i < size / sizeof *target; i++)
    target[i] = __atomic_load_n(&source[i], __ATOMIC_RELAXED);
}

_Static_assert(sizeof(struct book) % sizeof(block_word) == 0, "the book is whole words");
_Static_assert(sizeof(struct counters) % sizeof(block_word) == 0, "the counters are whole words");
_Static_assert(offsetof(struct telemetry, sequence) % sizeof(block_word) == 0, "the head is whole words");
_Static_assert(sizeof(struct input_view) % sizeof(block_word) == 0, "the inputs are whole words");
_Static_assert(sizeof(struct device_view) % sizeof(block_word) == 0, "the devices are whole words");

static void copy_book(struct book *to, const struct book *from)
{
  copy_words(to, from, sizeof *to);
  if (to->levels > LEVELS_MAX) to->levels = LEVELS_MAX;
  for (int i = 0; i < LEVELS_MAX; i++) to->level[i].name[sizeof to->level[i].name - 1] = '\0';
}

/* A record that is overwritten meanwhile is left out. */
static void copy_misses(struct miss_log *to, const struct miss_log *from)
{
  memset(to, 0, sizeof *to);
  const uint64_t written = atomic_load_explicit(&from->written, memory_order_acquire);
  for (uint64_t n = 1; n <= MISS_LOG && n <= written; n++) {
    const uint64_t k = written - n;
    struct miss_slot *slot = &to->slot[k % MISS_LOG];
    if (miss_log_read(from, k, &slot->miss))
      atomic_store_explicit(&slot->sequence, 2 * k + 2, memory_order_relaxed);
  }
  atomic_store_explicit(&to->written, written, memory_order_relaxed);
  atomic_store_explicit(&to->lost, atomic_load_explicit(&from->lost, memory_order_relaxed),
                        memory_order_relaxed);
}

void sample_keep(struct sample *s, struct telemetry *copy)
{
  const struct telemetry *t = s->t;
  if (!t) return;
  copy_words(copy, t, offsetof(struct telemetry, sequence));
  copy->instance[sizeof copy->instance - 1] = '\0';
  copy->model[sizeof copy->model - 1] = '\0';
  copy->reason[sizeof copy->reason - 1] = '\0';
  copy->isa[sizeof copy->isa - 1] = '\0';
  if (copy->inputs > TELEMETRY_INPUTS) copy->inputs = TELEMETRY_INPUTS;
  atomic_store_explicit(&copy->sequence, 0, memory_order_relaxed);
  copy->live = s->live;
  copy_book(&copy->book, &t->book);
  copy_words(&copy->counters, &t->counters, sizeof t->counters);
  copy_misses(&copy->misses, &t->misses);
  copy_words(copy->input, t->input, sizeof t->input);
  for (int i = 0; i < TELEMETRY_INPUTS; i++) copy->input[i].name[sizeof copy->input[i].name - 1] = '\0';
  copy_words(copy->device, t->device, sizeof t->device);
  copy->devices = t->devices < DEVICES_MAX ? t->devices : DEVICES_MAX;
  for (int i = 0; i < DEVICES_MAX; i++) {
    char text[DEVICE_TEXT];
    device_told(&t->device[i], text);
    atomic_store_explicit(&copy->device[i].sequence, 0, memory_order_relaxed); /* it may have been odd */
    device_tell(&copy->device[i], text);
    copy->device[i].name[sizeof copy->device[i].name - 1] = '\0';
  }
  s->t = copy;
}
