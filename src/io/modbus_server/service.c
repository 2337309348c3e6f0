/* SPDX-License-Identifier: MIT */
#include "modbus_server/service.h"

#include <stdio.h>
#include <string.h>

void modbus_service_meet(struct modbus_service *s, struct map_peer *peer)
{
  if (++s->last_id == 0) s->last_id = 1;
  peer->id = s->last_id;
  clients_name(&s->port->clients, peer->id, peer->name);
}

/* The registers have the values in use; those of a write, until the parameter server has taken or refused it. */
static void show_parameters(struct modbus_service *s)
{
  struct desk *d = s->port->desk;
  const uint32_t shows = d ? atomic_load_explicit(&d->shows, memory_order_acquire) : 0;
  if (shows == s->shows) return;
  s->shows = shows;
  for (int i = 0; i < s->parameters; i++)
    modbus_map_show_parameter(&s->map, s->parameter[i].name, d->shown[i]);
}

/* The frame also holds the result of the last command, so the answers in the ring are dropped. */
void modbus_service_refresh(struct modbus_service *s)
{
  const struct frame *frame;
  if (port_take_frame(s->port, &frame))
    counter_add(&s->counters->modbus_clamped, modbus_map_show(&s->map, frame));
  struct answer answer;
  while (ring_pop(&s->port->answers, &answer)) continue;
  show_parameters(s);
}

/* A state in one of the slots 0 to 9, or an order to the recorder. The loop shows the result, like that of a command. */
static bool ask_param_server(struct modbus_service *s, const struct command *c, const struct map_peer *peer)
{
  struct desk_request r = {.id = c->id, .client = peer->id};
  snprintf(r.who, sizeof r.who, "%s", peer->name);
  if (c->code == COMMAND_RECORD) {
    r.code = DESK_RECORD_STOP + c->argument;
    if (c->argument == RECORD_MARK) snprintf(r.name, sizeof r.name, "mark %u", c->id);
  } else {
    r.code = c->code == COMMAND_SAVE ? DESK_STATE_SAVE : DESK_STATE_LOAD;
    snprintf(r.name, sizeof r.name, "slot%u", c->argument);
  }
  return desk_ask(s->port->desk, &r);
}

/* One set for all parameters of a write. */
static bool ask_for_parameters(struct modbus_service *s, const struct map_effect *effect,
                               const struct map_peer *peer)
{
  struct desk_request r = {.client = peer->id, .code = DESK_PARAM_BEGIN};
  const int n = effect->parameters;
  if (n == 0) return true;
  if (!s->port->desk || ring_room(&s->port->desk->requests) < (uint32_t)n + 2) return false;
  snprintf(r.who, sizeof r.who, "%s", peer->name);
  desk_ask(s->port->desk, &r);
  for (int i = 0; i < n; i++) {
    struct desk_request one = r;
    one.code = DESK_PARAM_SET;
    one.count = 1;
    one.number[0] = effect->parameter[i].value;
    snprintf(one.name, sizeof one.name, "%s", effect->parameter[i].name);
    desk_ask(s->port->desk, &one);
  }
  r.code = DESK_PARAM_COMMIT;
  return desk_ask(s->port->desk, &r);
}

/* Returns false if the loop has no room for a command. */
static bool give_to_loop(struct modbus_service *s, const struct map_effect *effect,
                         const struct map_peer *peer, uint64_t now_ns)
{
  if (effect->commands > 0 || effect->jogs ||
      effect->inputs) /* set the name again: another client may have had this place since */
    clients_name(&s->port->clients, peer->id, peer->name);
  for (int i = 0; i < effect->commands; i++) {
    /* The loop refuses an ignored command. A stuck loop must not find it when it runs again. */
    if (effect->ignored && effect->command[i].code != COMMAND_RESET &&
        effect->command[i].code != COMMAND_RECORD &&
        atomic_load_explicit(&s->port->stuck, memory_order_acquire))
      continue;
    const struct command c = {.code = effect->command[i].code,
                              .argument = effect->command[i].argument,
                              .id = effect->command[i].id,
                              .client = peer->id,
                              .t_ns = now_ns};
    const bool ordinary = c.code == COMMAND_SAVE || c.code == COMMAND_LOAD || c.code == COMMAND_RECORD;
    if (!(ordinary ? ask_param_server(s, &c, peer) : port_command(s->port, &c))) {
      counter_add(&s->counters->commands_dropped, 1);
      return false;
    }
    counter_add(&s->counters->modbus_commands, 1);
  }
  const struct command jog = {.code = COMMAND_JOG,
                              .argument = effect->jog_part + COMMAND_HAND * (peer->id + 1),
                              .client = peer->id,
                              .t_ns = now_ns,
                              .value = effect->jog_speed,
                              .number = ++s->jogs};
  if (effect->jogs && !port_command(s->port, &jog)) return false;
  if (!ask_for_parameters(s, effect, peer)) return false;
  if (effect->inputs || effect->alive) {
    memcpy(snapshot_begin(&s->port->inputs), s->map.sample, (size_t)s->map.samples * sizeof *s->map.sample);
    snapshot_publish(&s->port->inputs);
  }
  if (effect->beat) port_beat(s->port, now_ns);
  return true;
}

/* A client shows an exception at best as a number, and many show nothing: the log says what was refused and why. */
static void tell_exception(struct modbus_service *s, const struct map_peer *peer,
                           const struct mbap_request *r, int exception, bool nonfinite)
{
  const bool writes = r->write_count > 0, read_coils = r->function == MBAP_READ_COILS,
             bits = read_coils || r->function == MBAP_READ_DISCRETE || r->function == MBAP_WRITE_COIL ||
                    r->function == MBAP_WRITE_COILS;
  const char *table = r->function == MBAP_READ_DISCRETE ? "discrete inputs"
                      : bits                            ? "coils"
                      : r->function == MBAP_READ_INPUT  ? "input registers"
                                                        : "holding registers";
  const int first = writes ? r->write_address : r->read_address,
            count = writes ? r->write_count : r->read_count;
  char what[CLIENT_NAME];
  snprintf(what, sizeof what, "%s of %s %d to %d", writes ? "write" : "read", table, first,
           first + count - 1);
  /* A platform that is not armed, and inputs of another client, are no mistake of the client. */
  if (exception == MBAP_DEVICE_FAILURE)
    port_tell_stray(s->port, STRAY_LOCKED, peer->name,
                    "get exception 4 until the reset; modbus.safe_writes: ignore takes them without effect",
                    peer->name);
  else if (nonfinite)
    port_tell_stray(s->port, STRAY_NONFINITE, what, "", peer->name);
  else if (exception == MBAP_ILLEGAL_FUNCTION && writes)
    port_tell_stray(s->port, STRAY_READER, what, "access: write", peer->name);
  else if (exception == MBAP_ILLEGAL_ADDRESS)
    port_tell_stray(s->port, STRAY_REFUSED, what,
                    "exception 2: one of them does not exist, or a number is cut; --print-map prints all",
                    peer->name);
  else if (exception == MBAP_ILLEGAL_VALUE)
    port_tell_stray(s->port, STRAY_REFUSED, what,
                    "exception 3: a value or a checksum is wrong; ali3-modbus(7) has the ranges", peer->name);
}

static void tell_function(struct modbus_service *s, const struct map_peer *peer, const struct mbap_request *r)
{
  char what[CLIENT_NAME];
  snprintf(what, sizeof what, "a request of function %d", r->function);
  port_tell_stray(s->port, STRAY_REFUSED, what,
                  r->exception == MBAP_ILLEGAL_FUNCTION
                      ? "exception 1: the server does not have this function"
                      : "exception 3: a count or the length of the request is wrong",
                  peer->name);
}

int modbus_service_judge(struct modbus_service *s, const struct map_peer *peer, const struct mbap_request *r,
                         uint64_t now_ns, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER], int *length)
{
  struct map_effect effect;
  int exception = r->exception;
  *length = 0;
  if (exception == 0 && r->function == MBAP_ENCAPSULATED) {
    *length = modbus_map_identify(r, pdu);
    if (*length < 0) exception = -*length;
  } else if (exception == 0 && r->function == MBAP_REPORT_SERVER) {
    *length = modbus_map_report(pdu);
  } else if (exception == 0) {
    /* The map checks the request; its effects go to the counters and to the loop. */
    exception = modbus_map_accept(&s->map, r, peer, now_ns, &effect);
    if (effect.nonfinite) counter_add(&s->counters->modbus_nonfinite, 1);
    if (exception && !effect.tell) tell_exception(s, peer, r, exception, effect.nonfinite);
    if (effect.owned) counter_add(&s->counters->modbus_owned, 1);
    if (effect.ignored && exception == 0) {
      counter_add(&s->counters->modbus_ignored, 1);
      port_tell_stray(
          s->port, STRAY_LOCKED, peer->name,
          "have no effect until the reset; modbus.safe_writes: refuse answers them with exception 4",
          peer->name);
    }
    if (effect.tell) port_tell_refusal(s->port, (uint32_t)effect.input, effect.owner, peer->name);
    const bool acts = exception == 0 || effect.estop;
    if (acts && !give_to_loop(s, &effect, peer, now_ns)) exception = MBAP_BUSY;
  }
  if (r->exception) tell_function(s, peer, r);
  counter_add(&s->counters->modbus_requests, 1);
  if (exception) counter_add(&s->counters->modbus_exceptions, 1);
  return exception;
}
