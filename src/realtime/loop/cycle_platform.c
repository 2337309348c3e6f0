/* SPDX-License-Identifier: MIT
 * The platform in a cycle. RT. */
#include "loop/cycle_parts.h"
#include "rt/clock.h"

/* Signs of the rig whose changes are for the log. */
static const unsigned TOLD = RIG_REPORTS | RIG_WARNS | RIG_PERMITS | RIG_HELD | RIG_FELT_BEYOND;

static void note_rig(struct cycle *c, unsigned from, unsigned to, struct rig_verdict lacks)
{
  struct cycle_event e = cycle_event_of(c, CAUSE_RIG);
  e.from = from;
  e.to = to;
  e.rig = lacks;
  ring_push_sparing(&c->outbox.events, &e, CYCLE_EVENTS / 2);
}

/* The signs of the rig until this cycle may stop the motion of this cycle. */
static void judge_rig(struct cycle *c)
{
  static const enum fault_code fault[] = {[RIG_UNMET] = FAULT_PERMISSIVE,
                                          [RIG_BLIND] = FAULT_FOLLOW,
                                          [RIG_ERRING] = FAULT_FOLLOW,
                                          [RIG_MOVES] = FAULT_FOLLOW,
                                          [RIG_ROUGH] = FAULT_FELT};
  struct rig_drive *d = &c->rig;
  if (!d->there) return;
  const unsigned before = (unsigned)d->rig.out.flags[0];
  rig_drive_step(d, &c->drive, &c->inputs, c->output.values);
  const unsigned now = (unsigned)d->rig.out.flags[0];
  if ((before ^ now) & TOLD) note_rig(c, before, now, rig_lacks(&d->rig, false));
  /* A platform that was jogged moves or stands away from its park pose like one in READY. */
  const enum run_state state = platform_drive_jogs(&c->drive) ? STATE_READY : c->machine.state;
  const struct rig_verdict verdict = rig_drive_verdict(d, state);
  if (verdict.cause == RIG_FINE) return;
  d->last_trip = verdict;
  cycle_trip(c, fault[verdict.cause], -1, 0);
}

void cycle_end_ride(struct cycle *c, bool parked)
{
  struct rig_drive *d = &c->rig;
  if (!d->rides) return;
  d->rides = false;
  ring_push(&c->outbox.rides, &(struct ride){.first = d->since,
                                             .last = c->times.number,
                                             .parked = parked,
                                             .figures = d->rig.ride,
                                             .params = c->drive.setup.spec.params});
}

static void begin_ride(struct cycle *c)
{
  struct rig_drive *d = &c->rig;
  d->rides = d->there;
  d->since = c->times.number;
  d->rig.ride = (struct rig_ride){0};
}

void cycle_move_platform(struct cycle *c)
{
  struct platform_drive *d = &c->drive;
  const uint32_t before = platform_drive_state(d);
  judge_rig(c);
  d->held = rig_drive_holds(&c->rig);
  if (c->machine.state == STATE_STOPPED) platform_drive_raise(d);
  platform_drive_step(d, c->machine.state, c->output.values);
  const uint32_t now = platform_drive_state(d);
  if (d->there && d->jog.came_to_rest) cycle_note_jog(c, CAUSE_JOG_RESTS, -1, 0);
  if (now == before) return;
  /* A change of state begins or ends a ride, and leaves an event. */
  if (before == PLATFORM_PARKED) begin_ride(c);
  if (now == PLATFORM_PARKED) cycle_end_ride(c, true);
  struct cycle_event e = cycle_event_of(c, CAUSE_PLATFORM_STATE);
  e.from = before;
  e.to = now;
  ring_push(&c->outbox.events, &e);
}

/* A client that drags a slider must leave half of the room to faults. */
static void note_parameter(struct cycle *c, uint64_t cycle, uint32_t parameter, double value, int port,
                           uint32_t client)
{
  struct cycle_event e = cycle_event_of(c, CAUSE_PLATFORM_SET);
  e.cycle = cycle;
  e.code = parameter;
  e.port = port;
  e.client = client;
  e.value = value;
  ring_push_sparing(&c->outbox.events, &e, CYCLE_EVENTS / 2);
}

enum command_result cycle_set_platform(struct cycle *c, const struct command *command, int port)
{
  struct platform_change change[3];
  const int n = cycle_platform_changes(command, change);
  const enum command_result result = platform_drive_set(&c->drive, change, n);
  for (int i = 0; i < n && result == RESULT_OK; i++)
    note_parameter(c, c->times.number, change[i].parameter, change[i].value, port, command->client);
  return result;
}

void cycle_tune_platform(struct cycle *c, const struct plant_set *s, const struct platform_params *params)
{
  platform_drive_tune(&c->drive, c->drive.setup.spec.mode, params);
  for (int i = 0; i < s->changes; i++)
    note_parameter(c, c->times.number + 1, s->change[i].parameter, s->change[i].value, -1, 0);
}

void cycle_note_jog(struct cycle *c, enum cycle_cause cause, int port, uint32_t client)
{
  const struct jog *j = &c->drive.jog;
  struct cycle_event e = cycle_event_of(c, cause);
  e.code = (uint32_t)j->part;
  e.port = port;
  e.client = client;
  e.value = cause == CAUSE_JOG_RESTS ? j->went : 0.0;
  e.jog = j->cause;
  ring_push_sparing(&c->outbox.events, &e, CYCLE_EVENTS / 2);
}

/* The rig's controller got no frame for that time and has stopped. The rig must not move again by itself, perhaps with
 * a person on it: trip to SAFE, as for a loop that was declared stuck. */
void cycle_mind_gap(struct cycle *c)
{
  const uint64_t stands_ns = 10 * c->config.period_ns, least_ns = NS_PER_S / 10;
  const uint64_t longest_ns = stands_ns > least_ns ? stands_ns : least_ns;
  const uint64_t late_ns = c->times.wakeup_ns > c->times.cycle_ns ? c->times.wakeup_ns : c->times.cycle_ns;
  const bool warm = c->times.number > (uint64_t)c->config.settings.warmup + 1;
  if (!platform_drive_rests(&c->drive) && warm && late_ns > longest_ns) cycle_trip(c, FAULT_STUCK, -1, 0);
}

/* CLOCK_MONOTONIC stood still, so the values from before look fresh, and the loop would go on as if nothing had happened: with a
 * rig whose controller has long stopped, and persons who have long left. */
void cycle_mind_suspension(struct cycle *c)
{
  const bool warm = c->times.number > (uint64_t)c->config.settings.warmup + 1;
  const uint64_t before_ns = clock_now_ns(), boot_ns = clock_boot_ns(), after_ns = clock_now_ns();
  c->asleep_ns = suspension_take(&c->suspension, before_ns, boot_ns, after_ns);
  if (c->asleep_ns == 0) return;
  if (c->config.settings.clock != CLOCKING_LOCKSTEP) inputs_pass_time(&c->inputs, c->asleep_ns);
  if (c->drive.there && warm) cycle_trip(c, FAULT_STUCK, -1, 0);
}

/* --- the end of the loop, which waits until the platform is parked --- */

static bool end_is_due(const struct cycle *c)
{
  if (atomic_load_explicit(&c->inbox.stop, memory_order_acquire)) return true;
  /* The cycle after the warm-up begins with the figures of the warm-up. */
  const bool warm = c->times.number > (uint64_t)c->config.settings.warmup && c->machine.state != STATE_INIT;
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
