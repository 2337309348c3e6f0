/* SPDX-License-Identifier: MIT
 * Makes intervals from samples, and from intervals the part of a record that explains a miss. */
#include "journal/host_history.h"

/* Smaller differences come from reading the clocks, not from setting them. */
static const uint64_t NOTABLE_NS = 1000000;

/* For the log: a gap and SIGCONT together prove that the process was stopped. A gap alone may be a busy machine, and
 * SIGCONT is also sent to running processes. */
static uint64_t stopped_ns(const struct host_history *s, const struct host_sample *sample, uint64_t gap_ns)
{
  return sample->continued && gap_ns > 2 * s->tick_ns ? gap_ns - s->tick_ns : 0;
}

const struct host_interval *host_history_add(struct host_history *s, const struct host_sample *sample)
{
  /* Subtract the previous sample. Differences below `notable` come from reading the clocks one after another. */
  const struct host_sample *last = s->begun ? &s->last : sample;
  const struct clocks *now = &sample->clocks, *before = &last->clocks;
  const int64_t notable = (int64_t)(NOTABLE_NS + now->slack_ns + before->slack_ns);
  const int64_t asleep = (int64_t)(now->asleep_ns - before->asleep_ns), step = now->wall_ns - before->wall_ns;
  /* Store the interval over the oldest one. */
  struct host_interval *t = &s->interval[s->count++ % HOST_INTERVALS];
  *t = (struct host_interval){
      .from_ns = before->now_ns,
      .to_ns = now->now_ns,
      .stopped_ns = stopped_ns(s, sample, now->now_ns - before->now_ns),
      .asleep_ns = asleep > notable ? (uint64_t)asleep : 0,
      .stolen_ns = sample->stolen_ns > last->stolen_ns ? sample->stolen_ns - last->stolen_ns : 0,
      .wall_step_ns = step > notable || step < -notable ? step : 0,
      .debugger = sample->debugger,
  };
  /* SIGCONT came at an unknown time in the interval. */
  if (sample->continued) {
    t->continued_from_ns = sample->continued_since_ns ? sample->continued_since_ns : t->from_ns;
    t->continued_to_ns = t->to_ns;
  }
  s->last = *sample;
  s->begun = true;
  return t;
}

/* A stop may be shorter than a tick. It began after the last moment without SIGCONT and ended before the
 * signal was taken: a cycle that was late in between was late for it. */
static uint64_t suspended_ns(const struct host_interval *t, uint64_t start_ns, const struct miss *m)
{
  const uint64_t from = t->continued_from_ns > start_ns ? t->continued_from_ns : start_ns;
  const uint64_t to = t->continued_to_ns < m->end_ns ? t->continued_to_ns : m->end_ns;
  return to > from ? to - from : 0;
}

void host_history_explain(const struct host_history *s, struct miss *m)
{
  /* Add up all intervals that overlap the cycle. */
  const unsigned count = s->count < HOST_INTERVALS ? s->count : HOST_INTERVALS;
  /* When cycles are made up for in one go, the first waited for the stop to end, and the others waited for
   * the first. */
  const uint64_t start_ns = m->waiting_since_ns ? m->wake_ns : m->start_ns;
  for (unsigned i = 0; i < count; i++) {
    const struct host_interval *t = &s->interval[i];
    m->suspended_ns += suspended_ns(t, start_ns, m);
    if (t->to_ns < start_ns || t->from_ns > m->end_ns) continue;
    m->host_asleep_ns += t->asleep_ns;
    m->wall_clock_step_ns += t->wall_step_ns;
    m->stolen_ns += t->stolen_ns;
    if (t->debugger) m->debugger = t->debugger;
  }
}
