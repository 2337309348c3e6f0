/* SPDX-License-Identifier: MIT
 * Decodes the bytes of a received packet. Pure. */
#ifndef PACKETS_DECODE_H
#define PACKETS_DECODE_H

#include "wire/packet.h"

#include <stddef.h>

enum decode_result {
  DECODE_GOOD,
  DECODE_SIZE,    /* another number of bytes */
  DECODE_CONTENT, /* bytes or a constant differ from those of the layout */
  DECODE_CHECKSUM,
  DECODE_NUMBER, /* a number is NaN or infinite */
};

/* Numbers of a packet, in the order of its fields. */
struct decoded {
  double
      value[PACKET_BYTES_MAX]; /* (p->fields) in the unit of the signal; of fields with PACKET_SIGNAL only */
  uint32_t counter;            /* value of the field with PACKET_COUNTER */
  uint32_t counted;            /* bits of that field; 0: there is none */
};

/* Fills `out` only if the result is DECODE_GOOD. */
enum decode_result packet_decode(const struct packet *p, const uint8_t *bytes, size_t n, struct decoded *out);

#endif
