/* SPDX-License-Identifier: MIT
 * The platform in a cycle, and the end of the loop, which waits for it. RT. */
#include "rt/cycle_parts.h"

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
  ring_push(&c->events, &(struct cycle_event){.cycle = c->number,
                                              .from = c->machine.state,
                                              .to = c->machine.state,
                                              .cause = CAUSE_PLATFORM_SET,
                                              .code = command->argument,
                                              .port = port,
                                              .client = command->client,
                                              .body = -1,
                                              .joint = -1,
                                              .input = -1,
                                              .value = command->value});
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

void cycle_leave(struct cycle *c)
{
  if (c->leave_by > 0 || !c->drive.there || !end_is_due(c)) return;
  const enum run_state before = c->machine.state;
  c->leave_by = c->number + platform_drive_patience(&c->drive);
  machine_exit(&c->machine);
  cycle_note(c, before, CAUSE_EXIT, 0, -1, 0);
}
