/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include "events.h"
#include "playback.h"
#include "rt/clock.h"
#include "stream_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t STILL_NS = NS_PER_S, ASK_NS = NS_PER_S / 4, SOON_NS = NS_PER_S / 500,
                      SEARCH_NS = NS_PER_S / 50; /* to find a row of a recording takes many reads */

static uint64_t interval_ns(const struct stream *s)
{
  return (uint64_t)((double)NS_PER_S / s->rate);
}

static uint64_t period_ns(const struct stream *s)
{
  return s->source.ring.head.period_ns ? s->source.ring.head.period_ns : NS_PER_S / 100;
}

/* The first cycle of the history: one that is in the ring for long enough to be read. */
static uint64_t history_begin(const struct stream *s)
{
  const double cycles = s->dense_values ? s->query.history * (double)NS_PER_S / (double)period_ns(s) : 0;
  uint64_t back = s->begin < cycles ? s->begin : (uint64_t)cycles;
  const uint64_t slots = s->source.ring.head.slots;
  if (!s->source.playback && back > slots - slots / 8) back = slots - slots / 8;
  return s->begin - back;
}

/* The first cycle and event: the newest of a daemon, the wanted one of a recording. */
static void find_begin(struct stream *s, uint64_t now_ns)
{
  uint64_t slots = 0, events = 0;
  source_written(&s->source, &slots, &events);
  s->began_ns = now_ns;
  s->event = events > STREAM_EVENTS_BEFORE ? events - STREAM_EVENTS_BEFORE : 0;
  s->begin = slots > 0 ? slots - 1 : 0;
  if (s->source.playback) {
    s->begin = playback_row_at(s->source.playback, fmax(0, s->query.seek));
    s->event = 0;
  }
  s->next = history_begin(s);
}

struct stream *stream_new(const struct source *source, const struct query *q, uint64_t now_ns)
{
  struct stream *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->query = *q;
  s->source = *source;
  if (!choice_make(s)) {
    s->source = (struct source){.ring.fd = -1}; /* the caller's again */
    stream_free(s);
    return NULL;
  }
  find_begin(s, now_ns);
  s->due_ns = s->said_ns = s->asked_ns = now_ns;
  wire_json(&s->out, WIRE_HEAD, choice_head(s));
  return s;
}

void stream_free(struct stream *s)
{
  if (!s) return;
  if (s->source.slot) source_close(&s->source);
  wire_free(&s->out);
  free(s->value);
  free(s);
}

/* A recording shows the rows whose time has come. */
static uint64_t rows_due(const struct stream *s, uint64_t now_ns)
{
  const double played = (double)(now_ns - s->began_ns) * 1e-9 * s->query.speed;
  return playback_row_at(s->source.playback, fmax(0, s->query.seek) + played) + 1;
}

static void add_frame(struct stream *s)
{
  const struct frames_slot *slot = s->source.slot;
  const struct wire_frame head = {.cycle = slot->cycle,
                                  .time = slot->time,
                                  .t_ns = slot->t_ns,
                                  .state = slot->state,
                                  .flags = slot->flags,
                                  .fault = slot->fault,
                                  .values = s->values};
  const size_t begin = wire_begin(&s->out, WIRE_FRAME);
  wire_bytes(&s->out, &head, sizeof head);
  wire_floats(&s->out, frames_values(&s->source.ring, slot), s->value, s->values);
  wire_end(&s->out, begin);
}

static void note_loop(struct wire_loop *l, const struct frames_slot *slot)
{
  if (slot->wakeup_ns > l->wakeup) l->wakeup = slot->wakeup_ns;
  if (slot->step_ns > l->step) l->step = slot->step_ns;
  if (slot->cycle_ns > l->cycle) l->cycle = slot->cycle_ns;
  l->misses = slot->misses;
  l->cycles++;
}

/* The cycles from `next` on, up to the one before `end`. True if the slot of the last one is at hand. */
static bool walk_cycles(struct stream *s, uint64_t end, struct wire_loop *loop, bool *any_dense)
{
  enum { DENSE_HEAD = 8 };
  bool got = false;
  const size_t begin = s->out.count;
  size_t record = 0;
  uint32_t cycles = 0;
  /* One record for all of them, whose number of cycles is filled in at its end. */
  if (s->dense_values) {
    const uint32_t head[2] = {0, s->dense_values};
    record = wire_begin(&s->out, WIRE_DENSE);
    wire_bytes(&s->out, head, sizeof head);
  }
  for (; s->next < end; s->next++) {
    const bool last = s->next + 1 == end, whole = last || s->dense_values;
    if (!whole && (s->source.playback || !s->query.loop)) continue;
    if (source_take(&s->source, s->next, !whole) != FRAMES_WHOLE) continue;
    note_loop(loop, s->source.slot);
    got = last;
    if (!s->dense_values) continue;
    const struct wire_row row = {
        .cycle = s->source.slot->cycle, .time = s->source.slot->time, .t_ns = s->source.slot->t_ns};
    wire_bytes(&s->out, &row, sizeof row);
    wire_floats(&s->out, frames_values(&s->source.ring, s->source.slot), s->dense, s->dense_values);
    wire_pad(&s->out);
    cycles++;
  }
  *any_dense = cycles > 0;
  if (cycles == 0) {
    s->out.count = begin;
  } else {
    memcpy(s->out.byte + record + DENSE_HEAD, &cycles, sizeof cycles);
    wire_end(&s->out, record);
  }
  return got;
}

/* The end of the cycles to take now: two seconds of them at most. More history is left for the next time; later cycles that the
 * browser was too slow for are passed over. */
static uint64_t limit_cycles(struct stream *s, uint64_t end)
{
  const uint64_t most = 2 * NS_PER_S / period_ns(s) + 1;
  if (end <= s->next + most) return end;
  if (s->next < s->begin) return s->next + most;
  s->next = end - most;
  return end;
}

static void add_event_records(struct stream *s, uint64_t events)
{
  struct frames_event e;
  if (!s->source.playback) s->event = frames_oldest_event(&s->source.ring, s->event, events);
  for (; s->event < events; s->event++) {
    const enum frames_got got = source_take_event(&s->source, s->event, &e);
    if (got == FRAMES_NOT_YET) return;
    if (got == FRAMES_WHOLE) wire_json(&s->out, WIRE_EVENT, events_json(&e));
  }
}

static void end_stream(struct stream *s, const char *why)
{
  wire_json(&s->out, WIRE_GONE, json_pack("{s:s%}", "reason", why, strlen(why)));
  s->ended = true;
}

/* Nothing new came. */
static void say_still(struct stream *s, uint64_t now_ns)
{
  if (now_ns < s->said_ns + STILL_NS) return;
  wire_end(&s->out, wire_begin(&s->out, WIRE_STILL));
}

void stream_fill(struct stream *s, uint64_t now_ns)
{
  char why[200] = "the daemon's frames cannot be read any more";
  uint64_t slots = 0, events = 0;
  if (s->ended || s->taken < s->out.count || now_ns < s->due_ns) return;
  s->out.count = s->taken = 0;
  /* Is it still there? */
  bool there = source_written(&s->source, &slots, &events);
  if (there && now_ns >= s->asked_ns + ASK_NS) {
    there = source_is_there(&s->source, why, sizeof why);
    s->asked_ns = now_ns;
  }
  /* The cycles since the last record. */
  struct wire_loop loop = {0};
  bool dense = false;
  const uint64_t end = limit_cycles(s, s->source.playback ? rows_due(s, now_ns) : slots);
  const bool newest = walk_cycles(s, end, &loop, &dense), old = end <= s->begin;
  if (newest && !old) add_frame(s);
  if (s->query.loop && loop.cycles > 0 && !old) {
    const size_t begin = wire_begin(&s->out, WIRE_LOOP);
    wire_bytes(&s->out, &loop, sizeof loop);
    wire_end(&s->out, begin);
  }
  if (s->query.events) add_event_records(s, events);
  if (!there) end_stream(s, why);
  /* When to look again: at once if this look came too early for a new cycle. */
  if (s->out.count == 0) {
    say_still(s, now_ns);
    s->due_ns = now_ns + (s->source.playback ? SEARCH_NS : SOON_NS);
  } else if (!old) {
    s->due_ns += interval_ns(s);
    if (s->due_ns < now_ns) s->due_ns = now_ns;
  }
  if (s->out.count) s->said_ns = now_ns;
}
