/* SPDX-License-Identifier: MIT
 * The figures of the loop: histograms, live figures, records of misses. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <math.h>
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
  l.false_force = out->false_force_most[0];
  l.false_rate = out->false_rate_most[0];
  return l;
}

uint32_t cycle_flags(const struct cycle *c)
{
  uint32_t f = machine_flags(&c->machine);
  if (c->inputs.stale) f |= FLAG_INPUT_STALE;
  if (c->inputs.limited) f |= FLAG_LIMIT;
  if (c->drive.there) f |= platform_flags(platform_drive_flags(&c->drive));
  if (platform_drive_withheld(&c->drive)) f |= FLAG_WITHHELD;
  if (c->config.settings.clock == CLOCKING_LOCKSTEP) f |= FLAG_LOCKSTEP;
  if (c->deadline.missed) f |= FLAG_OVERRUN;
  if (!c->realtime) f |= FLAG_NOT_REALTIME;
  if (c->inputs.injector.acts) f |= FLAG_INJECTED;
  if (c->plant.open) f |= FLAG_VIOLATED;
  if (ali3_data_report(c->plant.data)->held > 0) f |= FLAG_HELD;
  const uint32_t recorder = __atomic_load_n(&c->config.telemetry->recorder, __ATOMIC_RELAXED);
  if (recorder == RECORDER_RECORDING || recorder == RECORDER_LOST) f |= FLAG_RECORDED;
  return f;
}

static size_t copy_words(char *to, size_t size, const char *from)
{
  size_t i = 0;
  for (; i + 1 < size && from[i]; i++) to[i] = from[i];
  to[i] = '\0';
  return i;
}

/* "joint pin": the row that was open most after the last violated step. */
static void name_violated(const struct cycle *c, char *text, size_t size)
{
  const ali3_model *m = c->plant.model;
  const ali3_violation *v = &c->figures.violation;
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
  const ali3_report *report = ali3_data_report(c->plant.data);
  /* First the numbers, then texts, lists and the platform. */
#define COUNTED(member, kind, key, unit, metric, text) .member = c->figures.member,
  struct telemetry_live live = {.cycle = c->times.number,
                                .t_ns = c->times.wake_ns,
                                .time = report->time,
                                .state = c->machine.state,
                                .flags = cycle_flags(c),
                                .fault = c->machine.fault,
                                .input_age_ns = c->inputs.age_ns,
                                .stale_mask = c->inputs.stale_mask,
                                .clamped = c->inputs.clamped,
                                .slipped_ns = c->schedule.slipped_ns,
                                .pulled_ns = c->schedule.pulled_ns,
                                .beat_error_ns = c->schedule.beat_error_ns,
                                .beats = c->schedule.beats,
                                .waiting = c->lockstep.waiting,
                                .over = c->over,
                                .increment = report->increment,
                                .constraint = report->position,
                                .disarmed = c->machine.disarmed,
                                .latch_client = c->latch.client,
                                TELEMETRY_COUNTED_LIST(COUNTED)};
#undef COUNTED
  for (size_t i = 0; i < sizeof live.latched_by - 1 && c->latch.by[i]; i++)
    live.latched_by[i] = c->latch.by[i];
  if (c->figures.violated) name_violated(c, live.violated_at, sizeof live.violated_at);
  /* Without a platform its part stays 0. */
  memcpy(live.load, c->figures.load, sizeof live.load);
  if (c->drive.there) live.platform = live_platform(&c->drive);
  if (c->rig.there) live.rig = c->rig.rig.out;
  telemetry_write(c->config.telemetry, &live);
}

static void write_channel_views(struct input_view *view, const struct inputs *in, int first)
{
  for (uint32_t k = 0; k < view->channels; k++) {
    atomic_store_explicit(&view->channel[k].acting, in->value[first + (int)k], memory_order_relaxed);
    atomic_store_explicit(&view->channel[k].written, in->written[first + (int)k], memory_order_relaxed);
  }
}

static void write_input_views(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_condition *now = &c->inputs.condition[i];
    atomic_store_explicit(&t->input[i].age_ns, now->age_ns, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].state, (uint32_t)now->state, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].limits, now->limits, memory_order_relaxed);
    atomic_store_explicit(&t->input[i].owner, input_owner_word(c->inputs.owner[i]), memory_order_relaxed);
    write_channel_views(&t->input[i], &c->inputs, c->inputs.spec[i].first);
  }
}

/* Each value is one word; a reader of two of them may find one of the previous tuning. */
void cycle_show_tuning(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  const struct cycle_live *live = &c->config.settings.live;
  __atomic_store_n(&t->overrun, live->overrun, __ATOMIC_RELAXED);
  __atomic_store_n(&t->catch_up, (uint32_t)live->catch_up, __ATOMIC_RELAXED);
  __atomic_store_n(&t->max_misses, (uint32_t)live->max_misses, __ATOMIC_RELAXED);
  __atomic_store_n(&t->grace, (uint32_t)live->grace, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_spec *spec = &c->inputs.spec[i];
    __atomic_store_n(&t->input[i].policy, spec->policy, __ATOMIC_RELAXED);
    __atomic_store_n(&t->input[i].hold_ns, (uint64_t)(spec->hold * 1e9), __ATOMIC_RELAXED);
    for (uint32_t k = 0; k < t->input[i].channels; k++) {
      struct input_channel_view *view = &t->input[i].channel[k];
      atomic_store_explicit(&view->lower, spec->range[k].lower, memory_order_relaxed);
      atomic_store_explicit(&view->upper, spec->range[k].upper, memory_order_relaxed);
    }
  }
}

void cycle_clear(struct cycle *c)
{
  book_clear(&c->config.telemetry->histograms, c->times.number);
  c->figures.max_cycle_ns = 0;
}

void cycle_account_step(struct cycle *c, int status)
{
  c->figures.retried += ali3_data_report(c->plant.data)->retried;
  figures_add_step(&c->figures, c->times.number, status, ali3_data_violation(c->plant.data));
  if (status == ALI3_VIOLATED && !c->plant.open) cycle_note(c, c->machine.state, CAUSE_VIOLATED, 0, -1, 0);
  c->plant.open = status == ALI3_VIOLATED || status == ALI3_E_VIOLATED;
  const bool unresolved = status == ALI3_UNRESOLVED;
  if (unresolved && !c->plant.unresolved) cycle_note(c, c->machine.state, CAUSE_UNRESOLVED, 0, -1, 0);
  c->plant.unresolved = unresolved;
}

void cycle_account(struct cycle *c)
{
  struct telemetry *t = c->config.telemetry;
  struct histograms *histograms = &t->histograms;
  if (inbox_take(&c->inbox.clear)) cycle_clear(c);
  if (!c->deadline.late) histogram_add(&histograms->wakeup, c->times.wakeup_ns, c->times.number);
  for (int i = 0; i < PHASES; i++) { /* account and prepare are of the last cycle */
    if (i == PHASE_record && !c->config.frames) continue;
    if (i == PHASE_feedback && !c->plant.stepped) continue;
    if (i == PHASE_platform && !c->drive.there) continue;
    if (i == PHASE_prepare && !c->plant.prepared) continue;
    histogram_add(book_histogram(histograms, (enum phase)i), c->times.phase_ns[i], c->times.number);
  }
  if (c->plant.stepped) histogram_add(&histograms->step, c->times.step_ns, c->times.number);
  const struct usage since = usage_since(&c->times.woken, &c->figures.warm);
  counter_set(&t->counters.loop_page_faults, since.minor + since.major);
  counter_set(&t->counters.loop_preemptions, since.involuntary);
  write_input_views(c);
  cycle_write_live(c);
}

void cycle_record_miss(struct cycle *c, const struct miss_end *end)
{
  const struct cycle_times *t = &c->times;
  int last = 0;
  if (c->workers.lost_now) pool_lost(c->workers.pool, &last);
  /* Record the facts that other threads need to judge the cause; they add the facts that only they know. */
  struct miss m = {.number = c->figures.misses + c->figures.grace_misses,
                   .cycle = t->number,
                   .start_ns = end->start_ns,
                   .wake_ns = t->wake_ns,
                   .end_ns = end->end_ns,
                   .period_ns = c->config.period_ns,
                   .skipped = end->skipped,
                   .waiting_since_ns = c->deadline.late_since_ns,
                   .own = end->own,
                   .slowest = end->pool.slowest,
                   .held_ns = end->pool.held_ns,
                   .usual_held_ns = t->usual_held_ns,
                   .woke_late_ns = end->pool.woke_late_ns,
                   .lost_worker = last,
                   .overrun = c->config.settings.live.overrun,
                   .grace = end->grace,
                   .state = c->machine.state,
                   .input_age_ns = c->inputs.age_ns};
  if (m.slowest.share > 0) {
    m.slowest_thread = pool_thread(c->workers.pool, m.slowest.share);
    m.worker = pool_usage(c->workers.pool, m.slowest.share);
  }
  memcpy(m.phase_ns, t->phase_ns, sizeof m.phase_ns);
  memcpy(m.usual_ns, t->usual_ns, sizeof m.usual_ns);
  ring_push(&c->outbox.misses, &m);
}
