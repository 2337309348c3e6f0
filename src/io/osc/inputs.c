/* SPDX-License-Identifier: MIT
 * Inputs: single values, whole frames, and ownership. */
#include "base/crc.h"
#include "osc/in_parts.h"
#include "rt/clock.h"

#include <endian.h>
#include <math.h>
#include <string.h>

static const uint64_t SILENCE_NS = NS_PER_S; /* time after which a silent owner loses its input */

/* --- owners --- */

/* OSC may set this input. */
static bool is_open(const struct input_spec *spec)
{
  return spec->sources == 0 || (spec->sources >> SOURCE_OSC & 1);
}

/* Another source owns the input: the loop counts samples of a Modbus client or a device. */
static bool owned_elsewhere(const struct osc_in *in, int input)
{
  const struct frame *f = osc_out_last_frame(in->out);
  return f && frame_owned_by_other(f, input, SOURCE_OSC);
}

static bool may_set(const struct osc_in *in, int input, const struct osc_sender *who)
{
  const struct osc_owner *o = &in->owner[input];
  if (owned_elsewhere(in, input)) return false;
  return o->t_ns == 0 || o->t_ns + SILENCE_NS < who->now_ns || inet_address_same(&o->at, &who->at);
}

/* Tells the sender and the log, at most once a second. */
static enum verdict refuse_input(struct osc_in *in, int input, const struct osc_sender *who)
{
  struct osc_owner *o = &in->owner[input];
  char name[CLIENT_NAME];
  if (o->told_ns != 0 && o->told_ns + NS_PER_S > who->now_ns) return REFUSED;
  o->told_ns = who->now_ns;
  osc_out_acknowledge(in->out, who, "input", 0, RESULT_NOT_AUTHORISED);
  struct input_owner owner = {.source = SOURCE_OSC, .client = OSC_CLIENTS + (uint32_t)input};
  if (owned_elsewhere(in, input)) owner = frame_owner(osc_out_last_frame(in->out), input);
  if (!is_open(&in->signals->input[input])) owner.source = OWNER_NONE;
  clients_address_text(&who->at.name.any, name);
  port_tell_refusal(in->port, (uint32_t)input, owner, name);
  return REFUSED;
}

/* The owner's client number is the index of the input, which has a name. */
static void renew_owner(struct osc_in *in, int input, const struct osc_sender *who)
{
  struct osc_owner *o = &in->owner[input];
  if (o->t_ns == 0 || !inet_address_same(&o->at, &who->at)) {
    char name[CLIENT_NAME];
    clients_address_text(&who->at.name.any, name);
    clients_name(&in->port->clients, OSC_CLIENTS + (uint32_t)input, name);
  }
  o->at = who->at;
  o->t_ns = who->now_ns;
}

void osc_owner_beats(struct osc_in *in, const struct osc_sender *who, int32_t count)
{
  for (int c = 0; c < in->signals->channels; c++) {
    struct osc_owner *o = &in->owner[in->input_of[c]];
    if (in->sample[c].t_ns == 0 || o->t_ns == 0 || o->beat == count || !inet_address_same(&o->at, &who->at))
      continue;
    in->sample[c].alive_ns = who->now_ns;
    in->changed = true;
  }
  for (int i = 0; i < in->signals->inputs; i++)
    if (inet_address_same(&in->owner[i].at, &who->at)) in->owner[i].beat = count;
}

bool osc_lost_input(const struct osc_in *in, const struct inet_address *who, uint64_t t_ns)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct osc_owner *o = &in->owner[i];
    if (o->t_ns == t_ns && t_ns && inet_address_same(&o->at, who) && owned_elsewhere(in, i)) return true;
  }
  return false;
}

static void set_channel(struct osc_in *in, int channel, struct input_sample sample,
                        const struct osc_sender *who)
{
  const int input = in->input_of[channel];
  renew_owner(in, input, who);
  sample.client = OSC_CLIENTS + (uint32_t)input;
  in->sample[channel] = sample;
  in->changed = true;
}

/* --- single inputs --- */

static enum verdict set_node(struct osc_in *in, const struct request *r, const struct osc_node *node)
{
  const struct osc_value *value = &in->space->value[node->first];
  /* All values are checked before the first one is set. */
  if (r->a->count != node->count) return WRONG_TYPES;
  for (int i = 0; i < node->count; i++)
    if (!osc_is_number(r->a->types[i])) return WRONG_TYPES;
  if (r->access < ACCESS_WRITE) return DENIED;
  for (int i = 0; i < node->count; i++) {
    const int input = in->input_of[value[i].signal - in->signals->input_first];
    if (!isfinite(value[i].scale * osc_number(r->a, i) + value[i].offset)) return NONFINITE;
    if (!is_open(&in->signals->input[input]) || !may_set(in, input, &r->from))
      return refuse_input(in, input, &r->from);
  }
  for (int i = 0; i < node->count; i++)
    set_channel(in, value[i].signal - in->signals->input_first,
                (struct input_sample){.value = value[i].scale * osc_number(r->a, i) + value[i].offset,
                                      .t_ns = r->from.now_ns},
                &r->from);
  return ACCEPTED;
}

/* An address of signals. Without arguments the message asks for the values. */
enum verdict osc_on_node(struct osc_in *in, const struct request *r, const struct osc_node *node)
{
  if (r->a->count > 0) return node->input ? set_node(in, r, node) : WRONG_TYPES;
  osc_out_values(in->out, &r->from, node);
  return ACCEPTED;
}

/* --- frames: all channels at once, numbered --- */

/* A repeated number is no sign of life: the sender's program hangs while its network stack still sends, or the network
 * duplicated the datagram. A number a little behind was overtaken on the way. A number far behind, or another sender,
 * starts a new sequence. */
static enum verdict check_sequence(const struct osc_in *in, const struct request *r, int32_t sequence)
{
  if (!in->framed || !inet_address_same(&in->framed_by, &r->from.at)) return ACCEPTED;
  const int32_t ahead = (int32_t)((uint32_t)sequence - (uint32_t)in->sequence);
  if (ahead == 0) return REPEATED;
  return ahead < 0 && ahead >= -OSC_LATE_MAX ? LATE : ACCEPTED;
}

/* A frame holds all inputs, also those that another source sets; these are skipped. */
static bool is_passed_over(const struct osc_in *in, int input)
{
  return !is_open(&in->signals->input[input]) || owned_elsewhere(in, input);
}

static enum verdict check_frame(struct osc_in *in, const struct request *r, int32_t sequence)
{
  if (r->access < ACCESS_WRITE) return DENIED;
  for (int i = 0; i < in->signals->inputs; i++)
    if (!is_passed_over(in, i) && !may_set(in, i, &r->from)) return refuse_input(in, i, &r->from);
  return check_sequence(in, r, sequence);
}

/* The sender is told of each input that another protocol owns; the rest of its frame acts. */
static void tell_passed_over(struct osc_in *in, const struct request *r)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    if (!is_open(&in->signals->input[i]) || !owned_elsewhere(in, i)) continue;
    refuse_input(in, i, &r->from);
    counter_add(&in->counters->osc_refused, 1);
  }
}

static void begin_frame(struct osc_in *in, const struct request *r, int32_t sequence)
{
  in->framed = true;
  in->framed_by = r->from.at;
  in->sequence = sequence;
  in->beat = true;
  tell_passed_over(in, r);
}

static void set_of_frame(struct osc_in *in, const struct request *r, int channel, double value)
{
  if (is_passed_over(in, in->input_of[channel])) return;
  const struct input_sample sample = {
      .value = value, .t_ns = r->from.now_ns, .sequence = (uint32_t)in->sequence, .counted = 32};
  set_channel(in, channel, sample, &r->from);
}

enum verdict osc_on_frame(struct osc_in *in, const struct request *r)
{
  enum { FIRST = 2 };
  const struct osc_arguments *a = r->a;
  if (strncmp(a->types, "ih", FIRST) != 0 || a->count != FIRST + in->signals->channels) return WRONG_TYPES;
  for (int i = FIRST; i < a->count; i++)
    if (!osc_is_number(a->types[i])) return WRONG_TYPES;
  const enum verdict verdict = check_frame(in, r, osc_integer(a, 0));
  if (verdict != ACCEPTED) return verdict;
  begin_frame(in, r, osc_integer(a, 0));
  for (int c = 0; c < in->signals->channels; c++) set_of_frame(in, r, c, osc_number(a, FIRST + c));
  return ACCEPTED;
}

static double packed_value(const uint8_t *at)
{
  uint32_t bits;
  float value;
  memcpy(&bits, at, sizeof bits);
  bits = be32toh(bits);
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* in/blob SEQUENCE CHECKSUM BYTES: a frame with a checksum. */
enum verdict osc_on_blob(struct osc_in *in, const struct request *r)
{
  const uint8_t *bytes;
  const size_t n = osc_blob(r->a, 2, &bytes);
  if (n != sizeof(float) * (size_t)in->signals->channels) return WRONG_TYPES;
  if (crc32_ieee(bytes, n) != (uint32_t)osc_integer(r->a, 1)) return BAD_CHECKSUM;
  for (int c = 0; c < in->signals->channels; c++)
    if (!isfinite(packed_value(bytes + sizeof(float) * (size_t)c))) return NONFINITE;
  const enum verdict verdict = check_frame(in, r, osc_integer(r->a, 0));
  if (verdict != ACCEPTED) return verdict;
  begin_frame(in, r, osc_integer(r->a, 0));
  for (int c = 0; c < in->signals->channels; c++)
    set_of_frame(in, r, c, packed_value(bytes + sizeof(float) * (size_t)c));
  return ACCEPTED;
}
