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

/* A command that waited for its thread longer than the dead-man says nothing about the button now. */
static bool is_old_jog(const struct cycle *c, const struct command *command)
{
  const uint64_t now_ns = clock_now_ns(), longest_ns = (uint64_t)(1e9 * c->drive.setup.jog.timeout);
  return now_ns > command->t_ns && now_ns - command->t_ns > longest_ns;
}

/* judged: the answer of machine and rig. The platform may refuse as well, and READY then stays READY. A release needs no
 * state. */
static enum command_result jog_platform(struct cycle *c, const struct machine *before,
                                        const struct command *command, enum command_result judged, int port)
{
  struct jog *j = &c->drive.jog;
  const bool release = command->value == 0.0, moved = j->moves;
  enum command_result result = judged;
  c->jog_answer = JOG_TAKEN;
  if (judged == RESULT_OK && !release && is_old_jog(c, command)) {
    result = RESULT_NOT_READY;
    c->jog_answer = JOG_OLD;
  }
  if (release || result == RESULT_OK)
    result =
        platform_drive_jog(&c->drive, command->argument, command->value, command->number, &c->jog_answer);
  else if (c->drive.there)
    jog_refuse(j, command->value, command->argument / COMMAND_HAND, command->number);
  if (release || result != RESULT_OK) c->machine = *before;
  if (!moved && j->moves) cycle_note_jog(c, CAUSE_JOG_BEGINS, port, command->client);
  return result;
}

/* The answer of the state machine, then of the rig. */
static enum command_result hear_machine_and_rig(struct cycle *c, const struct machine *before,
                                                const struct command *command, enum machine_action *action)
{
  enum command_result result = shown_result(command);
  if (result == RESULT_OK)
    result = machine_command(&c->machine, command->code, cycle_is_ready(c), received_ns(command), action);
  if (result == RESULT_OK && command->code != COMMAND_ESTOP)
    result = ask_rig(c, before, command->code, action);
  return result;
}

/* Does all that an accepted command asks for besides the change of state. *later: it is answered with the frame of its last step,
 * not now. */
static enum command_result carry_out(struct cycle *c, const struct command *command, int port, bool *later)
{
  switch (command->code) {
  case COMMAND_PARK:
    jog_end(&c->drive.jog);
    return RESULT_OK;
  case COMMAND_STEP:
    *later = lockstep_owe(&c->lockstep, command, port);
    return *later ? RESULT_OK : command->argument == 0 ? RESULT_BAD_ARGUMENT : RESULT_BUSY;
  case COMMAND_INJECT:
    return switch_injection(c, command, port);
  case COMMAND_STIMULUS:
    return stimuli_switch(&c->stimuli, command->argument) ? RESULT_OK : RESULT_BAD_ARGUMENT;
  case COMMAND_PLATFORM:
    return cycle_set_platform(c, command, port);
  case COMMAND_RESET:
    /* An old force must not act on a model that was reset, nor come back after an e-stop. A force that was sent after the
     * reset does act, even if one cycle finds both. */
    inputs_forget(&c->inputs, command->t_ns);
    return RESULT_OK;
  case COMMAND_CLEAR:
    cycle_clear(c);
    return RESULT_OK;
  default:
    return RESULT_OK;
  }
}

static void take_command(struct cycle *c, const struct command *command, int port)
{
  const struct machine before = c->machine;
  enum machine_action action = ACTION_NONE;
  bool later = false;
  enum command_result result = hear_machine_and_rig(c, &before, command, &action);
  if (command->code == COMMAND_JOG) result = jog_platform(c, &before, command, result, port);
  if (result == RESULT_OK) result = carry_out(c, command, port, &later);
  if (later) return;
  /* A state without steps owes none, even if the next command returns to RUNNING. */
  lockstep_settle(&c->lockstep, machine_steps(&c->machine), false);
  c->plant.restore |= action == ACTION_RESTORE;
  if (action == ACTION_LOAD) result = load_state(c, command, &before);
  /* Leave an event for the log, and answer. */
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
      take_command(c, &next, p);
  }
}
