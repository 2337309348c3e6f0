/* SPDX-License-Identifier: MIT
 * What is sent, as bytes: answers, and streams. A stream is bundles of at most OSC_DATAGRAM bytes. They are built once; then
 * only the values in them change. Every bundle begins with PREFIX/hdr, so that each is of use alone and a lost one is noticed;
 * then come the messages of the stream. No socket, no clock and no thread here. */
#ifndef OSC_ENCODE_H
#define OSC_ENCODE_H

#include "osc/addresses.h"
#include "osc/space.h"
#include "signals/exchange.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OSC_DATAGRAM =
      1472, /* what fits in one Ethernet frame: a fragmented datagram is lost with any of its fragments */
};

/* --- answers, one message each --- */

/* A message that is being written, without memory of its own: a thread that answers never asks the allocator. */
struct osc_writer {
  size_t size; /* bytes so far; OSC_DATAGRAM + 1: it did not fit */
  uint8_t bytes[OSC_DATAGRAM];
};

/* Begin a message: one of the list, below the prefix; or one at an address of its own. The arguments follow, in the order of
 * types. */
void osc_write(struct osc_writer *w, const char *prefix, enum osc_sent what);
void osc_write_at(struct osc_writer *w, const char *address, const char *types);
void osc_write_i(struct osc_writer *w, int32_t v);
void osc_write_h(struct osc_writer *w, int64_t v);
void osc_write_f(struct osc_writer *w, double v);
void osc_write_s(struct osc_writer *w, const char *s);
/* It is whole. */
bool osc_written(const struct osc_writer *w);

/* --- streams --- */

struct osc_packet {
  size_t size;
  int first, messages; /* which of the messages it carries */
  size_t header;       /* offset of the header's arguments */
  uint8_t bytes[OSC_DATAGRAM];
};

struct osc_message {
  size_t argument; /* offset of its first number in its packet */
  const struct osc_node *node;
};

struct osc_state {
  const struct osc_space *space;
  bool doubles;
  int packets;               /* one at least; without the motion 0, where there is nothing else */
  struct osc_packet *packet; /* (packets) */
  int messages;
  struct osc_message *message; /* (messages) in the order of the space */
};

/* Which nodes of a stream. */
enum osc_part { OSC_WHOLE, OSC_WITHOUT_MOTION /* of the platform, which nobody has armed yet */ };

/* Set-up: of the nodes of the stream. doubles selects ",hdiiii" and d instead of ",ifiiii" and f. NULL on failure, the reason
 * in error[size]. The space must live as long. */
struct osc_state *osc_state_new(const struct osc_space *space, const char *prefix, enum stream stream,
                                bool doubles, enum osc_part part, char *error, size_t size);
void osc_state_free(struct osc_state *st);

/* Puts the values of a frame into all packets, which are numbered as if they were all. Does not allocate. */
void osc_state_fill(struct osc_state *st, const struct frame *frame);

/* Numbers them as parts of something larger: the packets of several streams that go out together. */
void osc_state_number(struct osc_state *st, int first_part, int parts);

#endif
