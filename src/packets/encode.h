/* SPDX-License-Identifier: MIT
 * A frame of the loop as the bytes of a packet. Pure. */
#ifndef PACKETS_ENCODE_H
#define PACKETS_ENCODE_H

#include "signals/exchange.h"
#include "wire/packet.h"

/* What is not in the frame. */
struct packet_moment {
  uint64_t number;   /* of the packet, from 0 */
  uint64_t start_ns; /* CLOCK_MONOTONIC from which PACKET_TIME counts */
};

/* Writes p->size bytes. An integer is rounded, halves away from 0, and clamped to its range; so is an f32 to the largest that
 * is finite. Returns how many fields were clamped; or PACKET_UNFIT where the value of a signal is not finite: then no number
 * would be right, and the packet is not to be sent. */
enum { PACKET_UNFIT = -1 };
int packet_encode(const struct packet *p, const struct frame *frame, const struct packet_moment *moment,
                  uint8_t *out);

#endif
