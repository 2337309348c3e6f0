/* SPDX-License-Identifier: MIT */
#include "panes/panes.h"

#include "signals/clocking.h"
#include "signals/exchange.h"
#include "words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 3, TALL = 36 };

void flow_put(struct flow *f, enum style style, const char *format, ...)
{
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const int size = (int)strlen(text);
  if (f->column > 0 && f->column + size > f->area->columns) flow_line(f);
  f->column = area_put(f->area, f->column, f->row, style, text) + GAP;
}

void flow_line(struct flow *f)
{
  if (f->column > 0) f->row++;
  f->column = 0;
}

/* A small terminal shows its first two rows. */
static void long_text(struct flow *f, enum style style, const char *text)
{
  flow_line(f);
  const int most = f->area->canvas->rows < TALL ? 2 : f->area->rows;
  const struct area part = area_part(f->area, 0, f->row, f->area->columns, most);
  const int rows = area_wrap(&part, 0, 0, 2, style, text);
  f->row += rows < most ? rows : most;
}

static enum style state_style(uint32_t state)
{
  switch (state) {
  case STATE_RUNNING:
    return STYLE_GOOD;
  case STATE_FAULT:
  case STATE_SAFE:
    return STYLE_BAD;
  default:
    return STYLE_WARN;
  }
}

static void put_verdict(struct flow *f, const struct sample *s)
{
  static const enum style styles[] = {
      [VERDICT_HEALTHY] = STYLE_GOOD, [VERDICT_DEGRADED] = STYLE_WARN, [VERDICT_GONE] = STYLE_BAD};
  flow_put(f, styles[s->verdict], "%s", words_verdict(s->verdict));
}

static void put_reasons(struct flow *f, const struct sample *s)
{
  for (int i = 0; i < s->reasons; i++) long_text(f, STYLE_WARN, s->reason[i]);
}

static void put_daemon(struct flow *f, const struct picture *p)
{
  const struct telemetry *t = &p->block;
  const struct telemetry_live *l = &t->live;
  flow_put(f, STYLE_TITLE, "%s", t->instance);
  if (p->sample.t)
    flow_put(f, state_style(l->state), "%s%s", run_state_name(l->state), l->waiting ? " (waits)" : "");
  put_verdict(f, &p->sample);
  flow_put(f, STYLE_PLAIN, "cycle %" PRIu64, l->cycle);
  flow_put(f, STYLE_PLAIN, "t %.3f s", l->time);
  flow_put(f, STYLE_PLAIN, "up %s", words_duration((double)(p->now_ns - t->start_ns) * 1e-9).text);
}

static void put_manner(struct flow *f, const struct telemetry *t)
{
  flow_line(f);
  flow_put(f, STYLE_PLAIN, "%g ms by %s, overrun %s", (double)t->period_ns * 1e-6, clocking_name(t->clocking),
           words_overrun(t).text);
  char cpu[32] = "any CPU";
  if (t->cpu >= 0) snprintf(cpu, sizeof cpu, "CPU %" PRId32, t->cpu);
  if (t->priority >= 0)
    flow_put(f, STYLE_PLAIN, "SCHED_FIFO %" PRId32 ", %s", t->priority, cpu);
  else
    flow_put(f, STYLE_WARN, "no priority, %s", cpu);
  flow_put(f, STYLE_PLAIN, "%" PRIu32 " worker%s", t->workers, t->workers == 1 ? "" : "s");
  flow_put(f, STYLE_PLAIN, "%s", t->isa);
}

static void put_load(struct flow *f, const struct telemetry *t)
{
  const double *load = t->live.load;
  flow_line(f);
  flow_put(f, load[0] > 0.8 ? STYLE_WARN : STYLE_PLAIN, "load 1 s %.1f %%, 10 s %.1f %%, 60 s %.1f %%",
           100.0 * load[0], 100.0 * load[1], 100.0 * load[2]);
  flow_put(f, STYLE_PLAIN, "%s: %" PRIu32 " bodies, %" PRIu32 " rows", t->model, t->bodies, t->rows);
}

static void put_count(struct flow *f, const char *name, uint64_t n)
{
  flow_put(f, n ? STYLE_WARN : STYLE_PLAIN, "%s %" PRIu64, name, n);
}

static void put_deadlines(struct flow *f, const struct telemetry *t)
{
  const struct telemetry_live *l = &t->live;
  const uint64_t counted = counter_get(&t->histograms.cycle.count);
  flow_line(f);
  if (l->misses || !counted)
    put_count(f, "misses", l->misses);
  else /* rule of three: upper limit of the miss rate after this many cycles without a miss */
    flow_put(f, STYLE_PLAIN, "misses 0 (95 %% sure: below %.1e per cycle)", 3.0 / (double)counted);
  put_count(f, "grace", l->grace_misses);
  put_count(f, "skipped", l->skipped);
  put_count(f, "late", l->late_starts);
  if (l->slipped_ns) flow_put(f, STYLE_WARN, "slipped %.3f s", (double)l->slipped_ns * 1e-9);
}

static void put_beats(struct flow *f, const struct telemetry *t)
{
  const struct telemetry_live *l = &t->live;
  if (t->clocking != CLOCKING_INPUT && !l->beats) return;
  flow_line(f);
  flow_put(f, STYLE_PLAIN, "beats %" PRIu64, l->beats);
  put_count(f, "lost", l->beats_lost);
  flow_put(f, STYLE_PLAIN, "off by %+.1f us", (double)l->beat_error_ns * 1e-3);
  flow_put(f, STYLE_PLAIN, "pulled %+.6f s", (double)l->pulled_ns * 1e-9);
}

static void put_solver(struct flow *f, const struct telemetry *t, bool always)
{
  const struct telemetry_live *l = &t->live;
  if (!always && !l->degraded && !l->clamped) return;
  flow_line(f);
  flow_put(f, l->degraded ? STYLE_WARN : STYLE_PLAIN, "%" PRIu64 " degraded steps", l->degraded);
  if (l->violated) flow_put(f, STYLE_WARN, "%" PRIu64 " violated: %s", l->violated, l->violated_at);
  flow_put(f, STYLE_PLAIN, "increment %.1e", l->increment);
  flow_put(f, STYLE_PLAIN, "violation %.1e", l->constraint);
  put_count(f, "clamped", l->clamped);
}

static void put_recorder(struct flow *f, const struct telemetry *t)
{
  const bool bad = t->recorder == RECORDER_LOST || t->recorder == RECORDER_FULL;
  if (t->recorder == RECORDER_OFF) return;
  flow_line(f);
  flow_put(f, bad ? STYLE_WARN : STYLE_PLAIN, "recorder: %s", recorder_state_name(t->recorder));
  if (t->recorder_lost) put_count(f, "lost", t->recorder_lost);
  if (*t->recorder_file)
    flow_put(f, STYLE_PLAIN, "%s %.1f MB", t->recorder_file, (double)t->recorder_bytes / 1e6);
}

int header_draw(const struct picture *p, const struct area *a)
{
  struct flow f = {.area = a};
  const struct telemetry *t = &p->block;
  if (p->seen)
    put_daemon(&f, p);
  else
    put_verdict(&f, &p->sample);
  put_reasons(&f, &p->sample);
  /* Warnings about the figures. */
  if (!p->sample.t)
    long_text(&f, STYLE_FAINT,
              p->seen ? "Last seen below; waiting for it to come back." : "Waiting for a daemon.");
  if (p->seen && !t->realtime) {
    char text[320];
    snprintf(text, sizeof text, "NOT REAL-TIME, figures unrepresentative: %s", t->reason);
    long_text(&f, STYLE_BAD, text);
  }
  if (p->seen) {
    /* One line for each subject. */
    put_manner(&f, t);
    put_load(&f, t);
    put_deadlines(&f, t);
    put_beats(&f, t);
    put_solver(&f, t, a->canvas->rows >= TALL);
    put_recorder(&f, t);
  }
  flow_line(&f);
  return f.row;
}
