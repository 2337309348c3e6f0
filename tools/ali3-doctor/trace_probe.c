/* SPDX-License-Identifier: MIT
 * A probe wakes up on a grid, like cyclictest. A second thread above it takes its processor for 5 ms, and the trace must
 * name that thread. */
#include "trace_probe.h"

#include "rt/clock.h"
#include "rt/realtime.h"
#include "trace/tracer.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WAKE_UPS = 300, STACK_KB = 128, PRIORITY_MOST = 99 };
static const uint64_t GRID_NS = NS_PER_S / 1000, HOG_NS = NS_PER_S / 200, EARLY_NS = NS_PER_S / 5000;

struct probe {
  int cpu, priority;
  int wake_ups;
  uint64_t at_ns; /* 0: from the next millisecond on */
  /* Filled in by the thread. */
  pid_t thread;
  uint64_t planned_ns, woke_ns; /* the last wake-up */
  struct histogram late;
  struct realtime_grant grant;
};

static void *wake_up(void *argument)
{
  struct probe *p = argument;
  p->thread = gettid();
  realtime_promote_self(p->priority, p->cpu, false, &p->grant);
  uint64_t next = p->at_ns ? p->at_ns : clock_now_ns() + GRID_NS;
  for (int i = 0; i < p->wake_ups; i++, next += GRID_NS) {
    clock_sleep_until_ns(next);
    p->planned_ns = next;
    p->woke_ns = clock_now_ns();
    histogram_add(&p->late, p->woke_ns > next ? p->woke_ns - next : 0, (uint64_t)i);
  }
  return NULL;
}

static void *take_processor(void *argument)
{
  struct probe *h = argument;
  h->thread = gettid();
  realtime_promote_self(h->priority, h->cpu, false, &h->grant);
  clock_sleep_until_ns(h->at_ns - EARLY_NS);
  while (clock_now_ns() < h->at_ns + HOG_NS) continue;
  return NULL;
}

/* Returns 0 or an errno. */
static int run_probe(struct probe *p, struct probe *hog)
{
  pthread_t probe, other;
  int status = thread_start_ordinary(&probe, "ali3-probe", STACK_KB, wake_up, p);
  if (status) return status;
  if (hog) {
    status = thread_start_ordinary(&other, "ali3-hog", STACK_KB, take_processor, hog);
    if (status == 0) pthread_join(other, NULL);
  }
  pthread_join(probe, NULL);
  return status;
}

static int probe_cpu(const struct measure_plan *plan)
{
  cpu_set_t mine;
  if (plan->cpu >= 0 || sched_getaffinity(0, sizeof mine, &mine) != 0) return plan->cpu >= 0 ? plan->cpu : 0;
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &mine)) last = cpu;
  return last;
}

static const char id_trace[] = "trace", why_trace[] = "the record of a miss then names who caused it",
                  why_cost[] = "the trace slows the loop down by this";

/* The miss that the thread above causes. */
static void cause_miss(struct tracer *t, const struct probe *like, struct findings *all)
{
  struct probe probe = *like, hog = *like;
  hog.priority = like->priority < PRIORITY_MOST ? like->priority + 1 : PRIORITY_MOST;
  probe.priority = hog.priority - 1;
  probe.wake_ups = 1;
  probe.at_ns = hog.at_ns = clock_now_ns() + NS_PER_S / 20;
  const int status = run_probe(&probe, &hog);
  tracer_read(t);
  const struct blame_question q = {.thread = probe.thread,
                                   .cpu = probe.cpu,
                                   .from_ns = probe.planned_ns,
                                   .wanted_ns = probe.woke_ns,
                                   .to_ns = probe.woke_ns};
  struct culprit c;
  char who[80];
  tracer_blame(t, &q, &c);
  c.policy = c.id == hog.thread && hog.grant.policy == SCHED_FIFO ? SCHED_FIFO : c.policy; /* it has ended */
  culprit_text(&c, who, sizeof who);
  const double late_ms = (double)(probe.woke_ns - probe.planned_ns) * 1e-6;
  if (status || hog.grant.policy != SCHED_FIFO)
    finding_add(all, id_trace, why_trace, FINDING_UNKNOWN,
                "the kernel grants the trace; its demonstration takes SCHED_FIFO: %s",
                status ? strerror(status) : hog.grant.reason);
  else if (c.kind == CULPRIT_THREAD && c.id == hog.thread)
    finding_add(all, id_trace, why_trace, FINDING_OK,
                "realtime.trace: true works: a probe on CPU %d woke %.1f ms late, and the trace named %s, "
                "which had its "
                "processor for %.1f ms",
                probe.cpu, late_ms, who, (double)c.ns * 1e-6);
  else
    finding_add(all, id_trace, why_trace, FINDING_WARN,
                "a probe woke %.1f ms late because of thread %d, but the trace names %s", late_ms,
                (int)hog.thread, who[0] ? who : culprit_kind_name(c.kind));
}

void trace_probe(const struct measure_plan *plan, struct findings *all)
{
  static struct probe without, with;
  struct tracer t;
  cpu_set_t cpus;
  char error[256] = "", name[32];
  without = (struct probe){.cpu = probe_cpu(plan), .priority = plan->priority, .wake_ups = WAKE_UPS};
  with = without;
  CPU_ZERO(&cpus);
  CPU_SET(without.cpu, &cpus);
  /* Open the trace, between two measurements of the same kind. */
  snprintf(name, sizeof name, "doctor-%d", (int)getpid());
  int status = run_probe(&without, NULL);
  const uint64_t begin_ns = clock_now_ns();
  if (!tracer_open(&t, name, &cpus, error, sizeof error)) {
    finding_fix(
        finding_add(all, id_trace, why_trace, FINDING_UNKNOWN, "the kernel does not allow it: %s", error),
        "start the daemon as root, or let root make the instance: NAMES OF CULPRITS in ali3d(8)");
    return;
  }
  const double opened_ms = (double)(clock_now_ns() - begin_ns) * 1e-6;
  if (status == 0) status = run_probe(&with, NULL);
  tracer_read(&t);
  const uint64_t events = t.taken;
  cause_miss(&t, &without, all);
  tracer_close(&t);
  /* Tell the cost. */
  if (status)
    finding_add(all, "trace_cost", why_cost, FINDING_UNKNOWN, "not measured: %s", strerror(status));
  else
    finding_add(
        all, "trace_cost", why_cost, FINDING_INFO,
        "median wake-up %.1f us with the trace, %.1f us without; %.1f events for each wake-up; %.0f ms to "
        "start it",
        histogram_percentile_us(&with.late, 0.5), histogram_percentile_us(&without.late, 0.5),
        (double)events / WAKE_UPS, opened_ms);
}
