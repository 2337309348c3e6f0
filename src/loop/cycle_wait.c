/* SPDX-License-Identifier: MIT
 * Between two cycles: how the loop waits for the next one, and what the end of the last one came to. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

static uint64_t beats_now(const struct cycle *c, uint64_t *beat_ns)
{
  struct bell *b = c->config.bell;
  const uint64_t beats = bell_beats(b);
  *beat_ns = atomic_load_explicit(&b->beat_ns, memory_order_relaxed);
  return beats;
}

static bool told_to_stop(const struct cycle *c)
{
  return atomic_load_explicit(&c->stop, memory_order_acquire);
}

/* Something has come that a cycle has to look at. */
static bool called(const struct cycle *c)
{
  if (told_to_stop(c) || atomic_load(&c->clear) || atomic_load(&c->stuck)) return true;
  for (int p = 0; p < c->config.ports; p++)
    if (!ring_empty(&c->config.port[p]->commands) || atomic_load(&c->config.port[p]->estop)) return true;
  return false;
}

static bool wait_for_call(struct cycle *c)
{
  struct bell *b = c->config.bell;
  uint32_t seen = bell_seen(b);
  if (called(c)) return false;
  c->waiting = true;
  cycle_write_live(c);
  do {
    bell_wait(b, seen, NULL);
    seen = bell_seen(b);
  } while (!called(c));
  c->waiting = false;
  cycle_write_live(c); /* from here on it has to advance */
  return true;
}

/* Steps that are owed leave no pause, and the loop goes before every ordinary thread: on a processor that it shares with the
 * ports, an e-stop would wait until all steps are made. So it rests for a fifth of the time. */
static void wait_in_lockstep(struct cycle *c, bool warming)
{
  const uint64_t now = clock_now_ns();
  if (!warming && !cycle_steps(c) && wait_for_call(c)) {
    c->busy_since_ns = clock_now_ns();
  } else if (now - c->busy_since_ns >= CYCLE_BUSY_NS) {
    clock_sleep_until_ns(now + CYCLE_REST_NS);
    c->busy_since_ns = clock_now_ns();
  }
  c->schedule.start_ns = clock_now_ns();
}

/* Two periods without a beat are the end of the patience: nobody moves a model whose bench has gone. One that waits for the
 * frame of a late cycle has a period from there. */
static uint64_t patience_end_ns(const struct schedule *s)
{
  const uint64_t by_beat = s->last_ns + 2 * s->period_ns, by_cycle = s->start_ns + s->period_ns;
  return by_beat > by_cycle ? by_beat : by_cycle;
}

static void wait_for_beat(struct cycle *c)
{
  struct schedule *s = &c->schedule;
  struct bell *b = c->config.bell;
  const uint64_t end_ns = patience_end_ns(s);
  const struct timespec end = clock_timespec(end_ns);
  for (;;) {
    const uint32_t seen = bell_seen(b);
    uint64_t beat_ns;
    const uint64_t beats = beats_now(c, &beat_ns);
    if (beats != s->beats) {
      c->skipped += schedule_beat(s, beats, beat_ns);
      c->beaten = true;
      return;
    }
    if (told_to_stop(c)) {
      s->start_ns = clock_now_ns();
      return;
    }
    if (bell_wait(b, seen, &end)) continue;
    s->start_ns = end_ns;
    c->beats_lost++;
    if (machine_steps(&c->machine)) cycle_trip(c, FAULT_BEAT, -1, 0);
    return;
  }
}

/* What others have thrown out of the caches meanwhile comes back before it is needed. */
static void wait_awake(struct cycle *c)
{
  enum { CACHE_LINE = 64, WORTH = 4 << 20 };
  const size_t bytes = c->size < WORTH ? c->size : 0;
  for (size_t i = 0; i < bytes && clock_now_ns() < c->schedule.start_ns; i += 64 * CACHE_LINE)
    for (size_t k = i; k < bytes && k < i + 64 * CACHE_LINE; k += CACHE_LINE)
      (void)*(const volatile char *)((const char *)c->block + k);
  clock_spin_until_ns(c->schedule.start_ns);
}

/* The warm-up waits for nobody, nor does the cycle after it, which ends it. */
void cycle_wait(struct cycle *c)
{
  const bool warming = c->number <= (uint64_t)c->config.warmup;
  switch (c->config.clocking) {
  case CLOCKING_TIMER:
    clock_sleep_until_ns(c->schedule.start_ns - c->config.spin_ns);
    if (c->config.spin_ns) wait_awake(c);
    break;
  case CLOCKING_INPUT:
    if (warming)
      clock_sleep_until_ns(c->schedule.start_ns);
    else if (!c->beaten)
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
  const uint64_t beats = c->config.bell ? beats_now(c, &beat_ns) : 0;
  switch (c->config.clocking) {
  case CLOCKING_INPUT:
    if (c->number > (uint64_t)c->config.warmup) {
      const struct schedule_end end = schedule_input(s, end_ns, beats, beat_ns);
      c->beaten = end.due;
      return end;
    }
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

static void weigh_load(struct cycle *c, uint64_t worked_ns)
{
  static const double horizon_s[CYCLE_LOADS] = {1.0, 10.0, 60.0};
  const double period_s = (double)c->config.period_ns / (double)NS_PER_S;
  const double now = (double)worked_ns / (double)c->config.period_ns;
  for (int i = 0; i < CYCLE_LOADS; i++) {
    const double cycles = horizon_s[i] / period_s, so_far = (double)c->number;
    const double weight = cycles < so_far ? cycles : so_far; /* at first the plain mean */
    c->load[i] += (now - c->load[i]) / (weight > 1.0 ? weight : 1.0);
  }
}

static void learn(uint64_t *usual_ns, uint64_t ns)
{
  *usual_ns = *usual_ns ? *usual_ns - *usual_ns / 16 + ns / 16 : ns;
}

/* As a rule: what cycles in time take, the last sixteen or so. */
static void learn_usual(struct cycle *c, uint64_t held_ns)
{
  for (int i = 0; i < PHASES; i++) learn(&c->usual_ns[i], c->phase_ns[i]);
  learn(&c->usual_held_ns, held_ns);
}

void cycle_schedule(struct cycle *c)
{
  struct usage now;
  struct pool_cycle pool = {.slowest.level = -1};
  if (c->pool) pool = pool_take_cycle(c->pool);
  step_times_book(&c->step_times, c->number);
  usage_now(&now);
  struct usage own = usage_since(&now, &c->woken);
  usage_forgive(&own, pool.sleeps, pool.slept_ns);

  const uint64_t start_ns = c->schedule.start_ns, end = clock_now_ns();
  c->cycle_ns = end > start_ns ? end - start_ns : 0;
  if (c->cycle_ns > c->max_cycle_ns) c->max_cycle_ns = c->cycle_ns;
  histogram_add(&c->config.telemetry->book.cycle, c->cycle_ns, c->number);
  weigh_load(c, end - c->wake_ns);

  const struct schedule_end done = end_of_cycle(c, end);
  const bool grace = c->grace_left > 0 && machine_steps(&c->machine);
  c->grace_left -= grace;
  c->missed = done.missed;
  c->skipped += done.skipped;
  c->counted += (c->config.clocking != CLOCKING_LOCKSTEP || c->stepped) + done.skipped;
  if (c->missed) {
    (*(grace ? &c->grace_misses : &c->misses_counted))++;
    if (c->number > (uint64_t)c->config.warmup) /* those before count for nothing */
      cycle_record_miss(c, start_ns, end, done.skipped, grace, &own, &pool);
  } else {
    learn_usual(c, pool.held_ns);
  }
  const bool begins_late = done.due && c->schedule.start_ns < end;
  if (begins_late && !c->late) c->late_since_ns = start_ns;
  if (!begins_late) c->late_since_ns = 0;
  c->late = begins_late;
  c->late_starts += begins_late;

  const struct machine before = c->machine;
  machine_deadline(&c->machine, c->missed && !grace);
  if (c->machine.state == before.state) return;
  cycle_note(c, before.state, CAUSE_FAULT, c->machine.fault, -1, 0);
  cycle_write_live(c); /* a crash before the next cycle must not lose the stop */
}
