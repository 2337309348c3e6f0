/* SPDX-License-Identifier: MIT
 * Commands to the loop, and its answers. */
#include "cueing/params.h"
#include "jog/jog.h"
#include "osc/in_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The loop answers steps when they are done, perhaps long after later commands. A client number that awaits
 * an answer is therefore never reused. If lost answers keep all numbers, none is free. */
uint32_t osc_take_client(struct osc_in *in, const struct osc_sender *from)
{
  uint32_t client = in->next_client;
  for (int i = 0; i < OSC_CLIENTS && in->client[client].awaited; i++) client = (client + 1) % OSC_CLIENTS;
  in->next_client = (client + 1) % OSC_CLIENTS;
  in->client[client].from = *from;
  in->client[client].serial = in->serial++;
  in->client[client].awaited = true;
  char name[CLIENT_NAME];
  clients_address_text(&from->at.name.any, name);
  clients_name(&in->port->clients, client, name);
  return client;
}

static void send_result(struct osc_in *in, const struct osc_sender *to, const struct answer *a)
{
  if (a->code == COMMAND_STEP)
    osc_answer_step(in, to, a);
  else
    osc_out_owed_ack(in->out, to, command_name(a->code), (int32_t)a->id, a->result);
}

/* Drops a command that waits for its answer. */
static void drop_command(struct osc_in *in, const struct command *c)
{
  in->client[c->client].awaited = false;
  counter_add(&in->counters->commands_dropped, 1);
  send_result(in, &in->client[c->client].from,
              &(struct answer){.code = c->code, .id = c->id, .result = RESULT_BUSY});
}

/* The command follows the inputs of its datagram: see osc_send_commands(). */
static enum verdict send_valued(struct osc_in *in, const struct request *r, const struct command *command)
{
  const uint32_t code = command->code;
  const int32_t id = (int32_t)command->id;
  if (r->access < ACCESS_WRITE) {
    osc_out_acknowledge(in->out, &r->from, command_name(code), id, RESULT_NOT_AUTHORISED);
    return DENIED;
  }
  /* A stuck loop answers nothing, and must not find this command when it runs again. */
  if (atomic_load_explicit(&in->port->stuck, memory_order_acquire) && code != COMMAND_RESET) {
    osc_out_acknowledge(in->out, &r->from, command_name(code), id, RESULT_WRONG_STATE);
    return ACCEPTED;
  }
  /* This reset came before an e-stop that has acted already, so its sender could not know of that e-stop. */
  if (code == COMMAND_RESET && r->from.now_ns <= in->estop_ns) {
    osc_out_acknowledge(in->out, &r->from, command_name(code), id, RESULT_WRONG_STATE);
    return ACCEPTED;
  }
  if (in->commands == OSC_COMMANDS_MAX) {
    counter_add(&in->counters->commands_dropped, 1);
    osc_out_acknowledge(in->out, &r->from, command_name(code), id, RESULT_BUSY);
    return ACCEPTED;
  }
  if (code == COMMAND_RESET) osc_forget_steps(in, &r->from);
  struct command *c = &in->command[in->commands++];
  *c = *command;
  c->client = osc_take_client(in, &r->from);
  c->t_ns = r->from.now_ns;
  return ACCEPTED;
}

enum verdict osc_send_command(struct osc_in *in, const struct request *r, unsigned code, uint32_t argument,
                              int32_t id)
{
  return send_valued(in, r, &(struct command){.code = code, .argument = argument, .id = (uint32_t)id});
}

enum verdict osc_on_command(struct osc_in *in, const struct request *r)
{
  const int code = command_from_name(r->tail + strlen("cmd/"));
  if (r->access >= ACCESS_WRITE && !osc_is_press(in, &r->from, (unsigned)code, r->a)) return ACCEPTED;
  return osc_send_command(in, r, (unsigned)code, 0, osc_request_id(r->a));
}

/* step CYCLES [REQUEST]: the answer follows the last cycle, and the frame of that cycle goes out before it. */
enum verdict osc_on_step(struct osc_in *in, const struct request *r)
{
  const int32_t cycles = osc_integer(r->a, 0), request = r->a->count > 1 ? osc_integer(r->a, 1) : 0;
  if (cycles < 1) {
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_STEP), request, RESULT_BAD_ARGUMENT);
    return ACCEPTED;
  }
  if (r->access >= ACCESS_WRITE) osc_out_renew(in->out, &r->from);
  enum verdict verdict;
  if (osc_was_stepped(in, r, request, &verdict)) return verdict;
  /* The client wants its inputs to act in this step. */
  if (in->once.refused) {
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_STEP), request, RESULT_NOT_AUTHORISED);
    return ACCEPTED;
  }
  /* A step that is refused here never reaches the loop, so it is not remembered. */
  const int before = in->commands;
  verdict = osc_send_command(in, r, COMMAND_STEP, (uint32_t)cycles, request);
  if (request > 0 && in->commands > before) osc_remember_step(in, &r->from, request);
  return verdict;
}

/* The command that switches one of `count` named things: NAME ON [REQUEST]. */
static enum verdict switch_named(struct osc_in *in, const struct request *r, uint32_t code,
                                 const char *const *name, int count)
{
  const struct osc_arguments *a = r->a;
  if (a->count < 2 || a->count > 3 || a->types[0] != 's' || !osc_is_number(a->types[1])) return WRONG_TYPES;
  if (a->count == 3 && !osc_is_integer(a->types[2])) return WRONG_TYPES;
  const int32_t id = a->count > 2 ? osc_integer(a, 2) : 0;
  const uint32_t on = osc_number(a, 1) != 0.0;
  for (int i = 0; i < count; i++)
    if (strcmp(name[i], osc_string(a, 0)) == 0)
      return osc_send_command(in, r, code, 2 * (uint32_t)i + on, id);
  osc_tell_name(in, r, osc_string(a, 0));
  osc_out_acknowledge(in->out, &r->from, command_name(code), id, RESULT_NO_SUCH_NAME);
  return ACCEPTED;
}

enum verdict osc_on_inject(struct osc_in *in, const struct request *r)
{
  return switch_named(in, r, COMMAND_INJECT, in->config->injection_name, in->config->injections);
}

enum verdict osc_on_stimulus(struct osc_in *in, const struct request *r)
{
  return switch_named(in, r, COMMAND_STIMULUS, in->config->stimulus_name, in->config->stimuli);
}

/* platform/set NAME VALUE [REQUEST], or three values where NAME is the whole of three numbers. The loop checks the
 * values, because it knows the other parameters. */
enum verdict osc_on_platform_set(struct osc_in *in, const struct request *r)
{
  const struct osc_arguments *a = r->a;
  const int values = a->count > 3 ? 3 : 1;
  const int32_t id = a->count > 1 + values ? osc_integer(a, 1 + values) : 0;
  int rows = 0;
  const int first = params_find_rows(osc_string(a, 0), &rows);
  /* Send it if the name has as many numbers. */
  if (first >= 0 && rows == values) {
    struct command c = {.code = COMMAND_PLATFORM,
                        .argument = (uint32_t)first,
                        .id = (uint32_t)id,
                        .value = osc_number(a, 1),
                        .more = (uint32_t)values - 1};
    for (int i = 1; i < values; i++) c.next[i - 1] = osc_number(a, 1 + i);
    return send_valued(in, r, &c);
  }
  /* Say what the name would take. */
  if (first < 0)
    osc_tell_name(in, r, osc_string(a, 0));
  else
    osc_tell_types(in, r,
                   rows == 3 ? "three numbers for this name, or one for its .x, .y or .z"
                             : "one number for this name");
  osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_PLATFORM), id,
                      first < 0 ? RESULT_NO_SUCH_NAME : RESULT_BAD_ARGUMENT);
  return ACCEPTED;
}

/* A number of a hand, within COMMAND_HAND: of the sender's host with the number that it gives, or else with its port.
 * Numbers below FIRST_HAND are those of Modbus clients. */
static uint32_t hand_number(const struct request *r)
{
  enum { FIRST_HAND = 1 << 16, HANDS = (1 << 24) - FIRST_HAND };
  const bool given = r->a->count > 4;
  uint32_t hash = 2166136261U,
           own = (uint32_t)(given ? osc_integer(r->a, 3) : inet_address_port(&r->from.at));
  uint8_t host[PEER_ADDRESS] = {0};
  (void)peers_host(&r->from.at.name.any, host);
  for (int i = 0; i < PEER_ADDRESS; i++) hash = (hash ^ host[i]) * 16777619U;
  for (int i = 0; i < 4; i++, own >>= 8) hash = (hash ^ (own & 255)) * 16777619U;
  hash = (hash ^ given) * 16777619U;
  return FIRST_HAND + hash % (uint32_t)HANDS;
}

/* platform/jog PART SPEED [REQUEST [HAND NUMBER]]: its own access, and a command that the sender repeats. Without NUMBER
 * the request is the number that rises. */
enum verdict osc_on_platform_jog(struct osc_in *in, const struct request *r)
{
  const struct osc_arguments *a = r->a;
  const int32_t id = a->count > 2 ? osc_integer(a, 2) : 0;
  const int32_t number = a->count > 4 ? osc_integer(a, 4) : id;
  const int part = jog_part_of(osc_string(a, 0));
  const double speed = osc_number(a, 1);
  /* Judge the right, the part and the number. */
  if (r->access < ACCESS_JOG) {
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_JOG), id, RESULT_NOT_AUTHORISED);
    return DENIED;
  }
  if (part < 0 || !(fabs(speed) <= 1.0)) {
    osc_tell_types(in, r, "surge, sway, heave, roll, pitch, yaw or leg1 to leg6, and -1 to 1");
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_JOG), id,
                        part < 0 ? RESULT_NO_SUCH_NAME : RESULT_BAD_ARGUMENT);
    return ACCEPTED;
  }
  if (speed != 0.0 && number < 1) {
    osc_tell_types(in, r, "a request number from 1 on that rises with each message");
    osc_out_acknowledge(in->out, &r->from, command_name(COMMAND_JOG), id, RESULT_BAD_ARGUMENT);
    return ACCEPTED;
  }
  /* Send it. */
  const struct command c = {.code = COMMAND_JOG,
                            .argument = (uint32_t)part + COMMAND_HAND * hand_number(r),
                            .id = (uint32_t)id,
                            .value = speed,
                            .number = number > 0 ? (uint32_t)number : 0};
  return send_valued(in, r, &c);
}

void osc_send_commands(struct osc_in *in)
{
  for (int i = 0; i < in->commands; i++) {
    const struct command *c = &in->command[i];
    if (port_command(in->port, c))
      counter_add(&in->counters->osc_commands, 1);
    else
      drop_command(in, c);
  }
  in->commands = 0;
}

void osc_in_answers(struct osc_in *in, uint32_t most)
{
  struct answer a;
  for (uint32_t n = 0; n < most && ring_pop(&in->port->answers, &a); n++) {
    if (a.client >= OSC_CLIENTS) continue;
    in->client[a.client].awaited = false;
    send_result(in, &in->client[a.client].from, &a);
  }
  osc_answer_syncs(in);
}

/* --- barriers --- */

/* Without room, the oldest sync is forgotten. The last sync of a datagram stands for the earlier ones in it. */
enum verdict osc_on_sync(struct osc_in *in, const struct request *r)
{
  if (in->once.sync) in->syncs--;
  in->once.sync = true;
  if (in->syncs == OSC_SYNCS) memmove(in->sync, in->sync + 1, (size_t)--in->syncs * sizeof in->sync[0]);
  in->sync[in->syncs].from = r->from;
  in->sync[in->syncs].id = osc_integer(r->a, 0);
  in->sync[in->syncs].serial = in->serial;
  in->syncs++;
  return ACCEPTED;
}

static bool is_owed_an_answer(const struct osc_in *in, const struct inet_address *who, uint64_t before)
{
  for (int i = 0; i < OSC_CLIENTS; i++)
    if (in->client[i].awaited && in->client[i].serial < before &&
        inet_address_same(&in->client[i].from.at, who))
      return true;
  return false;
}

/* Answers syncs in the order of their arrival. */
void osc_answer_syncs(struct osc_in *in)
{
  int left = 0;
  for (int i = 0; i < in->syncs; i++) {
    if (is_owed_an_answer(in, &in->sync[i].from.at, in->sync[i].serial)) {
      in->sync[left++] = in->sync[i];
      continue;
    }
    struct osc_writer w;
    osc_write(&w, in->config->prefix, OSC_SENT_SYNCED);
    osc_write_i(&w, in->sync[i].id);
    osc_out_owed(in->out, &in->sync[i].from, &w);
  }
  in->syncs = left;
}
