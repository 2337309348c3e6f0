/* SPDX-License-Identifier: MIT
 * One TCP client of the Modbus server: its bytes and their age, its requests, its timeouts. No call here waits for a
 * client. */
#ifndef ALI3_MODBUS_CONNECTION_H
#define ALI3_MODBUS_CONNECTION_H

#include "modbus_server/service.h"
#include "transport/kernel_stamp.h"
#include "transport/stream_arrival.h"
#include "wire/peers.h"

enum { CONNECTION_BUFFER = 2 * MBAP_ADU_MAX }; /* one frame and the same number of bytes after it */

struct modbus_connection {
  int fd; /* -1: no connection */
  struct map_peer peer;
  uint8_t host[PEER_ADDRESS];
  uint64_t active_ns; /* time of the connection or of the last request */
  /* since when the head of the buffer is an unfinished frame; 0: the frame is complete or the buffer is empty */
  uint64_t half_ns;
  uint64_t paid_ns; /* time up to which the requests so far use the client's rate */
  bool writes;      /* it has sent a write request */
  struct stream_arrival arrival;
  size_t used;
  uint8_t buffer[CONNECTION_BUFFER];
};

/* Shared by all connections. */
struct modbus_desk {
  struct modbus_service service;
  modbus_t *context;         /* lends its encoder */
  struct kernel_clock clock; /* updated before every wait */
  uint64_t half_frame_ns, idle_ns;
};

/* Prepares an accepted socket. Keep-alive probes notice within about 10 s that a peer has disappeared. */
void modbus_connection_prepare(int fd);
void modbus_connection_close(struct modbus_desk *d, struct modbus_connection *c);

/* Reads the bytes that have come. Closes the connection at its end. */
void modbus_connection_read(struct modbus_desk *d, struct modbus_connection *c);
/* Serves every complete frame in the buffer, all of them from one frame of the loop, as far as the client's rate
 * allows. */
void modbus_connection_serve(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns);

/* True if a request waits in the buffer because the client has used up its rate. */
bool modbus_connection_is_held(const struct modbus_connection *c);
/* The time at which the client's timeout expires. */
uint64_t modbus_connection_deadline(const struct modbus_desk *d, const struct modbus_connection *c);
void modbus_connection_close_if_late(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns);

#endif
