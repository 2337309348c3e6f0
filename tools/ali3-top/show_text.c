/* SPDX-License-Identifier: MIT */
#include "show.h"

#include "signals/clocking.h"
#include "signals/exchange.h"
#include "words.h"

#include <inttypes.h>

enum { MISSES_SHOWN = 5 };
static const double share_shown = 0.02; /* smallest share of the step for which an unshared level is shown */

static void show_distribution(const char *name, const struct histogram *h, FILE *out)
{
  fprintf(out, "%-9s", name);
  if (counter_get(&h->count) == 0) {
    fprintf(out, "%10s\n", "-");
    return;
  }
  fprintf(out, "%10.1f%10.1f%10.1f%10.1f%10.1f%10.1f  %" PRIu64 "\n", (double)counter_get(&h->last_ns) * 1e-3,
          (double)counter_get(&h->min_ns) * 1e-3, histogram_percentile_us(h, 0.5),
          histogram_percentile_us(h, 0.99), histogram_percentile_us(h, 0.999),
          (double)counter_get(&h->max_ns) * 1e-3, counter_get(&h->max_cycle));
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
  /* Rule of three: the upper limit of the miss rate after this many cycles without a miss. */
  if (l->misses == 0 && counted > 0)
    fprintf(out, " (95 %% sure: below %.1e per cycle)", 3.0 / (double)counted);
  if (l->grace_misses) fprintf(out, ", %" PRIu64 " missed in the grace", l->grace_misses);
  if (l->late_starts) fprintf(out, ", %" PRIu64 " late starts", l->late_starts);
  if (l->slipped_ns) fprintf(out, ", slipped by %.3f s", (double)l->slipped_ns * 1e-9);
  fputc('\n', out);
}

static void show_manner(const struct telemetry *t, FILE *out)
{
  const struct telemetry_live *l = &t->live;
  fprintf(out, "clocking  %s%s, overrun %s   load %.1f %% in 1 s, %.1f %% in 10 s, %.1f %% in 60 s\n",
          clocking_name(t->clocking), l->waiting ? " (waits)" : "", words_overrun(t).text, 100.0 * l->load[0],
          100.0 * l->load[1], 100.0 * l->load[2]);
  if (t->clocking == CLOCKING_INPUT || l->beats)
    fprintf(out, "beats     %" PRIu64 ", %" PRIu64 " lost, last one off by %+.1f us, pulled by %+.6f s\n",
            l->beats, l->beats_lost, (double)l->beat_error_ns * 1e-3, (double)l->pulled_ns * 1e-9);
}

static void show_stopwatch(const struct stopwatch *w, FILE *out)
{
  if (counter_get(&w->count))
    fprintf(out, "%10.1f%10.1f%10" PRIu64, (double)counter_get(&w->last_ns) * 1e-3,
            (double)counter_get(&w->max_ns) * 1e-3, counter_get(&w->max_cycle));
  else
    fprintf(out, "%10s%10s%10s", "-", "-", "-");
}

/* Without workers there is no wait, and only levels that take time are shown. */
static void show_levels(const struct telemetry *t, FILE *out)
{
  const struct histograms *b = &t->histograms;
  if (b->levels == 0) return;
  fprintf(out, "\n%-12s%7s%10s%10s%10s", "us", "share", "busy", "max", "in cycle");
  if (t->workers) fprintf(out, "%10s%10s%10s", "wait", "max", "in cycle");
  fputc('\n', out);
  for (uint64_t i = 0; i < b->levels; i++) {
    const struct book_level *level = &b->level[i];
    const double share = level_share(b, (int)i);
    if (level->nodes && !(level->shared && t->workers) && share < share_shown) continue;
    fprintf(out, "%-12s%5.1f %%", level->name, 100.0 * share);
    show_stopwatch(&level->busy, out);
    if (t->workers) show_stopwatch(&level->wait, out);
    fputc('\n', out);
  }
}

static void show_misses(const struct picture *p, FILE *out)
{
  for (int i = 0; i < p->misses && i < MISSES_SHOWN; i++) {
    char text[512];
    miss_text(&p->miss[i], &p->block.histograms, text, sizeof text);
    fprintf(out, "%s%s\n", i ? "          " : "\nmisses    ", text);
  }
}

static void show_inputs(const struct telemetry *t, FILE *out)
{
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_view *v = &t->input[i];
    /* One line: age, reaction, condition, owner. */
    const uint64_t age = counter_get(&v->age_ns);
    const enum input_state state = input_view_state(v);
    const uint32_t limits = atomic_load_explicit(&v->limits, memory_order_relaxed);
    char owner[CLIENT_NAME];
    client_name_read(&v->owner_name, owner);
    fprintf(out, "  %-22s %s%s, hold %s, then %s%s%s%s%s%s\n", v->name,
            age == UINT64_MAX ? "never set" : "age ", age == UINT64_MAX ? "" : words_age(age).text,
            words_age(v->hold_ns).text, input_policy_name(v->policy),
            state == INPUT_STALE        ? ": STALE"
            : state == INPUT_RECOVERING ? ": RECOVERING"
            : state == INPUT_TIMEOUT    ? ": TIMEOUT"
                                        : "",
            limits & INPUT_CLAMPED ? ", clamped" : "", limits & INPUT_SLOWED ? ", slowed to its rate" : "",
            owner[0] ? ", from " : "", owner);
  }
}

static void show_platform(const struct telemetry *t, FILE *out)
{
  const struct platform_live *l = &t->live.platform;
  char flags[WORDS_PLATFORM];
  if (!t->platform) return;
  fprintf(out, "platform  %s, %s%s%s\n", platform_state_name(l->state), platform_mode_name(l->mode),
          l->flags ? ": " : "", words_platform(l->flags, flags));
  for (int i = 0; i < PLATFORM_DOF; i++)
    fprintf(out, "  %-8s%s  wanted%s  %s %d at %+.3f\n", platform_coordinate_name[i],
            words_coordinate(i, l->pose[i]).text, words_coordinate(i, l->target[i]).text,
            t->cranks ? "crank" : "leg", i + 1, l->legs[i]);
}

static void show_rig_signs(const struct telemetry *t, FILE *out)
{
  const struct rig_output *r = &t->live.rig;
  const char *unit = t->cranks ? "rad" : "m";
  char flags[WORDS_PLATFORM];
  if (!t->rig) return;
  fprintf(out, "rig       %s\n", words_rig(rig_bits(r->flags), flags));
  for (uint32_t i = 0; i < t->permissives; i++)
    if (!(rig_bits(r->permissives) >> i & 1)) fprintf(out, "  permissive %s is missing\n", t->permissive[i]);
  for (int i = 0; i < PLATFORM_DOF; i++)
    fprintf(out, "  %-8s%s  off by%s  %s %d at %.4f %s, off by %+.4f %s\n", platform_coordinate_name[i],
            words_coordinate(i, r->pose[i]).text, words_coordinate(i, r->pose_error[i]).text,
            t->cranks ? "crank" : "leg", i + 1, r->legs[i], unit, r->leg_error[i], unit);
}

/* The last error is shown also after its end, because the counts include it. */
static void show_devices(const struct sample *s, FILE *out)
{
  const struct telemetry *t = s->t;
  if (t->devices) fprintf(out, "devices\n");
  for (uint64_t i = 0; i < t->devices; i++) {
    const struct device_view *v = &t->device[i];
    const uint64_t age = device_age_ns(v, s->now_ns);
    char text[DEVICE_TEXT];
    device_told(v, text);
    fprintf(out, "  %-22s %s, polled %s%s, %" PRIu64 " polls, %" PRIu64 " late, %" PRIu64 " errors%s%s\n",
            v->name, device_state_name(counter_get(&v->state)),
            age == UINT64_MAX ? "never" : words_age(age).text, age == UINT64_MAX ? "" : " ago",
            counter_get(&v->polls), counter_get(&v->late), device_errors(v), text[0] ? ", the last: " : "",
            text);
  }
}

static void show_counters(const struct counters *c, FILE *out)
{
#define SHOW_COUNTER(name, text)                                                                             \
  if (counter_get(&c->name)) fprintf(out, "%12" PRIu64 "  %s\n", counter_get(&c->name), text);
  COUNTER_LIST(SHOW_COUNTER)
#undef SHOW_COUNTER
}

static void show_strays(const struct telemetry *t, FILE *out)
{
  const struct stray_view *shown[TELEMETRY_STRAYS];
  const int n = stray_views(t, shown);
  for (int i = 0; i < n; i++) {
    char text[3 * CLIENT_NAME];
    stray_text(shown[i], text, sizeof text);
    fprintf(out, "  %s\n", text);
  }
}

static void show_verdict(const struct sample *s, FILE *out)
{
  fprintf(out, "%s", words_verdict(s->verdict));
  for (int i = 0; i < s->reasons; i++) fprintf(out, "%s%s", i ? "; " : ": ", s->reason[i]);
}

static void show_recorder(const struct telemetry *t, FILE *out)
{
  if (t->recorder == RECORDER_OFF) return;
  fprintf(out, "recorder  %s, %" PRIu64 " cycles, %" PRIu64 " lost", recorder_state_name(t->recorder),
          t->recorder_cycles, t->recorder_lost);
  if (*t->recorder_file)
    fprintf(out, ", %s, %.1f MB, flushes of up to %.0f ms", t->recorder_file, (double)t->recorder_bytes / 1e6,
            (double)t->recorder_flush_ns * 1e-6);
  fputc('\n', out);
}

void show_block(const struct picture *p, FILE *out)
{
  const struct sample *s = &p->sample;
  /* A daemon that is gone has no figures. */
  if (s->verdict == VERDICT_GONE) {
    show_verdict(s, out);
    fputc('\n', out);
    return;
  }
  /* The daemon, its model and its deadlines. */
  const struct telemetry *t = s->t;
  const struct telemetry_live *l = &t->live;
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
  show_deadlines(l, counter_get(&t->histograms.cycle.count), out);
  show_manner(t, out);

  /* Times of the phases and levels, and misses. */
  fprintf(out, "\n%-9s%10s%10s%10s%10s%10s%10s  %s\n", "us", "last", "min", "median", "p99", "p99.9", "max",
          "max in cycle");
#define SHOW_FIELD(name, text)                                                                               \
  if (&t->histograms.name != &t->histograms.platform || t->platform)                                         \
    show_distribution(#name, &t->histograms.name, out);
  BOOK_LIST(SHOW_FIELD)
#undef SHOW_FIELD
  show_levels(t, out);
  show_misses(p, out);

  /* Inputs and outputs, solver, clients. */
  fprintf(out, "\ninputs    age ");
  show_input_age(l->input_age_ns, out);
  fprintf(out, ", stale mask 0x%" PRIx32 ", %" PRIu64 " values clamped\n", l->stale_mask, l->clamped);
  show_inputs(t, out);
  show_platform(t, out);
  show_rig_signs(t, out);
  show_devices(s, out);
  fprintf(out, "solver    %" PRIu64 " degraded steps, last increment %.1e, constraint violation %.1e\n",
          l->degraded, l->increment, l->constraint);
  if (l->violated)
    fprintf(out, "violated  %" PRIu64 " steps, cycles %" PRIu64 " to %" PRIu64 ", the last at %s\n",
            l->violated, l->violated_first, l->violated_cycle, l->violated_at);
  show_recorder(t, out);
  fprintf(out, "clients   OSC %" PRIu64 ", Modbus %" PRIu64 "\n", counter_get(&t->counters.osc_clients),
          counter_get(&t->counters.modbus_clients));
  show_counters(&t->counters, out);
  show_strays(t, out);
  show_values(p, out);
}

void show_line(const struct picture *p, FILE *out)
{
  const struct sample *s = &p->sample;
  if (s->verdict == VERDICT_GONE) {
    fprintf(out, "waiting for a daemon: %s", s->reason[0]);
    return;
  }
  const struct telemetry *t = s->t;
  const struct telemetry_live *l = &t->live;
  /* Most important first: a narrow terminal cuts off the rest. */
  fprintf(out, "%s %s%s  t %.2f s  cycle %" PRIu64 "  misses %" PRIu64, t->instance, run_state_name(l->state),
          t->realtime ? "" : " NOT REAL-TIME", l->time, l->cycle, l->misses);
  show_values_line(p, out);
#define SHOW_FIELD(name, text)                                                                               \
  fprintf(out, "  %s %.0f/%.0f", #name, (double)counter_get(&t->histograms.name.last_ns) * 1e-3,             \
          (double)counter_get(&t->histograms.name.max_ns) * 1e-3);
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
