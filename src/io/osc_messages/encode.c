/* SPDX-License-Identifier: MIT
 * liblo writes every message of a stream once, with zeros for values. Numbers have a fixed width and stand at the end
 * of a message, so their offset follows from the message's length; the patching needs no other knowledge of the format.
 * Answers are written here without liblo, because liblo allocates. */
#include "osc_messages/encode.h"

#include <endian.h>
#include <lo/lo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUNDLE_HEADER = 16, ELEMENT_SIZE = 4 };

static const struct {
  const char *address, *types;
} sent[] = {
#define SENT_ROW(name, address, types, unit, text) {"/" address, types},
    OSC_ADDRESS_LIST(OSC_NO_ROW, SENT_ROW)
#undef SENT_ROW
};

/* --- answers, one message each --- */

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
  const float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return put_u32(at, bits);
}

/* Room for n more bytes. NULL if the message is full; it then stays full. */
static uint8_t *take_room(struct osc_writer *w, size_t n)
{
  if (w->size > OSC_DATAGRAM || n > OSC_DATAGRAM - w->size) {
    w->size = OSC_DATAGRAM + 1;
    return NULL;
  }
  uint8_t *at = w->bytes + w->size;
  w->size += n;
  return at;
}

/* Puts a text of two parts, with its terminating zeros. */
static void put_string(struct osc_writer *w, const char *a, const char *b)
{
  const size_t na = strlen(a), nb = strlen(b), padded = ((na + nb) / 4 + 1) * 4;
  uint8_t *at = take_room(w, padded);
  if (!at) return;
  memset(at, 0, padded);
  memcpy(at, a, na);      /* NOLINT(bugprone-not-null-terminated-result): the zeros are there */
  memcpy(at + na, b, nb); /* NOLINT(bugprone-not-null-terminated-result): the zeros are there */
}

static void begin_message(struct osc_writer *w, const char *prefix, const char *address, const char *types)
{
  w->size = 0;
  put_string(w, prefix, address);
  put_string(w, ",", types);
}

void osc_write(struct osc_writer *w, const char *prefix, enum osc_sent what)
{
  begin_message(w, prefix, sent[what].address, sent[what].types);
}

void osc_write_types(struct osc_writer *w, const char *prefix, enum osc_sent what, const char *types)
{
  begin_message(w, prefix, sent[what].address, types);
}

void osc_write_at(struct osc_writer *w, const char *address, const char *types)
{
  begin_message(w, "", address, types);
}

void osc_write_i(struct osc_writer *w, int32_t v)
{
  uint8_t *at = take_room(w, sizeof v);
  if (at) put_u32(at, (uint32_t)v);
}

void osc_write_h(struct osc_writer *w, int64_t v)
{
  uint8_t *at = take_room(w, sizeof v);
  if (at) put_u64(at, (uint64_t)v);
}

void osc_write_f(struct osc_writer *w, double v)
{
  uint8_t *at = take_room(w, sizeof(float));
  if (at) put_number(at, v, false);
}

void osc_write_d(struct osc_writer *w, double v)
{
  uint8_t *at = take_room(w, sizeof v);
  if (at) put_number(at, v, true);
}

void osc_write_s(struct osc_writer *w, const char *s)
{
  put_string(w, s, "");
}

bool osc_written(const struct osc_writer *w)
{
  return w->size <= OSC_DATAGRAM;
}

/* --- streams --- */

/* Appends a message of zeros to the bundle in p. The types end at the end of the text or at a bar. Returns the offset
 * of the first argument, 0 if there is no room. */
static size_t append_element(struct osc_packet *p, const char *address, const char *types)
{
  if (p->size + ELEMENT_SIZE > OSC_DATAGRAM) return 0;
  /* liblo lays out a message of zeros. */
  lo_message m = lo_message_new();
  if (!m) return 0;
  size_t arguments = 0;
  for (const char *t = types; *t && *t != '|'; t++) {
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
  /* The element is its length, then the message. */
  size_t at = p->size + ELEMENT_SIZE;
  const size_t length = lo_message_length(m, address);
  const bool put = length <= OSC_DATAGRAM - at && lo_message_serialise(m, address, p->bytes + at, NULL);
  lo_message_free(m);
  if (!put) return 0;
  put_u32(p->bytes + p->size, (uint32_t)length);
  p->size = at + length;
  return p->size - arguments;
}

/* Begins a bundle with its header only. Returns false if not even the header fits. */
static bool begin_packet(struct osc_packet *p, const char *prefix, int first, bool doubles)
{
  *p = (struct osc_packet){.first = first, .size = BUNDLE_HEADER};
  memcpy(p->bytes, "#bundle", 8);
  put_u64(p->bytes + 8, 1); /* time tag 1: immediately */
  char address[OSC_PREFIX_MAX + 8];
  const char *types = sent[OSC_SENT_HEADER].types;
  snprintf(address, sizeof address, "%s%s", prefix, sent[OSC_SENT_HEADER].address);
  p->header = append_element(p, address, doubles ? strchr(types, '|') + 1 : types);
  return p->header != 0;
}

/* Adds a message to the last packet, or to a new packet if the last one is full. Returns false if the message fits in
 * no packet. */
static bool add_message(struct osc_state *st, const char *prefix, const struct osc_node *node)
{
  struct osc_packet *p = &st->packet[st->packets - 1];
  char types[OSC_DATAGRAM] = "";
  if (node->count >= OSC_DATAGRAM) return false;
  memset(types, st->doubles ? LO_DOUBLE : LO_FLOAT, (size_t)node->count);
  size_t argument = append_element(p, node->address, types);
  if (argument == 0 && p->messages > 0) {
    p++;
    if (!begin_packet(p, prefix, st->messages, st->doubles)) return false;
    st->packets++;
    argument = append_element(p, node->address, types);
  }
  if (argument == 0) return false;
  p->messages++;
  st->message[st->messages++] = (struct osc_message){argument, node};
  return true;
}

/* Distributes the messages over as few packets as their addresses allow. Returns NULL, or the address of the message
 * that fits in no packet. */
static const char *lay_out(struct osc_state *st, const char *prefix, enum stream stream, enum osc_part part)
{
  st->packets = 1;
  if (!begin_packet(st->packet, prefix, 0, st->doubles)) return prefix;
  for (int i = 0; i < st->space->nodes; i++) {
    const struct osc_node *n = &st->space->node[i];
    if (n->motion && part == OSC_WITHOUT_MOTION) continue;
    if (n->stream == stream && !add_message(st, prefix, n)) return n->address;
  }
  if (st->messages == 0 && part == OSC_WITHOUT_MOTION) st->packets = 0;
  return NULL;
}

struct osc_state *osc_state_new(const struct osc_space *space, const char *prefix, enum stream stream,
                                bool doubles, enum osc_part part, char *error, size_t size)
{
  size_t most = 1; /* worst case: a packet for each message, and one if there is no message */
  for (int i = 0; i < space->nodes; i++) most += space->node[i].stream == stream;
  struct osc_state *st = calloc(1, sizeof *st);
  if (st) {
    st->space = space;
    st->doubles = doubles;
    st->packet = calloc(most, sizeof *st->packet);
    st->message = calloc(most, sizeof *st->message);
  }
  if (!st || !st->packet || !st->message) {
    snprintf(error, size, "out of memory");
    osc_state_free(st);
    return NULL;
  }
  const char *culprit = lay_out(st, prefix, stream, part);
  if (culprit) {
    snprintf(error, size, "the OSC message '%.80s' does not fit in a packet of %d bytes", culprit,
             OSC_DATAGRAM);
    osc_state_free(st);
    return NULL;
  }
  struct osc_packet *packet = st->packets > 0
                                  ? realloc(st->packet, (size_t)st->packets * sizeof *packet)
                                  : NULL; /* all memory is locked, so unused packets are given back */
  if (packet) st->packet = packet;
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
    at = st->doubles ? put_u64(at, frame->cycle) : put_u32(at, (uint32_t)frame->cycle & INT32_MAX);
    at = put_number(at, frame->time, st->doubles);
    at = put_u32(at, frame->state);
    put_u32(at, frame->flags);
    for (int i = p->first; i < p->first + p->messages; i++) {
      const struct osc_node *node = st->message[i].node;
      at = p->bytes + st->message[i].argument;
      for (int v = 0; v < node->count; v++)
        at = put_number(at, osc_space_argument(st->space, node, v, frame->values), st->doubles);
    }
  }
  osc_state_number(st, 0, st->packets);
}

void osc_state_number(struct osc_state *st, int first_part, int parts)
{
  for (int k = 0; k < st->packets; k++) {
    struct osc_packet *p = &st->packet[k];
    uint8_t *at = p->bytes + p->header + (st->doubles ? 8 + 8 : 4 + 4) + 4 + 4;
    at = put_u32(at, (uint32_t)(first_part + k));
    put_u32(at, (uint32_t)parts);
  }
}
