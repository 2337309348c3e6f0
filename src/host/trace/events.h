/* SPDX-License-Identifier: MIT
 * Events of the kernel's trace: which ones we ask for, where a kernel keeps their fields, and how a page of its ring
 * buffer is read. Pure functions over bytes and texts from tracefs. Not for the loop. */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "trace/culprit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
  TRACE_SWITCH,  /* from one thread to the next */
  TRACE_WAKING,  /* a thread is about to be woken */
  TRACE_MIGRATE, /* a thread goes to another processor */
  TRACE_INTERRUPT_ENTRY,
  TRACE_INTERRUPT_EXIT,
  TRACE_VECTOR_ENTRY, /* interrupts of the processor itself: timer, calls from other processors */
  TRACE_VECTOR_EXIT,
  TRACE_SOFTIRQ_ENTRY,
  TRACE_SOFTIRQ_EXIT,
};

/* Events by path below events/, kind, whether every kernel must have it, and the name of a vector. */
#define TRACE_EVENT_LIST(X)                                                                                  \
  X("sched/sched_switch", TRACE_SWITCH, true, "")                                                            \
  X("sched/sched_waking", TRACE_WAKING, true, "")                                                            \
  X("sched/sched_migrate_task", TRACE_MIGRATE, true, "")                                                     \
  X("irq/irq_handler_entry", TRACE_INTERRUPT_ENTRY, true, "")                                                \
  X("irq/irq_handler_exit", TRACE_INTERRUPT_EXIT, true, "")                                                  \
  X("irq/softirq_entry", TRACE_SOFTIRQ_ENTRY, true, "")                                                      \
  X("irq/softirq_exit", TRACE_SOFTIRQ_EXIT, true, "")                                                        \
  X("irq_vectors/local_timer_entry", TRACE_VECTOR_ENTRY, false, "local timer")                               \
  X("irq_vectors/local_timer_exit", TRACE_VECTOR_EXIT, false, "local timer")                                 \
  X("irq_vectors/call_function_entry", TRACE_VECTOR_ENTRY, false, "call function")                           \
  X("irq_vectors/call_function_exit", TRACE_VECTOR_EXIT, false, "call function")                             \
  X("irq_vectors/call_function_single_entry", TRACE_VECTOR_ENTRY, false, "call function")                    \
  X("irq_vectors/call_function_single_exit", TRACE_VECTOR_EXIT, false, "call function")                      \
  X("irq_vectors/irq_work_entry", TRACE_VECTOR_ENTRY, false, "irq work")                                     \
  X("irq_vectors/irq_work_exit", TRACE_VECTOR_EXIT, false, "irq work")                                       \
  X("irq_vectors/reschedule_entry", TRACE_VECTOR_ENTRY, false, "reschedule")                                 \
  X("irq_vectors/reschedule_exit", TRACE_VECTOR_EXIT, false, "reschedule")

#define TRACE_COUNT(path, kind, needed, name) +1
enum { TRACE_EVENTS = TRACE_EVENT_LIST(TRACE_COUNT), TRACE_FIELDS = 7 };
#undef TRACE_COUNT

struct trace_field {
  uint16_t offset, size;
};

/* One event of this kernel: from events/PATH/format. */
struct trace_format {
  bool known;
  uint16_t id;
  enum trace_kind kind;
  const char *name;                       /* a vector's */
  struct trace_field field[TRACE_FIELDS]; /* in the order that events.c gives for the kind */
};

struct trace_event {
  uint64_t t_ns;  /* CLOCK_MONOTONIC */
  uint64_t order; /* sorts events with one time; the reader counts */
  enum trace_kind kind;
  int32_t cpu;
  int32_t id;   /* thread (switch: the one that leaves), line of the interrupt, vector of the softirq */
  int32_t next; /* switch: the thread that comes; migrate: the processor to which it goes */
  int32_t priority, next_priority; /* switch, as the kernel counts */
  bool runnable;                   /* switch: the thread that leaves wants to go on */
  char name[CULPRIT_NAME], next_name[CULPRIT_NAME];
};

/* Path and necessity of event i. */
const char *trace_event_path(int i);
bool trace_event_needed(int i);
/* Reads the text of events/PATH/format of event i. Returns false if a field is missing; *f is then unknown. */
bool trace_format_read(int i, const char *text, struct trace_format *f);

/* Called for each event of a page, in order. */
typedef void trace_take(void *context, const struct trace_event *e);
/* Decodes a page of per_cpu/cpuN/trace_pipe_raw. Returns false if it breaks off, is cut short, or contradicts itself.
 * *missed: events before this page were overwritten; *begin_ns: time of the page. */
bool trace_page_decode(const struct trace_format f[static TRACE_EVENTS], int cpu, const void *page,
                       size_t size, trace_take *take, void *context, bool *missed, uint64_t *begin_ns);

#endif
