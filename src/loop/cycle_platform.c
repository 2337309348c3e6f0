/* SPDX-License-Identifier: MIT
 * The platform in a cycle, and the end of the loop, which waits for it. RT. */
#include "loop/cycle_parts.h"
#include "rt/clock.h"

void cycle_move_platform(struct cycle *c)
{
  struct platform_drive *d = &c->drive;
  const uint32_t before = platform_drive_state(d);
  platform_drive_step(d, c->machine.state, c->values);
  const uint32_t now = platform_drive_state(d);
  if (now == before) return;
  ring_push(&c->events, &(struct cycle_event){.cycle = c->number,
                                              .from = before,
                                              .to = now,
                                              .cause = CAUSE_PLATFORM_STATE,
                                              .port = -1,
                                              .body = -1,
                                              .joint = -1,
                                              .input = -1});
}

enum command_result cycle_set_platform(struct cycle *c, const struct command *command, int port)
{
  const enum command_result result = platform_drive_set(&c->drive, command->argument, command->value);
  if (result != RESULT_OK) return result;
  /* A slider that is dragged, or worse, leaves half of the room to faults. */
  const struct cycle_event e = {.cycle = c->number,
                                .from = c->machine.state,
                                .to = c->machine.state,
                                .cause = CAUSE_PLATFORM_SET,
                                .code = command->argument,
                                .port = port,
                                .client = command->client,
                                .body = -1,
                                .joint = -1,
                                .input = -1,
                                .value = command->value};
  ring_push_sparing(&c->events, &e, CYCLE_EVENTS / 2);
  return RESULT_OK;
}

static bool end_is_due(const struct cycle *c)
{
  if (atomic_load_explicit(&c->stop, memory_order_acquire)) return true;
  const bool warm = c->number > (uint64_t)c->config.warmup;
  return warm && c->config.periods > 0 && c->counted >= c->config.periods;
}

bool cycle_over(const struct cycle *c)
{
  if (!end_is_due(c)) return false;
  if (platform_drive_rests(&c->drive) || atomic_load_explicit(&c->at_once, memory_order_acquire)) return true;
  return c->leave_by > 0 && c->number >= c->leave_by;
}

static uint64_t longest_way(const struct cycle *c)
{
  return CYCLE_PARKS_S * NS_PER_S / c->config.period_ns + 1;
}

void cycle_leave(struct cycle *c)
{
  if (!c->drive.there || !end_is_due(c)) return;
  const enum run_state before = c->machine.state;
  if (c->leave_by == 0) {
    c->leave_at_last = c->number + longest_way(c);
    machine_exit(&c->machine);
    cycle_note(c, before, CAUSE_EXIT, 0, -1, 0);
  } else if (!platform_drive_moves(&c->drive)) {
    return;
  }
  const uint64_t by = c->number + platform_drive_patience(&c->drive);
  c->leave_by = by < c->leave_at_last ? by : c->leave_at_last;
}

/* Its controller has heard nothing for so long, and has stopped it. It does not begin to move again without being asked, with
 * somebody on it perhaps: SAFE, as a loop is that was declared stuck. */
void cycle_mind_gap(struct cycle *c)
{
  const uint64_t stands_ns = 10 * c->config.period_ns, least_ns = NS_PER_S / 10;
  const uint64_t longest_ns = stands_ns > least_ns ? stands_ns : least_ns;
  const uint64_t late_ns = c->wakeup_ns > c->cycle_ns ? c->wakeup_ns : c->cycle_ns;
  const bool warm = c->number > (uint64_t)c->config.warmup + 1;
  if (!platform_drive_rests(&c->drive) && warm && late_ns > longest_ns) cycle_trip(c, FAULT_STUCK, -1, 0);
}
