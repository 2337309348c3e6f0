/* SPDX-License-Identifier: MIT
 * The format wants all lines of a metric together, below its HELP and TYPE: the outer loop is over metrics,
 * the inner one over daemons. Of a daemon that is gone only `up` is shown. */
#include "prometheus.h"

#include "lines.h"
#include "signals/exchange.h"

#include <ali3/ali3.h>
#include <inttypes.h>
#include <string.h>

/* What one number of a daemon is: type, name behind "ali3_", meaning, where there is a value, the value; of
 * the sample s, the block t and its live part l. */
#define SCALAR_LIST(X)                                                                                       \
  X(gauge, healthy, "1 if ali3-top would say healthy", true, s->verdict == VERDICT_HEALTHY)                  \
  X(gauge, realtime, "1 if SCHED_FIFO and locked memory were granted", true, t->realtime)                    \
  X(gauge, pid, "process number", true, t->pid)                                                              \
  X(gauge, uptime_seconds, "since the daemon was started", true, s->uptime)                                  \
  X(gauge, age_seconds, "since the loop last wrote its figures", s->whole, s->age)                           \
  X(gauge, period_seconds, "nominal period of the cycle", true, seconds(t->period_ns))                       \
  X(gauge, bodies, "bodies of the model", true, t->bodies)                                                   \
  X(gauge, rows, "rows of the model", true, t->rows)                                                         \
  X(gauge, workers, "threads beside the loop", true, t->workers)                                             \
  X(gauge, priority, "SCHED_FIFO priority of the loop, where granted", t->priority >= 0, t->priority)        \
  X(gauge, cpu, "the one CPU of the loop, where pinned", t->cpu >= 0, t->cpu)                                \
  X(gauge, state_code, "state of the daemon, as over Modbus", s->whole, l->state)                            \
  X(gauge, fault_code, "cause of FAULT or SAFE, as over Modbus; 0 none", s->whole, l->fault)                 \
  X(counter, cycles_total, "cycles since the start", s->whole, l->cycle)                                     \
  X(gauge, simulated_seconds, "simulated time", s->whole, l->time)                                           \
  X(counter, deadline_misses_total, "cycles that ended after the next nominal start", s->whole, l->misses)   \
  X(counter, starts_skipped_total, "nominal starts left out after misses", s->whole, l->skipped)             \
  X(counter, degraded_steps_total, "steps that did not converge, or were violated", s->whole, l->degraded)   \
  X(counter, violated_steps_total, "steps after which a joint, drive or gear was open", s->whole,            \
    l->violated)                                                                                             \
  X(gauge, increment, "last Newton increment of the step", s->whole, l->increment)                           \
  X(gauge, constraint_violation, "largest violation of a position constraint", s->whole, l->constraint)      \
  X(gauge, input_age_seconds, "age of the oldest input, where any was received",                             \
    s->whole && l->input_age_ns != UINT64_MAX, seconds(l->input_age_ns))                                     \
  X(gauge, input_stale, "1 if an input is past its hold time", s->whole, (l->flags & FLAG_INPUT_STALE) != 0) \
  X(gauge, input_stale_mask, "bit i: input i, of the first 32, is past its hold time", s->whole,             \
    l->stale_mask)                                                                                           \
  X(counter, input_clamped_total, "input values clamped to their limits", s->whole, l->clamped)              \
  X(counter, grace_misses_total, "misses within the grace after a start, not among the others", s->whole,    \
    l->grace_misses)                                                                                         \
  X(counter, late_starts_total, "cycles begun late on purpose, to catch up", s->whole, l->late_starts)       \
  X(counter, slipped_seconds_total, "by which late cycles moved the grid on", s->whole,                      \
    seconds(l->slipped_ns))

static double seconds(uint64_t ns)
{
  return (double)ns / 1e9;
}

#define SCALAR_VALUE(type, name, help, present, value)                                                       \
  static bool get_##name(const struct sample *s, double *v)                                                  \
  {                                                                                                          \
    const struct telemetry *t = s->t;                                                                        \
    const struct telemetry_live *l = &s->live;                                                               \
    (void)t, (void)l;                                                                                        \
    if (!(present)) return false;                                                                            \
    *v = (double)(value);                                                                                    \
    return true;                                                                                             \
  }
SCALAR_LIST(SCALAR_VALUE)
#undef SCALAR_VALUE

static const struct scalar {
  const char *type, *name, *help;
  bool (*get)(const struct sample *s, double *v);
} scalars[] = {
#define SCALAR_ROW(type, name, help, present, value) {#type, "ali3_" #name, help, get_##name},
    SCALAR_LIST(SCALAR_ROW)
#undef SCALAR_ROW
};

/* Upper bounds of the buckets. All are edges of bins (book.h), so no entry is guessed to one side; below 1 ms
 * where wake-ups lie, above it by octaves. */
static const uint64_t bucket_ns[] = {5000,     10000,     15000,     20000,    30000,   40000,    50000,
                                     75000,    100000,    150000,    200000,   300000,  400000,   500000,
                                     750000,   1000000,   2000000,   4000000,  8000000, 16000000, 32000000,
                                     64000000, 128000000, 256000000, 512000000};

static uint64_t get(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

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
  write_heading("gauge", "ali3_info", "the model, and why it is not real time where it is not", out);
  for (int i = 0; i < c->count; i++) {
    const struct present *p = &c->one[i];
    if (!p->sample.t) continue;
    fprintf(out, "ali3_info{instance=\"%s\",model=\"", p->name);
    write_label(p->sample.t->model, out);
    fputs("\",reason=\"", out);
    write_label(p->sample.t->reason, out);
    fputs("\"} 1\n", out);
  }
}

static void write_scalar(const struct census *c, const struct scalar *m, FILE *out)
{
  write_heading(m->type, m->name, m->help, out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    double v;
    if (s->t && m->get(s, &v)) write_line(m->name, &c->one[i], NULL, NULL, v, out);
  }
}

static void write_states(const struct census *c, FILE *out)
{
  write_heading("gauge", "ali3_state", "1 for the state the daemon is in, 0 for all others", out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    if (!s->t || !s->whole) continue;
#define STATE_LINE(id, code, text)                                                                           \
  write_line("ali3_state", &c->one[i], "state", text, s->live.state == (code), out);
    RUN_STATE_LIST(STATE_LINE)
#undef STATE_LINE
  }
}

static void write_counter(const struct census *c, const char *field, const char *help, size_t offset,
                          FILE *out)
{
  /* How many there are now, rather than how often something happened. */
  static const char level[] = "_clients";
  const size_t n = strlen(field), tail = sizeof level - 1;
  const bool gauge = n > tail && strcmp(field + n - tail, level) == 0;
  char name[64];
  snprintf(name, sizeof name, "ali3_%s%s", field, gauge ? "" : "_total");
  write_heading(gauge ? "gauge" : "counter", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    if (!t) continue;
    const uint64_t v = counter_get((const _Atomic uint64_t *)((const char *)&t->counters + offset));
    write_line(name, &c->one[i], NULL, NULL, (double)v, out);
  }
}

/* The extremes that buckets do not tell. */
static void write_times(const struct census *c, const char *which, const char *help, size_t offset, FILE *out)
{
  char name[64];
  snprintf(name, sizeof name, "ali3_%s_seconds", which);
  write_heading("gauge", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    if (!t) continue;
#define TIME_LINE(phase, text)                                                                               \
  if (get(&t->book.phase.count))                                                                             \
    write_line(name, &c->one[i], "phase", #phase,                                                            \
               seconds(get((const _Atomic uint64_t *)((const char *)&t->book.phase + offset))), out);
    BOOK_LIST(TIME_LINE)
#undef TIME_LINE
  }
}

static void write_loads(const struct census *c, FILE *out)
{
  static const char *const horizon[] = {"1s", "10s", "60s"};
  _Static_assert(sizeof horizon / sizeof *horizon == sizeof c->one->sample.live.load / sizeof(double),
                 "horizons");
  write_heading("gauge", "ali3_load_ratio", "part of the period that is worked, by horizon", out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    if (!s->t || !s->whole) continue;
    for (size_t k = 0; k < sizeof horizon / sizeof *horizon; k++)
      write_line("ali3_load_ratio", &c->one[i], "horizon", horizon[k], s->live.load[k], out);
  }
}

/* Of the kinds of work and the levels of the tree, in as far as there was anything to time. */
static void write_levels(const struct census *c, const char *name, const char *help, size_t offset, FILE *out)
{
  write_heading("gauge", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    for (uint64_t k = 0; t && k < t->book.levels; k++) {
      const struct book_level *level = &t->book.level[k];
      const struct stopwatch *w = (const struct stopwatch *)((const char *)level + offset);
      if (get(&w->count)) write_line(name, &c->one[i], "level", level->name, seconds(get(&w->max_ns)), out);
    }
  }
}

/* Count and sum come from the bins, as the buckets do: so they agree, whatever the loop writes meanwhile. The
 * sum takes each entry for the middle of its bin: 0.5 us off at most below 1 ms, 4.5 % above. */
static void write_distribution(const char *name, const struct present *p, const struct histogram *h,
                               FILE *out)
{
  uint64_t below = 0;
  double sum = 0.0;
  int bin = 0;
  for (size_t b = 0; b < sizeof bucket_ns / sizeof *bucket_ns; b++) {
    for (; bin < BOOK_BINS - 1 && histogram_edge(bin + 1) <= (double)bucket_ns[b]; bin++)
      below += get(&h->bin[bin]);
    fprintf(out, "%s_bucket{instance=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, p->name, seconds(bucket_ns[b]),
            below);
  }
  for (; bin < BOOK_BINS; bin++) below += get(&h->bin[bin]);
  for (int i = 0; i < BOOK_BINS; i++) {
    const double low = histogram_edge(i), high = i < BOOK_BINS - 1 ? histogram_edge(i + 1) : low;
    sum += 0.5e-9 * (low + high) * (double)get(&h->bin[i]);
  }
  fprintf(out, "%s_bucket{instance=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, p->name, below);
  fprintf(out, "%s_sum{instance=\"%s\"} %.15g\n", name, p->name, sum);
  fprintf(out, "%s_count{instance=\"%s\"} %" PRIu64 "\n", name, p->name, below);
}

static void write_book(const struct census *c, FILE *out)
{
#define DISTRIBUTION(phase, text)                                                                            \
  write_heading("histogram", "ali3_" #phase "_seconds", text, out);                                          \
  for (int i = 0; i < c->count; i++)                                                                         \
    if (c->one[i].sample.t)                                                                                  \
      write_distribution("ali3_" #phase "_seconds", &c->one[i], &c->one[i].sample.t->book.phase, out);
  BOOK_LIST(DISTRIBUTION)
#undef DISTRIBUTION
}

void prometheus_write(const struct census *c, FILE *out)
{
  write_presence(c, out);
  write_info(c, out);
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) write_scalar(c, &scalars[i], out);
  write_states(c, out);
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
  prometheus_devices(c, out);
  prometheus_platforms(c, out);
#define COUNTER_LINES(field, text) write_counter(c, #field, text, offsetof(struct counters, field), out);
  COUNTER_LIST(COUNTER_LINES)
#undef COUNTER_LINES
}
