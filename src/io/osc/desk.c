/* SPDX-License-Identifier: MIT
 * Requests about states, parameters and recordings, and their replies. Another thread takes them, because it waits for the disk
 * and for the set-up of models. */
#include "signals/desk.h"
#include "osc/in_parts.h"

#include <string.h>

static unsigned desk_code(const char *tail)
{
  unsigned code = 0;
  while (code < DESK_REQUESTS && strcmp(desk_request_name(code), tail) != 0) code++;
  return code;
}

static bool only_reads(unsigned code)
{
  return code == DESK_STATE_LIST || code == DESK_PARAM_GET || code == DESK_PARAM_LIST;
}

/* The word of the ack, and the message with the reason of a refusal. */
static const struct {
  const char *word;
  enum osc_sent error;
} subjects[] = {
    {"state", OSC_SENT_STATE_ERROR}, {"record", OSC_SENT_RECORD_ERROR}, {"param", OSC_SENT_PARAM_ERROR}};

static int subject_of(unsigned code)
{
  int i = 0;
  while (i < 2 && strncmp(desk_request_name(code), subjects[i].word, strlen(subjects[i].word)) != 0) i++;
  return i;
}

static const char *ack_word(unsigned code)
{
  return subjects[subject_of(code)].word;
}

/* An optional name, numbers, and the number of the request: the last integer, unless it is the only number of a value. */
static bool read_desk_request(const struct osc_arguments *a, struct desk_request *o)
{
  int i = 0;
  if (a->count > 0 && a->types[0] == 's') {
    const char *name = osc_string(a, i++);
    if (strlen(name) >= sizeof o->name) return false;
    memcpy(o->name, name, strlen(name) + 1);
  }
  /* Numbers of a value, and the number of the request. */
  const bool value_needed = o->code == DESK_PARAM_SET;
  for (; i < a->count; i++) {
    const bool last = i + 1 == a->count;
    if (!osc_is_number(a->types[i])) return false;
    if (last && osc_is_integer(a->types[i]) && !(value_needed && o->count == 0))
      o->id = (uint32_t)osc_integer(a, i);
    else if (o->count < DESK_NUMBERS)
      o->number[o->count++] = osc_number(a, i);
    else
      return false;
  }
  return !value_needed || (o->count > 0 && o->name[0]);
}

enum verdict osc_on_desk(struct osc_in *in, const struct request *r)
{
  struct desk_request o = {.code = desk_code(r->tail)};
  if (!read_desk_request(r->a, &o)) return WRONG_TYPES;
  if (r->access < ACCESS_WRITE && !only_reads(o.code)) {
    osc_out_acknowledge(in->out, &r->from, ack_word(o.code), (int32_t)o.id, RESULT_NOT_AUTHORISED);
    return DENIED;
  }
  o.client = osc_take_client(in, &r->from);
  clients_address_text(&r->from.at.name.any, o.who);
  if (desk_ask(in->port->desk, &o)) return ACCEPTED;
  in->client[o.client].awaited = false;
  osc_out_acknowledge(in->out, &r->from, ack_word(o.code), (int32_t)o.id, RESULT_BUSY);
  return ACCEPTED;
}

static void send_desk_text(struct osc_in *in, const struct osc_sender *to, const struct desk_reply *o)
{
  struct osc_writer w;
  osc_write(&w, in->config->prefix, subjects[subject_of(o->code)].error);
  osc_write_s(&w, o->name);
  osc_write_i(&w, (int32_t)o->id);
  osc_write_s(&w, o->text);
  osc_out_answer(in->out, to, &w);
}

static void send_desk_entry(struct osc_in *in, const struct osc_sender *to, const struct desk_reply *o)
{
  struct osc_writer w;
  char types[4 + DESK_NUMBERS + 1] = "ssdd";
  if (o->kind == DESK_FOUND) {
    osc_write(&w, in->config->prefix, OSC_SENT_STATE_ENTRY);
    osc_write_s(&w, o->name);
    for (int i = 0; i < 2; i++) osc_write_h(&w, (int64_t)o->number[i]);
  } else {
    memset(types + 4, 'd', (size_t)o->count);
    osc_write_types(&w, in->config->prefix, OSC_SENT_PARAM_VALUE, types);
    osc_write_s(&w, o->name);
    osc_write_s(&w, o->unit);
    osc_write_d(&w, o->least);
    osc_write_d(&w, o->greatest);
    for (int i = 0; i < o->count; i++) osc_write_d(&w, o->number[i]);
  }
  osc_out_answer(in->out, to, &w);
}

void osc_in_replies(struct osc_in *in)
{
  struct desk_reply o;
  while (in->port->desk && ring_pop(&in->port->desk->replies, &o)) {
    if (o.client >= OSC_CLIENTS) continue;
    const struct osc_sender *to = &in->client[o.client].from;
    if (o.kind != DESK_DONE) {
      send_desk_entry(in, to, &o);
      continue;
    }
    if (o.text[0]) send_desk_text(in, to, &o);
    in->client[o.client].awaited = false;
    osc_out_owed_ack(in->out, to, ack_word(o.code), (int32_t)o.id, o.result);
  }
}
