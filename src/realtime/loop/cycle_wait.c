/* SPDX-License-Identifier: MIT
 * Between two cycles: waits for the next one and judges the end of the last one. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

static uint64_t beats_now(const struct cycle *c, uint64_t *beat_ns)
{
  struct wakeup *b = c->config.wakeup;
  const uint64_t beats = wakeup_beats(b);
  *beat_ns = atomic_load_explicit(&b->beat_ns, memory_order_relaxed);
  return beats;
}

static bool told_to_stop(const struct cycle *c)
{
  return atomic_load_explicit(&c->inbox.stop, memory_order_acquire);
}

/* True if something has come that needs a cycle. */
static bool has_call(const struct cycle *c)
{
  if (told_to_stop(c) || atomic_load(&c->inbox.clear) || atomic_load(&c->inbox.stuck) ||
      handover_pending(&c->handover))
    return true;
  for (int p = 0; p < c->config.ports; p++)
    if (!ring_empty(&c->config.port[p]->commands) || atomic_load(&c->config.port[p]->estop)) return true;
  return false;
}

static bool wait_for_call(struct cycle *c)
{
  struct wakeup *b = c->config.wakeup;
  uint32_t seen = wakeup_seen(b);
  if (has_call(c)) return false;
  c->lockstep.waiting = true;
  cycle_write_live(c);
  do {
    wakeup_wait(b, seen, NULL);
    seen = wakeup_seen(b);
  } while (!has_call(c));
  c->lockstep.waiting = false;
  cycle_write_live(c); /* from now on the loop must advance */
  return true;
}

/* Owed steps leave no pause, and the loop runs before every ordinary thread: on a CPU shared with the ports, an e-stop
 * would wait until all steps are made. So the loop rests for a fifth of the time. */
static void wait_in_lockstep(struct cycle *c, bool warming)
{
  const uint64_t now = clock_now_ns();
  if (!warming && !cycle_steps(c) && wait_for_call(c)) {
    c->lockstep.busy_since_ns = clock_now_ns();
  } else if (now - c->lockstep.busy_since_ns >= LOCKSTEP_BUSY_NS) {
    clock_sleep_until_ns(now + LOCKSTEP_REST_NS);
    c->lockstep.busy_since_ns = clock_now_ns();
  }
  c->schedule.start_ns = clock_now_ns();
}

/* Give up after two periods without a beat: the bench is gone. A bench that waits for the frame of a late cycle has one
 * period after that frame. */
static uint64_t patience_end_ns(const struct schedule *s)
{
  const uint64_t by_beat = s->last_ns + 2 * s->period_ns, by_cycle = s->start_ns + s->period_ns;
  return by_beat > by_cycle ? by_beat : by_cycle;
}

static void wait_for_beat(struct cycle *c)
{
  struct schedule *s = &c->schedule;
  struct wakeup *b = c->config.wakeup;
  const uint64_t end_ns = patience_end_ns(s);
  const struct timespec end = clock_timespec(end_ns);
  /* A beat, the order to stop, or the time-out, whichever comes first. */
  for (;;) {
    const uint32_t seen = wakeup_seen(b);
    uint64_t beat_ns;
    const uint64_t beats = beats_now(c, &beat_ns);
    if (beats != s->beats) {
      c->figures.skipped += schedule_beat(s, beats, beat_ns);
      return;
    }
    if (told_to_stop(c)) {
      s->start_ns = clock_now_ns();
      return;
    }
    if (wakeup_wait(b, seen, &end)) continue;
    s->start_ns = end_ns;
    c->figures.beats_lost++;
    if (machine_steps(&c->machine)) cycle_trip(c, FAULT_BEAT, -1, 0);
    return;
  }
}

/* Busy-waiting brings data back that other threads have displaced from the caches. */
static void wait_awake(struct cycle *c)
{
  enum { CACHE_LINE = 64, WORTH = 4 << 20 };
  const size_t bytes = c->plant.size < WORTH ? c->plant.size : 0;
  for (size_t i = 0; i < bytes && clock_now_ns() < c->schedule.start_ns; i += 64 * CACHE_LINE)
    for (size_t k = i; k < bytes && k < i + 64 * CACHE_LINE; k += CACHE_LINE)
      (void)*(const volatile char *)((const char *)c->plant.data + k);
  clock_spin_until_ns(c->schedule.start_ns);
}

/* The warm-up and the cycle after it wait for no beat. */
void cycle_wait(struct cycle *c)
{
  const bool warming = c->times.number <= (uint64_t)c->config.settings.warmup;
  switch (c->config.settings.clock) {
  case CLOCKING_TIMER:
    clock_sleep_until_ns(c->schedule.start_ns - c->schedule.spin_ns);
    if (c->schedule.spin_ns) wait_awake(c);
    break;
  case CLOCKING_INPUT:
    if (warming)
      clock_sleep_until_ns(c->schedule.start_ns);
    else if (!c->schedule.beaten)
      wait_for_beat(c);
    break;
  case CLOCKING_LOCKSTEP:
    wait_in_lockstep(c, warming);
    break;
  }
}

static struct schedule_end end_of_cycle(struct cycle *c, uint64_t end_ns)
{
  struct schedule *s = &c->schedule;
  uint64_t beat_ns = 0;
  const uint64_t beats = c->config.wakeup ? beats_now(c, &beat_ns) : 0;
  switch (c->config.settings.clock) {
  case CLOCKING_INPUT:
    if (c->times.number > (uint64_t)c->config.settings.warmup)
      return schedule_input(s, end_ns, beats, beat_ns);
    break;
  case CLOCKING_LOCKSTEP:
    return (struct schedule_end){0};
  case CLOCKING_TIMER:
    break;
  }
  const struct schedule_end end = schedule_timer(s, end_ns);
  if (s->pull_ns && beats != s->beats) schedule_pull(s, beats, beat_ns);
  return end;
}

/* Counts the end of the cycle. Returns true for a miss within the grace. */
static bool count_end(struct cycle *c, const struct schedule_end *end)
{
  struct figures *f = &c->figures;
  struct deadline *d = &c->deadline;
  const bool grace = d->grace_left > 0 && machine_steps(&c->machine);
  d->grace_left -= grace;
  d->missed = end->missed;
  f->skipped += end->skipped;
  f->periods += (c->config.settings.clock != CLOCKING_LOCKSTEP || c->plant.stepped) + end->skipped;
  if (end->missed) (*(grace ? &f->grace_misses : &f->misses))++;
  return grace;
}

void cycle_schedule(struct cycle *c)
{
  struct cycle_times *t = &c->times;
  struct deadline *d = &c->deadline;
  /* Usage of the thread and the workers in this cycle. */
  struct usage now;
  struct miss_end m = {.pool.slowest.level = -1, .start_ns = c->schedule.start_ns};
  if (c->workers.pool) m.pool = pool_take_cycle(c->workers.pool);
  step_times_book(&c->step_times, t->number);
  usage_now(&now);
  m.own = usage_since(&now, &t->woken);
  usage_forgive(&m.own, m.pool.sleeps, m.pool.slept_ns);

  /* Duration of the cycle from its nominal start. */
  m.end_ns = clock_now_ns();
  t->cycle_ns = m.end_ns > m.start_ns ? m.end_ns - m.start_ns : 0;
  if (t->cycle_ns > c->figures.max_cycle_ns) c->figures.max_cycle_ns = t->cycle_ns;
  histogram_add(&c->config.telemetry->histograms.cycle, t->cycle_ns, t->number);
  figures_add_load(&c->figures, t->number, c->config.period_ns, m.end_ns - t->wake_ns);

  /* The next start; a miss leaves a record. */
  const struct schedule_end end = end_of_cycle(c, m.end_ns);
  m.skipped = end.skipped;
  m.grace = count_end(c, &end);
  if (!end.missed)
    cycle_times_learn(t, m.pool.held_ns);
  else if (t->number > (uint64_t)c->config.settings.warmup) /* cycles before do not count */
    cycle_record_miss(c, &m);
  const bool begins_late = end.due && c->schedule.start_ns < m.end_ns;
  if (begins_late && !d->late) d->late_since_ns = m.start_ns;
  if (!begins_late) d->late_since_ns = 0;
  d->late = begins_late;
  c->figures.late_starts += begins_late;

  /* Too many misses in a row lead to SAFE. */
  const struct machine before = c->machine;
  machine_deadline(&c->machine, end.missed && !m.grace, c->config.settings.live.max_misses);
  if (c->machine.state == before.state) return;
  cycle_note(c, before.state, CAUSE_FAULT, c->machine.fault, -1, 0);
  cycle_write_live(c); /* a crash before the next cycle must not lose the stop */
}
