/* SPDX-License-Identifier: MIT
 * The state stream as bytes: bundles of at most OSC_DATAGRAM bytes, built once, values patched in place ever
 * after.
 *
 * Every bundle begins with PREFIX/hdr, so that each is of use alone and a lost one is noticed; then come the
 * bodies, PREFIX/body/NAME/state with 13 numbers. No socket, no clock and no thread here. */
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
  int first, bodies; /* the bodies it carries */
  size_t header;     /* offset of the header's arguments */
  uint8_t bytes[OSC_DATAGRAM];
};

struct osc_state {
  bool doubles;
  int packets;
  struct osc_packet *packet; /* (packets) */
  size_t *argument;          /* (bodies) offset of a body's first number in its packet */
};

/* Set-up. doubles selects ",hdiiii" and 13 d instead of ",ifiiii" and 13 f. NULL on failure, the reason in
 * error[size]. */
struct osc_state *osc_state_new(const char *prefix, const char *const *body_name, int bodies, bool doubles,
                                char *error, size_t size);
void osc_state_free(struct osc_state *st);

/* Puts the values of a frame into all packets. Does not allocate. */
void osc_state_fill(struct osc_state *st, const struct signals *signals, const struct frame *frame);

/* Serialises m at `at`, which has room for `room` bytes. Returns the length, 0 if it does not fit. */
size_t osc_put_message(lo_message m, const char *address, uint8_t *at, size_t room);

#endif
