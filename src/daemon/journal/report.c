/* SPDX-License-Identifier: MIT
 * Figures of a finished run, as JSON and as one line. Both label a run that was not real-time, so that nobody takes its
 * figures for the limits of the machine. */
#include "journal/report.h"

#include "signals/clocking.h"
#include "signals/exchange.h"

#include <ali3/version.h>
#include <inttypes.h>
#include <jansson.h>

enum { LAST_MISSES = 10 };

static uint64_t samples_in(const struct histogram *h)
{
  return atomic_load(&h->count);
}

/* Cycles since the warm-up, like misses and skips; the histograms may have been cleared since. */
static uint64_t cycles_done(const struct report *r, const struct telemetry_live *live)
{
  const uint64_t warmup = (uint64_t)r->settings->cycle.warmup;
  return live->cycle > warmup ? live->cycle - warmup : 0;
}

/* Upper limit of the miss rate with 95 % confidence after N cycles without a miss: 3/N. "0 misses" alone has no
 * meaning. */
static double miss_bound(uint64_t cycles)
{
  return cycles ? 3.0 / (double)cycles : 1.0;
}

static double maximum_us(const struct histogram *h)
{
  return (double)atomic_load(&h->max_ns) / 1e3;
}

/* Null for an empty histogram: a 0 would look like a very good figure. */
static json_t *distribution_object(const struct histogram *h)
{
  if (samples_in(h) == 0)
    return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n}", "min", "median", "p99", "p999", "p9999", "max");
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "min", (double)atomic_load(&h->min_ns) / 1e3, "median",
                   histogram_percentile_us(h, 0.5), "p99", histogram_percentile_us(h, 0.99), "p999",
                   histogram_percentile_us(h, 0.999), "p9999", histogram_percentile_us(h, 0.9999), "max",
                   maximum_us(h));
}

/* The non-empty bins: lower edge in us, and count. */
static json_t *bins_array(const struct histogram *h)
{
  json_t *list = json_array();
  for (int i = 0; i < BOOK_BINS; i++) {
    const uint64_t count = atomic_load(&h->bin[i]);
    if (count) json_array_append_new(list, json_pack("[f, I]", histogram_edge(i) / 1e3, (json_int_t)count));
  }
  return list;
}

static json_t *counters_object(const struct counters *c)
{
  json_t *object = json_object();
#define ADD(name, text) json_object_set_new(object, #name, json_integer((json_int_t)counter_get(&c->name)));
  COUNTER_LIST(ADD)
#undef ADD
  return object;
}

/* The counters have the order of the causes: journal/misses.h. */
static json_t *causes_object(const struct counters *c)
{
  json_t *object = json_object();
  for (unsigned i = 0; i < MISS_CAUSES; i++)
    json_object_set_new(object, miss_cause_name(i),
                        json_integer((json_int_t)counter_get(&c->miss_unknown + i)));
  return object;
}

static json_t *last_misses(const struct telemetry *t)
{
  json_t *list = json_array();
  const uint64_t written = atomic_load(&t->misses.written);
  for (uint64_t k = written > LAST_MISSES ? written - LAST_MISSES : 0; k < written; k++) {
    struct miss m;
    char text[400];
    if (!miss_log_read(&t->misses, k, &m)) continue;
    miss_text(&m, &t->histograms, text, sizeof text);
    json_array_append_new(list, json_string(text));
  }
  return list;
}

static void add_misses(json_t *o, const struct telemetry *t, const struct telemetry_live *live)
{
  json_object_set_new(o, "misses", json_integer((json_int_t)live->misses));
  json_object_set_new(o, "misses_by_cause", causes_object(&t->counters));
  json_object_set_new(o, "last_misses", last_misses(t));
  json_object_set_new(o, "grace_misses", json_integer((json_int_t)live->grace_misses));
  json_object_set_new(o, "skipped", json_integer((json_int_t)live->skipped));
  json_object_set_new(o, "late_starts", json_integer((json_int_t)live->late_starts));
  json_object_set_new(o, "slipped_s", json_real((double)live->slipped_ns / 1e9));
}

static json_t *build_report(const struct report *r)
{
  const struct telemetry *t = r->telemetry;
  struct telemetry_live live = {0};
  telemetry_read(t, &live);
  const uint64_t cycles = cycles_done(r, &live);
  json_t *o = json_object();
  /* Say first whether the figures are representative. */
  json_object_set_new(o, "realtime", json_boolean(r->realtime));
  json_object_set_new(o, "realtime_reason", json_string(r->reason));
  if (!r->realtime) json_object_set_new(o, "label", json_string("NOT REAL-TIME"));
  /* Describe the configuration. */
  json_object_set_new(o, "version", json_string(ALI3_VERSION));
  json_object_set_new(o, "model", json_string(t->model));
  json_object_set_new(o, "instance", json_string(t->instance));
  json_object_set_new(o, "isa", json_string(t->isa));
  json_object_set_new(o, "period_s", json_real(r->settings->options.dt));
  json_object_set_new(o, "workers",
                      json_integer(t->workers)); /* number in use, also if it was chosen by ali3d */
  /* Periods of the clock, with a cycle or skipped. */
  json_object_set_new(o, "duration_s", json_real((double)(cycles + live.skipped) * r->settings->options.dt));
  json_object_set_new(o, "simulated_s", json_real(live.time));
  /* Describe the end of the run. */
  json_object_set_new(o, "state", json_string(run_state_name(r->final_state)));
  json_object_set_new(o, "warmup_cycles", json_integer(r->settings->cycle.warmup));
  json_object_set_new(o, "cycles", json_integer((json_int_t)cycles));
  json_object_set_new(o, "clocking", json_string(clocking_name(t->clocking)));
  json_object_set_new(o, "overrun", json_string(overrun_name(t->overrun)));
  json_object_set_new(
      o, "load", json_pack("{s:f, s:f, s:f}", "1s", live.load[0], "10s", live.load[1], "60s", live.load[2]));
  /* Add the misses and the degraded steps. */
  add_misses(o, t, &live);
  if (live.misses == 0) json_object_set_new(o, "miss_rate_below_95", json_real(miss_bound(cycles)));
  json_object_set_new(o, "degraded", json_integer((json_int_t)live.degraded));
  json_object_set_new(o, "retried", json_integer((json_int_t)live.retried));
  json_object_set_new(o, "violated", json_integer((json_int_t)live.violated));
  json_object_set_new(o, "violated_first_cycle", json_integer((json_int_t)live.violated_first));
  json_object_set_new(o, "violated_last_cycle", json_integer((json_int_t)live.violated_cycle));
  json_object_set_new(o, "violated_at", json_string(live.violated_at));
  if (t->platform)
    json_object_set_new(o, "false_cue",
                        json_pack("{s:f, s:f}", "force_m_s2", live.platform.false_force, "rate_rad_s",
                                  live.platform.false_rate));
  json_object_set_new(o, "clamped", json_integer((json_int_t)live.clamped));
  json_object_set_new(o, "commands_dropped", json_integer((json_int_t)r->commands_dropped));
#define ADD(name, text) json_object_set_new(o, #name "_us", distribution_object(&t->histograms.name));
  BOOK_LIST(ADD)
#undef ADD
  json_object_set_new(o, "counters", counters_object(&t->counters));
  json_t *histograms = json_object(); /* long, so they come last */
  json_object_set_new(histograms, "wakeup", bins_array(&t->histograms.wakeup));
  json_object_set_new(histograms, "step", bins_array(&t->histograms.step));
  json_object_set_new(histograms, "cycle", bins_array(&t->histograms.cycle));
  json_object_set_new(o, "histogram_us", histograms);
  return o;
}

bool report_write(const struct report *r, FILE *out)
{
  json_t *o = build_report(r);
  const bool written = json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                       fputc('\n', out) != EOF && fflush(out) == 0;
  json_decref(o);
  return written;
}

void report_text(const struct report *r, char *text, size_t size)
{
  const struct histograms *histograms = &r->telemetry->histograms;
  struct telemetry_live live = {0};
  telemetry_read(r->telemetry, &live);
  const uint64_t cycles = cycles_done(r, &live);
  char misses[80];
  if (live.misses == 0)
    snprintf(misses, sizeof misses, "0 misses (rate below %.1e with 95 %% confidence)", miss_bound(cycles));
  else
    snprintf(misses, sizeof misses, "misses %" PRIu64 ", starts skipped %" PRIu64, live.misses, live.skipped);
  snprintf(
      text, size,
      "%s%" PRIu64 " cycles, state %s at the end, %s; largest wake-up %.0f us, step %.0f us, cycle %.0f us",
      r->realtime ? "" : "NOT REAL-TIME, figures unrepresentative: ", cycles, run_state_name(r->final_state),
      misses, maximum_us(&histograms->wakeup), maximum_us(&histograms->step), maximum_us(&histograms->cycle));
}
