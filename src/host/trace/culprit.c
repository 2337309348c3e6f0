/* SPDX-License-Identifier: MIT */
#include "trace/culprit.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

enum { KERNEL_RT_MOST = 99, KERNEL_NICE_0 = 120 }; /* how the kernel counts priorities */

const char *culprit_kind_name(unsigned kind)
{
#define NAME(id, text) [(id)] = (text),
  static const char *const names[] = {CULPRIT_KIND_LIST(NAME)};
#undef NAME
  return kind < sizeof names / sizeof *names ? names[kind] : "?";
}

static const char *policy_name(int policy)
{
  switch (policy) {
  case SCHED_FIFO:
    return "SCHED_FIFO";
  case SCHED_RR:
    return "SCHED_RR";
  case SCHED_BATCH:
    return "SCHED_BATCH";
  case SCHED_IDLE:
    return "SCHED_IDLE";
  default:
    return "SCHED_OTHER";
  }
}

/* A thread that has ended, or that changed its policy since, keeps the priority of the trace. */
void culprit_policy_text(const struct culprit *c, char *text, size_t size)
{
  const bool fixed = c->policy == SCHED_FIFO || c->policy == SCHED_RR;
  if (c->priority < 0)
    snprintf(text, size, "SCHED_DEADLINE");
  else if (c->priority <= KERNEL_RT_MOST)
    snprintf(text, size, "%s %d", fixed ? policy_name(c->policy) : "real-time priority",
             KERNEL_RT_MOST - c->priority);
  else
    snprintf(text, size, "%s, nice %d", fixed ? "SCHED_OTHER" : policy_name(c->policy),
             c->priority - KERNEL_NICE_0);
}

void culprit_text(const struct culprit *c, char *text, size_t size)
{
  char policy[40];
  switch (c->kind) {
  /* Each kind says what its number and its name mean. */
  case CULPRIT_THREAD:
    culprit_policy_text(c, policy, sizeof policy);
    snprintf(text, size, "thread %d (%.*s, %s)", (int)c->id, CULPRIT_NAME, c->name, policy);
    break;
  case CULPRIT_INTERRUPT:
    snprintf(text, size, "interrupt %d (%.*s)", (int)c->id, CULPRIT_NAME, c->name);
    break;
  case CULPRIT_VECTOR:
    snprintf(text, size, "the %.*s interrupt", CULPRIT_NAME, c->name);
    break;
  case CULPRIT_SOFTIRQ:
    snprintf(text, size, "softirq %.*s", CULPRIT_NAME, c->name);
    break;
  default:
    if (size) *text = '\0';
  }
}

void culprit_ask_policy(struct culprit *c)
{
  c->policy = POLICY_UNKNOWN;
  if (c->kind != CULPRIT_THREAD) return;
  const int policy = sched_getscheduler(c->id);
  if (policy >= 0) c->policy = policy & ~SCHED_RESET_ON_FORK;
}
