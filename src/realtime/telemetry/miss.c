/* SPDX-License-Identifier: MIT
 * Derives the cause of a late cycle from its figures. Not for the loop. */
#include "telemetry/miss.h"

/* A page fault without I/O costs from 0.1 us to 16 us, the latter if a hypervisor must find the page, too; the
 * kernel counts that time as work of the thread. Any excess beyond this may be plain work. */
static const uint64_t MINOR_FAULT_NS = 16000;

const char *miss_cause_name(unsigned cause)
{
#define NAME(id, text) [(id)] = (text),
  static const char *const names[] = {MISS_CAUSE_LIST(NAME)};
#undef NAME
  return cause < sizeof names / sizeof *names ? names[cause] : "?";
}

static uint64_t excess_ns(uint64_t a, uint64_t than)
{
  return a > than ? a - than : 0;
}

static uint64_t smaller_ns(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* A cycle that makes up for another one is late on purpose. */
static uint64_t late_wake_ns(const struct miss *m)
{
  return m->waiting_since_ns ? 0 : excess_ns(m->wake_ns, m->start_ns);
}

static uint64_t worked_ns(const struct miss *m)
{
  return excess_ns(m->end_ns, m->wake_ns);
}

static uint64_t off_ns(const struct usage *u)
{
  return excess_ns(u->span_ns, u->cpu_ns);
}

static uint32_t worst_phase(const struct miss *m)
{
  uint32_t worst = PHASES;
  uint64_t most = late_wake_ns(m);
  for (uint32_t i = 0; i < PHASES; i++) {
    const uint64_t excess = excess_ns(m->phase_ns[i], m->usual_ns[i]);
    if (excess <= most) continue;
    most = excess;
    worst = i;
  }
  return worst;
}

/* Why a thread was on no processor. A healthy loop sleeps only where it intends to, so one unintended sleep tells more
 * than any number of preemptions. */
static enum miss_cause cause_off(const struct usage *u)
{
  if (u->major) return MISS_PAGE_FAULT;
  if (u->voluntary) return MISS_BLOCKED;
  return u->involuntary ? MISS_PREEMPTED : MISS_STOLEN;
}

enum miss_cause miss_cause_of(const struct usage *u, uint64_t ns)
{
  if (off_ns(u) > ns / 2) return cause_off(u);
  return u->minor * MINOR_FAULT_NS > ns / 2 ? MISS_PAGE_FAULT : MISS_COMPUTING;
}

struct reason {
  enum miss_cause cause;
  uint64_t ns;
};

static void consider_cause(struct reason *best, enum miss_cause cause, uint64_t ns)
{
  if (ns > best->ns) *best = (struct reason){cause, ns};
}

/* The largest contribution beyond the usual. */
static struct reason largest_reason(const struct miss *m)
{
  uint64_t usual = 0;
  for (int i = 0; i < PHASES; i++) usual += m->usual_ns[i];
  const uint64_t off = off_ns(&m->own), held = excess_ns(m->held_ns, m->usual_held_ns);
  const uint64_t rest = excess_ns(worked_ns(m), usual + off + held + m->woke_late_ns);
  const uint64_t faults = smaller_ns(m->own.minor * MINOR_FAULT_NS, rest);
  struct reason best = {MISS_COMPUTING, rest - faults};
  consider_cause(&best, MISS_LATE_WAKE, late_wake_ns(m));
  consider_cause(&best, cause_off(&m->own), off);
  consider_cause(&best, MISS_WORKER, held);
  consider_cause(&best, MISS_LATE_WAKE, m->woke_late_ns);
  consider_cause(&best, MISS_PAGE_FAULT, faults);
  return best;
}

/* Interrupts within the work count as work of the thread if the kernel does not account for their time. */
static bool was_interrupted(const struct miss *m, uint64_t ns)
{
  const uint32_t kind = m->culprit.kind;
  const bool interrupt = kind == CULPRIT_INTERRUPT || kind == CULPRIT_VECTOR || kind == CULPRIT_SOFTIRQ;
  return interrupt && m->culprit.waited_ns > ns / 2;
}

static uint32_t cause_of(const struct miss *m)
{
  const uint64_t length = excess_ns(m->end_ns, m->start_ns), late = excess_ns(length, m->period_ns);
  if (m->lost_worker) return MISS_WORKER_LOST;
  if (late == 0) return MISS_EARLY_FRAME;
  if (m->waiting_since_ns && worked_ns(m) <= m->period_ns) return MISS_CARRIED;
  if (m->host_asleep_ns > late / 2) return MISS_HOST_ASLEEP;
  const bool held_still = m->debugger && late_wake_ns(m) + off_ns(&m->own) > late / 2;
  if (m->suspended_ns > late / 2 || held_still) return MISS_SUSPENDED;
  const struct reason best = largest_reason(m);
  /* The kernel does not notice when the hypervisor takes the processor. */
  const bool unseen = best.cause == MISS_COMPUTING || best.cause == MISS_LATE_WAKE;
  if (best.cause == MISS_COMPUTING && was_interrupted(m, best.ns)) return MISS_STOLEN;
  return unseen && m->stolen_ns > best.ns / 2 ? MISS_STOLEN : best.cause;
}

/* Most specific first: facts that the loop knows; then whatever stopped the whole process, if it explains half of the
 * delay; then the longest contribution. */
void miss_judge(struct miss *m)
{
  m->cause = cause_of(m);
  m->phase = m->cause == MISS_EARLY_FRAME || m->cause == MISS_CARRIED ? PHASES : worst_phase(m);
}
