/* SPDX-License-Identifier: MIT
 * What the commands of the ports do. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

static enum command_result switch_injection(struct cycle *c, const struct command *command, int port)
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

static void take_command(struct cycle *c, const struct command *command, int port, bool stopped)
{
  const struct machine before = c->machine;
  enum machine_action action = ACTION_NONE;
  /* The state machine judges the command. A reset that waited behind a stop comes too early. */
  const bool early = stopped && command->code == COMMAND_RESET;
  enum command_result result =
      early ? RESULT_WRONG_STATE
            : machine_command(&c->machine, command->code, cycle_is_ready(c), received_ns(command), &action);
  /* Steps asked for are answered when they are done, with the frame: not now. */
  if (result == RESULT_OK && command->code == COMMAND_STEP) {
    if (lockstep_owe(&c->lockstep, command, port)) return;
    result = command->argument == 0 ? RESULT_BAD_ARGUMENT : RESULT_WRONG_STATE;
  }
  if (result == RESULT_OK && command->code == COMMAND_INJECT) result = switch_injection(c, command, port);
  if (result == RESULT_OK && command->code == COMMAND_PLATFORM) result = cycle_set_platform(c, command, port);
  /* A state that does not step owes none, even if the next command leads back. */
  lockstep_settle(&c->lockstep, machine_steps(&c->machine), false);
  c->plant.restore |= action == ACTION_RESTORE;
  /* An old force must not act on a model put back to its start, nor come back when an e-stop is cleared. One that was sent
   * after the reset does act, though both may be found by the same cycle. */
  if (result == RESULT_OK && command->code == COMMAND_RESET) inputs_forget(&c->inputs, command->t_ns);
  if (result == RESULT_OK && command->code == COMMAND_CLEAR) cycle_clear(c);
  /* The log and the client hear of it. */
  if (c->machine.state != before.state || c->machine.fault != before.fault || action == ACTION_RESTORE)
    cycle_note(c, before.state, CAUSE_COMMAND, command->code, port, command->client);
  if (result != RESULT_OK) cycle_note_refusal(c, command, result, port);
  output_answer(&c->output, c->config.port[port],
                &(struct answer){
                    .code = command->code, .id = command->id, .client = command->client, .result = result});
}

void cycle_take_commands(struct cycle *c, bool stopped)
{
  for (int p = 0; p < c->config.ports; p++) {
    /* The flag of an e-stop overtakes what waits in the rings: none of that may be left for a later cycle. */
    const uint32_t most = stopped || c->commands[p] < CYCLE_COMMANDS ? c->commands[p] : CYCLE_COMMANDS;
    struct command next;
    for (uint32_t n = 0; n < most && ring_pop(&c->config.port[p]->commands, &next); n++)
      take_command(c, &next, p, stopped);
  }
}
