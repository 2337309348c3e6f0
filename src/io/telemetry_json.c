/* SPDX-License-Identifier: MIT */
#include "io/telemetry_json.h"

#include "rt/machine.h"
#include "signals/exchange.h"

#include <math.h>

static uint64_t get(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

static json_t *integer(uint64_t v)
{
  return json_integer((json_int_t)v);
}
/* JSON knows neither NaN nor infinity. */
static json_t *number(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}
/* Text that came through shared memory need not be UTF-8. */
static json_t *text(const char *v)
{
  json_t *j = json_string(v);
  return j ? j : json_string("?");
}

static json_t *distribution(const struct histogram *h)
{
  json_t *o = json_object();
  json_object_set_new(o, "count", integer(get(&h->count)));
  json_object_set_new(o, "last", number((double)get(&h->last_ns) * 1e-3));
  json_object_set_new(o, "min", number((double)get(&h->min_ns) * 1e-3));
  json_object_set_new(o, "median", number(histogram_percentile_us(h, 0.5)));
  json_object_set_new(o, "p99", number(histogram_percentile_us(h, 0.99)));
  json_object_set_new(o, "p999", number(histogram_percentile_us(h, 0.999)));
  json_object_set_new(o, "max", number((double)get(&h->max_ns) * 1e-3));
  json_object_set_new(o, "max_cycle", integer(get(&h->max_cycle)));
  return o;
}

static void add_constants(json_t *o, const struct telemetry *t)
{
  json_object_set_new(o, "instance", text(t->instance));
  json_object_set_new(o, "model", text(t->model));
  json_object_set_new(o, "isa", text(t->isa));
  json_object_set_new(o, "pid", json_integer(t->pid));
  json_object_set_new(o, "realtime", json_boolean(t->realtime));
  json_object_set_new(o, "realtime_reason", text(t->reason));
  if (!t->realtime) json_object_set_new(o, "label", json_string("NOT REAL-TIME"));
  json_object_set_new(o, "period_s", number((double)t->period_ns * 1e-9));
  json_object_set_new(o, "bodies", integer(t->bodies));
  json_object_set_new(o, "rows", integer(t->rows));
  json_object_set_new(o, "workers", integer(t->workers));
  json_object_set_new(o, "priority", t->priority < 0 ? json_null() : json_integer(t->priority));
  json_object_set_new(o, "cpu", t->cpu < 0 ? json_null() : json_integer(t->cpu));
}

static void add_live(json_t *o, const struct telemetry_live *l)
{
  json_object_set_new(o, "state", json_string(run_state_name(l->state)));
  json_object_set_new(o, "flags", integer(l->flags));
  json_object_set_new(o, "fault", integer(l->fault));
  json_object_set_new(o, "fault_text", json_string(fault_text(l->fault)));
  json_object_set_new(o, "cycle", integer(l->cycle));
  json_object_set_new(o, "time_s", number(l->time));
  json_object_set_new(o, "misses", integer(l->misses));
  json_object_set_new(o, "skipped", integer(l->skipped));
  json_object_set_new(o, "input_age_ms",
                      l->input_age_ns == UINT64_MAX ? json_null() : number((double)l->input_age_ns * 1e-6));
  json_object_set_new(o, "stale_mask", integer(l->stale_mask));
  json_object_set_new(o, "clamped", integer(l->clamped));
  json_object_set_new(o, "degraded_steps", integer(l->degraded));
  json_object_set_new(o, "increment", number(l->increment));
  json_object_set_new(o, "constraint", number(l->constraint));
}

json_t *telemetry_json(const struct sample *s)
{
  json_t *o = json_object(), *reasons = json_array();
  for (int i = 0; i < s->reasons; i++) json_array_append_new(reasons, text(s->reason[i]));
  json_object_set_new(o, "status", json_string(verdict_name(s->verdict)));
  json_object_set_new(o, "reasons", reasons);
  if (!s->t) return o;
  add_constants(o, s->t);
  json_object_set_new(o, "uptime_s", number(s->uptime));
  json_object_set_new(o, "age_s", number(s->age));
  add_live(o, &s->live);
#define ADD_FIELD(name, what) json_object_set_new(o, #name "_us", distribution(&s->t->book.name));
  BOOK_LIST(ADD_FIELD)
#undef ADD_FIELD
  json_t *counters = json_object();
#define ADD_COUNTER(name, what)                                                                              \
  json_object_set_new(counters, #name, integer(counter_get(&s->t->counters.name)));
  COUNTER_LIST(ADD_COUNTER)
#undef ADD_COUNTER
  json_object_set_new(o, "counters", counters);
  return o;
}
