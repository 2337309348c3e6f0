/* SPDX-License-Identifier: MIT
 * Encodes a frame of the loop as the bytes of a packet. Pure. */
#ifndef PACKETS_ENCODE_H
#define PACKETS_ENCODE_H

#include "signals/exchange.h"
#include "wire/packet.h"

/* Data that the frame does not have. */
struct packet_moment {
  uint64_t number;   /* of the packet, from 0 */
  uint64_t start_ns; /* CLOCK_MONOTONIC from which PACKET_TIME counts */
};

/* Writes p->size bytes. An integer is rounded (halves away from 0) and clamped to its range; an f32 is clamped to the
 * largest finite value. Returns how many fields were clamped, or PACKET_UNFIT if a signal is not finite: no number
 * would then be right, and the caller must not send the packet. */
enum { PACKET_UNFIT = -1 };
int packet_encode(const struct packet *p, const struct frame *frame, const struct packet_moment *moment,
                  uint8_t *out);

/* The number that a field with a checksum holds, from the bytes of the packet before it. */
uint32_t packet_checksum(const struct packet_field *f, const uint8_t *out);

#endif
