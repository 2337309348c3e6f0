/* SPDX-License-Identifier: MIT
 * The state stream as bytes: bundles of at most OSC_DATAGRAM bytes, built once, values patched in place ever
 * after.
 *
 * Every bundle begins with PREFIX/hdr, so that each is of use alone and a lost one is noticed; then come the
 * bodies, PREFIX/body/NAME/state with 13 numbers, and the quantities of the sensors,
 * PREFIX/sensor/NAME/QUANTITY. No socket, no clock and no thread here. */
#ifndef IO_OSC_ENCODE_H
#define IO_OSC_ENCODE_H

#include "signals/exchange.h"
#include "signals/signals.h"

#include <lo/lo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OSC_DATAGRAM =
      1472, /* what fits in one Ethernet frame: a fragmented datagram is lost with any of its fragments */
  OSC_PREFIX_MAX = 64,
};

struct osc_packet {
  size_t size;
  int first, messages; /* which of the messages it carries */
  size_t header;       /* offset of the header's arguments */
  uint8_t bytes[OSC_DATAGRAM];
};

struct osc_message {
  size_t argument;  /* offset of its first number in its packet */
  int first, count; /* its values in the frame */
};

struct osc_state {
  bool doubles;
  int packets;
  struct osc_packet *packet; /* (packets) */
  int messages;
  struct osc_message *message; /* (messages) bodies, then sensors; or figures */
};

/* Set-up. body_name: (signals->bodies); NULL: neither bodies nor sensors, but the figures of the loop, PREFIX/loop/...,
 * one number each. doubles selects ",hdiiii" and d instead of ",ifiiii" and f. NULL on
 * failure, the reason in error[size]. */
struct osc_state *osc_state_new(const char *prefix, const char *const *body_name,
                                const struct signals *signals, bool doubles, char *error, size_t size);
void osc_state_free(struct osc_state *st);

/* Puts the values of a frame into all packets. Does not allocate. */
void osc_state_fill(struct osc_state *st, const struct frame *frame);

/* Serialises m at `at`, which has room for `room` bytes. Returns the length, 0 if it does not fit. */
size_t osc_put_message(lo_message m, const char *address, uint8_t *at, size_t room);

#endif
