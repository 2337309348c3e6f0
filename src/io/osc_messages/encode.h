/* SPDX-License-Identifier: MIT
 * Encodes what the endpoint sends: answers and streams. A stream is a set of bundles of at most OSC_DATAGRAM bytes,
 * built once; after that only their values change. Every bundle begins with PREFIX/hdr, so that a receiver can use it
 * without the others and notices a lost one. The messages of the stream follow. No socket, no clock and no thread here. */
#ifndef OSC_MESSAGES_ENCODE_H
#define OSC_MESSAGES_ENCODE_H

#include "osc_messages/addresses.h"
#include "osc_messages/space.h"
#include "signals/exchange.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  /* The payload of one Ethernet frame over IPv6, whose head has 20 bytes more than that of IPv4: losing one fragment loses
   * the whole datagram. */
  OSC_DATAGRAM = 1452,
};

/* --- answers, one message each --- */

/* A message under construction, on the stack: a thread that answers never allocates. */
struct osc_writer {
  size_t size; /* bytes so far; OSC_DATAGRAM + 1: the message did not fit */
  uint8_t bytes[OSC_DATAGRAM];
};

/* Begin a message: one of the list below the prefix, or one at an explicit address. The arguments follow in the order
 * of their types. */
void osc_write(struct osc_writer *w, const char *prefix, enum osc_sent what);
/* Like osc_write(), with other types than those of the list. */
void osc_write_types(struct osc_writer *w, const char *prefix, enum osc_sent what, const char *types);
void osc_write_at(struct osc_writer *w, const char *address, const char *types);
void osc_write_i(struct osc_writer *w, int32_t v);
void osc_write_h(struct osc_writer *w, int64_t v);
void osc_write_f(struct osc_writer *w, double v);
void osc_write_d(struct osc_writer *w, double v);
void osc_write_s(struct osc_writer *w, const char *s);
/* True if the message fitted. */
bool osc_written(const struct osc_writer *w);

/* --- streams --- */

struct osc_packet {
  size_t size;
  int first, messages; /* range of messages that the packet carries */
  size_t header;       /* offset of the header's arguments */
  uint8_t bytes[OSC_DATAGRAM];
};

struct osc_message {
  size_t argument; /* offset of the first number in its packet */
  const struct osc_node *node;
};

struct osc_state {
  const struct osc_space *space;
  bool doubles;
  int packets;               /* at least 1; 0 without the motion if the stream has nothing else */
  struct osc_packet *packet; /* (packets) */
  int messages;
  struct osc_message *message; /* (messages) in the order of the space */
};

/* Which nodes of a stream are sent: all, or all except the motion of a platform that is not armed. */
enum osc_part { OSC_WHOLE, OSC_WITHOUT_MOTION /* motion is withheld until the platform is armed */ };

/* Set-up: lays out the nodes of the stream. `doubles` selects ",hdiiii" and d instead of ",ifiiii" and f. NULL on
 * failure, with the reason in error[size]. The space must outlive the state. */
struct osc_state *osc_state_new(const struct osc_space *space, const char *prefix, enum stream stream,
                                bool doubles, enum osc_part part, char *error, size_t size);
void osc_state_free(struct osc_state *st);

/* Puts the values of a frame into all packets and numbers the packets from 0. Does not allocate. */
void osc_state_fill(struct osc_state *st, const struct frame *frame);

/* Renumbers the packets as parts of a larger set: the packets of several streams that go out together. */
void osc_state_number(struct osc_state *st, int first_part, int parts);

#endif
