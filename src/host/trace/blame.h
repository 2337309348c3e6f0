/* SPDX-License-Identifier: MIT
 * From the events of the kernel's trace to the culprit: who had the processor while a thread wanted it. Pure. */
#ifndef TRACE_BLAME_H
#define TRACE_BLAME_H

#include "trace/culprit.h"
#include "trace/events.h"

/* The question: the thread wants a processor from from_ns to wanted_ns in any case, and from then to to_ns wherever it
 * is runnable. */
struct blame_question {
  int32_t thread;
  int32_t cpu; /* to which it is pinned; -1: any */
  uint64_t from_ns, wanted_ns, to_ns;
};

/* events: sorted by time. Fills in all but the policy. The kind is CULPRIT_NONE if the thread never waited. */
void blame(const struct blame_question *q, const struct trace_event *event, int events, struct culprit *out);

#endif
