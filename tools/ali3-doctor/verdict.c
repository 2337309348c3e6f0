/* SPDX-License-Identifier: MIT */
#include "verdict.h"
#include "checks.h"

#include <math.h>
#include <stddef.h>

enum limit_name { WAKEUP_P999, WAKEUP_MAX, GAP, HWLAT_MAX, SKIPPED, FAULTS, PREEMPTED, CLOCK };

/* Limits of each measured figure, for a daemon with a cycle of 10 ms. A wake-up that is 10 ms late costs the complete
 * cycle. If one wake-up in a thousand costs a tenth of the cycle, nothing can be guaranteed; up to 2 % of the cycle
 * does not matter. */
static const struct limit {
  const char *id, *what, *unit, *why, *fix;
  double warn, bad; /* above it */
} limits[] = {
    [WAKEUP_P999] = {"wakeup_p999", "99.9 % of wake-ups within", " us", "a cycle that starts late ends late",
                     "see preempt, governor, idle, virtual", 200, 1000},
    [WAKEUP_MAX] = {"wakeup_max", "latest wake-up", " us", "a bench relies on this bound",
                    "see preempt, isolated, interrupts, throttling, virtual", 1000, 10000},
    [GAP] = {"gap", "longest stop of a busy thread", " us",
             "interrupts, firmware and hypervisors stop even a thread that never sleeps",
             "see interrupts, smt, virtual; ali3-doctor --hwlat tells firmware from the rest", 200, 10000},
    [HWLAT_MAX] = {"hwlat_max", "longest stop of the hardware", " us",
                   "no kernel can do anything about firmware that stops the CPU",
                   "firmware set-up: power management, thermal control, USB legacy support and error reports "
                   "by SMI off",
                   200, 10000},
    [SKIPPED] = {"skipped", "skipped wake-ups", " %", "a complete period passed before the thread ran",
                 "as for wakeup_max", 0.1, 10},
    [FAULTS] = {"faults", "page faults while measuring:", "", "locked memory that was touched has none",
                "see locked", 0, INFINITY},
    [PREEMPTED] = {"preempted", "preempted, as a share of wake-ups", " %",
                   "a thread of higher priority runs on the loop's CPU",
                   "`ps -eLo pid,tid,rtprio,psr,comm --sort=-rtprio | head` shows it; set realtime.priority "
                   "above it, or "
                   "realtime.cpu to another CPU",
                   1, INFINITY},
    [CLOCK] = {"clock", "one reading of the clock takes", " ns",
               "every cycle reads the clock about a dozen times", "see clocksource", 250, INFINITY},
};

static void judge_limit(enum limit_name name, double value, struct findings *all)
{
  const struct limit *l = &limits[name];
  const enum finding_state state = value > l->bad ? FINDING_BAD : value > l->warn ? FINDING_WARN : FINDING_OK;
  struct finding *f = finding_add(all, l->id, l->why, state, "%s %.*f%s", l->what,
                                  value < 10.0 && value > 0.0 ? 2 : 0, value, l->unit);
  f->measured = true;
  if (state != FINDING_OK) finding_fix(f, "%s", l->fix);
}

static void judge_grants(const struct measure_plan *plan, const struct measured *m, struct findings *all)
{
  static const char fifo[] = "without SCHED_FIFO the loop waits for every other task",
                    locked[] = "memory that is not locked may be paged out to a disk";
  /* Judge the priority. */
  struct finding *f;
  if (m->thread.realtime) {
    f = finding_add(all, "fifo", fifo, FINDING_OK, "SCHED_FIFO %d granted and read back%s",
                    m->thread.priority, plan->cpu >= 0 ? ", on its CPU" : "");
  } else {
    f = finding_add(all, "fifo", fifo, FINDING_BAD, "refused: %s", m->thread.reason);
    finding_fix(f, FIX_RTPRIO "; if rtprio is ok, see cgroup and cpus");
  }
  f->measured = true;
  /* Judge locked memory. */
  if (m->memory.locked) {
    f = finding_add(all, "locked", locked, FINDING_OK, "all memory, %ld MB", m->memory.locked_kb >> 10);
  } else {
    f = finding_add(all, "locked", locked, FINDING_BAD, "refused: %s", m->memory.reason);
    finding_fix(f, FIX_MEMLOCK);
  }
  f->measured = true;
}

/* Percent. */
static double percent_of(double part, double whole)
{
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

void judge_measured(const struct measure_plan *plan, const struct measured *m, long long hwlat_us,
                    struct findings *all)
{
  /* Judge what was granted, then each figure by its limits. */
  const double woken = (double)atomic_load(&m->wakeup.count), skipped = (double)m->skipped;
  judge_grants(plan, m, all);
  judge_limit(WAKEUP_P999, histogram_percentile_us(&m->wakeup, 0.999), all);
  judge_limit(WAKEUP_MAX, (double)atomic_load(&m->wakeup.max_ns) * 1e-3, all);
  judge_limit(SKIPPED, percent_of(skipped, woken + skipped), all);
  judge_limit(GAP, (double)m->gap_ns * 1e-3, all);
  if (hwlat_us >= 0) judge_limit(HWLAT_MAX, (double)hwlat_us, all);
  judge_limit(FAULTS, (double)(m->minor_faults + m->major_faults), all);
  judge_limit(PREEMPTED, percent_of((double)m->involuntary, woken), all);
  judge_limit(CLOCK, m->clock_ns, all);
}

enum verdict verdict_of(const struct findings *all, bool measured)
{
  enum verdict v = measured ? VERDICT_FIT : VERDICT_USABLE;
  for (int i = 0; i < all->count; i++) {
    if (all->list[i].state == FINDING_BAD) return VERDICT_UNFIT;
    if (all->list[i].state == FINDING_WARN) v = VERDICT_USABLE;
  }
  return v;
}

const char *verdict_word(enum verdict v)
{
  static const char *const word[] = {
      [VERDICT_FIT] = "fit", [VERDICT_USABLE] = "usable", [VERDICT_UNFIT] = "unfit"};
  return word[v];
}

bool verdict_because(enum verdict v, const struct finding *f)
{
  return v == VERDICT_UNFIT ? f->state == FINDING_BAD : v == VERDICT_USABLE && f->state == FINDING_WARN;
}
