/* SPDX-License-Identifier: MIT */
#include "packets/io_map.h"

#include <stdio.h>

enum { PLACE_TEXT = 512, MEANING_TEXT = 256 };

/* The content of a field that is not a signal. */
static const char *content_text(const struct packet_field *f)
{
  static const char *const checksum[] = {[PACKET_SUM8] = "sum modulo 256",
                                         [PACKET_XOR8] = "exclusive or",
                                         [PACKET_CRC16] = "CRC-16/MODBUS",
                                         [PACKET_CRC32] = "CRC-32 as zlib's"};
  static const char *const number[] = {[PACKET_SIGNAL] = "",
                                       [PACKET_VALUE] = "always",
                                       [PACKET_COUNTER] = "number of the packet, from 0",
                                       [PACKET_TIME] = "time since the start",
                                       [PACKET_CYCLE] = "cycle",
                                       [PACKET_STATE] = "state of the daemon",
                                       [PACKET_FLAGS] = "status bits",
                                       [PACKET_FAULT] = "fault code"};
  if (packet_is_checksum(f->type)) return checksum[f->type];
  if (packet_is_number(f->type)) return number[f->source];
  return f->type == PACKET_ZEROS ? "zeros" : "";
}

static void add_bytes(const struct packet_field *f, char *text, size_t size, size_t used)
{
  for (int i = 0; i < f->size && used + 4 < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%02X", i ? " " : "", f->bytes[i]);
}

static void add_table(const struct packet_field *f, char *text, size_t size, size_t used)
{
  for (int i = 0; i < f->pairs && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%g: %.17g, ", f->table[i][0], f->table[i][1]);
  if (used < size) snprintf(text + used, size - used, "else %.17g", f->value);
}

static void describe_field(const struct packet_field *f, char text[MEANING_TEXT])
{
  size_t used = (size_t)snprintf(text, MEANING_TEXT, "%s", content_text(f));
  if (f->type == PACKET_BYTES) {
    add_bytes(f, text, MEANING_TEXT, used);
  } else if (packet_is_checksum(f->type)) {
    snprintf(text + used, MEANING_TEXT - used, " of the bytes %d to %d", f->from, f->at - 1);
  } else if (packet_is_number(f->type) && f->table) {
    if (used) used += (size_t)snprintf(text + used, MEANING_TEXT - used, ": ");
    add_table(f, text, MEANING_TEXT, used);
  } else if (packet_is_number(f->type) && f->source == PACKET_VALUE) {
    snprintf(text + used, MEANING_TEXT - used, " %.17g", f->value);
  } else if (packet_is_number(f->type) && f->source == PACKET_TIME) {
    snprintf(text + used, MEANING_TEXT - used, ", %s", f->unit_ns == 1000 ? "us" : "ms");
  } else if (packet_is_number(f->type) && f->stands_in) {
    snprintf(text + used, MEANING_TEXT - used, "%.17g before the first command arm", f->stand_in);
  }
}

static const struct signal *signal_of(const struct packet_field *f, const struct signals *signals)
{
  static char no_name[] = "";
  static const struct signal none = {no_name, ""};
  return packet_is_number(f->type) && f->source == PACKET_SIGNAL ? &signals->signal[f->signal] : &none;
}

/* Single bytes and byte strings have no byte order. */
static const char *endian_name(const struct packet_field *f)
{
  if (f->size == 1 || f->type == PACKET_ZEROS || f->type == PACKET_BYTES) return "";
  return f->little ? "little" : "big";
}

static void add_field(struct io_map *map, const struct packet *p, const struct packet_field *f,
                      const struct signals *signals)
{
  const struct signal *signal = signal_of(f, signals);
  /* The destination of the packet and the meaning of the field, in words. */
  char place[PLACE_TEXT], text[MEANING_TEXT];
  packet_place_text(p, place, sizeof place);
  describe_field(f, text);
  io_map_add_packet(map, &(struct io_map_packet){.packet = p->name,
                                                 .place = place,
                                                 .size = p->size,
                                                 .divisor = p->received ? 0 : p->divisor,
                                                 .at = f->at,
                                                 .bytes = f->size,
                                                 .type = packet_type_name(f->type),
                                                 .endian = endian_name(f),
                                                 .scaled = *signal->name && !f->table,
                                                 .scale = f->scale,
                                                 .offset = f->offset,
                                                 .name = signal->name,
                                                 .unit = signal->unit,
                                                 .text = text});
}

bool packets_io_map(const struct packet *packet, int packets, const struct signals *signals,
                    struct io_map *map)
{
  for (int i = 0; i < packets; i++) {
    const struct packet *p = &packet[i];
    const char *network = p->answers    ? "answers over UDP"
                          : p->received ? "received packets over UDP"
                                        : "packets over UDP";
    io_map_add_remote(map, &p->remote, p->received, network,
                      p->received ? "received packets on a line" : "packets on a line", -1, p->name);
    for (int k = 0; k < packet[i].fields; k++) add_field(map, &packet[i], &packet[i].field[k], signals);
  }
  return io_map_complete(map);
}
