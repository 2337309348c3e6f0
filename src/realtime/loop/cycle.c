/* SPDX-License-Identifier: MIT
 * The loop. RT throughout: no allocation, no lock, no text, no system call except clock_nanosleep, futex, getrusage,
 * the processor time of its thread, and one eventfd write per port and cycle.
 *
 *            nominal start k                                                                  nominal start k+1
 *     sleep  |wake| latch | feedback | observe | platform | publish | record | account | prepare | schedule ...  |
 *                   inputs  step k     values    if any     frames    book      step k+1
 *
 * With PUBLISH_NEXT_CYCLE the frames of k go out right after the wake-up of k+1, if that wake-up is in time and on the
 * grid.
 *
 * Invariants: 1. schedule.c determines the starts. 2. The model makes exactly one step in a cycle that latched the
 * state RUNNING (and, in lockstep, owes a step: cycle_steps()), and none in any other cycle; simulated time falls
 * behind the clock by the skipped starts. 3. An e-stop raised before the wake-up acts in this cycle, and no command
 * sent before it, on any port, lifts it. 4. A published state lies between two steps, never within one. 5. A platform
 * makes one step in every cycle, in any state. It is parked when the loop ends, unless parking takes too long or the
 * loop must end at once. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

#include <ali3/stepper.h>

/* The platform starts at rest, like the model. */
static void restore_model(struct cycle *c)
{
  plant_restore(&c->plant);
  c->drive.restart = true;
  if (c->plant.from_load) inputs_start_from(&c->inputs, c->plant.model, c->plant.data);
  c->plant.from_load = false;
}

/* The warm-up cycles have touched all code and data; their times say nothing about later cycles. */
static void end_warmup(struct cycle *c)
{
  const bool autostart = c->config.settings.autostart != AUTOSTART_OFF;
  cycle_clear(c);
  figures_begin(&c->figures, &c->times.woken);
  c->schedule.slipped_ns = 0;
  /* Beats of the warm-up start no cycles. */
  if (c->config.settings.clock == CLOCKING_INPUT) c->schedule.beats = wakeup_beats(c->config.wakeup);
  c->deadline.missed = false;
  const enum run_state before = c->machine.state;
  c->plant.restore |= machine_warm(&c->machine, autostart && cycle_is_ready(c)) == ACTION_RESTORE;
  if (c->config.resume && machine_resume(&c->machine)) c->plant.load = true;
  const bool held = autostart && c->machine.disarmed;
  cycle_note(c, before, CAUSE_WARM, c->machine.fault ? c->machine.fault : held ? WARM_DISARMED : 0, -1, 0);
}

static void take_tuning(struct cycle *c)
{
  if (!snapshot_take(&c->inbox.tuning)) return;
  const struct cycle_tuning *t = snapshot_value(&c->inbox.tuning);
  c->config.settings.live = t->live;
  if (c->deadline.grace_left > t->live.grace) c->deadline.grace_left = t->live.grace;
  if (t->inputs) inputs_tune(&c->inputs, t->input);
  if (t->platform && c->drive.there) platform_drive_reload(&c->drive, t->mode, &t->params);
  cycle_show_tuning(c);
}

/* The motion so far decides which injections act. */
static void take_inputs(struct cycle *c)
{
  struct injector *injector = &c->inputs.injector;
  const bool lockstep = c->config.settings.clock == CLOCKING_LOCKSTEP;
  uint64_t acted = 0;
  for (int i = 0; i < injector->count; i++) acted |= (uint64_t)injector_acts(injector, i) << i;
  injector_begin(injector, ali3_data_report(c->plant.data)->time, machine_steps(&c->machine));
  for (int i = 0; i < injector->count; i++)
    if (injector_acts(injector, i) != (bool)(acted >> i & 1))
      cycle_note(c, c->machine.state, CAUSE_INJECT_ACTS, injection_argument(i, injector_acts(injector, i)),
                 -1, 0);
  const bool stepped = c->plant.stepped && !c->plant.warming && c->plant.status >= 0;
  if (c->stimuli.count > 0) stimuli_play(&c->stimuli, stepped, c->times.wake_ns);
  inputs_take(&c->inputs, c->config.port, c->times.wake_ns, lockstep ? c->lockstep.virtual_ns : 0);
}

/* Stops overtake all commands. Returns true if there was one. */
static bool take_stops(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  bool stopped = false;
  if (inbox_take(&c->inbox.stuck)) {
    cycle_trip(c, FAULT_STUCK, -1, 0);
    stopped = true;
  }
  for (int p = 0; p < g->ports; p++) {
    if (atomic_load_explicit(&g->port[p]->estop, memory_order_relaxed) == 0) continue;
    const uint64_t asked = atomic_exchange_explicit(&g->port[p]->estop, 0, memory_order_acquire);
    cycle_trip(c, FAULT_ESTOP, p, (uint32_t)(asked & ~PORT_ESTOP));
    stopped = true;
  }
  return stopped;
}

static void latch_inputs(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  take_tuning(c);
  c->plant.loaded = false;
  cycle_leave(c);
  const enum run_state before = c->machine.state;
  cycle_mind_suspension(c);
  cycle_mind_gap(c);
  const bool stopped = take_stops(c);
  /* Inputs that were sent before a command are present when it is judged; commands that come after this count wait for
   * the next cycle. */
  for (int p = 0; p < g->ports; p++) c->commands[p] = ring_count(&g->port[p]->commands);
  take_inputs(c);
  if (c->times.number == (uint64_t)g->settings.warmup + 1) end_warmup(c);
  cycle_take_commands(c, stopped);
  c->plant.restored = c->plant.restore;
  if (c->plant.restore) restore_model(c); /* once, for any number of commands */
  /* The model may step in this cycle: the first values of a stimulus come at once. */
  if (c->plant.restored && stimuli_rewind(&c->stimuli, c->times.wake_ns + 1))
    inputs_take(&c->inputs, g->port, c->times.wake_ns + 1,
                g->settings.clock == CLOCKING_LOCKSTEP ? c->lockstep.virtual_ns : 0);
  if (c->plant.load) (void)cycle_load_state(c);
  c->plant.load = false;
  /* The values of this cycle, and the effect of stale inputs on the state. */
  inputs_latch(&c->inputs, cycle_input_time(c));
  if (c->inputs.lost >= 0 && machine_steps(&c->machine)) cycle_trip(c, FAULT_STALE, -1, 0);
  if (machine_steps(&c->machine) && before != STATE_RUNNING && before != STATE_PAUSED)
    c->deadline.grace_left = g->settings.live.grace;
}

/* If a worker was lost, the results of this step are invalid; the model returns to its initial state with the reset
 * that leaves SAFE. */
static bool lost_worker(struct cycle *c)
{
  struct workers *w = &c->workers;
  const int lost = w->pool ? pool_lost(w->pool, NULL) : 0;
  if (lost == w->lost) return false;
  w->lost = lost;
  w->lost_now = true;
  cycle_trip(c, FAULT_WORKER, -1, 0);
  return true;
}

static enum fault_code fault_of(int status)
{
  return status == ALI3_E_SINGULAR   ? FAULT_SINGULAR
         : status == ALI3_E_VIOLATED ? FAULT_VIOLATED
                                     : FAULT_DIVERGED;
}

/* In INIT the step is made and undone: it warms caches and branch predictors, and a model that cannot step fails before
 * anybody relies on it. */
static void step_model(struct cycle *c)
{
  const bool warming = c->machine.state == STATE_INIT;
  struct plant *p = &c->plant;
  p->warming = warming;
  p->stepped = warming || cycle_steps(c);
  p->status = ALI3_OK;
  c->times.step_ns = 0;
  if (!p->stepped) return;
  if (!warming) inputs_apply(&c->inputs, p->model, p->data);
  /* Not ali3_feedback(): after a restore the step is not prepared yet, and this call reports a preparation that failed. */
  const int status = ali3_step(p->model, p->data);
  p->status = status;
  c->lockstep.virtual_ns += c->config.period_ns;
  if (lost_worker(c)) return;
  if (!warming) cycle_account_step(c, status);
  if (status < 0) cycle_trip(c, fault_of(status), -1, 0);
  p->moved |= status >= 0;
  if (warming) restore_model(c);
}

/* The part of the next step that needs no inputs, in the time after publication. */
static void prepare_step(struct cycle *c)
{
  struct plant *p = &c->plant;
  p->prepared = c->machine.state == STATE_INIT || machine_steps(&c->machine);
  if (!p->prepared) return;
  (void)ali3_prepare(p->model, p->data); /* the step repeats a failed preparation and reports it */
  lost_worker(c);
}

void cycle_begin(struct cycle *c, uint64_t first_start_ns)
{
  c->schedule.start_ns = first_start_ns;
  c->schedule.last_ns = first_start_ns;
  if (c->config.wakeup) c->schedule.beats = wakeup_beats(c->config.wakeup);
  c->plant.moved = true;
  cycle_observe(c);
  if (c->drive.there) platform_drive_show(&c->drive, c->output.values);
  rig_drive_show(&c->rig, c->output.values);
  cycle_compose(c);
  cycle_keep_state(c);
  prepare_step(c);
}

void cycle_once(struct cycle *c)
{
  const bool publish_next = c->config.settings.publish == PUBLISH_NEXT_CYCLE;
  struct cycle_times *t = &c->times;
  /* Begin the cycle; the frames of the last one may still have to go out. */
  cycle_times_begin(t, c->schedule.start_ns);
  c->plant.moved = c->workers.lost_now = false;
  if (publish_next) {
    cycle_publish(c);
    cycle_times_mark(t, PHASE_publish);
  }
  /* Latch inputs and commands, and complete the prepared step with them. */
  latch_inputs(c);
  cycle_times_mark(t, PHASE_latch);
  const uint64_t prepare_ns = c->plant.prepared ? t->phase_ns[PHASE_prepare] : 0;
  step_model(c);
  cycle_times_mark(t, PHASE_feedback);
  if (c->plant.stepped) t->step_ns = prepare_ns + t->phase_ns[PHASE_feedback];
  lockstep_settle(&c->lockstep, machine_steps(&c->machine), c->plant.stepped);
  cycle_observe(c);
  cycle_times_mark(t, PHASE_observe);
  if (c->drive.there) {
    cycle_move_platform(c);
    cycle_times_mark(t, PHASE_platform);
  }
  cycle_compose(c);
  if (!publish_next) {
    cycle_publish(c);
    cycle_times_mark(t, PHASE_publish);
  }
  if (c->config.frames) {
    cycle_record(c);
    cycle_keep_state(c);
    cycle_times_mark(t, PHASE_record);
  }
  /* In the rest of the period: histograms and the next step. */
  cycle_account(c);
  cycle_hand_over(c);
  cycle_times_mark(t, PHASE_account);
  prepare_step(c);
  cycle_times_mark(t, PHASE_prepare);
  cycle_schedule(c);
}

void cycle_end(struct cycle *c)
{
  const enum run_state before = c->machine.state;
  cycle_end_ride(c, false);
  machine_exit(&c->machine);
  if (before != STATE_EXIT) cycle_note(c, before, CAUSE_EXIT, 0, -1, 0);
  c->over = true;
  cycle_compose(c);
  cycle_publish(c);
  cycle_write_live(c);
}

void cycle_run(struct cycle *c)
{
  cycle_begin(c, clock_now_ns() + c->config.period_ns);
  while (!cycle_over(c)) {
    cycle_wait(c);
    cycle_once(c);
  }
  cycle_end(c);
}
