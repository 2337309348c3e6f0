/* SPDX-License-Identifier: MIT
 * The datagrams between the socket and the dispatcher. Senders that may write are served before those that may only read. No
 * host takes more than its share of the places, and no port of a host more than a part of that share: a flood then costs the
 * sender that floods its own datagrams. One thread. */
#ifndef OSC_QUEUE_H
#define OSC_QUEUE_H

#include "osc/parse.h"
#include "transport/inet_address.h"
#include "wire/peers.h"

#include <stddef.h>
#include <stdint.h>

enum {
  OSC_QUEUE_WRITERS = 192,         /* places of senders that may write */
  OSC_QUEUE_WRITER_HOST = 96,      /* of them for one host */
  OSC_QUEUE_WRITER_SENDER = 64,    /* of those for one of its ports */
  OSC_QUEUE_READERS = 64,          /* places of the others */
  OSC_QUEUE_READER_HOST = 32,      /* of them for one host */
  OSC_QUEUE_READER_SENDER = 24,    /* of those for one of its ports */
  OSC_QUEUE_READER_BYTES = 16384,  /* what may wait of one host that may only read ... */
  OSC_QUEUE_READERS_BYTES = 32768, /* ... and of all of them */
  OSC_QUEUE_READER_RATE = 1 << 19, /* bytes a second of one host that may only read ... */
  OSC_QUEUE_READERS_RATE =
      1 << 20, /* ... and of all of them: their questions take processor time from everybody */
  OSC_QUEUE_TURN_BYTES =
      65536, /* what one turn of the thread takes of those that may write, and one datagram */
};

struct osc_waiting { /* a datagram */
  struct inet_address from;
  enum access access;
  uint64_t t_ns; /* arrival, CLOCK_MONOTONIC */
  size_t size;   /* more than OSC_IN_MAX: it was cut off */
  uint8_t bytes[OSC_IN_MAX];
};

struct osc_queue;

/* Set-up. NULL when out of memory. */
struct osc_queue *osc_queue_new(void);
void osc_queue_free(struct osc_queue *q);

/* Copies a datagram to the end of its class. False: it, its host or the class has as much waiting as it may. */
bool osc_queue_put(struct osc_queue *q, const struct inet_address *from, enum access access, uint64_t t_ns,
                   const uint8_t *bytes, size_t size);

/* The first of a class, ACCESS_WRITE or ACCESS_READ; NULL: none waits. It stays until it is dropped. */
const struct osc_waiting *osc_queue_next(const struct osc_queue *q, enum access access);
/* Drops what osc_queue_next() returns for this class. */
void osc_queue_drop(struct osc_queue *q, enum access access);

#endif
