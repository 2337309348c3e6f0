/* SPDX-License-Identifier: MIT
 * What the loop tells of itself: the deadline book, the live figures, the record of a miss. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

#include <string.h>

static uint32_t platform_flags(uint32_t of)
{
  return (of & PLATFORM_IS_PARKED ? (uint32_t)FLAG_PARKED : 0) |
         (of & PLATFORM_ENGAGED ? (uint32_t)FLAG_ENGAGED : 0) |
         (of & PLATFORM_LIMITED ? (uint32_t)FLAG_LIMIT : 0);
}

static struct platform_live live_platform(const struct platform_drive *d)
{
  const struct platform_output *out = platform_drive_output(d);
  struct platform_live l = {
      .state = platform_drive_state(d), .mode = (uint32_t)out->mode[0], .flags = platform_drive_flags(d)};
  memcpy(l.pose, out->pose, sizeof l.pose);
  memcpy(l.target, out->target, sizeof l.target);
  memcpy(l.legs, out->legs_normalised, sizeof l.legs);
  return l;
}

uint32_t cycle_flags(const struct cycle *c)
{
  uint32_t f = machine_flags(&c->machine);
  if (c->inputs.stale) f |= FLAG_INPUT_STALE;
  if (c->inputs.limited) f |= FLAG_LIMIT;
  if (c->drive.there) f |= platform_flags(platform_drive_flags(&c->drive));
  if (platform_drive_withheld(&c->drive)) f |= FLAG_WITHHELD;
  if (c->config.clocking == CLOCKING_LOCKSTEP) f |= FLAG_LOCKSTEP;
  if (c->missed) f |= FLAG_OVERRUN;
  if (!c->realtime) f |= FLAG_NOT_REALTIME;
  if (c->inputs.injector.acts) f |= FLAG_INJECTED;
  if (c->open) f |= FLAG_VIOLATED;
  return f;
}

static size_t copy_words(char *to, size_t size, const char *from)
{
  size_t i = 0;
  for (; i + 1 < size && from[i]; i++) to[i] = from[i];
  to[i] = '\0';
  return i;
}

/* "joint pin": what was open most after the last violated step. */
static void name_violated(const struct cycle *c, char *text, size_t size)
{
  const ali3_model *m = c->config.model;
  const ali3_violation *v = &c->violation;
  const bool joint = v->joint >= 0;
  if (!joint && v->force < 0) return;
  size_t end =
      copy_words(text, size, joint ? "joint" : ali3_force_type_name(ali3_model_force_type(m, v->force)));
  end += copy_words(text + end, size - end, " ");
  copy_words(text + end, size - end,
             joint ? ali3_model_joint_name(m, v->joint) : ali3_model_force_name(m, v->force));
}

void cycle_write_live(struct cycle *c)
{
  const ali3_report *report = ali3_report_get(c->data);
  struct telemetry_live live = {.cycle = c->number,
                                .t_ns = c->wake_ns,
                                .time = report->time,
                                .state = c->machine.state,
                                .flags = cycle_flags(c),
                                .fault = c->machine.fault,
                                .misses = c->misses_counted,
                                .skipped = c->skipped,
                                .input_age_ns = c->inputs.age_ns,
                                .stale_mask = c->inputs.stale_mask,
                                .clamped = c->inputs.clamped,
                                .degraded = c->degraded,
                                .degraded_cycle = c->degraded_cycle,
                                .violated = c->violated,
                                .violated_first = c->violated_first,
                                .violated_cycle = c->violated_cycle,
                                .grace_misses = c->grace_misses,
                                .late_starts = c->late_starts,
                                .slipped_ns = c->schedule.slipped_ns,
                                .pulled_ns = c->schedule.pulled_ns,
                                .beat_error_ns = c->schedule.beat_error_ns,
                                .beats = c->schedule.beats,
                                .beats_lost = c->beats_lost,
                                .waiting = c->waiting,
                                .over = c->over,
                                .increment = report->increment,
                                .constraint = report->position,
                                .disarmed = c->machine.disarmed,
                                .latch_client = c->latch_client};
  for (size_t i = 0; i < sizeof live.latched_by - 1 && c->latched_by[i]; i++)
    live.latched_by[i] = c->latched_by[i];
  if (c->violated) name_violated(c, live.violated_at, sizeof live.violated_at);
  memcpy(live.load, c->load, sizeof live.load);
  if (c->drive.there) live.platform = live_platform(&c->drive);
  telemetry_write(c->config.telemetry, &live);
}

static void show_inputs(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_condition *now = &c->inputs.condition[i];
    atomic_store_explicit(&t->input[i].age_ns, now->age_ns, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].state, (uint32_t)now->state, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].limits, now->limits, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].owner, input_owner_word(c->inputs.owner[i]), memory_order_relaxed);
  }
}

/* Each a word, on its own right; who reads two of them may find one of before. */
void cycle_show_tuning(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  __atomic_store_n(&t->overrun, c->config.overrun, __ATOMIC_RELAXED);
  __atomic_store_n(&t->catch_up, (uint32_t)c->config.catch_up, __ATOMIC_RELAXED);
  __atomic_store_n(&t->max_misses, (uint32_t)c->config.max_misses, __ATOMIC_RELAXED);
  __atomic_store_n(&t->grace, (uint32_t)c->config.grace, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_spec *spec = &c->inputs.spec[i];
    __atomic_store_n(&t->input[i].policy, spec->policy, __ATOMIC_RELAXED);
    __atomic_store_n(&t->input[i].hold_ns, (uint64_t)(spec->hold * 1e9), __ATOMIC_RELAXED);
  }
}

void cycle_clear(struct cycle *c)
{
  book_clear(&c->config.telemetry->book, c->number);
  c->max_cycle_ns = 0;
}

void cycle_account_step(struct cycle *c, int status)
{
  if (status == ALI3_NOT_CONVERGED || status == ALI3_VIOLATED) {
    c->degraded++;
    c->degraded_cycle = c->number;
  }
  if (status == ALI3_VIOLATED) {
    c->violation = *ali3_violation_get(c->data);
    c->violated_cycle = c->number;
    if (c->violated++ == 0) c->violated_first = c->number;
    if (!c->open) cycle_note(c, c->machine.state, CAUSE_VIOLATED, 0, -1, 0);
  }
  c->open = status == ALI3_VIOLATED || status == ALI3_E_VIOLATED;
}

void cycle_account(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  struct book *book = &t->book;
  if (atomic_load_explicit(&c->clear, memory_order_relaxed) &&
      atomic_exchange_explicit(&c->clear, false, memory_order_acquire))
    cycle_clear(c);
  if (!c->late) histogram_add(&book->wakeup, c->wakeup_ns, c->number);
  for (int i = 0; i < PHASES; i++) { /* account and prepare: those of the cycle before */
    if (i == PHASE_feedback && !c->stepped) continue;
    if (i == PHASE_platform && !c->drive.there) continue;
    if (i == PHASE_prepare && !c->prepared) continue;
    histogram_add(book_histogram(book, (enum phase)i), c->phase_ns[i], c->number);
  }
  if (c->stepped) histogram_add(&book->step, c->step_ns, c->number);
  const struct usage since = usage_since(&c->woken, &c->warm);
  counter_set(&t->counters.loop_page_faults, since.minor + since.major);
  counter_set(&t->counters.loop_preemptions, since.involuntary);
  show_inputs(c);
  cycle_write_live(c);
}

void cycle_record_miss(struct cycle *c, uint64_t start_ns, uint64_t end_ns, uint64_t skipped, bool grace,
                       const struct usage *own, const struct pool_cycle *pool)
{
  int last = 0;
  if (c->lost_now) pool_lost(c->pool, &last);
  struct miss m = {.number = c->misses_counted + c->grace_misses,
                   .cycle = c->number,
                   .start_ns = start_ns,
                   .wake_ns = c->wake_ns,
                   .end_ns = end_ns,
                   .period_ns = c->config.period_ns,
                   .skipped = skipped,
                   .waiting_since_ns = c->late_since_ns,
                   .own = *own,
                   .slowest = pool->slowest,
                   .held_ns = pool->held_ns,
                   .usual_held_ns = c->usual_held_ns,
                   .woke_late_ns = pool->woke_late_ns,
                   .lost_worker = last,
                   .overrun = c->config.overrun,
                   .grace = grace,
                   .state = c->machine.state,
                   .input_age_ns = c->inputs.age_ns};
  if (m.slowest.share > 0) m.worker = pool_usage(c->pool, m.slowest.share);
  memcpy(m.phase_ns, c->phase_ns, sizeof m.phase_ns);
  memcpy(m.usual_ns, c->usual_ns, sizeof m.usual_ns);
  ring_push(&c->misses, &m);
}
