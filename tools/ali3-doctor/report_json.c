/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <ali3/version.h>
#include <jansson.h>
#include <math.h>

/* JSON has neither NaN nor infinity. */
static json_t *number_json(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

static json_t *integer_json(uint64_t v)
{
  return json_integer((json_int_t)v);
}

/* Text from files need not be UTF-8. */
static json_t *text_json(const char *v)
{
  json_t *j = json_string(v);
  return j ? j : json_string("?");
}

static json_t *host_object(const struct host *h)
{
  char set[256];
  return json_pack("{s:o, s:o, s:s, s:i, s:o}", "kernel", text_json(h->release), "version",
                   text_json(h->version), "root", host_is_here(h) ? "/" : h->root, "cpus",
                   CPU_COUNT(&h->online), "isolated", text_json(cpus_text(&h->isolated, set, sizeof set)));
}

static json_t *checks_array(const struct findings *all)
{
  json_t *list = json_array();
  for (int i = 0; i < all->count; i++) {
    const struct finding *f = &all->list[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s, s:o, s:b}", "id", f->id, "state",
                                          finding_word(f->state), "found", text_json(f->found), "why", f->why,
                                          "fix", text_json(f->fix), "measured", f->measured));
  }
  return list;
}

static json_t *wakeup_object(const struct measured *m)
{
  const struct histogram *h = &m->wakeup;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "count", integer_json(atomic_load(&h->count)), "min",
                   number_json((double)atomic_load(&h->min_ns) * 1e-3), "median",
                   number_json(histogram_percentile_us(h, 0.5)), "p99",
                   number_json(histogram_percentile_us(h, 0.99)), "p999",
                   number_json(histogram_percentile_us(h, 0.999)), "max",
                   number_json((double)atomic_load(&h->max_ns) * 1e-3));
}

static json_t *measured_object(const struct report *r)
{
  const struct measured *m = r->m;
  json_t *o = json_object();
  /* Describe the measurement. */
  json_object_set_new(o, "seconds", number_json((double)m->duration_ns * 1e-9));
  json_object_set_new(o, "period_us", number_json((double)r->plan->period_ns * 1e-3));
  json_object_set_new(o, "fifo", json_boolean(m->thread.policy == SCHED_FIFO));
  json_object_set_new(o, "fifo_reason", text_json(m->thread.reason));
  json_object_set_new(o, "priority", json_integer(m->thread.priority));
  json_object_set_new(o, "cpu", m->thread.cpu < 0 ? json_null() : json_integer(m->thread.cpu));
  json_object_set_new(o, "locked", json_boolean(m->memory.locked));
  json_object_set_new(o, "locked_reason", text_json(m->memory.reason));
  /* Add the figures. */
  json_object_set_new(o, "wakeup_us", wakeup_object(m));
  json_object_set_new(o, "skipped", integer_json(m->skipped));
  json_object_set_new(o, "minor_faults", json_integer(m->minor_faults));
  json_object_set_new(o, "major_faults", json_integer(m->major_faults));
  json_object_set_new(o, "voluntary_switches", json_integer(m->voluntary));
  json_object_set_new(o, "involuntary_switches", json_integer(m->involuntary));
  json_object_set_new(o, "clock_ns", number_json(m->clock_ns));
  json_object_set_new(o, "gap_us", number_json((double)m->gap_ns * 1e-3));
  json_object_set_new(o, "hwlat_us", r->hwlat_us < 0 ? json_null() : json_integer(r->hwlat_us));
  return o;
}

bool report_json(const struct report *r, FILE *out)
{
  /* Collect the reasons of the verdict. */
  json_t *o = json_object(), *reasons = json_array();
  for (int i = 0; i < r->all->count; i++)
    if (verdict_because(r->verdict, &r->all->list[i]))
      json_array_append_new(reasons, text_json(r->all->list[i].id));
  if (!r->m && r->verdict == VERDICT_USABLE) json_array_append_new(reasons, text_json("not measured"));
  json_object_set_new(o, "version", json_string(ALI3_VERSION));
  json_object_set_new(o, "verdict", json_string(verdict_word(r->verdict)));
  json_object_set_new(o, "reasons", reasons);
  if (r->m && r->verdict == VERDICT_UNFIT) json_object_set_new(o, "label", json_string("UNREPRESENTATIVE"));
  /* Add the host, the checks and the figures. */
  json_object_set_new(o, "host", host_object(r->host));
  json_object_set_new(o, "checks", checks_array(r->all));
  json_object_set_new(o, "measured", r->m ? measured_object(r) : json_null());
  if (!r->m) json_object_set_new(o, "not_measured", text_json(r->unmeasured));
  const bool good = o && json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
  fputc('\n', out);
  json_decref(o);
  return good;
}
