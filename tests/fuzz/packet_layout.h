/* SPDX-License-Identifier: MIT
 * Layouts of packets from bytes, for the targets `packet` and `line`. */
#ifndef TESTS_FUZZ_PACKET_LAYOUT_H
#define TESTS_FUZZ_PACKET_LAYOUT_H

#include "packets/encode.h"
#include "wire/packet.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LAYOUT_FIELDS = 16, LAYOUT_TYPES = PACKET_CRC32 + 1, LAYOUT_BYTES = 8 };

/* Adds the field of two bytes behind the fields before it. p->field has room for LAYOUT_FIELDS. */
static inline void layout_add(struct packet *p, uint8_t kind, uint8_t how)
{
  static const enum packet_source sources[] = {PACKET_SIGNAL, PACKET_SIGNAL, PACKET_VALUE, PACKET_COUNTER};
  static uint8_t content[LAYOUT_BYTES];
  struct packet_field *f = &p->field[p->fields++];
  *f = (struct packet_field){.type = kind % LAYOUT_TYPES,
                             .little = how & 1,
                             .at = p->size,
                             .source = sources[how >> 1 & 3],
                             .scale = how & 8 ? 1e300 : 1.0,
                             .bytes = content,
                             .from = how >> 4 < p->size ? how >> 4 : 0};
  const int size = packet_type_size(f->type);
  f->size = size ? size : 1 + how % LAYOUT_BYTES;
  p->size += f->size;
}

/* Puts right checksums into the p->size bytes of a packet. */
static inline void layout_sum(const struct packet *p, uint8_t *packet)
{
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (!packet_is_checksum(f->type)) continue;
    uint64_t sum = packet_checksum(f, packet);
    for (int k = 0; k < f->size; k++, sum >>= 8)
      packet[f->at + (f->little ? k : f->size - 1 - k)] = (uint8_t)sum;
  }
}

/* Puts in the constants that the layout demands, which are zeros here. */
static inline void layout_constants(const struct packet *p, uint8_t *packet)
{
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (f->type == PACKET_BYTES || (packet_is_number(f->type) && f->source == PACKET_VALUE))
      memset(packet + f->at, 0, (size_t)f->size);
  }
}

#endif
