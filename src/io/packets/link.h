/* SPDX-License-Identifier: MIT
 * The output of packets: a UDP socket or a serial line. Never waits. On a line, a packet that has begun is always
 * finished, so that no packet is cut; packets that come meanwhile are dropped. */
#ifndef PACKETS_LINK_H
#define PACKETS_LINK_H

#include "transport/inet_address.h"
#include "transport/serial_line.h"
#include "wire/packet.h"

#include <poll.h>

enum link_result {
  LINK_SENT,
  LINK_DROPPED, /* no room: the previous packet has not gone out yet, or the socket is full */
  LINK_ERROR,   /* the network refused the packet, or the line has disappeared */
};

struct packet_link {
  int socket; /* -1: the packet goes to a serial line */
  struct inet_address to;
  bool connected; /* not if the packet is answered: the answer may come from another port of the host */
  struct serial_line line;
  size_t rest_at, rest; /* bytes of the begun packet that are left */
  uint8_t buffer[PACKET_BYTES_MAX];
};

/* Set-up. Returns false on failure, with the reason in error[size]. The caller calls packet_link_close() in both cases. */
bool packet_link_open(struct packet_link *l, const struct packet *p, char *error, size_t size);
void packet_link_close(struct packet_link *l);

/* n <= PACKET_BYTES_MAX */
enum link_result packet_link_send(struct packet_link *l, const uint8_t *bytes, size_t n, uint64_t now_ns);

/* The event to poll for; packet_link_serve() then continues the begun packet and reopens a line that has disappeared.
 * It returns true if the line is back. */
struct pollfd packet_link_events(const struct packet_link *l);
bool packet_link_serve(struct packet_link *l, int revents, uint64_t now_ns);

#endif
