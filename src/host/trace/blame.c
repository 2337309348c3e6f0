/* SPDX-License-Identifier: MIT
 * One walk over the events. For each processor it keeps the running thread, and the interrupts above it; the time
 * between two events goes to whoever has the processor of the thread that is asked about. */
#include "trace/blame.h"

#include <string.h>

enum { NESTED = 4, CULPRITS = 32, CPUS_SEEN = 64 };

/* One user of a processor. */
struct user {
  uint32_t kind; /* CULPRIT_NONE: unknown */
  int32_t id, priority;
  char name[CULPRIT_NAME];
};

struct processor {
  int32_t cpu;
  struct user thread, softirq;
  struct user interrupt[NESTED]; /* the last one is on top */
  int interrupts;
};

struct walk {
  const struct blame_question *q;
  struct processor processor[CPUS_SEEN];
  int processors;
  int32_t home;           /* processor on which the thread runs or waits; -1: not known yet */
  bool running, runnable; /* the thread of the question */
  struct culprit found[CULPRITS];
  int founds;
  uint64_t waited_ns;
};

/* Returns NULL for more processors than fit. */
static struct processor *processor_of(struct walk *w, int32_t cpu)
{
  for (int i = 0; i < w->processors; i++)
    if (w->processor[i].cpu == cpu) return &w->processor[i];
  if (w->processors == CPUS_SEEN) return NULL;
  struct processor *p = &w->processor[w->processors++];
  *p = (struct processor){.cpu = cpu};
  return p;
}

static struct user thread_user(int32_t id, int32_t priority, const char *name)
{
  struct user u = {.kind = id == 0 ? CULPRIT_IDLE : CULPRIT_THREAD, .id = id, .priority = priority};
  memcpy(u.name, name, sizeof u.name);
  return u;
}

static struct user event_user(uint32_t kind, const struct trace_event *e)
{
  struct user u = {.kind = kind, .id = e->id};
  memcpy(u.name, e->name, sizeof u.name);
  return u;
}

/* The first switch of a processor, and the first event of the thread, tell how things were before. */
static void begin_walk(struct walk *w, const struct trace_event *event, int events)
{
  bool known = false;
  for (int i = 0; i < events; i++) {
    const struct trace_event *e = &event[i];
    struct processor *p = processor_of(w, e->cpu);
    if (e->kind == TRACE_SWITCH && p && p->thread.kind == CULPRIT_NONE)
      p->thread = thread_user(e->id, e->priority, e->name);
    const bool about = (e->id == w->q->thread && e->kind <= TRACE_MIGRATE) ||
                       (e->kind == TRACE_SWITCH && e->next == w->q->thread);
    if (!about) continue;
    if (e->kind == TRACE_SWITCH && w->home < 0) w->home = e->cpu;
    if (known) continue;
    known = true;
    w->running = e->kind == TRACE_SWITCH && e->id == w->q->thread;
    w->runnable = e->kind == TRACE_SWITCH && e->next == w->q->thread;
  }
}

static void charge_user(struct walk *w, const struct user *u, int32_t cpu, uint64_t ns)
{
  if (u->kind == CULPRIT_NONE || ns == 0) return;
  w->waited_ns += ns;
  for (int i = 0; i < w->founds; i++) {
    struct culprit *c = &w->found[i];
    if (c->kind != u->kind || c->id != u->id || strcmp(c->name, u->name) != 0) continue;
    c->ns += ns;
    return;
  }
  if (w->founds == CULPRITS) return;
  struct culprit *c = &w->found[w->founds++];
  *c = (struct culprit){
      .ns = ns, .kind = u->kind, .id = u->id, .priority = u->priority, .policy = POLICY_UNKNOWN, .cpu = cpu};
  memcpy(c->name, u->name, sizeof c->name);
}

/* Between two events nothing changes. While the thread runs, only interrupts keep it from its work. */
static void charge_between(struct walk *w, uint64_t from_ns, uint64_t to_ns)
{
  const struct blame_question *q = w->q;
  const uint64_t from = from_ns > q->from_ns ? from_ns : q->from_ns, to = to_ns < q->to_ns ? to_ns : q->to_ns;
  const struct processor *p = w->home >= 0 ? processor_of(w, w->home) : NULL;
  if (from >= to || !p) return;
  /* Before wanted_ns even a sleeping thread is late. */
  const uint64_t wanted_to = to < q->wanted_ns ? to : q->wanted_ns;
  const uint64_t ns = w->running || w->runnable ? to - from : wanted_to > from ? wanted_to - from : 0;
  if (p->interrupts > 0)
    charge_user(w, &p->interrupt[p->interrupts - 1], p->cpu, ns);
  else if (p->softirq.kind != CULPRIT_NONE)
    charge_user(w, &p->softirq, p->cpu, ns);
  else if (!w->running && p->thread.id != q->thread)
    charge_user(w, &p->thread, p->cpu, ns);
}

static void take_switch(struct walk *w, struct processor *p, const struct trace_event *e)
{
  if (p) {
    p->thread = thread_user(e->next, e->next_priority, e->next_name);
    p->interrupts = 0;
    p->softirq.kind = CULPRIT_NONE;
  }
  if (e->id == w->q->thread) {
    w->running = false;
    w->runnable = e->runnable;
    w->home = e->cpu;
  }
  if (e->next == w->q->thread) {
    w->running = true;
    w->runnable = false;
    w->home = e->cpu;
  }
}

static void take_trace_event(struct walk *w, const struct trace_event *e)
{
  struct processor *p = processor_of(w, e->cpu);
  switch (e->kind) {
  /* Threads. */
  case TRACE_SWITCH:
    take_switch(w, p, e);
    return;
  case TRACE_WAKING:
    if (e->id == w->q->thread && !w->running) w->runnable = true;
    return;
  case TRACE_MIGRATE:
    if (e->id == w->q->thread) w->home = e->next;
    return;
  /* Interrupts above them. */
  case TRACE_INTERRUPT_ENTRY:
  case TRACE_VECTOR_ENTRY:
    if (p && p->interrupts < NESTED)
      p->interrupt[p->interrupts++] =
          event_user(e->kind == TRACE_VECTOR_ENTRY ? CULPRIT_VECTOR : CULPRIT_INTERRUPT, e);
    return;
  case TRACE_INTERRUPT_EXIT:
  case TRACE_VECTOR_EXIT:
    if (p && p->interrupts > 0) p->interrupts--;
    return;
  case TRACE_SOFTIRQ_ENTRY:
    if (p) p->softirq = event_user(CULPRIT_SOFTIRQ, e);
    return;
  case TRACE_SOFTIRQ_EXIT:
    if (p) p->softirq.kind = CULPRIT_NONE;
    return;
  }
}

void blame(const struct blame_question *q, const struct trace_event *event, int events, struct culprit *out)
{
  struct walk w = {.q = q, .home = q->cpu};
  uint64_t t_ns = 0;
  /* Walk. */
  begin_walk(&w, event, events);
  for (int i = 0; i < events && event[i].t_ns < q->to_ns; i++) {
    charge_between(&w, t_ns, event[i].t_ns);
    t_ns = event[i].t_ns;
    take_trace_event(&w, &event[i]);
  }
  charge_between(&w, t_ns, q->to_ns);
  /* The longest one is the culprit. */
  *out = (struct culprit){.kind = CULPRIT_NONE, .policy = POLICY_UNKNOWN};
  for (int i = 0; i < w.founds; i++)
    if (w.found[i].ns > out->ns) *out = w.found[i];
  out->waited_ns = w.waited_ns;
}
