/* SPDX-License-Identifier: MIT */
#include "show.h"
#include "signals/exchange.h"

#include <inttypes.h>

static uint64_t get(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

static void show_distribution(const char *name, const struct histogram *h, FILE *out)
{
  fprintf(out, "%-9s", name);
  if (get(&h->count) == 0) {
    fprintf(out, "%10s\n", "-");
    return;
  }
  fprintf(out, "%10.1f%10.1f%10.1f%10.1f%10.1f%10.1f  %" PRIu64 "\n", (double)get(&h->last_ns) * 1e-3,
          (double)get(&h->min_ns) * 1e-3, histogram_percentile_us(h, 0.5), histogram_percentile_us(h, 0.99),
          histogram_percentile_us(h, 0.999), (double)get(&h->max_ns) * 1e-3, get(&h->max_cycle));
}

static void show_input_age(uint64_t ns, FILE *out)
{
  if (ns == UINT64_MAX)
    fprintf(out, "none received");
  else
    fprintf(out, "%.0f ms", (double)ns * 1e-6);
}

static void show_deadlines(const struct telemetry_live *l, uint64_t counted, FILE *out)
{
  fprintf(out, "deadlines %" PRIu64 " missed, %" PRIu64 " starts skipped", l->misses, l->skipped);
  /* Rule of three: what so many cycles without a miss prove. */
  if (l->misses == 0 && counted > 0)
    fprintf(out, " (95 %% sure: below %.1e per cycle)", 3.0 / (double)counted);
  fputc('\n', out);
}

static void show_counters(const struct counters *c, FILE *out)
{
#define SHOW_COUNTER(name, text)                                                                             \
  if (counter_get(&c->name)) fprintf(out, "%12" PRIu64 "  %s\n", counter_get(&c->name), text);
  COUNTER_LIST(SHOW_COUNTER)
#undef SHOW_COUNTER
}

static void show_verdict(const struct sample *s, FILE *out)
{
  static const char *const word[] = {
      [VERDICT_HEALTHY] = "healthy", [VERDICT_DEGRADED] = "DEGRADED", [VERDICT_GONE] = "GONE"};
  fprintf(out, "%s", word[s->verdict]);
  for (int i = 0; i < s->reasons; i++) fprintf(out, "%s%s", i ? "; " : ": ", s->reason[i]);
}

void show_block(const struct sample *s, FILE *out)
{
  if (s->verdict == VERDICT_GONE) {
    show_verdict(s, out);
    fputc('\n', out);
    return;
  }
  const struct telemetry *t = s->t;
  const struct telemetry_live *l = &s->live;
  fprintf(out, "ali3d     %s  %s  pid %" PRId64 "  up %.0f s\n", t->instance, run_state_name(l->state),
          t->pid, s->uptime);
  if (!t->realtime) fprintf(out, "          NOT REAL-TIME, figures unrepresentative: %s\n", t->reason);
  fprintf(out, "verdict   ");
  show_verdict(s, out);
  fprintf(out, "\nmodel     %s: %u bodies, %u rows, %u workers, %s, period %g ms", t->model, t->bodies,
          t->rows, t->workers, t->isa, (double)t->period_ns * 1e-6);
  if (t->priority >= 0) fprintf(out, ", priority %" PRId32, t->priority);
  if (t->cpu >= 0) fprintf(out, ", CPU %" PRId32, t->cpu);
  fprintf(out, "\ncycle     %" PRIu64 "   simulated time %.3f s\n", l->cycle, l->time);
  show_deadlines(l, get(&t->book.cycle.count), out);

  fprintf(out, "\n%-9s%10s%10s%10s%10s%10s%10s  %s\n", "us", "last", "min", "median", "p99", "p99.9", "max",
          "max in cycle");
#define SHOW_FIELD(name, text) show_distribution(#name, &t->book.name, out);
  BOOK_LIST(SHOW_FIELD)
#undef SHOW_FIELD

  fprintf(out, "\ninputs    age ");
  show_input_age(l->input_age_ns, out);
  fprintf(out, ", stale mask 0x%" PRIx32 ", %" PRIu64 " values clamped\n", l->stale_mask, l->clamped);
  fprintf(out, "solver    %" PRIu64 " degraded steps, last increment %.1e, constraint violation %.1e\n",
          l->degraded, l->increment, l->constraint);
  fprintf(out, "clients   OSC %" PRIu64 ", Modbus %" PRIu64 "\n", counter_get(&t->counters.osc_clients),
          counter_get(&t->counters.modbus_clients));
  show_counters(&t->counters, out);
}

void show_line(const struct sample *s, FILE *out)
{
  if (s->verdict == VERDICT_GONE) {
    fprintf(out, "waiting for a daemon: %s", s->reason[0]);
    return;
  }
  const struct telemetry *t = s->t;
  const struct telemetry_live *l = &s->live;
  /* The most important first: a narrow terminal cuts the rest. */
  fprintf(out, "%s %s%s  t %.2f s  cycle %" PRIu64 "  misses %" PRIu64, t->instance, run_state_name(l->state),
          t->realtime ? "" : " NOT REAL-TIME", l->time, l->cycle, l->misses);
#define SHOW_FIELD(name, text)                                                                               \
  fprintf(out, "  %s %.0f/%.0f", #name, (double)get(&t->book.name.last_ns) * 1e-3,                           \
          (double)get(&t->book.name.max_ns) * 1e-3);
  SHOW_FIELD(wakeup, "")
  SHOW_FIELD(step, "")
  SHOW_FIELD(cycle, "")
#undef SHOW_FIELD
  fprintf(out, " us  input ");
  show_input_age(l->input_age_ns, out);
  fprintf(out, "  clients %" PRIu64,
          counter_get(&t->counters.osc_clients) + counter_get(&t->counters.modbus_clients));
  if (s->verdict == VERDICT_DEGRADED) fprintf(out, "  DEGRADED: %s", s->reason[0]);
}
