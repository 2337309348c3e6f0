/* SPDX-License-Identifier: MIT */
#include "journal/misses.h"

#include "log/log.h"
#include "telemetry/read.h"

#include <inttypes.h>

bool misses_open(struct misses *s, struct outbox *outbox, struct telemetry *telemetry,
                 const struct host_history *host, const char *path, int mb)
{
  *s = (struct misses){.outbox = outbox,
                       .telemetry = telemetry,
                       .host = host,
                       .journal.most = MISSES_LOGGED,
                       .losses.most = 1};
  return miss_file_open(&s->file, path, mb);
}

static void tell_ring(struct frames_writer *frames, const struct miss *m, const char *text, uint64_t now_ns)
{
  const struct frames_event e = {.cycle = m->cycle,
                                 .t_ns = now_ns,
                                 .kind = FRAMES_EVENT_MISS,
                                 .code = m->cause,
                                 .a = (double)(m->end_ns - m->start_ns)};
  frames_tell(frames, &e, text);
}

/* Names who had the processor. A share below this part of the delay explains nothing. */
enum { EXPLAINS = 4 };
static void name_culprit(const struct misses *s, struct miss *m)
{
  const bool worker = m->cause == MISS_WORKER && m->slowest_thread;
  const bool after = worker || m->waiting_since_ns; /* nobody was late before the wake-up */
  const struct blame_question q = {.thread = worker ? m->slowest_thread : s->loop,
                                   .cpu = worker ? -1 : s->loop_cpu,
                                   .from_ns = after ? m->wake_ns : m->start_ns,
                                   .wanted_ns = after ? 0 : m->wake_ns,
                                   .to_ns = m->end_ns};
  const uint64_t length = m->end_ns - m->start_ns, late = length > m->period_ns ? length - m->period_ns : 0;
  struct culprit c;
  tracer_blame(s->tracer, &q, &c);
  if (c.kind != CULPRIT_LOST && c.waited_ns < late / EXPLAINS) return;
  telemetry_clean_text(c.name, sizeof c.name);
  m->culprit = c;
}

static void report_miss(struct misses *s, struct miss *m, uint64_t now_ns)
{
  struct telemetry *t = s->telemetry;
  char text[400];
  /* Find the cause. */
  s->taken++;
  host_history_explain(s->host, m);
  miss_judge(m);
  if (s->tracer) {
    name_culprit(s, m);
    miss_judge(m); /* interrupts look like work without the trace */
  }
  /* Count it and keep it for tools. */
  if (!m->grace) counter_add(misses_of_cause(&t->counters, m->cause), 1);
  miss_log_write(&t->misses, m);
  miss_file_write(&s->file, m, &t->histograms, now_ns);
  /* Log it, within the limit; recorders get every one. */
  miss_text(m, &t->histograms, text, sizeof text);
  tell_ring(s->frames, m, text, now_ns);
  if (!rate_limit_passes(&s->journal, now_ns)) return;
  log_line(m->grace ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, "%s", text);
}

static void report_held(struct misses *s, uint64_t now_ns)
{
  for (int i = 0; i < s->held; i++) report_miss(s, &s->hold[i], now_ns);
  s->held = 0;
}

/* Misses of the warm-up are meaningless; the loop does not count them either. */
static void fetch_records(struct misses *s)
{
  struct miss m;
  while (s->held < CYCLE_MISSES && outbox_next_miss(s->outbox, &m))
    if (m.state != STATE_INIT) s->hold[s->held++] = m;
  /* The kernel overwrites its trace: read it now. */
  if (s->held && s->tracer) tracer_read(s->tracer);
}

static void report_sums(struct misses *s, uint64_t now_ns, bool last)
{
  double over = 0.0;
  const uint64_t held = rate_limit_sum(&s->journal, now_ns, last, &over);
  if (held)
    log_line(LOG_LEVEL_WARNING,
             "%" PRIu64 " miss%s not logged one by one in the last %.1f s, %" PRIu64 " so far", held,
             held == 1 ? "" : "es", over, s->taken + s->lost);

  const uint64_t lost = ring_dropped(&s->outbox->misses);
  if (lost == s->lost || (!last && !rate_limit_passes(&s->losses, now_ns))) return;
  log_line(LOG_LEVEL_WARNING, "%" PRIu64 " miss%s without a record: too many came at once", lost - s->lost,
           lost - s->lost == 1 ? "" : "es");
  s->lost = lost;
  atomic_store_explicit(&s->telemetry->misses.lost, lost, memory_order_relaxed);
}

void misses_tick(struct misses *s, uint64_t now_ns)
{
  report_sums(s, now_ns, false); /* sums first: the lines of this tick may begin another second */
  miss_file_tick(&s->file, now_ns, false);
  report_held(s, now_ns);
  fetch_records(s);
}

void misses_end(struct misses *s, uint64_t now_ns)
{
  report_held(s, now_ns);
  fetch_records(s);
  report_held(s, now_ns);
  report_sums(s, now_ns, true);
  miss_file_tick(&s->file, now_ns, true);
}

void misses_close(struct misses *s)
{
  miss_file_close(&s->file);
}
