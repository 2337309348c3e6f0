/* SPDX-License-Identifier: MIT
 * The platform in a cycle. RT. */
#include "loop/cycle_parts.h"
#include "rt/clock.h"

void cycle_move_platform(struct cycle *c)
{
  struct platform_drive *d = &c->drive;
  const uint32_t before = platform_drive_state(d);
  platform_drive_step(d, c->machine.state, c->output.values);
  const uint32_t now = platform_drive_state(d);
  if (now == before) return;
  ring_push(&c->outbox.events, &(struct cycle_event){.cycle = c->times.number,
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
  /* A client that drags a slider must leave half of the room to faults. */
  const struct cycle_event e = {.cycle = c->times.number,
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
  ring_push_sparing(&c->outbox.events, &e, CYCLE_EVENTS / 2);
  return RESULT_OK;
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
