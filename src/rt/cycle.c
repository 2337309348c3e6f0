/* SPDX-License-Identifier: MIT
 * The loop. RT throughout: no allocation, no lock, no text, no system call but clock_nanosleep, the futex of
 * the workers, and one eventfd write per port and cycle.
 *
 *            nominal start k                                                       nominal start k+1
 *     sleep  |wake| latch | feedback | observe | publish | account | prepare | schedule ...  |
 *                   inputs  step k     values    frames    book      step k+1
 *
 * Invariants: 1. nominal starts lie on one grid: a miss leaves starts out and never shifts the phase. 2. the
 * model moves by exactly one step in a cycle that latched the state RUNNING, and in no other: simulated time
 * falls behind the clock by the starts left out. 3. an e-stop raised before the wake-up holds in this cycle
 * already, and no command sent before it, on whatever port, lifts it again. 4. what is published is a state
 * between two steps, never one in the middle. */
#include "rt/cycle.h"

#include "rt/clock.h"

#include <string.h>
#include <unistd.h>

uint64_t cycle_next_start(uint64_t start_ns, uint64_t period_ns, uint64_t end_ns, uint64_t *skipped)
{
  *skipped = 0;
  if (end_ns > start_ns + period_ns) *skipped = (end_ns - start_ns - 1) / period_ns;
  return start_ns + (*skipped + 1) * period_ns;
}

static void note(struct cycle *c, enum run_state from, enum cycle_cause cause, uint32_t code, int port,
                 uint32_t client)
{
  const bool failed = cause == CAUSE_FAULT && c->machine.state == STATE_FAULT;
  const ali3_report *report = ali3_report_get(c->data);
  ring_push(&c->events, &(struct cycle_event){.cycle = c->number,
                                              .from = from,
                                              .to = c->machine.state,
                                              .cause = cause,
                                              .code = code,
                                              .port = port,
                                              .client = client,
                                              .body = failed ? report->worst_body : -1,
                                              .joint = failed ? report->worst_joint : -1});
}

static void trip(struct cycle *c, enum fault_code fault, int port)
{
  const struct machine before = c->machine;
  machine_trip(&c->machine, fault);
  if (c->machine.state != before.state || c->machine.fault != before.fault)
    note(c, before.state, CAUSE_FAULT, fault, port, 0);
}

/* Pointers inside the block stay right: the image was taken of this very block. */
static void restore(struct cycle *c)
{
  memcpy(c->block, c->image, c->size);
  c->restore = false;
  c->moved = true;
}

static void command(struct cycle *c, const struct command *command, int port, bool stopped)
{
  const struct machine before = c->machine;
  enum machine_action action = ACTION_NONE;
  const bool early = stopped && command->code == COMMAND_RESET;
  const enum command_result result =
      early ? RESULT_WRONG_STATE : machine_command(&c->machine, command->code, &action);
  c->restore |= action == ACTION_RESTORE;
  /* An old force must not act on a model put back to its start, nor come back when an e-stop is cleared. */
  if (result == RESULT_OK && command->code == COMMAND_RESET) inputs_forget(&c->inputs, c->wake_ns);
  if (c->machine.state != before.state || c->machine.fault != before.fault || action == ACTION_RESTORE)
    note(c, before.state, CAUSE_COMMAND, command->code, port, command->client);
  c->last_command = command->code;
  c->last_command_id = command->id;
  c->last_result = result;
  ring_push(&c->config.port[port]->answers,
            &(struct answer){
                .code = command->code, .id = command->id, .client = command->client, .result = result});
}

/* Warm-up cycles have touched all code and data; what they took is no measure of the cycles to come. */
static void end_warmup(struct cycle *c)
{
  struct book *book = &c->config.telemetry->book;
#define CLEAR(name, text) histogram_clear(&book->name);
  BOOK_LIST(CLEAR)
#undef CLEAR
  c->misses = c->skipped = c->counted = c->degraded = c->max_cycle_ns = 0;
  c->missed = false;
  const enum run_state before = c->machine.state;
  c->restore |= machine_warm(&c->machine, c->config.autostart) == ACTION_RESTORE;
  note(c, before, CAUSE_WARM, 0, -1, 0);
}

static void latch(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  bool stopped = false;
  for (int p = 0; p < g->ports; p++) {
    if (atomic_load_explicit(&g->port[p]->estop, memory_order_relaxed) &&
        atomic_exchange_explicit(&g->port[p]->estop, 0, memory_order_acquire)) {
      trip(c, FAULT_ESTOP, p);
      stopped = true;
    }
  }
  if (c->number == (uint64_t)g->warmup + 1) end_warmup(c);
  for (int p = 0; p < g->ports; p++) {
    struct ring *commands = &g->port[p]->commands;
    /* The flag of an e-stop overtakes what waits in the rings: none of that may be left for a later cycle. */
    const uint32_t most = stopped ? commands->capacity : CYCLE_COMMANDS;
    struct command next;
    for (uint32_t n = 0; n < most && ring_pop(commands, &next); n++) command(c, &next, p, stopped);
  }
  if (c->restore) restore(c); /* once, however many commands ask for it */
  inputs_latch(&c->inputs, g->port, g->ports, c->wake_ns);
  if (c->inputs.stale_safe && machine_steps(&c->machine)) trip(c, FAULT_STALE, -1);
}

/* In INIT the step is made too, and taken back: it warms caches and branch predictors, and finds a model that
 * cannot step before anybody relies on it. */
static void feedback(struct cycle *c)
{
  const bool warming = c->machine.state == STATE_INIT;
  c->stepped = warming || machine_steps(&c->machine);
  c->step_ns = 0;
  if (!c->stepped) return;
  const uint64_t begin = clock_now_ns();
  if (!warming) inputs_apply(&c->inputs, c->config.model, c->data);
  /* Not ali3_feedback: after a restore the step is not prepared yet, and a preparation that failed shows
   * here. */
  const int status = ali3_step(c->config.model, c->data);
  c->step_ns = c->prepare_ns + (clock_now_ns() - begin);
  if (status == ALI3_NOT_CONVERGED) c->degraded++;
  if (status < 0) trip(c, status == ALI3_E_SINGULAR ? FAULT_SINGULAR : FAULT_DIVERGED, -1);
  c->moved |= status >= 0;
  if (warming) restore(c);
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
}

static uint32_t saturated(uint64_t v)
{
  return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static uint32_t flags(const struct cycle *c)
{
  uint32_t f = machine_flags(&c->machine);
  if (c->inputs.stale) f |= FLAG_INPUT_STALE;
  if (c->inputs.limited) f |= FLAG_LIMIT;
  if (c->missed) f |= FLAG_OVERRUN;
  if (!c->realtime) f |= FLAG_NOT_REALTIME;
  return f;
}

/* A full eventfd means the thread is to be woken already, so a failure is none. */
static void wake(struct port *port)
{
  if (port->event < 0) return;
  const ssize_t written = write(port->event, &(uint64_t){1}, sizeof(uint64_t));
  (void)written;
}

static void publish(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  const uint32_t count = (uint32_t)g->signals->count;
  const uint64_t age = c->inputs.age_ns;
  const struct frame head = {
      .cycle = c->number,
      .t_ns = clock_now_ns(),
      .time = ali3_report_get(c->data)->time,
      .state = c->machine.state,
      .flags = flags(c),
      .fault = c->machine.fault,
      .period_us = saturated(g->period_ns / 1000),
      .last_cycle_us = saturated(c->cycle_ns / 1000),
      .max_cycle_us = saturated(c->max_cycle_ns / 1000),
      .misses = c->misses,
      .input_age_ms = age == UINT64_MAX ? UINT32_MAX : saturated(age / 1000000),
      .stale_mask = c->inputs.stale_mask,
      .last_command = c->last_command,
      .last_command_id = c->last_command_id,
      .last_result = c->last_result,
      .count = count,
  };
  for (int p = 0; p < g->ports; p++) {
    struct frame *frame = snapshot_begin(&g->port[p]->frames);
    *frame = head;
    memcpy(frame->values, c->values, count * sizeof *c->values);
    snapshot_publish(&g->port[p]->frames);
  }
  /* After all frames are out: no port waits for the wake-up of another. */
  for (int p = 0; p < g->ports; p++) wake(g->port[p]);
}

static void write_live(struct cycle *c)
{
  const ali3_report *report = ali3_report_get(c->data);
  telemetry_write(c->config.telemetry, &(struct telemetry_live){.cycle = c->number,
                                                                .t_ns = c->wake_ns,
                                                                .time = report->time,
                                                                .state = c->machine.state,
                                                                .flags = flags(c),
                                                                .fault = c->machine.fault,
                                                                .misses = c->misses,
                                                                .skipped = c->skipped,
                                                                .wakeup_ns = c->wakeup_ns,
                                                                .step_ns = c->step_ns,
                                                                .cycle_ns = c->cycle_ns,
                                                                .input_age_ns = c->inputs.age_ns,
                                                                .stale_mask = c->inputs.stale_mask,
                                                                .clamped = c->inputs.clamped,
                                                                .degraded = c->degraded,
                                                                .increment = report->increment,
                                                                .constraint = report->position});
}

/* Books what is known by now. The length of this cycle is not: schedule() adds it, and live shows it a cycle
 * later. */
static void account(struct cycle *c)
{
  struct book *book = &c->config.telemetry->book;
  histogram_add(&book->wakeup, c->wakeup_ns, c->number);
  if (c->stepped) histogram_add(&book->step, c->step_ns, c->number);
  write_live(c);
}

/* All of the next step that needs no inputs, in the time left after publication. */
static void prepare(struct cycle *c)
{
  c->prepare_ns = 0;
  if (c->machine.state != STATE_INIT && !machine_steps(&c->machine)) return;
  const uint64_t begin = clock_now_ns();
  (void)ali3_prepare(c->config.model, c->data); /* a failure comes back from the step, which tries again */
  c->prepare_ns = clock_now_ns() - begin;
}

/* The cycle is over: was it in time, and when does the next one start? */
static void schedule(struct cycle *c)
{
  const uint64_t end = clock_now_ns();
  c->cycle_ns = end > c->start_ns ? end - c->start_ns : 0;
  if (c->cycle_ns > c->max_cycle_ns) c->max_cycle_ns = c->cycle_ns;
  histogram_add(&c->config.telemetry->book.cycle, c->cycle_ns, c->number);

  uint64_t skipped;
  c->start_ns = cycle_next_start(c->start_ns, c->config.period_ns, end, &skipped);
  c->missed = skipped > 0;
  c->misses += c->missed;
  c->skipped += skipped;
  c->counted += 1 + skipped;

  const struct machine before = c->machine;
  machine_deadline(&c->machine, c->missed);
  if (c->machine.state != before.state) note(c, before.state, CAUSE_FAULT, c->machine.fault, -1, 0);
}

void cycle_begin(struct cycle *c, uint64_t first_start_ns)
{
  c->start_ns = first_start_ns;
  c->moved = true;
  observe(c);
  prepare(c);
}

void cycle_once(struct cycle *c)
{
  c->wake_ns = clock_now_ns();
  c->wakeup_ns = c->wake_ns > c->start_ns ? c->wake_ns - c->start_ns : 0;
  c->number++;
  c->moved = false;
  latch(c);
  feedback(c);
  observe(c);
  publish(c);
  account(c);
  prepare(c);
  schedule(c);
}

bool cycle_over(const struct cycle *c)
{
  if (atomic_load_explicit(&c->stop, memory_order_acquire)) return true;
  const bool warm = c->number > (uint64_t)c->config.warmup;
  return warm && c->config.periods > 0 && c->counted >= c->config.periods;
}

void cycle_end(struct cycle *c)
{
  const enum run_state before = c->machine.state;
  machine_exit(&c->machine);
  note(c, before, CAUSE_EXIT, 0, -1, 0);
  publish(c);
  write_live(c);
}

void cycle_run(struct cycle *c)
{
  cycle_begin(c, clock_now_ns() + c->config.period_ns);
  while (!cycle_over(c)) {
    clock_sleep_until_ns(c->start_ns);
    cycle_once(c);
  }
  cycle_end(c);
}
