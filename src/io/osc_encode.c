/* SPDX-License-Identifier: MIT
 * liblo writes every message once, with zeros for values. As numbers have a fixed width and stand at the end
 * of a message, their place follows from its length: that is all the patching has to know about the format.
 */
#include "io/osc_encode.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUNDLE_HEADER = 16, ELEMENT_SIZE = 4 };

static uint8_t *put_u32(uint8_t *at, uint32_t v)
{
  v = htobe32(v);
  memcpy(at, &v, sizeof v);
  return at + sizeof v;
}

static uint8_t *put_u64(uint8_t *at, uint64_t v)
{
  v = htobe64(v);
  memcpy(at, &v, sizeof v);
  return at + sizeof v;
}

static uint8_t *put_number(uint8_t *at, double v, bool doubles)
{
  if (doubles) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return put_u64(at, bits);
  }
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return put_u32(at, bits);
}

size_t osc_put_message(lo_message m, const char *address, uint8_t *at, size_t room)
{
  size_t length = lo_message_length(m, address);
  if (length > room) return 0;
  return lo_message_serialise(m, address, at, NULL) ? length : 0;
}

/* Appends a message of zeros as an element of the bundle in p. Returns the offset of its first argument, 0 if
 * there is no room for it. */
static size_t append_element(struct osc_packet *p, const char *address, const char *types)
{
  if (p->size + ELEMENT_SIZE > OSC_DATAGRAM) return 0;
  lo_message m = lo_message_new();
  if (!m) return 0;
  size_t arguments = 0;
  for (const char *t = types; *t; t++) {
    switch (*t) {
    case LO_INT32:
      lo_message_add_int32(m, 0);
      break;
    case LO_INT64:
      lo_message_add_int64(m, 0);
      break;
    case LO_FLOAT:
      lo_message_add_float(m, 0);
      break;
    case LO_DOUBLE:
      lo_message_add_double(m, 0);
      break;
    }
    arguments += *t == LO_INT64 || *t == LO_DOUBLE ? 8 : 4;
  }
  size_t at = p->size + ELEMENT_SIZE;
  size_t length = osc_put_message(m, address, p->bytes + at, OSC_DATAGRAM - at);
  lo_message_free(m);
  if (length == 0) return 0;
  put_u32(p->bytes + p->size, (uint32_t)length);
  p->size = at + length;
  return p->size - arguments;
}

/* A bundle with its header and nothing else; false if even that does not fit. */
static bool begin_packet(struct osc_packet *p, const char *prefix, int first, bool doubles)
{
  *p = (struct osc_packet){.first = first, .size = BUNDLE_HEADER};
  memcpy(p->bytes, "#bundle", 8);
  put_u64(p->bytes + 8, 1); /* time tag 1: immediately */
  char address[OSC_PREFIX_MAX + 8];
  snprintf(address, sizeof address, "%s/hdr", prefix);
  p->header = append_element(p, address, doubles ? "hdiiii" : "ifiiii");
  return p->header != 0;
}

/* Adds a message of `count` values to the last packet, or to a new one where that is full. False: it fits in
 * none. */
static bool add_message(struct osc_state *st, const char *prefix, const char *address, int first, int count)
{
  struct osc_packet *p = &st->packet[st->packets - 1];
  char types[SIGNALS_BODY + 1] = "";
  if (count > SIGNALS_BODY) return false;
  memset(types, st->doubles ? LO_DOUBLE : LO_FLOAT, (size_t)count);
  size_t argument = append_element(p, address, types);
  if (argument == 0 && p->messages > 0) {
    p++;
    if (!begin_packet(p, prefix, st->messages, st->doubles)) return false;
    st->packets++;
    argument = append_element(p, address, types);
  }
  if (argument == 0) return false;
  p->messages++;
  st->message[st->messages++] = (struct osc_message){argument, first, count};
  return true;
}

/* Of the groups beside the bodies. */
static bool is_wanted(const struct signals *s, const struct signal_group *g, bool figures)
{
  return figures ? g->first >= s->figure_first : strncmp(g->name, "sensor.", 7) == 0;
}

/* Distributes the messages over as few packets as their names allow. Returns NULL, or the name of what fits in
 * no packet. */
static const char *lay_out(struct osc_state *st, const char *prefix, const char *const *body_name,
                           const struct signals *s)
{
  char address[OSC_DATAGRAM];
  if (!begin_packet(st->packet, prefix, 0, st->doubles)) return prefix;
  st->packets = 1;
  for (int b = 0; body_name && b < s->bodies; b++) {
    int n = snprintf(address, sizeof address, "%s/body/%s/state", prefix, body_name[b]);
    if (n >= (int)sizeof address ||
        !add_message(st, prefix, address, s->body_first + SIGNALS_BODY * b, SIGNALS_BODY_STATE))
      return body_name[b];
  }
  for (int i = 0; i < s->groups; i++) {
    const struct signal_group *g = &s->group[i];
    if (!is_wanted(s, g, !body_name)) continue;
    int n = snprintf(address, sizeof address, "%s/%s", prefix, g->name);
    for (char *p = address + strlen(prefix); (p = strchr(p, '.'));) *p = '/';
    if (n >= (int)sizeof address || !add_message(st, prefix, address, g->first, g->count)) return g->name;
  }
  return NULL;
}

struct osc_state *osc_state_new(const char *prefix, const char *const *body_name,
                                const struct signals *signals, bool doubles, char *error, size_t size)
{
  if (strlen(prefix) > OSC_PREFIX_MAX) {
    snprintf(error, size, "OSC prefix: at most %d characters expected, found '%s'", OSC_PREFIX_MAX, prefix);
    return NULL;
  }
  size_t most = (body_name ? (size_t)signals->bodies : 0) + 1;
  for (int i = 0; i < signals->groups; i++) most += is_wanted(signals, &signals->group[i], !body_name);
  struct osc_state *st = calloc(1, sizeof *st);
  if (st) {
    st->doubles = doubles;
    st->packet = calloc(most, sizeof *st->packet); /* at worst one per message, and one if there is none */
    st->message = calloc(most, sizeof *st->message);
  }
  if (!st || !st->packet || !st->message) {
    snprintf(error, size, "out of memory");
    osc_state_free(st);
    return NULL;
  }
  const char *culprit = lay_out(st, prefix, body_name, signals);
  if (culprit) {
    snprintf(error, size, "the OSC messages of '%.80s' do not fit in a packet of %d bytes", culprit,
             OSC_DATAGRAM);
    osc_state_free(st);
    return NULL;
  }
  return st;
}

void osc_state_free(struct osc_state *st)
{
  if (!st) return;
  free(st->packet);
  free(st->message);
  free(st);
}

void osc_state_fill(struct osc_state *st, const struct frame *frame)
{
  for (int k = 0; k < st->packets; k++) {
    struct osc_packet *p = &st->packet[k];
    uint8_t *at = p->bytes + p->header;
    at = st->doubles ? put_u64(at, frame->cycle) : put_u32(at, (uint32_t)frame->cycle);
    at = put_number(at, frame->time, st->doubles);
    at = put_u32(at, frame->state);
    at = put_u32(at, frame->flags);
    at = put_u32(at, (uint32_t)k);
    put_u32(at, (uint32_t)st->packets);
    for (int i = p->first; i < p->first + p->messages; i++) {
      const struct osc_message *message = &st->message[i];
      at = p->bytes + message->argument;
      for (int v = 0; v < message->count; v++)
        at = put_number(at, frame->values[message->first + v], st->doubles);
    }
  }
}
