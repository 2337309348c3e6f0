/* SPDX-License-Identifier: MIT
 * The way out of packets: a UDP socket, or a serial line. Never waits; on a line what is begun is always ended, so that no
 * packet is ever cut, and what comes meanwhile is dropped. */
#ifndef PACKETS_LINK_H
#define PACKETS_LINK_H

#include "transport/serial_line.h"
#include "wire/packet.h"

#include <poll.h>

enum link_result {
  LINK_SENT,
  LINK_DROPPED, /* no room: the one before has not gone out yet, or the socket is full */
  LINK_ERROR,   /* the network refused it, or the line is not there */
};

struct packet_link {
  int socket; /* connected; -1: on a line */
  struct serial_line line;
  size_t rest_at, rest; /* bytes of a packet that has begun */
  uint8_t buffer[PACKET_BYTES_MAX];
};

/* Set-up. False on failure, the reason in error[size]; packet_link_close() is due either way. */
bool packet_link_open(struct packet_link *l, const struct packet *p, char *error, size_t size);
void packet_link_close(struct packet_link *l);

/* n <= PACKET_BYTES_MAX */
enum link_result packet_link_send(struct packet_link *l, const uint8_t *bytes, size_t n, uint64_t now_ns);

/* What to poll for, and what came of it: goes on with what has begun, and looks after a line that disappears. True if that is
 * back. */
struct pollfd packet_link_events(const struct packet_link *l);
bool packet_link_serve(struct packet_link *l, int revents, uint64_t now_ns);

#endif
