/* SPDX-License-Identifier: MIT
 * The format needs all lines of a metric together, after its HELP and TYPE: the outer loop runs over metrics, the inner
 * one over daemons. A daemon that is gone has the metric `up` only. */
#include "prometheus.h"

#include "lines.h"
#include "signals/exchange.h"
#include "telemetry/fields.h"

#include <ali3/version.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static double seconds_of(uint64_t ns)
{
  return (double)ns / 1e9;
}

/* Upper bounds of the buckets. All are edges of histogram bins (book.h), so no entry is assigned by a guess. They are
 * fine below 1 ms, where wake-ups lie, and octaves above. */
static const uint64_t bucket_ns[] = {5000,     10000,     15000,     20000,    30000,   40000,    50000,
                                     75000,    100000,    150000,    200000,   300000,  400000,   500000,
                                     750000,   1000000,   2000000,   4000000,  8000000, 16000000, 32000000,
                                     64000000, 128000000, 256000000, 512000000};

static void write_presence(const struct census *c, FILE *out)
{
  write_heading("gauge", "ali3_exporter_info", "version of this exporter", out);
  fprintf(out, "ali3_exporter_info{version=\"%s\"} 1\n", ALI3_VERSION);
  write_heading("gauge", "ali3_up", "1 if the daemon runs", out);
  for (int i = 0; i < c->count; i++)
    write_line("ali3_up", &c->one[i], NULL, NULL, c->one[i].sample.t != NULL, out);
}

static void write_info(const struct census *c, FILE *out)
{
  write_heading("gauge", "ali3_info", "1; labels: the model, and the reason if the daemon is not real-time",
                out);
  for (int i = 0; i < c->count; i++) {
    const struct present *p = &c->one[i];
    if (!p->sample.t) continue;
    fprintf(out, "ali3_info{daemon=\"%s\",model=\"", p->name);
    write_label(p->sample.t->model, out);
    fputs("\",reason=\"", out);
    write_label(p->sample.t->reason, out);
    fputs("\"} 1\n", out);
  }
}

/* Figures beside the block; NaN: none. */
static double healthy_value(const struct sample *s)
{
  return s->verdict == VERDICT_HEALTHY;
}
static double pid_value(const struct sample *s)
{
  return (double)s->t->pid;
}
static double uptime_value(const struct sample *s)
{
  return s->uptime;
}
static double age_value(const struct sample *s)
{
  return s->whole ? s->age : NAN;
}

static void write_sample(const struct census *c, const char *name, const char *help,
                         double (*value)(const struct sample *s), FILE *out)
{
  write_heading("gauge", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    const double v = s->t ? value(s) : NAN;
    if (!isnan(v)) write_line(name, &c->one[i], NULL, NULL, v, out);
  }
}

static void write_field(const struct census *c, const struct telemetry_field *f, FILE *out)
{
  static const char total[] = "_total";
  char name[64];
  snprintf(name, sizeof name, "ali3_%s", f->metric);
  const size_t n = strlen(name), tail = sizeof total - 1;
  write_heading(n > tail && strcmp(name + n - tail, total) == 0 ? "counter" : "gauge", name, f->text, out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    if (!s->t || (f->live && !s->whole)) continue;
    const struct field_value v = telemetry_value(s->t, f);
    if (v.type != VALUE_NONE) write_line(name, &c->one[i], NULL, NULL, v.si, out);
  }
}

static void write_run_states(const struct census *c, FILE *out)
{
  write_heading("gauge", "ali3_state", "1 for the state of the daemon, 0 for other states", out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    if (!s->t || !s->whole) continue;
#define STATE_LINE(id, code, text)                                                                           \
  write_line("ali3_state", &c->one[i], "state", text, s->t->live.state == (code), out);
    RUN_STATE_LIST(STATE_LINE)
#undef STATE_LINE
  }
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), tail = strlen(end);
  return n > tail && strcmp(text + n - tail, end) == 0;
}

/* The ending of a field decides: _clients is a present number, any other field is a count of events. Times become
 * seconds, the base unit of Prometheus. */
static void write_counter(const struct census *c, const char *field, const char *help, size_t offset,
                          FILE *out)
{
  static const char ns[] = "_ns";
  const bool gauge = ends_with(field, "_clients"), time = ends_with(field, ns);
  const int length = (int)(strlen(field) - (time ? sizeof ns - 1 : 0));
  char name[64];
  snprintf(name, sizeof name, "ali3_%.*s%s%s", length, field, time ? "_seconds" : "", gauge ? "" : "_total");
  write_heading(gauge ? "gauge" : "counter", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    if (!t) continue;
    const uint64_t v = counter_get((const _Atomic uint64_t *)((const char *)&t->counters + offset));
    write_line(name, &c->one[i], NULL, NULL, time ? seconds_of(v) : (double)v, out);
  }
}

/* Extremes, which buckets do not show. */
static void write_times(const struct census *c, const char *which, const char *help, size_t offset, FILE *out)
{
  char name[64];
  snprintf(name, sizeof name, "ali3_%s_seconds", which);
  write_heading("gauge", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    if (!t) continue;
#define TIME_LINE(phase, text)                                                                               \
  if (counter_get(&t->histograms.phase.count))                                                               \
    write_line(                                                                                              \
        name, &c->one[i], "phase", #phase,                                                                   \
        seconds_of(counter_get((const _Atomic uint64_t *)((const char *)&t->histograms.phase + offset))),    \
        out);
    BOOK_LIST(TIME_LINE)
#undef TIME_LINE
  }
}

static void write_loads(const struct census *c, FILE *out)
{
  static const char *const horizon[] = {"1s", "10s", "60s"};
  _Static_assert(sizeof horizon / sizeof *horizon == LOAD_HORIZONS, "horizons");
  write_heading("gauge", "ali3_load_ratio", "fraction of the period spent working, by horizon", out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    if (!s->t || !s->whole) continue;
    for (size_t k = 0; k < LOAD_HORIZONS; k++)
      write_line("ali3_load_ratio", &c->one[i], "horizon", horizon[k], s->t->live.load[k], out);
  }
}

/* Levels and kinds of work that have been timed. */
static void write_levels(const struct census *c, const char *name, const char *help, size_t offset, FILE *out)
{
  write_heading("gauge", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    for (uint64_t k = 0; t && k < t->histograms.levels; k++) {
      const struct book_level *level = &t->histograms.level[k];
      const struct stopwatch *w = (const struct stopwatch *)((const char *)level + offset);
      if (counter_get(&w->count))
        write_line(name, &c->one[i], "level", level->name, seconds_of(counter_get(&w->max_ns)), out);
    }
  }
}

/* Count and sum come from the bins, like the buckets, so they agree while the loop writes. The sum takes each entry at
 * the middle of its bin: an error of at most 0.5 us below 1 ms, 4.5 % above. */
static void write_distribution(const char *name, const struct present *p, const struct histogram *h,
                               FILE *out)
{
  uint64_t below = 0;
  double sum = 0.0;
  int bin = 0;
  for (size_t b = 0; b < sizeof bucket_ns / sizeof *bucket_ns; b++) {
    for (; bin < BOOK_BINS - 1 && histogram_edge(bin + 1) <= (double)bucket_ns[b]; bin++)
      below += counter_get(&h->bin[bin]);
    fprintf(out, "%s_bucket{daemon=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, p->name, seconds_of(bucket_ns[b]),
            below);
  }
  for (; bin < BOOK_BINS; bin++) below += counter_get(&h->bin[bin]);
  for (int i = 0; i < BOOK_BINS; i++) {
    const double low = histogram_edge(i), high = i < BOOK_BINS - 1 ? histogram_edge(i + 1) : low;
    sum += 0.5e-9 * (low + high) * (double)counter_get(&h->bin[i]);
  }
  fprintf(out, "%s_bucket{daemon=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, p->name, below);
  fprintf(out, "%s_sum{daemon=\"%s\"} %.15g\n", name, p->name, sum);
  fprintf(out, "%s_count{daemon=\"%s\"} %" PRIu64 "\n", name, p->name, below);
}

static void write_book(const struct census *c, FILE *out)
{
#define DISTRIBUTION(phase, text)                                                                            \
  write_heading("histogram", "ali3_" #phase "_seconds", text, out);                                          \
  for (int i = 0; i < c->count; i++)                                                                         \
    if (c->one[i].sample.t)                                                                                  \
      write_distribution("ali3_" #phase "_seconds", &c->one[i], &c->one[i].sample.t->histograms.phase, out);
  BOOK_LIST(DISTRIBUTION)
#undef DISTRIBUTION
}

void prometheus_write(const struct census *c, FILE *out)
{
  write_presence(c, out);
  write_info(c, out);
  write_sample(c, "ali3_healthy", "1 if the daemon is healthy, as in ali3-top", healthy_value, out);
  write_sample(c, "ali3_pid", "process number of the daemon", pid_value, out);
  write_sample(c, "ali3_uptime_seconds", "time since the start of the daemon", uptime_value, out);
  write_sample(c, "ali3_age_seconds", "time since the loop last wrote its figures", age_value, out);
  /* Single figures of the loop. */
  for (int i = 0; i < telemetry_fields; i++)
    if (*telemetry_field[i].metric) write_field(c, &telemetry_field[i], out);
  write_run_states(c, out);
  /* Times of the cycle and of the levels of the step. */
  write_times(c, "last", "time of the last cycle, by phase", offsetof(struct histogram, last_ns), out);
  write_times(c, "min", "shortest time since the warm-up, by phase", offsetof(struct histogram, min_ns), out);
  write_times(c, "max", "longest time since the warm-up, by phase", offsetof(struct histogram, max_ns), out);
  write_loads(c, out);
  write_levels(c, "ali3_level_busy_seconds_max", "longest work on a level of the step since the warm-up",
               offsetof(struct book_level, busy), out);
  write_levels(c, "ali3_level_wait_seconds_max",
               "longest wait of a worker for its share of a level since the warm-up",
               offsetof(struct book_level, wait), out);
  write_book(c, out);
  /* Devices, platforms and counters of the protocols. */
  prometheus_devices(c, out);
  prometheus_platforms(c, out);
  prometheus_rigs(c, out);
#define COUNTER_LINES(field, text) write_counter(c, #field, text, offsetof(struct counters, field), out);
  COUNTER_LIST(COUNTER_LINES)
#undef COUNTER_LINES
}
