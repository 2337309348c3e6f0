/* SPDX-License-Identifier: MIT
 * One TCP client of the Modbus server: its bytes, their age, its requests, its patience. No call here waits for a client. */
#ifndef ALI3_MODBUS_CONNECTION_H
#define ALI3_MODBUS_CONNECTION_H

#include "modbus/service.h"
#include "transport/kernel_stamp.h"
#include "transport/stream_arrival.h"
#include "wire/peers.h"

enum { CONNECTION_BUFFER = 2 * MBAP_ADU_MAX }; /* a frame, and as much again of what follows it */

struct modbus_connection {
  int fd; /* -1: none */
  struct map_peer peer;
  uint8_t host[PEER_ADDRESS];
  uint64_t active_ns; /* connected, or last request */
  uint64_t half_ns;   /* since when the head of the buffer is an unfinished frame; 0: it is not */
  uint64_t paid_ns;   /* by the agreed rate, all requests so far are worth the time up to here */
  bool writes;        /* it has asked for a write */
  struct stream_arrival arrival;
  size_t used;
  uint8_t buffer[CONNECTION_BUFFER];
};

/* What all connections are served with. */
struct modbus_desk {
  struct modbus_service service;
  modbus_t *context;         /* lends its encoder */
  struct kernel_clock clock; /* looked at before every wait */
  uint64_t half_frame_ns, idle_ns;
};

/* Makes an accepted socket ready. A peer that is gone without a word is noticed within some 10 s. */
void modbus_connection_prepare(int fd);
void modbus_connection_close(struct modbus_desk *d, struct modbus_connection *c);

/* Reads what has come. Closes the connection if that is at its end. */
void modbus_connection_read(struct modbus_desk *d, struct modbus_connection *c);
/* Serves every whole frame in the buffer, all of them from one frame of the loop, as far as the rate of the client allows. */
void modbus_connection_serve(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns);

/* A request waits in the buffer: the client is held back by its rate. */
bool modbus_connection_is_held(const struct modbus_connection *c);
/* The instant by which the client has to have done something. */
uint64_t modbus_connection_deadline(const struct modbus_desk *d, const struct modbus_connection *c);
void modbus_connection_close_if_late(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns);

#endif
