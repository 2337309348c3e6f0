/* SPDX-License-Identifier: MIT
 * A missed deadline in words. Not for the loop. */
#include "telemetry/miss.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words {
  char *text;
  size_t size;
  int length;
};

static __attribute__((format(printf, 2, 3))) void say_words(struct words *w, const char *format, ...)
{
  const size_t used = (size_t)w->length < w->size ? (size_t)w->length : w->size;
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(w->size ? w->text + used : NULL, w->size - used, format, list);
  va_end(list);
  if (n > 0) w->length += n;
}

enum { US_UNTIL = 1000000, MS_UNTIL = 1000000000 };
static void say_time(struct words *w, uint64_t ns)
{
  if (ns < US_UNTIL)
    say_words(w, "%.0f us", (double)ns / 1e3);
  else if (ns < MS_UNTIL)
    say_words(w, "%.1f ms", (double)ns / 1e6);
  else
    say_words(w, "%.1f s", (double)ns / 1e9);
}

/* "WORDS 11.9 ms" */
static void say_for(struct words *w, const char *words, uint64_t ns)
{
  say_words(w, "%s ", words);
  say_time(w, ns);
}

static void say_counts(struct words *w, const struct usage *u)
{
  const struct {
    uint64_t n;
    const char *one, *many;
  } part[] = {{u->involuntary, "involuntary switch", "involuntary switches"},
              {u->voluntary, "voluntary switch", "voluntary switches"},
              {u->major, "major page fault", "major page faults"},
              {u->minor, "minor page fault", "minor page faults"}};
  const char *before = " (";
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (!part[i].n) continue;
    say_words(w, "%s%" PRIu64 " %s", before, part[i].n, part[i].n == 1 ? part[i].one : part[i].many);
    before = ", ";
  }
  if (before[0] == ',') say_words(w, ")");
}

static uint64_t ns_between(uint64_t from_ns, uint64_t to_ns)
{
  return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* How a thread spent this time. */
static void say_held_up(struct words *w, uint32_t cause, const struct usage *u, uint64_t ns)
{
  switch (cause) {
  /* Only major faults have a known duration. */
  case MISS_PAGE_FAULT:
    say_words(w, "waited for memory");
    if (u->major) say_for(w, " for", ns);
    break;
  case MISS_PREEMPTED:
    say_for(w, "preempted for", ns);
    break;
  case MISS_BLOCKED:
    say_for(w, "slept, or waited for a lock or a device, for", ns);
    break;
  case MISS_STOLEN:
    say_for(w, "without its processor, by interrupts or a hypervisor, for", ns);
    break;
  default:
    say_for(w, "computing for", ns);
  }
  say_counts(w, u);
}

static void say_phase(struct words *w, const struct miss *m)
{
  if (m->phase >= PHASES) return;
  say_for(w, phase_name(m->phase), m->phase_ns[m->phase]);
  say_words(w, ", ");
}

static void say_level(struct words *w, int32_t level, const struct histograms *levels)
{
  char name[sizeof levels->level[0].name] = "";
  if (level < 0) return;
  if (levels && (uint64_t)level < levels->levels && level < LEVELS_MAX)
    memcpy(name, levels->level[level].name, sizeof name - 1);
  if (name[0])
    say_words(w, "%s ", name);
  else
    say_words(w, "row %d ", level);
}

/* A single piece, or the longest of many. */
static void say_worker(struct words *w, const struct miss *m, const struct histograms *levels)
{
  const struct slowest *s = &m->slowest;
  if (s->wait_ns + s->busy_ns <= m->held_ns / 2) {
    say_for(w, "waited for workers for", m->held_ns);
    say_words(w, ", the longest for ");
  }
  say_level(w, s->level, levels);
  say_words(w, "worker %d ", s->share);
  if (s->wait_ns > s->busy_ns) {
    say_for(w, "woke", s->wait_ns);
    say_words(w, " late");
    say_counts(w, &m->worker);
  } else {
    say_held_up(w, miss_cause_of(&m->worker, s->busy_ns), &m->worker, s->busy_ns);
  }
}

static void say_suspended(struct words *w, const struct miss *m)
{
  if (m->suspended_ns) say_for(w, "process stopped for", m->suspended_ns);
  if (!m->debugger) return;
  say_words(w, m->suspended_ns ? ", debugger %" PRIu32 " attached" : "process held by debugger %" PRIu32,
            m->debugger);
}

static void say_late_wake(struct words *w, const struct miss *m)
{
  if (m->phase < PHASES) {
    say_phase(w, m);
    say_for(w, "loop woke", m->woke_late_ns);
    say_words(w, " late after it had waited for workers");
  } else {
    say_for(w, "woke", ns_between(m->start_ns, m->wake_ns));
    say_for(w, " late, then took", ns_between(m->wake_ns, m->end_ns));
  }
}

/* Either the loop's thread was off its processor without a switch, or a hypervisor took the processor, which this
 * kernel does not notice. */
static void say_stolen(struct words *w, const struct miss *m)
{
  const uint64_t off = ns_between(m->own.cpu_ns, m->own.span_ns);
  if (m->phase == PHASES) say_for(w, "woke", ns_between(m->start_ns, m->wake_ns));
  if (m->phase == PHASES) say_words(w, " late, ");
  say_phase(w, m);
  if (m->stolen_ns > off) {
    say_for(w, "while a hypervisor took processors for", m->stolen_ns);
    say_counts(w, &m->own);
  } else if (m->culprit.waited_ns > off) { /* the kernel counts interrupts as work of the thread */
    say_for(w, "loop interrupted for", m->culprit.waited_ns);
    say_counts(w, &m->own);
  } else {
    say_words(w, "loop ");
    say_held_up(w, MISS_STOLEN, &m->own, off);
  }
}

static void say_cause(struct words *w, const struct miss *m, const struct histograms *levels)
{
  const uint64_t off = ns_between(m->own.cpu_ns, m->own.span_ns), worked = ns_between(m->wake_ns, m->end_ns);
  switch (m->cause) {
  /* The whole process or machine was stopped. */
  case MISS_SUSPENDED:
    say_suspended(w, m);
    break;
  case MISS_HOST_ASLEEP:
    say_for(w, "the machine was suspended for", m->host_asleep_ns);
    break;
  case MISS_LATE_WAKE:
    say_late_wake(w, m);
    break;
  /* This cycle began late, or the next one early. */
  case MISS_CARRIED:
    say_for(w, "late from the cycle before, took", worked);
    say_words(w, " itself");
    break;
  case MISS_EARLY_FRAME:
    say_for(w, "the next input frame came in less than a period, the cycle took",
            ns_between(m->start_ns, m->end_ns));
    break;
  /* A worker delayed the loop. */
  case MISS_WORKER_LOST:
    say_phase(w, m);
    say_words(w, "worker %d has ended", m->lost_worker);
    break;
  case MISS_WORKER:
    say_phase(w, m);
    say_worker(w, m, levels);
    break;
  case MISS_STOLEN:
    say_stolen(w, m);
    break;
  /* The thread of the loop itself took too long. */
  case MISS_PAGE_FAULT:
  case MISS_PREEMPTED:
  case MISS_BLOCKED:
  case MISS_COMPUTING:
    say_phase(w, m);
    say_words(w, "loop ");
    say_held_up(w, m->cause, &m->own, m->cause == MISS_COMPUTING ? m->own.cpu_ns : off);
    break;
  default:
    say_words(w, "cause unknown");
  }
}

/* Who had the processor meanwhile. */
static void say_culprit(struct words *w, const struct culprit *c)
{
  char who[80];
  switch (c->kind) {
  case CULPRIT_NONE:
    return;
  case CULPRIT_LOST:
    say_words(w, "; the kernel's trace does not reach back to it");
    return;
  case CULPRIT_IDLE:
    say_for(w, "; its processor was idle for", c->ns);
    say_words(w, ", the interrupt that wakes it came late");
    return;
  default:
    culprit_text(c, who, sizeof who);
    say_words(w, "; %s had its processor for ", who);
    say_time(w, c->ns);
    if (c->waited_ns / 4 * 3 > c->ns) say_for(w, " of", c->waited_ns); /* there were others */
  }
}

int miss_text(const struct miss *m, const struct histograms *levels, char *text, size_t size)
{
  struct words w = {text, size, 0};
  say_words(&w, "miss %" PRIu64 "%s at cycle %" PRIu64 ": ", m->number, m->grace ? " in the grace" : "",
            m->cycle);
  say_cause(&w, m, levels);
  say_culprit(&w, &m->culprit);
  if (m->stolen_ns && m->cause != MISS_STOLEN) {
    say_for(&w, "; hypervisor took processors for", m->stolen_ns);
    say_words(&w, " about then");
  }
  if (m->wall_clock_step_ns)
    say_words(&w, "; wall clock set by %+.3f s about then, without effect on ali3d",
              (double)m->wall_clock_step_ns / 1e9);
  if (m->skipped) say_words(&w, "; %" PRIu64 " %s skipped", m->skipped, m->skipped == 1 ? "start" : "starts");
  return w.length;
}
