/* SPDX-License-Identifier: MIT */
#include "telemetry/watch.h"

#include "rt/clock.h"
#include "signals/exchange.h"
#include "signals/states.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STUCK_PERIODS = 10 };
static const double stuck_s = 1.0;
/* After this time a miss or a step that did not converge is no reason any more. */
static const double news_s = 60.0;

static __attribute__((format(printf, 2, 3))) void add_reason(struct sample *s, const char *format, ...)
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
  telemetry_close(&w->reader);
}

static bool is_attached(const struct watch *w)
{
  return w->reader.instance[0] != '\0';
}

static bool attach_reader(struct watch *w, struct sample *s)
{
  char newest[1][64], error[256];
  const char *name = w->wanted;
  if (!name) {
    if (telemetry_list(newest, 1) == 0) {
      telemetry_none_text(error, sizeof error);
      if (w->last[0])
        add_reason(s, "\"%s\" is gone", w->last);
      else
        add_reason(s, "%s", error);
      return false;
    }
    name = newest[0];
  }
  if (telemetry_open(&w->reader, name, error, sizeof error)) return true;
  add_reason(s, "%s", error);
  return false;
}

/* Cycle of the last miss that counts, or a later cycle if its record is lost; 0: the record has not come yet. */
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

/* Seconds between a cycle and now. */
static double since_cycle(const struct sample *s, uint64_t cycle)
{
  const uint64_t now = s->t->live.cycle;
  return now > cycle ? (double)(now - cycle) * (double)s->t->period_ns * 1e-9 : 0.0;
}

/* Misses are counted for ever, but are a reason for a minute of cycles only, and not after the histograms were cleared. */
static void judge_misses(struct sample *s)
{
  const struct telemetry_live *l = &s->t->live;
  if (l->misses == 0) return;
  const char *many = l->misses == 1 ? "" : "s";
  const uint64_t cycle = last_miss(s->t, l);
  if (cycle == 0) {
    add_reason(s, "%" PRIu64 " deadline%s missed", l->misses, many);
    return;
  }
  if (cycle <= atomic_load_explicit(&s->t->histograms.cleared, memory_order_relaxed)) return;
  const double ago = since_cycle(s, cycle);
  if (ago < news_s) add_reason(s, "%" PRIu64 " deadline%s missed, the last %.0f s ago", l->misses, many, ago);
}

/* Steps that did not converge are a reason for a minute of cycles, unless the histograms were cleared since. */
static void judge_steps(struct sample *s)
{
  const struct telemetry_live *l = &s->t->live;
  const uint64_t cycle = l->degraded_cycle;
  const uint64_t only = l->degraded - l->violated; /* violated steps have a reason of their own */
  if (only == 0 || cycle <= atomic_load_explicit(&s->t->histograms.cleared, memory_order_relaxed)) return;
  const double ago = since_cycle(s, cycle);
  if (ago < news_s)
    add_reason(s,
               "%" PRIu64 " step%s did not converge, the last %.0f s ago: raise solver.iterations or shorten "
               "the period",
               only, only == 1 ? "" : "s", ago);
}

/* Steps that left a joint, drive or gear open: a reason for a minute of cycles, unless the histograms were cleared
 * since. */
static void judge_violations(struct sample *s)
{
  const struct telemetry_live *l = &s->t->live;
  const uint64_t cycle = l->violated_cycle;
  if (l->violated == 0 || cycle <= atomic_load_explicit(&s->t->histograms.cleared, memory_order_relaxed))
    return;
  const double ago = since_cycle(s, cycle);
  if (ago < news_s)
    add_reason(s, "%" PRIu64 " step%s violated, the last %.0f s ago: %.60s is open; the log names the drives",
               l->violated, l->violated == 1 ? "" : "s", ago, l->violated_at);
}

static void judge_devices(struct sample *s)
{
  for (uint64_t i = 0; i < s->t->devices && i < DEVICES_MAX; i++) {
    const struct device_view *v = &s->t->device[i];
    char text[DEVICE_TEXT];
    if (counter_get(&v->state) == DEVICE_UP) continue;
    device_told(v, text);
    add_reason(s, "device %.60s %s%s%s", v->name, device_state_name(counter_get(&v->state)),
               text[0] ? ": " : "", text);
  }
}

/* The lost datagrams may have held values and commands of any client. */
static void judge_overflow(struct sample *s)
{
  const uint64_t at_ns = atomic_load_explicit(&s->t->overflow_ns, memory_order_relaxed);
  if (at_ns == 0) return;
  const double ago = s->now_ns > at_ns ? (double)(s->now_ns - at_ns) * 1e-9 : 0.0;
  if (ago < news_s)
    add_reason(s, "%" PRIu64 " OSC datagrams dropped by the kernel, the last %.0f s ago: the socket was full",
               counter_get(&s->t->counters.osc_overflow), ago);
}

static void judge_daemon(struct sample *s)
{
  const struct telemetry_live *l = &s->t->live;
  const double period = (double)s->t->period_ns * 1e-9;
  if (!l->waiting && s->age > stuck_s && s->age > STUCK_PERIODS * period)
    add_reason(s, "the loop has not advanced for %.1f s", s->age);
  if (l->state == STATE_FAULT || l->state == STATE_SAFE)
    add_reason(s, "state %s: %s", run_state_name(l->state), fault_text(l->fault));
  judge_misses(s);
  judge_violations(s);
  judge_steps(s);
  if (l->stale_mask || l->flags & FLAG_INPUT_STALE)
    add_reason(s, "stale inputs, mask 0x%" PRIx32 "; send them again or reset", l->stale_mask);
  if (l->flags & FLAG_INJECTED) add_reason(s, "FAULT INJECTION acts on the inputs");
  judge_overflow(s);
  judge_devices(s);
  if (s->reasons) s->verdict = VERDICT_DEGRADED;
}

/* Returns true if there is a daemon to copy. */
static bool find_daemon(struct watch *w, struct sample *s)
{
  if (is_attached(w) && !(telemetry_alive(&w->reader) && telemetry_is_current(&w->reader))) watch_close(w);
  if (!is_attached(w) && !attach_reader(w, s)) return false;
  snprintf(w->last, sizeof w->last, "%.63s", w->reader.instance);
  if (telemetry_alive(&w->reader)) return true;
  add_reason(s, "\"%s\" is gone: process %" PRId64 " ended without cleaning up", w->last, w->reader.pid);
  return false;
}

void watch_look(struct watch *w, struct sample *s, struct telemetry *copy)
{
  *s = (struct sample){.verdict = VERDICT_GONE};
  if (!find_daemon(w, s)) {
    watch_close(w);
    return;
  }
  const enum telemetry_copied copied = telemetry_copy(&w->reader, copy);
  if (copied == TELEMETRY_NOT_READ) {
    add_reason(s, "\"%s\" cannot be read: its shared memory was truncated", w->last);
    watch_close(w);
    return;
  }
  s->t = copy;
  s->verdict = VERDICT_HEALTHY;
  s->whole = copied == TELEMETRY_WHOLE;
  const uint64_t now = s->now_ns = clock_now_ns();
  const uint64_t written = copy->live.t_ns ? copy->live.t_ns : copy->start_ns; /* before the first cycle */
  s->age = now > written ? (double)(now - written) * 1e-9 : 0.0;
  s->uptime = now > copy->start_ns ? (double)(now - copy->start_ns) * 1e-9 : 0.0;
  if (!s->whole) add_reason(s, "figures are inconsistent: the loop stopped while it wrote them");
  judge_daemon(s);
}

int stray_views(const struct telemetry *t, const struct stray_view *shown[TELEMETRY_STRAYS])
{
  int n = 0;
  for (int i = 0; i < TELEMETRY_STRAYS; i++) {
    const struct stray_view *v = &t->stray[i];
    if (counter_get(&v->t_ns) == 0) continue;
    int at = n++;
    for (; at > 0 && counter_get(&shown[at - 1]->t_ns) < counter_get(&v->t_ns); at--)
      shown[at] = shown[at - 1];
    shown[at] = v;
  }
  return n;
}

const char *stray_reason(uint32_t kind)
{
  static const char *const REASONS[STRAY_KINDS] = {[STRAY_UNKNOWN] = "unknown address",
                                                   [STRAY_TYPES] = "wrong types",
                                                   [STRAY_MALFORMED] = "malformed datagram",
                                                   [STRAY_NONFINITE] = "NaN or infinity",
                                                   [STRAY_READER] = "no right to write",
                                                   [STRAY_STRANGER] = "no access",
                                                   [STRAY_LOCKED] = "a stop is latched",
                                                   [STRAY_NAME] = "unknown name",
                                                   [STRAY_REFUSED] = "refused"};
  return kind < STRAY_KINDS && REASONS[kind] ? REASONS[kind] : "unknown reason";
}

void stray_text(const struct stray_view *v, char *text, size_t size)
{
  char address[CLIENT_NAME], types[CLIENT_NAME], sender[CLIENT_NAME];
  const uint32_t kind = client_name_read(&v->address, address);
  client_name_read(&v->types, types);
  client_name_read(&v->sender, sender);
  char what[3 * CLIENT_NAME + 40];
  if (kind == STRAY_TYPES)
    snprintf(what, sizeof what, "%s with wrong types \"%s\"", address, types);
  else
    snprintf(what, sizeof what, "%s %s", stray_reason(kind), address);
  snprintf(text, size, "OSC from %s ignored: %s, %" PRIu64 " times", sender, what, counter_get(&v->count));
}
