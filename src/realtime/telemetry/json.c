/* SPDX-License-Identifier: MIT */
#include "telemetry/json.h"
#include "telemetry/fields.h"

#include "signals/clocking.h"
#include "signals/exchange.h"
#include "signals/states.h"

#include <math.h>

static json_t *u64_json(uint64_t v)
{
  return json_integer((json_int_t)v);
}
/* JSON has neither NaN nor infinity. */
static json_t *real_or_null(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}
/* Text from shared memory need not be UTF-8. */
static json_t *utf8_json(const char *v)
{
  json_t *j = json_string(v);
  return j ? j : json_string("?");
}

static json_t *us_json(uint64_t ns)
{
  return real_or_null((double)ns * 1e-3);
}
static json_t *ms_json(uint64_t ns)
{
  return real_or_null((double)ns * 1e-6);
}

static json_t *distribution_json(const struct histogram *h)
{
  json_t *o = json_object();
  json_object_set_new(o, "count", u64_json(counter_get(&h->count)));
  json_object_set_new(o, "last", us_json(counter_get(&h->last_ns)));
  json_object_set_new(o, "min", us_json(counter_get(&h->min_ns)));
  json_object_set_new(o, "median", real_or_null(histogram_percentile_us(h, 0.5)));
  json_object_set_new(o, "p99", real_or_null(histogram_percentile_us(h, 0.99)));
  json_object_set_new(o, "p999", real_or_null(histogram_percentile_us(h, 0.999)));
  json_object_set_new(o, "max", us_json(counter_get(&h->max_ns)));
  json_object_set_new(o, "max_cycle", u64_json(counter_get(&h->max_cycle)));
  return o;
}

static json_t *stopwatch_json(const struct stopwatch *w)
{
  const uint64_t count = counter_get(&w->count);
  json_t *o = json_object();
  json_object_set_new(o, "count", u64_json(count));
  json_object_set_new(o, "last", us_json(counter_get(&w->last_ns)));
  json_object_set_new(o, "mean", count ? us_json(counter_get(&w->sum_ns) / count) : json_null());
  json_object_set_new(o, "max", us_json(counter_get(&w->max_ns)));
  json_object_set_new(o, "max_cycle", u64_json(counter_get(&w->max_cycle)));
  return o;
}

static json_t *field_json(const struct field_value *v)
{
  switch (v->type) {
  case VALUE_FLAG:
    return json_boolean(v->integer);
  case VALUE_INTEGER:
    return json_integer(v->integer);
  case VALUE_REAL:
    return real_or_null(v->number);
  case VALUE_TEXT:
    return utf8_json(v->text);
  case VALUE_NONE:
    break;
  }
  return json_null();
}

static void add_fields(json_t *o, const struct telemetry *t)
{
  json_object_set_new(o, "instance", utf8_json(t->instance));
  json_object_set_new(o, "pid", json_integer(t->pid));
  if (!t->realtime) json_object_set_new(o, "label", json_string("NOT REAL-TIME"));
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    const struct field_value v = telemetry_value(t, f);
    if (*f->key) json_object_set_new(o, f->key, field_json(&v));
  }
  json_object_set_new(o, "fault_text", json_string(fault_text(t->live.fault)));
}

static json_t *numbers_json(const double *v, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, real_or_null(v[i]));
  return list;
}

static json_t *platform_json(const struct telemetry *t)
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
  json_object_set_new(o, "pose", numbers_json(l->pose, PLATFORM_DOF));
  json_object_set_new(o, "target", numbers_json(l->target, PLATFORM_DOF));
  json_object_set_new(o, "legs_normalised", numbers_json(l->legs, PLATFORM_LEGS));
  /* Then its figures, and the range of its legs. */
  json_object_set_new(o, "false_force", json_real(l->false_force));
  json_object_set_new(o, "false_rate", json_real(l->false_rate));
  json_object_set_new(o, "leg_unit", json_string(t->cranks ? "rad" : "m"));
  json_object_set_new(o, "leg_min", real_or_null(t->leg_min));
  json_object_set_new(o, "leg_max", real_or_null(t->leg_max));
  return o;
}

/* The signs of the rig; the members are those of its signals. */
static json_t *rig_json(const struct telemetry *t)
{
  const struct rig_output *r = &t->live.rig;
  if (!t->rig) return json_null();
  json_t *o = json_object(), *flags = json_object(), *permissives = json_object();
  const unsigned on = rig_bits(r->flags), met = rig_bits(r->permissives);
#define ADD_FLAG(id, bit, text) json_object_set_new(flags, text, json_boolean(on &(unsigned)(id)));
  RIG_FLAG_LIST(ADD_FLAG)
#undef ADD_FLAG
  for (uint32_t i = 0; i < t->permissives; i++)
    json_object_set_new(permissives, t->permissive[i], json_boolean(met >> i & 1));
  json_object_set_new(o, "flags", flags);
  json_object_set_new(o, "permissives", permissives);
  /* Places, errors, and what is felt at the head. */
  json_object_set_new(o, "pose", numbers_json(r->pose, PLATFORM_DOF));
  json_object_set_new(o, "pose_error", numbers_json(r->pose_error, PLATFORM_DOF));
  json_object_set_new(o, "legs", numbers_json(r->legs, PLATFORM_LEGS));
  json_object_set_new(o, "leg_error", numbers_json(r->leg_error, PLATFORM_LEGS));
  json_object_set_new(o, "felt_force", real_or_null(r->felt_force[0]));
  json_object_set_new(o, "felt_rate", real_or_null(r->felt_rate[0]));
  json_object_set_new(o, "felt_beyond", real_or_null(r->felt_beyond[0]));
  return o;
}

static void add_book(json_t *o, const struct histograms *b)
{
#define ADD_FIELD(name, what) json_object_set_new(o, #name "_us", distribution_json(&b->name));
  BOOK_LIST(ADD_FIELD)
#undef ADD_FIELD
  json_t *phases = json_object(), *levels = json_array();
#define ADD_PHASE(name, what) json_object_set_new(phases, #name, distribution_json(&b->name));
  PHASE_LIST(ADD_PHASE)
#undef ADD_PHASE
  for (uint64_t i = 0; i < b->levels; i++) {
    const struct book_level *level = &b->level[i];
    json_t *row = json_object();
    json_object_set_new(row, "name", utf8_json(level->name));
    json_object_set_new(row, "shared", json_boolean(level->shared));
    json_object_set_new(row, "nodes", u64_json(level->nodes));
    json_object_set_new(row, "wait_us", stopwatch_json(&level->wait));
    json_object_set_new(row, "busy_us", stopwatch_json(&level->busy));
    json_array_append_new(levels, row);
  }
  json_object_set_new(o, "phases", phases);
  json_object_set_new(o, "levels", levels);
  json_object_set_new(o, "cleared_cycle", u64_json(counter_get(&b->cleared)));
}

json_t *culprit_json(const struct culprit *c)
{
  char policy[40];
  if (c->kind == CULPRIT_NONE) return json_null();
  json_t *o = json_object();
  json_object_set_new(o, "kind", json_string(culprit_kind_name(c->kind)));
  if (c->kind == CULPRIT_LOST) return o;
  json_object_set_new(o, "name", utf8_json(c->name));
  json_object_set_new(o, "id", json_integer(c->id));
  json_object_set_new(o, "cpu", json_integer(c->cpu));
  json_object_set_new(o, "had_s", json_real((double)c->ns * 1e-9));
  json_object_set_new(o, "waited_s", json_real((double)c->waited_ns * 1e-9));
  if (c->kind != CULPRIT_THREAD) return o;
  culprit_policy_text(c, policy, sizeof policy);
  json_object_set_new(o, "policy", json_string(policy));
  return o;
}

static json_t *miss_json(const struct miss *m, const struct histograms *b)
{
  char words[512];
  json_t *o = json_object();
  miss_text(m, b, words, sizeof words);
  /* Which miss, and why. */
  json_object_set_new(o, "number", u64_json(m->number));
  json_object_set_new(o, "cycle", u64_json(m->cycle));
  json_object_set_new(o, "cause", json_string(miss_cause_name(m->cause)));
  json_object_set_new(o, "phase", m->phase < PHASES ? json_string(phase_name(m->phase)) : json_null());
  json_object_set_new(o, "text", utf8_json(words));
  json_object_set_new(o, "culprit", culprit_json(&m->culprit));
  /* Its circumstances and times. */
  json_object_set_new(o, "skipped", u64_json(m->skipped));
  json_object_set_new(o, "grace", json_boolean(m->grace));
  json_object_set_new(o, "state", json_string(run_state_name(m->state)));
  json_object_set_new(o, "wakeup_us", us_json(m->wake_ns > m->start_ns ? m->wake_ns - m->start_ns : 0));
  json_object_set_new(o, "cycle_us", us_json(m->end_ns > m->start_ns ? m->end_ns - m->start_ns : 0));
  json_object_set_new(o, "end_ns", u64_json(m->end_ns));
  return o;
}

/* Newest first. */
static json_t *misses_json(const struct telemetry *t)
{
  json_t *list = json_array();
  const uint64_t written = counter_get(&t->misses.written);
  for (uint64_t n = 1; n <= MISS_LOG && n <= written; n++) {
    struct miss m;
    if (miss_log_read(&t->misses, written - n, &m))
      json_array_append_new(list, miss_json(&m, &t->histograms));
  }
  return list;
}

/* The channels of an input, in the order of its signals. */
static json_t *channels_json(const struct input_view *v)
{
  json_t *list = json_array();
  for (uint32_t k = 0; k < v->channels; k++) {
    const struct input_channel_view *ch = &v->channel[k];
    json_t *o = json_object();
    json_object_set_new(o, "acting", real_or_null(atomic_load_explicit(&ch->acting, memory_order_relaxed)));
    json_object_set_new(o, "written", real_or_null(atomic_load_explicit(&ch->written, memory_order_relaxed)));
    json_object_set_new(o, "lower", real_or_null(atomic_load_explicit(&ch->lower, memory_order_relaxed)));
    json_object_set_new(o, "upper", real_or_null(atomic_load_explicit(&ch->upper, memory_order_relaxed)));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *inputs_json(const struct telemetry *t)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_view *v = &t->input[i];
    const uint64_t age = counter_get(&v->age_ns);
    json_t *o = json_object();
    json_object_set_new(o, "name", utf8_json(v->name));
    json_object_set_new(o, "policy", json_string(input_policy_name(v->policy)));
    json_object_set_new(o, "age_ms", age == UINT64_MAX ? json_null() : ms_json(age));
    json_object_set_new(o, "hold_ms", ms_json(v->hold_ns));
    json_object_set_new(o, "stale", json_boolean(input_is_stale(v)));
    json_object_set_new(o, "state", json_string(input_state_name(input_view_state(v))));
    /* Add the effect of the input's limits on its last value. */
    const uint32_t limits = atomic_load_explicit(&v->limits, memory_order_relaxed);
    json_object_set_new(o, "clamped", json_boolean(limits & INPUT_CLAMPED));
    json_object_set_new(o, "rate_limited", json_boolean(limits & INPUT_SLOWED));
    char owner[CLIENT_NAME];
    client_name_read(&v->owner_name, owner);
    json_object_set_new(o, "owner", owner[0] ? utf8_json(owner) : json_null());
    json_object_set_new(o, "channels", channels_json(v));
    json_array_append_new(list, o);
  }
  return list;
}

/* Newest first. */
static json_t *strays_json(const struct telemetry *t)
{
  json_t *list = json_array();
  const struct stray_view *shown[TELEMETRY_STRAYS];
  const int n = stray_views(t, shown);
  for (int i = 0; i < n; i++) {
    char address[CLIENT_NAME], types[CLIENT_NAME], sender[CLIENT_NAME];
    const uint32_t kind = client_name_read(&shown[i]->address, address);
    client_name_read(&shown[i]->types, types);
    client_name_read(&shown[i]->sender, sender);
    /* Its texts, then its numbers. */
    json_t *o = json_object();
    json_object_set_new(o, "address", utf8_json(address));
    json_object_set_new(o, "types", utf8_json(types));
    json_object_set_new(o, "sender", utf8_json(sender));
    json_object_set_new(o, "reason", json_string(stray_reason(kind)));
    json_object_set_new(o, "count", u64_json(counter_get(&shown[i]->count)));
    json_object_set_new(o, "t_ns", u64_json(counter_get(&shown[i]->t_ns)));
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *devices_json(const struct sample *s)
{
  json_t *list = json_array();
  for (uint64_t i = 0; i < s->t->devices; i++) {
    const struct device_view *v = &s->t->device[i];
    const uint64_t age = device_age_ns(v, s->now_ns);
    char error[DEVICE_TEXT];
    device_told(v, error);
    json_t *o = json_object(), *errors = json_object();
    json_object_set_new(o, "name", utf8_json(v->name));
    json_object_set_new(o, "state", json_string(device_state_name(counter_get(&v->state))));
    json_object_set_new(o, "age_ms", age == UINT64_MAX ? json_null() : ms_json(age));
/* Add the counters: polls and errors. */
#define ADD_FIGURE(name, metric, what) json_object_set_new(o, #name, u64_json(counter_get(&v->name)));
    DEVICE_FIGURE_LIST(ADD_FIGURE)
#undef ADD_FIGURE
#define ADD_ERROR(name, what)                                                                                \
  json_object_set_new(errors, #name, u64_json(counter_get(&v->errors[DEVICE_ERROR_##name])));
    DEVICE_ERROR_LIST(ADD_ERROR)
#undef ADD_ERROR
    json_object_set_new(o, "errors", errors);
    json_object_set_new(o, "error", utf8_json(error));
    json_array_append_new(list, o);
  }
  return list;
}

json_t *telemetry_json(const struct sample *s)
{
  json_t *o = json_object(), *reasons = json_array();
  for (int i = 0; i < s->reasons; i++) json_array_append_new(reasons, utf8_json(s->reason[i]));
  json_object_set_new(o, "status", json_string(verdict_name(s->verdict)));
  json_object_set_new(o, "reasons", reasons);
  /* A daemon that has ended has a verdict only. */
  if (!s->t) return o;
  add_fields(o, s->t);
  json_object_set_new(o, "uptime_s", real_or_null(s->uptime));
  json_object_set_new(o, "age_s", real_or_null(s->age));
  json_object_set_new(o, "load", numbers_json(s->t->live.load, LOAD_HORIZONS));
  add_book(o, &s->t->histograms);
  json_object_set_new(o, "misses_log", misses_json(s->t));
  json_object_set_new(o, "inputs", inputs_json(s->t));
  json_object_set_new(o, "devices", devices_json(s));
  json_object_set_new(o, "osc_ignored", strays_json(s->t));
  json_object_set_new(o, "platform", platform_json(s->t));
  json_object_set_new(o, "rig", rig_json(s->t));
  /* The counters of the protocols. */
  json_t *counters = json_object();
#define ADD_COUNTER(name, what)                                                                              \
  json_object_set_new(counters, #name, u64_json(counter_get(&s->t->counters.name)));
  COUNTER_LIST(ADD_COUNTER)
#undef ADD_COUNTER
  json_object_set_new(o, "counters", counters);
  return o;
}
