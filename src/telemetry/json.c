/* SPDX-License-Identifier: MIT */
#include "telemetry/json.h"

#include "signals/clocking.h"
#include "signals/exchange.h"
#include "signals/states.h"

#include <math.h>

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

static json_t *us(uint64_t ns)
{
  return number((double)ns * 1e-3);
}
static json_t *ms(uint64_t ns)
{
  return number((double)ns * 1e-6);
}

static json_t *distribution(const struct histogram *h)
{
  json_t *o = json_object();
  json_object_set_new(o, "count", integer(counter_get(&h->count)));
  json_object_set_new(o, "last", us(counter_get(&h->last_ns)));
  json_object_set_new(o, "min", us(counter_get(&h->min_ns)));
  json_object_set_new(o, "median", number(histogram_percentile_us(h, 0.5)));
  json_object_set_new(o, "p99", number(histogram_percentile_us(h, 0.99)));
  json_object_set_new(o, "p999", number(histogram_percentile_us(h, 0.999)));
  json_object_set_new(o, "max", us(counter_get(&h->max_ns)));
  json_object_set_new(o, "max_cycle", integer(counter_get(&h->max_cycle)));
  return o;
}

static json_t *stopwatch(const struct stopwatch *w)
{
  const uint64_t count = counter_get(&w->count);
  json_t *o = json_object();
  json_object_set_new(o, "count", integer(count));
  json_object_set_new(o, "last", us(counter_get(&w->last_ns)));
  json_object_set_new(o, "mean", count ? us(counter_get(&w->sum_ns) / count) : json_null());
  json_object_set_new(o, "max", us(counter_get(&w->max_ns)));
  json_object_set_new(o, "max_cycle", integer(counter_get(&w->max_cycle)));
  return o;
}

static json_t *field(const struct field_value *v)
{
  switch (v->type) {
  case VALUE_FLAG:
    return json_boolean(v->integer);
  case VALUE_INTEGER:
    return json_integer(v->integer);
  case VALUE_REAL:
    return number(v->number);
  case VALUE_TEXT:
    return text(v->text);
  case VALUE_NONE:
    break;
  }
  return json_null();
}

static void add_fields(json_t *o, const struct telemetry *t)
{
  json_object_set_new(o, "instance", text(t->instance));
  json_object_set_new(o, "pid", json_integer(t->pid));
  if (!t->realtime) json_object_set_new(o, "label", json_string("NOT REAL-TIME"));
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    const struct field_value v = telemetry_value(t, f);
    if (*f->key) json_object_set_new(o, f->key, field(&v));
  }
  json_object_set_new(o, "fault_text", json_string(fault_text(t->live.fault)));
}

static json_t *numbers(const double *v, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, number(v[i]));
  return list;
}

static json_t *platform(const struct telemetry *t)
{
  const struct platform_live *l = &t->live.platform;
  if (!t->platform) return json_null();
  json_t *o = json_object(), *flags = json_object();
  json_object_set_new(o, "state", json_string(platform_state_name(l->state)));
  json_object_set_new(o, "mode", json_string(platform_mode_name(l->mode)));
#define ADD_FLAG(id, bit, text) json_object_set_new(flags, text, json_boolean(l->flags &(id)));
  PLATFORM_FLAG_LIST(ADD_FLAG)
#undef ADD_FLAG
  json_object_set_new(o, "flags", flags);
  json_object_set_new(o, "pose", numbers(l->pose, PLATFORM_DOF));
  json_object_set_new(o, "target", numbers(l->target, PLATFORM_DOF));
  json_object_set_new(o, "legs_normalised", numbers(l->legs, PLATFORM_LEGS));
  json_object_set_new(o, "leg_unit", json_string(t->cranks ? "rad" : "m"));
  json_object_set_new(o, "leg_min", number(t->leg_min));
  json_object_set_new(o, "leg_max", number(t->leg_max));
  return o;
}

static void add_book(json_t *o, const struct book *b)
{
#define ADD_FIELD(name, what) json_object_set_new(o, #name "_us", distribution(&b->name));
  BOOK_LIST(ADD_FIELD)
#undef ADD_FIELD
  json_t *phases = json_object(), *levels = json_array();
#define ADD_PHASE(name, what) json_object_set_new(phases, #name, distribution(&b->name));
  PHASE_LIST(ADD_PHASE)
#undef ADD_PHASE
  for (uint64_t i = 0; i < b->levels; i++) {
    const struct book_level *level = &b->level[i];
    json_t *row = json_object();
    json_object_set_new(row, "name", text(level->name));
    json_object_set_new(row, "shared", json_boolean(level->shared));
    json_object_set_new(row, "nodes", integer(level->nodes));
    json_object_set_new(row, "wait_us", stopwatch(&level->wait));
    json_object_set_new(row, "busy_us", stopwatch(&level->busy));
    json_array_append_new(levels, row);
  }
  json_object_set_new(o, "phases", phases);
  json_object_set_new(o, "levels", levels);
  json_object_set_new(o, "cleared_cycle", integer(counter_get(&b->cleared)));
}

static json_t *miss(const struct miss *m, const struct book *b)
{
  char words[512];
  json_t *o = json_object();
  miss_text(m, b, words, sizeof words);
  json_object_set_new(o, "number", integer(m->number));
  json_object_set_new(o, "cycle", integer(m->cycle));
  json_object_set_new(o, "cause", json_string(miss_cause_name(m->cause)));
  json_object_set_new(o, "phase", m->phase < PHASES ? json_string(phase_name(m->phase)) : json_null());
  json_object_set_new(o, "text", text(words));
  json_object_set_new(o, "skipped", integer(m->skipped));
  json_object_set_new(o, "grace", json_boolean(m->grace));
  json_object_set_new(o, "state", json_string(run_state_name(m->state)));
  json_object_set_new(o, "wakeup_us", us(m->wake_ns > m->start_ns ? m->wake_ns - m->start_ns : 0));
  json_object_set_new(o, "cycle_us", us(m->end_ns > m->start_ns ? m->end_ns - m->start_ns : 0));
  json_object_set_new(o, "end_ns", integer(m->end_ns));
  return o;
}

/* Newest first. */
static json_t *misses(const struct telemetry *t)
{
  json_t *list = json_array();
  const uint64_t written = counter_get(&t->misses.written);
  for (uint64_t n = 1; n <= MISS_LOG && n <= written; n++) {
    struct miss m;
    if (miss_log_read(&t->misses, written - n, &m)) json_array_append_new(list, miss(&m, &t->book));
  }
  return list;
}

static json_t *inputs(const struct telemetry *t)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_view *v = &t->input[i];
    const uint64_t age = counter_get(&v->age_ns);
    json_t *o = json_object();
    json_object_set_new(o, "name", text(v->name));
    json_object_set_new(o, "policy", json_string(input_policy_name(v->policy)));
    json_object_set_new(o, "age_ms", age == UINT64_MAX ? json_null() : ms(age));
    json_object_set_new(o, "hold_ms", ms(v->hold_ns));
    json_object_set_new(o, "stale", json_boolean(input_is_stale(v)));
    json_object_set_new(o, "state", json_string(input_state_name(input_view_state(v))));
    const uint32_t limits = atomic_load_explicit(&v->limits, memory_order_relaxed);
    json_object_set_new(o, "clamped", json_boolean(limits & INPUT_CLAMPED));
    json_object_set_new(o, "rate_limited", json_boolean(limits & INPUT_SLOWED));
    char owner[CLIENT_NAME];
    client_name_read(&v->owner_name, owner);
    json_object_set_new(o, "owner", owner[0] ? text(owner) : json_null());
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *devices(const struct sample *s)
{
  json_t *list = json_array();
  for (uint64_t i = 0; i < s->t->devices; i++) {
    const struct device_view *v = &s->t->device[i];
    const uint64_t age = device_age_ns(v, s->now_ns);
    char error[DEVICE_TEXT];
    device_told(v, error);
    json_t *o = json_object(), *errors = json_object();
    json_object_set_new(o, "name", text(v->name));
    json_object_set_new(o, "state", json_string(device_state_name(counter_get(&v->state))));
    json_object_set_new(o, "age_ms", age == UINT64_MAX ? json_null() : ms(age));
#define ADD_FIGURE(name, metric, what) json_object_set_new(o, #name, integer(counter_get(&v->name)));
    DEVICE_FIGURE_LIST(ADD_FIGURE)
#undef ADD_FIGURE
#define ADD_ERROR(name, what)                                                                                \
  json_object_set_new(errors, #name, integer(counter_get(&v->errors[DEVICE_ERROR_##name])));
    DEVICE_ERROR_LIST(ADD_ERROR)
#undef ADD_ERROR
    json_object_set_new(o, "errors", errors);
    json_object_set_new(o, "error", text(error));
    json_array_append_new(list, o);
  }
  return list;
}

json_t *telemetry_json(const struct sample *s)
{
  json_t *o = json_object(), *reasons = json_array();
  for (int i = 0; i < s->reasons; i++) json_array_append_new(reasons, text(s->reason[i]));
  json_object_set_new(o, "status", json_string(verdict_name(s->verdict)));
  json_object_set_new(o, "reasons", reasons);
  if (!s->t) return o;
  add_fields(o, s->t);
  json_object_set_new(o, "uptime_s", number(s->uptime));
  json_object_set_new(o, "age_s", number(s->age));
  json_object_set_new(o, "load", numbers(s->t->live.load, LOAD_HORIZONS));
  add_book(o, &s->t->book);
  json_object_set_new(o, "misses_log", misses(s->t));
  json_object_set_new(o, "inputs", inputs(s->t));
  json_object_set_new(o, "devices", devices(s));
  json_object_set_new(o, "platform", platform(s->t));
  json_t *counters = json_object();
#define ADD_COUNTER(name, what)                                                                              \
  json_object_set_new(counters, #name, integer(counter_get(&s->t->counters.name)));
  COUNTER_LIST(ADD_COUNTER)
#undef ADD_COUNTER
  json_object_set_new(o, "counters", counters);
  return o;
}
