/* SPDX-License-Identifier: MIT
 * Carries out the commands of the ports. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

static enum command_result switch_injection(struct cycle *c, const struct command *command, int port)
{
  if (!injector_switch(&c->inputs.injector, command->argument >> 1, command->argument & 1))
    return RESULT_BAD_ARGUMENT;
  cycle_note(c, c->machine.state, CAUSE_INJECT_SWITCHED, command->argument, port, command->client);
  return RESULT_OK;
}

/* A time stamp in the future would allow an arm too early. */
static uint64_t received_ns(const struct command *command)
{
  const uint64_t now_ns = clock_now_ns();
  return command->t_ns < now_ns ? command->t_ns : now_ns;
}

/* Puts the machine back if there is no state that fits. */
static enum command_result load_state(struct cycle *c, const struct command *command,
                                      const struct machine *before)
{
  const enum command_result result = cycle_load_state(c);
  if (result == RESULT_OK)
    inputs_forget(&c->inputs, command->t_ns);
  else
    c->machine = *before;
  return result;
}

/* The result of a record, save or load that an ordinary thread has found. RESULT_OK of a load: the loop has to do it. */
static enum command_result shown_result(const struct command *command)
{
  if (command->code != COMMAND_SAVE && command->code != COMMAND_LOAD && command->code != COMMAND_RECORD)
    return RESULT_OK;
  return command->value >= 0.0 && command->value <= RESULT_TOO_SOON ? (enum command_result)command->value
                                                                    : RESULT_BAD_ARGUMENT;
}

/* The rig may refuse a command that the state machine accepts. `before`: the machine before the command. */
static enum command_result ask_rig(struct cycle *c, const struct machine *before, uint32_t code,
                                   enum machine_action *action)
{
  const bool moves_on = code == COMMAND_PARK && before->state != STATE_STOPPED;
  if (moves_on || rig_drive_lacks(&c->rig, &c->drive, before->state, code).cause == RIG_FINE) {
    rig_drive_command(&c->rig, code);
    return RESULT_OK;
  }
  c->machine = *before;
  *action = ACTION_NONE;
  return RESULT_NOT_READY;
}

static void take_command(struct cycle *c, const struct command *command, int port, bool stopped)
{
  const struct machine before = c->machine;
  enum machine_action action = ACTION_NONE;
  /* The state machine judges the command. A reset that waited behind a stop is too early. */
  const bool early = stopped && command->code == COMMAND_RESET;
  enum command_result result = shown_result(command);
  if (result == RESULT_OK)
    result =
        early ? RESULT_WRONG_STATE
              : machine_command(&c->machine, command->code, cycle_is_ready(c), received_ns(command), &action);
  if (result == RESULT_OK && command->code != COMMAND_ESTOP)
    result = ask_rig(c, &before, command->code, &action);
  /* A step command is answered with the frame of its last step, not now. */
  if (result == RESULT_OK && command->code == COMMAND_STEP) {
    if (lockstep_owe(&c->lockstep, command, port)) return;
    result = command->argument == 0 ? RESULT_BAD_ARGUMENT : RESULT_WRONG_STATE;
  }
  if (result == RESULT_OK && command->code == COMMAND_INJECT) result = switch_injection(c, command, port);
  if (result == RESULT_OK && command->code == COMMAND_STIMULUS &&
      !stimuli_switch(&c->stimuli, command->argument))
    result = RESULT_BAD_ARGUMENT;
  if (result == RESULT_OK && command->code == COMMAND_PLATFORM) result = cycle_set_platform(c, command, port);
  /* A state without steps owes none, even if the next command returns to RUNNING. */
  lockstep_settle(&c->lockstep, machine_steps(&c->machine), false);
  c->plant.restore |= action == ACTION_RESTORE;
  if (action == ACTION_LOAD) result = load_state(c, command, &before);
  /* An old force must not act on a model that was reset, nor come back after an e-stop. A force that was sent after the
   * reset does act, even if one cycle finds both. */
  if (result == RESULT_OK && command->code == COMMAND_RESET) inputs_forget(&c->inputs, command->t_ns);
  if (result == RESULT_OK && command->code == COMMAND_CLEAR) cycle_clear(c);
  /* Leave an event for the log. */
  if (c->machine.state != before.state || c->machine.fault != before.fault || action != ACTION_NONE)
    cycle_note(c, before.state, CAUSE_COMMAND, command->code, port, command->client);
  if (result != RESULT_OK) cycle_note_refusal(c, command, result, port);
  output_answer(&c->output, c->config.port[port],
                &(struct answer){
                    .code = command->code, .id = command->id, .client = command->client, .result = result});
}

void cycle_take_commands(struct cycle *c, bool stopped)
{
  for (int p = 0; p < c->config.ports; p++) {
    /* The flag of an e-stop overtakes the commands that wait in the rings: all of them must be judged in this cycle. */
    const uint32_t most = stopped || c->commands[p] < CYCLE_COMMANDS ? c->commands[p] : CYCLE_COMMANDS;
    struct command next;
    for (uint32_t n = 0; n < most && ring_pop(&c->config.port[p]->commands, &next); n++)
      take_command(c, &next, p, stopped);
  }
}
