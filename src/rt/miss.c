/* SPDX-License-Identifier: MIT
 * From the figures of a late cycle to its cause, and to words. Nothing here is for the loop. */
#include "rt/miss.h"

#include "rt/schedule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *miss_cause_name(unsigned cause)
{
#define NAME(id, text) [id] = text,
  static const char *const names[] = {MISS_CAUSE_LIST(NAME)};
#undef NAME
  return cause < sizeof names / sizeof *names ? names[cause] : "?";
}

static uint64_t late_wake_ns(const struct miss *m)
{
  return m->wake_ns > m->start_ns ? m->wake_ns - m->start_ns : 0;
}

static uint64_t worked_ns(const struct miss *m)
{
  return m->end_ns > m->wake_ns ? m->end_ns - m->wake_ns : 0;
}

/* By how much a phase took longer than it usually does. */
static uint64_t excess_ns(const struct miss *m, int phase)
{
  return m->phase_ns[phase] > m->usual_ns[phase] ? m->phase_ns[phase] - m->usual_ns[phase] : 0;
}

static uint32_t worst_phase(const struct miss *m)
{
  int worst = 0;
  for (int i = 1; i < PHASES; i++)
    if (excess_ns(m, i) > excess_ns(m, worst)) worst = i;
  return excess_ns(m, worst) ? (uint32_t)worst : PHASES;
}

/* What kept a thread from its work for most of `late` ns: time for which it was on no processor, or faults. */
static uint32_t held_up(const struct usage *u, uint64_t elapsed, uint64_t late)
{
  const uint64_t off = elapsed > u->cpu_ns ? elapsed - u->cpu_ns : 0;
  if (u->major) return MISS_PAGE_FAULT;
  if (off > late / 2) {
    if (u->voluntary) return MISS_BLOCKED;
    if (u->involuntary) return MISS_PREEMPTED;
    return u->minor ? MISS_PAGE_FAULT : MISS_STOLEN;
  }
  return MISS_COMPUTING;
}

static uint32_t cause_of_work(const struct miss *m, uint64_t late)
{
  const uint64_t held = m->slowest.share > 0 ? m->slowest.wait_ns + m->slowest.busy_ns : 0;
  if (held > late / 2) return MISS_WORKER;
  return held_up(&m->own, worked_ns(m), late);
}

/* Most particular first. What a stop took counts where it explains half of the delay. */
void miss_judge(struct miss *m)
{
  const uint64_t length = m->end_ns > m->start_ns ? m->end_ns - m->start_ns : 0;
  const uint64_t late = length > m->period_ns ? length - m->period_ns : 0;
  m->phase = worst_phase(m);
  if (m->lost_worker) {
    m->cause = MISS_WORKER_LOST;
  } else if (m->host_asleep_ns > late / 2) {
    m->cause = MISS_HOST_ASLEEP;
  } else if (m->suspended_ns > late / 2 || (m->debugger && m->own.cpu_ns < length / 2)) {
    m->cause = MISS_SUSPENDED;
  } else if (m->waiting_since_ns && worked_ns(m) <= m->period_ns) {
    m->cause = MISS_CARRIED;
    m->phase = PHASES;
  } else if (late_wake_ns(m) > worked_ns(m) && worked_ns(m) <= m->period_ns) {
    m->cause = m->stolen_ns > late / 2 ? MISS_STOLEN : MISS_LATE_WAKE;
    m->phase = PHASES;
  } else {
    m->cause = cause_of_work(m, late);
    /* On its processor all the time, as far as this kernel knows: the one below knows better. */
    if (m->cause == MISS_COMPUTING && m->stolen_ns > late / 2) m->cause = MISS_STOLEN;
  }
}

/* --- words --- */

struct words {
  char *text;
  size_t size;
  int length;
};

static __attribute__((format(printf, 2, 3))) void say(struct words *w, const char *format, ...)
{
  const size_t used = (size_t)w->length < w->size ? (size_t)w->length : w->size;
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(w->text + used, w->size - used, format, list);
  va_end(list);
  if (n > 0) w->length += n;
}

static void say_usage(struct words *w, const struct usage *u)
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
    say(w, "%s%" PRIu64 " %s", before, part[i].n, part[i].n == 1 ? part[i].one : part[i].many);
    before = ", ";
  }
  if (before[0] == ',') say(w, ")");
}

static double ms(uint64_t ns)
{
  return (double)ns / 1e6;
}

static const char *verb(uint32_t cause)
{
  switch (cause) {
  case MISS_PAGE_FAULT:
    return "waited for memory";
  case MISS_PREEMPTED:
    return "preempted";
  case MISS_BLOCKED:
    return "slept, or waited for a lock or a device";
  case MISS_STOLEN:
    return "stopped with its processor, by firmware or a hypervisor";
  case MISS_COMPUTING:
    return "computing all that time";
  default:
    return "held up";
  }
}

static void say_phase(struct words *w, const struct miss *m)
{
  if (m->phase < PHASES) say(w, "%s %.1f ms, ", phase_name(m->phase), ms(m->phase_ns[m->phase]));
}

static void say_level(struct words *w, const struct miss *m, const struct book *levels)
{
  const int32_t level = m->slowest.level;
  if (level < 0) return;
  char name[sizeof levels->level[0].name] = "";
  if (levels && (uint64_t)level < levels->levels && level < LEVELS_MAX)
    memcpy(name, levels->level[level].name, sizeof name - 1);
  if (name[0])
    say(w, "%s ", name);
  else
    say(w, "row %d ", level);
}

static void say_worker(struct words *w, const struct miss *m, const struct book *levels)
{
  const struct slowest *s = &m->slowest;
  const uint64_t held = s->wait_ns + s->busy_ns;
  say_level(w, m, levels);
  say(w, "worker %d ", s->share);
  if (s->wait_ns > s->busy_ns)
    say(w, "woke %.1f ms late", ms(s->wait_ns));
  else
    say(w, "%s for %.1f ms", verb(held_up(&m->worker, held, held)), ms(s->busy_ns));
  say_usage(w, &m->worker);
}

static void say_cause(struct words *w, const struct miss *m, const struct book *levels)
{
  switch (m->cause) {
  case MISS_SUSPENDED:
    say(w, "process suspended for %.1f ms", ms(m->suspended_ns));
    if (m->debugger) say(w, ", debugger %" PRIu32 " attached", m->debugger);
    break;
  case MISS_HOST_ASLEEP:
    say(w, "the machine was suspended for %.1f s", ms(m->host_asleep_ns) / 1e3);
    break;
  case MISS_LATE_WAKE:
    say(w, "woke %.1f ms late, then took %.1f ms", ms(late_wake_ns(m)), ms(worked_ns(m)));
    break;
  case MISS_CARRIED:
    say(w, "late from the cycle before, took %.1f ms itself", ms(worked_ns(m)));
    break;
  case MISS_WORKER_LOST:
    say_phase(w, m);
    say(w, "worker %d has ended", m->lost_worker);
    break;
  case MISS_WORKER:
    say_phase(w, m);
    say_worker(w, m, levels);
    break;
  default:
    if (m->phase == PHASES && m->cause == MISS_STOLEN) say(w, "woke %.1f ms late, ", ms(late_wake_ns(m)));
    say_phase(w, m);
    say(w, "loop %s", verb(m->cause));
    say_usage(w, &m->own);
  }
}

int miss_text(const struct miss *m, const struct book *levels, char *text, size_t size)
{
  struct words w = {text, size, 0};
  say(&w, "miss %" PRIu64 "%s at cycle %" PRIu64 ": ", m->number, m->grace ? " in the grace" : "", m->cycle);
  say_cause(&w, m, levels);
  if (m->stolen_ns && m->cause != MISS_STOLEN)
    say(&w, "; hypervisor took %.0f ms about then", ms(m->stolen_ns));
  if (m->wall_clock_step_ns)
    say(&w, "; wall clock set by %+.3f s about then, which nothing here goes by",
        (double)m->wall_clock_step_ns / 1e9);
  if (m->skipped) say(&w, "; %" PRIu64 " %s skipped", m->skipped, m->skipped == 1 ? "start" : "starts");
  return w.length;
}

/* --- the log in shared memory --- */

typedef uint64_t __attribute__((may_alias)) record_word;
enum { RECORD_WORDS = sizeof(struct miss) / sizeof(record_word) };
_Static_assert(sizeof(struct miss) % sizeof(record_word) == 0, "a record is whole words");

void miss_log_write(struct miss_log *log, const struct miss *m)
{
  const uint64_t k = atomic_load_explicit(&log->written, memory_order_relaxed);
  struct miss_slot *slot = &log->slot[k % MISS_LOG];
  const record_word *from = (const record_word *)m;
  record_word *to = (record_word *)&slot->miss;
  atomic_store_explicit(&slot->sequence, 2 * k + 1, memory_order_relaxed);
  for (int i = 0; i < RECORD_WORDS; i++) __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
  atomic_store_explicit(&slot->sequence, 2 * k + 2, memory_order_release);
  atomic_store_explicit(&log->written, k + 1, memory_order_release);
}

bool miss_log_read(const struct miss_log *log, uint64_t k, struct miss *m)
{
  const struct miss_slot *slot = &log->slot[k % MISS_LOG];
  if (k >= atomic_load_explicit(&log->written, memory_order_acquire)) return false;
  if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != 2 * k + 2) return false;
  const record_word *from = (const record_word *)&slot->miss;
  record_word *to = (record_word *)m;
  for (int i = 0; i < RECORD_WORDS; i++) to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
  return atomic_load_explicit(&slot->sequence, memory_order_relaxed) == 2 * k + 2;
}
