/* SPDX-License-Identifier: MIT
 * The events of the loop: changes of its state and their causes. RT. */
#include "loop/cycle_parts.h"

#include <math.h>

void cycle_note(struct cycle *c, enum run_state from, enum cycle_cause cause, uint32_t code, int port,
                uint32_t client)
{
  const bool failed = cause == CAUSE_FAULT && c->machine.state == STATE_FAULT;
  const bool open = failed || cause == CAUSE_VIOLATED;
  const bool lost = cause == CAUSE_FAULT && code == FAULT_STALE;
  const bool not_started = cause == CAUSE_WARM && c->config.settings.autostart != AUTOSTART_OFF &&
                           c->machine.state == STATE_STOPPED;
  const ali3_report *report = ali3_data_report(c->plant.data);
  if (cause == CAUSE_FAULT || (cause == CAUSE_COMMAND && code == COMMAND_ESTOP)) {
    c->latch.by = port >= 0 ? c->config.port[port]->name : "";
    c->latch.client = port >= 0 ? client : LATCH_NO_NUMBER;
  }
  /* Clients can repeat commands, so half of the room is reserved for events that stop the motion. */
  const bool stops = c->machine.state == STATE_SAFE || c->machine.state == STATE_FAULT;
  const bool turned = cause == CAUSE_UNRESOLVED;
  const bool repeats = (cause == CAUSE_COMMAND && !stops) || cause == CAUSE_VIOLATED || turned;
  const uint32_t spare = repeats ? CYCLE_EVENTS / 2 : 0;
  struct cycle_event e = cycle_event_of(c, cause);
  e.from = from;
  e.code = code;
  e.port = port;
  e.client = client;
  if (failed || turned) {
    e.body = report->worst_body;
    e.joint = report->worst_joint;
  }
  if (lost || not_started) e.input = lost ? c->inputs.lost : inputs_missing(&c->inputs, cycle_input_time(c));
  if (cause == CAUSE_FAULT && code == FAULT_STUCK) e.value = 1e-9 * (double)c->asleep_ns;
  if (cause == CAUSE_FAULT && code >= FAULT_FOLLOW) e.rig = c->rig.last_trip;
  if (open) e.violation = *ali3_data_violation(c->plant.data);
  if (turned) {
    e.value = report->turn;
    e.violation.force = report->worst_force;
  }
  ring_push_sparing(&c->outbox.events, &e, spare);
}

int cycle_platform_changes(const struct command *command, struct platform_change change[3])
{
  const int more = command->more <= 2 ? (int)command->more : 2;
  change[0] = (struct platform_change){command->argument, command->value};
  for (int i = 0; i < more; i++)
    change[1 + i] = (struct platform_change){command->argument + 1 + (uint32_t)i, command->next[i]};
  return 1 + more;
}

/* The change by which a COMMAND_PLATFORM was refused: the first one if together they contradict other parameters. */
static struct platform_change refused_change(const struct cycle *c, const struct command *command)
{
  struct platform_change change[3];
  struct platform_params params;
  const int n = cycle_platform_changes(command, change);
  const int refused = platform_drive_judge(&c->drive, change, n, &params);
  return change[refused > 0 && refused < n ? refused : 0];
}

void cycle_note_refusal(struct cycle *c, const struct command *command, enum command_result result, int port)
{
  /* A refused parameter is told with its ceiling, a jog and a sign of the rig with the reason. */
  const bool sets = command->code == COMMAND_PLATFORM;
  const struct platform_change asked = sets ? refused_change(c, command) : (struct platform_change){0};
  struct cycle_event e = cycle_event_of(c, CAUSE_REFUSED);
  e.code = command->code;
  e.port = port;
  e.client = command->client;
  e.value = result;
  e.parameter = asked.parameter;
  e.asked = asked.value;
  e.ceiling = sets ? platform_drive_ceiling(&c->drive, asked.parameter) : INFINITY;
  e.jog = command->code == COMMAND_JOG ? c->jog_answer : JOG_TAKEN;
  e.rig = rig_drive_lacks(&c->rig, &c->drive, c->machine.state, command->code);
  ring_push_sparing(&c->outbox.events, &e, CYCLE_EVENTS / 2);
}

void cycle_trip(struct cycle *c, enum fault_code fault, int port, uint32_t client)
{
  const struct machine before = c->machine;
  machine_trip(&c->machine, fault);
  if (c->machine.state != before.state || c->machine.fault != before.fault)
    rig_drive_trip(&c->rig, &c->drive, fault);
  if (c->machine.state != before.state || c->machine.fault != before.fault)
    cycle_note(c, before.state, CAUSE_FAULT, fault, port, client);
}
