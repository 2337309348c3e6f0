/* SPDX-License-Identifier: MIT
 * Datagrams between the socket and the dispatcher. Writers are served before readers. No host gets more than its share
 * of the places, and no port of a host more than a part of that share: a flood thus costs only the sender that floods.
 * One thread. */
#ifndef OSC_QUEUE_H
#define OSC_QUEUE_H

#include "osc_messages/parse.h"
#include "transport/inet_address.h"
#include "wire/peers.h"

#include <stddef.h>
#include <stdint.h>

enum {
  OSC_QUEUE_WRITERS = 192,         /* places of senders with write access */
  OSC_QUEUE_WRITER_HOST = 96,      /* of these, for one host */
  OSC_QUEUE_WRITER_SENDER = 64,    /* one port of a host gets at most this part of that */
  OSC_QUEUE_READERS = 64,          /* places of senders with read access only */
  OSC_QUEUE_READER_HOST = 32,      /* of these, for one host */
  OSC_QUEUE_READER_SENDER = 24,    /* one port of a host gets at most this part of that */
  OSC_QUEUE_READER_BYTES = 16384,  /* waiting bytes of one reading host */
  OSC_QUEUE_READERS_BYTES = 32768, /* waiting bytes of all reading hosts */
  OSC_QUEUE_READER_RATE = 1 << 19, /* bytes a second of one reading host */
  /* Bytes a second of all reading hosts: their requests take processor time from all others. */
  OSC_QUEUE_READERS_RATE = 1 << 20,
  OSC_QUEUE_TURN_BYTES = 65536, /* bytes of writers after which a turn stops */
};

struct osc_waiting { /* a datagram */
  struct inet_address from;
  enum access access;
  uint64_t t_ns; /* arrival, CLOCK_MONOTONIC */
  size_t size;   /* more than OSC_IN_MAX: the datagram was cut off */
  uint8_t bytes[OSC_IN_MAX];
};

struct osc_queue;

/* Set-up. NULL when out of memory. */
struct osc_queue *osc_queue_new(void);
void osc_queue_free(struct osc_queue *q);

/* Copies a datagram to the end of its class. Returns false if its sender, its host or the class is full. */
bool osc_queue_put(struct osc_queue *q, const struct inet_address *from, enum access access, uint64_t t_ns,
                   const uint8_t *bytes, size_t size);

/* The first datagram of a class, ACCESS_WRITE or ACCESS_READ; NULL if none waits. It stays in the queue until
 * osc_queue_drop(). */
const struct osc_waiting *osc_queue_next(const struct osc_queue *q, enum access access);
/* Drops the datagram that osc_queue_next() returns for this class. */
void osc_queue_drop(struct osc_queue *q, enum access access);

#endif
