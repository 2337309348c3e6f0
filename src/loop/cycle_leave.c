/* SPDX-License-Identifier: MIT
 * The end of the loop, which waits until the platform is parked. RT. */
#include "loop/cycle_parts.h"
#include "rt/clock.h"

static bool end_is_due(const struct cycle *c)
{
  if (atomic_load_explicit(&c->inbox.stop, memory_order_acquire)) return true;
  const bool warm = c->times.number > (uint64_t)c->config.settings.warmup;
  return warm && c->config.periods > 0 && c->figures.periods >= c->config.periods;
}

bool cycle_over(const struct cycle *c)
{
  if (!end_is_due(c)) return false;
  if (platform_drive_rests(&c->drive) || atomic_load_explicit(&c->inbox.at_once, memory_order_acquire))
    return true;
  const struct leaving *l = &c->leaving;
  return l->by > 0 && c->times.number >= l->by;
}

static uint64_t longest_way(const struct cycle *c)
{
  return CYCLE_PARKS_S * NS_PER_S / c->config.period_ns + 1;
}

void cycle_leave(struct cycle *c)
{
  if (!c->drive.there || !end_is_due(c)) return;
  struct leaving *l = &c->leaving;
  const enum run_state before = c->machine.state;
  if (l->by == 0) {
    l->at_last = c->times.number + longest_way(c);
    machine_exit(&c->machine);
    cycle_note(c, before, CAUSE_EXIT, 0, -1, 0);
  } else if (!platform_drive_moves(&c->drive)) {
    return;
  }
  const uint64_t by = c->times.number + platform_drive_patience(&c->drive);
  l->by = by < l->at_last ? by : l->at_last;
}
