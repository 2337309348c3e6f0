/* SPDX-License-Identifier: MIT
 * The loop. RT throughout: no allocation, no lock, no text, no system call but clock_nanosleep, futex, getrusage, the time
 * its thread has run, and one eventfd write per port and cycle.
 *
 *            nominal start k                                                                  nominal start k+1
 *     sleep  |wake| latch | feedback | observe | platform | publish | account | prepare | schedule ...  |
 *                   inputs  step k     values    if any     frames    book      step k+1
 *
 * With publish_next the frames of k go out right after the wake-up of k+1, when that comes in time on the grid.
 *
 * Invariants: 1. starts are those of schedule.c. 2. the model moves by exactly one step in a cycle that latched the state
 * RUNNING and was asked for a step, where one has to be (cycle_steps()), and in no other: simulated time falls behind the
 * clock by the starts left out. 3. an e-stop raised before the wake-up holds in this cycle already, and no command sent
 * before it, on whatever port, lifts it again. 4. what is published is a state between two steps, never one in the
 * middle. 5. a platform makes one step in every cycle, whatever the state, and is parked when the loop ends, unless it takes
 * too long or the loop is to end at once. */
#include "loop/cycle_parts.h"

#include "loop/figures.h"
#include "rt/clock.h"

#include <string.h>
#include <unistd.h>

/* Pointers inside the block stay right: the image was taken of this very block. */
static void restore(struct cycle *c)
{
  memcpy(c->block, c->image, c->size);
  c->restore = false;
  c->moved = true;
  c->open = false;
  c->drive.restart = true;
}

static void answer(struct cycle *c, int port, const struct answer *a)
{
  c->last_command = a->code;
  c->last_command_id = a->id;
  c->last_result = a->result;
  ring_push(&c->config.port[port]->answers, a);
}

/* Steps asked for are answered when they are done, with the frame: not now. */
static bool owe_steps(struct cycle *c, const struct command *command, int port)
{
  if (c->steps.owed > 0 || c->steps.done || command->argument == 0) return false;
  c->steps.owed = command->argument;
  c->steps.port = port;
  c->steps.answer = (struct answer){.code = command->code, .id = command->id, .client = command->client};
  return true;
}

/* Before the frame goes out, so that it shows them as done; whoever asked hears of it after the frame. */
static void settle_steps(struct cycle *c, bool stepped)
{
  if (c->steps.owed == 0) return;
  const bool running = machine_steps(&c->machine);
  if (running && stepped) c->steps.owed--;
  if (running && c->steps.owed > 0) return;
  c->steps.owed = 0;
  c->steps.answer.result = running ? RESULT_OK : RESULT_WRONG_STATE;
  c->steps.done = true;
}

static bool ready(const struct cycle *c)
{
  return inputs_missing(&c->inputs, cycle_input_time(c)) < 0;
}

static enum command_result inject(struct cycle *c, const struct command *command, int port)
{
  if (!injector_switch(&c->inputs.injector, command->argument >> 1, command->argument & 1))
    return RESULT_BAD_ARGUMENT;
  cycle_note(c, c->machine.state, CAUSE_INJECT_SWITCHED, command->argument, port, command->client);
  return RESULT_OK;
}

/* A time stamp of the future would let an arm come too soon. */
static uint64_t received_ns(const struct command *command)
{
  const uint64_t now_ns = clock_now_ns();
  return command->t_ns < now_ns ? command->t_ns : now_ns;
}

static void command(struct cycle *c, const struct command *command, int port, bool stopped)
{
  const struct machine before = c->machine;
  enum machine_action action = ACTION_NONE;
  const bool early = stopped && command->code == COMMAND_RESET;
  enum command_result result =
      early ? RESULT_WRONG_STATE
            : machine_command(&c->machine, command->code, ready(c), received_ns(command), &action);
  if (result == RESULT_OK && command->code == COMMAND_STEP) {
    if (owe_steps(c, command, port)) return;
    result = command->argument == 0 ? RESULT_BAD_ARGUMENT : RESULT_WRONG_STATE;
  }
  if (result == RESULT_OK && command->code == COMMAND_INJECT) result = inject(c, command, port);
  if (result == RESULT_OK && command->code == COMMAND_PLATFORM) result = cycle_set_platform(c, command, port);
  settle_steps(c, false); /* a state that does not step owes none, even if the next command leads back */
  c->restore |= action == ACTION_RESTORE;
  /* An old force must not act on a model put back to its start, nor come back when an e-stop is cleared. One that was sent
   * after the reset does act, though both may be found by the same cycle. */
  if (result == RESULT_OK && command->code == COMMAND_RESET) inputs_forget(&c->inputs, command->t_ns);
  if (result == RESULT_OK && command->code == COMMAND_CLEAR) cycle_clear(c);
  if (c->machine.state != before.state || c->machine.fault != before.fault || action == ACTION_RESTORE)
    cycle_note(c, before.state, CAUSE_COMMAND, command->code, port, command->client);
  answer(c, port,
         &(struct answer){
             .code = command->code, .id = command->id, .client = command->client, .result = result});
}

/* Warm-up cycles have touched all code and data; what they took is no measure of the cycles to come. */
static void end_warmup(struct cycle *c)
{
  cycle_clear(c);
  c->misses_counted = c->grace_misses = c->skipped = c->counted = c->degraded = c->late_starts = 0;
  c->degraded_cycle = c->violated = c->violated_first = c->violated_cycle = 0;
  c->schedule.slipped_ns = 0;
  /* Those of the warm-up ask for nothing. */
  if (c->config.clocking == CLOCKING_INPUT) c->schedule.beats = bell_beats(c->config.bell);
  c->missed = false;
  c->warm = c->woken;
  const enum run_state before = c->machine.state;
  c->restore |= machine_warm(&c->machine, c->config.autostart && ready(c)) == ACTION_RESTORE;
  const bool held = c->config.autostart && c->machine.disarmed;
  cycle_note(c, before, CAUSE_WARM, c->machine.fault ? c->machine.fault : held ? WARM_DISARMED : 0, -1, 0);
}

static void tune(struct cycle *c)
{
  if (!snapshot_take(&c->tuning)) return;
  const struct tuning *t = snapshot_value(&c->tuning);
  c->config.overrun = c->schedule.overrun = t->overrun;
  c->config.catch_up = t->catch_up;
  c->schedule.catch_up = (uint32_t)t->catch_up;
  c->config.max_misses = c->machine.max_misses = t->max_misses;
  c->config.grace = t->grace;
  if (c->grace_left > t->grace) c->grace_left = t->grace;
  if (t->inputs) inputs_tune(&c->inputs, t->input);
  if (t->platform && c->drive.there) platform_drive_tune(&c->drive, t->mode, &t->params);
  cycle_show_tuning(c);
}

/* Which injections act is a matter of the motion so far. */
static void take_inputs(struct cycle *c)
{
  struct injector *injector = &c->inputs.injector;
  const bool lockstep = c->config.clocking == CLOCKING_LOCKSTEP;
  uint64_t acted = 0;
  for (int i = 0; i < injector->count; i++) acted |= (uint64_t)injector_acts(injector, i) << i;
  injector_begin(injector, ali3_report_get(c->data)->time, machine_steps(&c->machine));
  for (int i = 0; i < injector->count; i++)
    if (injector_acts(injector, i) != (bool)(acted >> i & 1))
      cycle_note(c, c->machine.state, CAUSE_INJECT_ACTS, injection_argument(i, injector_acts(injector, i)),
                 -1, 0);
  inputs_take(&c->inputs, c->config.port, c->wake_ns, lockstep ? c->virtual_ns : 0);
}

static void latch(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  tune(c);
  cycle_leave(c);
  const enum run_state before = c->machine.state;
  cycle_mind_gap(c);
  bool stopped = false;
  if (atomic_load_explicit(&c->stuck, memory_order_relaxed) &&
      atomic_exchange_explicit(&c->stuck, false, memory_order_acquire)) {
    cycle_trip(c, FAULT_STUCK, -1, 0);
    stopped = true;
  }
  for (int p = 0; p < g->ports; p++) {
    if (atomic_load_explicit(&g->port[p]->estop, memory_order_relaxed) == 0) continue;
    const uint64_t asked = atomic_exchange_explicit(&g->port[p]->estop, 0, memory_order_acquire);
    cycle_trip(c, FAULT_ESTOP, p, (uint32_t)(asked & ~PORT_ESTOP));
    stopped = true;
  }
  /* Inputs that were sent before a command are there when it is judged: what comes from here on is for the next cycle. */
  for (int p = 0; p < g->ports; p++) c->commands[p] = ring_count(&g->port[p]->commands);
  take_inputs(c);
  if (c->number == (uint64_t)g->warmup + 1) end_warmup(c);
  for (int p = 0; p < g->ports; p++) {
    /* The flag of an e-stop overtakes what waits in the rings: none of that may be left for a later cycle. */
    const uint32_t most = stopped || c->commands[p] < CYCLE_COMMANDS ? c->commands[p] : CYCLE_COMMANDS;
    struct command next;
    for (uint32_t n = 0; n < most && ring_pop(&g->port[p]->commands, &next); n++)
      command(c, &next, p, stopped);
  }
  if (c->restore) restore(c); /* once, however many commands ask for it */
  inputs_latch(&c->inputs, cycle_input_time(c));
  if (c->inputs.lost >= 0 && machine_steps(&c->machine)) cycle_trip(c, FAULT_STALE, -1, 0);
  if (machine_steps(&c->machine) && before != STATE_RUNNING && before != STATE_PAUSED)
    c->grace_left = g->grace;
}

/* What a step computed in which a worker was lost is worth nothing; the model goes back to its start with the reset that
 * leads out of SAFE. */
static bool lost_worker(struct cycle *c)
{
  const int lost = c->pool ? pool_lost(c->pool, NULL) : 0;
  if (lost == c->lost_workers) return false;
  c->lost_workers = lost;
  c->lost_now = true;
  cycle_trip(c, FAULT_WORKER, -1, 0);
  return true;
}

static enum fault_code fault_of(int status)
{
  return status == ALI3_E_SINGULAR   ? FAULT_SINGULAR
         : status == ALI3_E_VIOLATED ? FAULT_VIOLATED
                                     : FAULT_DIVERGED;
}

/* In INIT the step is made too, and taken back: it warms caches and branch predictors, and finds a model that
 * cannot step before anybody relies on it. */
static void feedback(struct cycle *c)
{
  const bool warming = c->machine.state == STATE_INIT;
  c->stepped = warming || cycle_steps(c);
  c->step_ns = 0;
  if (!c->stepped) return;
  if (!warming) inputs_apply(&c->inputs, c->config.model, c->data);
  /* Not ali3_feedback: after a restore the step is not prepared yet, and a preparation that failed shows
   * here. */
  const int status = ali3_step(c->config.model, c->data);
  c->virtual_ns += c->config.period_ns;
  if (lost_worker(c)) return;
  if (!warming) cycle_account_step(c, status);
  if (status < 0) cycle_trip(c, fault_of(status), -1, 0);
  c->moved |= status >= 0;
  if (warming) restore(c);
}

static uint32_t saturated(uint64_t v)
{
  return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* UINT32_MAX is for "none was set": an age of 49.7 days and more stays one below. */
static uint32_t shown_age_ms(uint64_t age_ns)
{
  const uint64_t most = UINT32_MAX - 1, ms = age_ns / 1000000;
  if (age_ns == UINT64_MAX) return UINT32_MAX;
  return (uint32_t)(ms < most ? ms : most);
}

/* The frame of this cycle; the time of publication is missing. */
static void compose(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  *c->head = (struct frame){
      .cycle = c->number,
      .time = ali3_report_get(c->data)->time,
      .state = c->machine.state,
      .flags = cycle_flags(c),
      .fault = c->machine.fault,
      .period_us = saturated(g->period_ns / 1000),
      .last_cycle_us = saturated(c->cycle_ns / 1000),
      .max_cycle_us = saturated(c->max_cycle_ns / 1000),
      .misses = c->misses_counted,
      .input_age_ms = shown_age_ms(c->inputs.age_ns),
      .stale_mask = c->inputs.stale_mask,
      .last_command = c->last_command,
      .last_command_id = c->last_command_id,
      .last_result = c->last_result,
      .inputs = (uint32_t)g->signals->inputs,
      .count = (uint32_t)g->signals->count,
      .values = c->values,
      .owner = c->inputs.owner,
  };
}

/* Only after a step or a restore: at any other time the model may be prepared for the next step, and no state
 * to look at. What was observed last is then still true, but for the inputs. */
static void observe(struct cycle *c)
{
  const struct signals *s = c->config.signals;
  if (c->moved)
    signals_observe(s, c->config.model, c->data, c->inputs.value, c->values);
  else
    memcpy(c->values + s->input_first, c->inputs.value, (size_t)s->channels * sizeof *c->values);
  if (s->figures) figures_take(c, c->values + s->figure_first);
}

static void publish(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  if (c->steps.done) {
    c->head->last_command = c->steps.answer.code;
    c->head->last_command_id = c->steps.answer.id;
    c->head->last_result = c->steps.answer.result;
  }
  c->head->t_ns = clock_now_ns();
  for (int p = 0; p < g->ports; p++) port_publish(g->port[p], c->head);
  if (c->steps.done) answer(c, c->steps.port, &c->steps.answer);
  c->steps.done = false;
  machine_shown(&c->machine, c->head->state, c->head->t_ns);
  /* After all frames are out: no port waits for the wake-up of another. */
  for (int p = 0; p < g->ports; p++) port_wake(g->port[p]);
}

/* All of the next step that needs no inputs, in the time left after publication. */
static void prepare(struct cycle *c)
{
  c->prepared = c->machine.state == STATE_INIT || machine_steps(&c->machine);
  if (!c->prepared) return;
  (void)ali3_prepare(c->config.model, c->data); /* a failure comes back from the step, which tries again */
  lost_worker(c);
}

static void done(struct cycle *c, enum phase phase)
{
  const uint64_t now = clock_now_ns();
  c->phase_ns[phase] = now - c->mark_ns;
  c->mark_ns = now;
}

static void wake_up(struct cycle *c)
{
  c->wake_ns = c->mark_ns = clock_now_ns();
  const uint64_t start_ns = c->schedule.start_ns;
  c->wakeup_ns = c->wake_ns > start_ns ? c->wake_ns - start_ns : 0;
  usage_now(&c->woken);
  c->number++;
  c->moved = c->lost_now = false;
}

void cycle_begin(struct cycle *c, uint64_t first_start_ns)
{
  c->schedule.start_ns = first_start_ns;
  c->schedule.last_ns = first_start_ns;
  if (c->config.bell) c->schedule.beats = bell_beats(c->config.bell);
  c->moved = true;
  observe(c);
  if (c->drive.there) platform_drive_show(&c->drive, c->values);
  compose(c);
  prepare(c);
}

void cycle_once(struct cycle *c)
{
  const bool publish_next = c->config.publish_next;
  wake_up(c);
  if (publish_next) {
    publish(c);
    done(c, PHASE_publish);
  }
  latch(c);
  done(c, PHASE_latch);
  const uint64_t prepare_ns = c->prepared ? c->phase_ns[PHASE_prepare] : 0;
  feedback(c);
  done(c, PHASE_feedback);
  if (c->stepped) c->step_ns = prepare_ns + c->phase_ns[PHASE_feedback];
  settle_steps(c, c->stepped);
  observe(c);
  done(c, PHASE_observe);
  if (c->drive.there) {
    cycle_move_platform(c);
    done(c, PHASE_platform);
  }
  compose(c);
  if (!publish_next) {
    publish(c);
    done(c, PHASE_publish);
  }
  cycle_account(c);
  done(c, PHASE_account);
  prepare(c);
  done(c, PHASE_prepare);
  cycle_schedule(c);
}

void cycle_end(struct cycle *c)
{
  const enum run_state before = c->machine.state;
  machine_exit(&c->machine);
  if (before != STATE_EXIT) cycle_note(c, before, CAUSE_EXIT, 0, -1, 0);
  c->over = true;
  compose(c);
  publish(c);
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
