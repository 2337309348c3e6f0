/* SPDX-License-Identifier: MIT */
#include "daemon/stall.h"

#include "rt/clock.h"
#include "signals/exchange.h"

enum {
  PERIODS = 10,
  WARM_UP = 10, /* factor of the limit: the first cycles touch all memory, and nothing moves yet */
  TICKS_LATE = 3,
};

void stall_begin(struct stall *s, uint64_t period_ns, uint64_t tick_ns, uint64_t now_ns)
{
  const uint64_t least = NS_PER_S / 10, limit = PERIODS * period_ns;
  *s = (struct stall){
      .limit_ns = limit > least ? limit : least, .tick_ns = tick_ns, .since_ns = now_ns, .looked_ns = now_ns};
}

/* If the watcher itself is late, the whole process or the machine may have been stopped. Then only the time in which
 * the loop's thread ran counts against it. */
static uint64_t excused_ns(const struct stall *s, uint64_t ran_ns, uint64_t now_ns)
{
  const uint64_t gap = now_ns - s->looked_ns;
  return gap > TICKS_LATE * s->tick_ns && gap > ran_ns ? gap - ran_ns : 0;
}

enum stall_news stall_look(struct stall *s, const struct telemetry_live *live, uint64_t ran_ns,
                           uint64_t now_ns)
{
  if (!s->stuck) s->since_ns += excused_ns(s, ran_ns, now_ns);
  s->looked_ns = now_ns;
  s->stood_ns = now_ns - s->since_ns;
  if (live->cycle != s->cycle || live->waiting) {
    const bool over = s->stuck;
    s->stuck = false;
    s->cycle = live->cycle;
    s->since_ns = now_ns;
    return over ? STALL_OVER : STALL_NOTHING;
  }
  const uint64_t limit = live->state == STATE_INIT ? WARM_UP * s->limit_ns : s->limit_ns;
  if (s->stuck || s->stood_ns <= limit) return STALL_NOTHING;
  s->stuck = true;
  return STALL_STUCK;
}
