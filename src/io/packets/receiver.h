/* SPDX-License-Identifier: MIT
 * The input of packets: a UDP socket that takes datagrams of one host, its own or that of a sender, or a serial line.
 * Never waits. */
#ifndef PACKETS_RECEIVER_H
#define PACKETS_RECEIVER_H

#include "packets/decode.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "transport/datagram_arrival.h"
#include "transport/inet_address.h"
#include "transport/serial_line.h"
#include "transport/stream_arrival.h"

#include <poll.h>

struct packet_receiver {
  const struct packet *packet;
  struct port *port;
  struct counters *counters;
  int input_first; /* signal of channel 0 */
  uint32_t client; /* its number in the names of the port */
  int shared;      /* for a packet that answers: the socket of the sender, which stays open */

  /* private */
  int socket; /* -1: on a serial line */
  struct inet_address from;
  struct serial_line line;
  struct datagram_arrival datagrams;
  struct stream_arrival bytes;
  uint64_t looked_ns; /* a time before the wait for events */
  size_t used;        /* bytes of the line that wait for the rest of a packet */
  uint8_t buffer[2 * PACKET_BYTES_MAX];
};

/* Set-up, with the members above private set. Returns false on failure, with the reason in error[size]. The caller calls
 * receiver_close() in both cases. */
bool receiver_open(struct packet_receiver *r, char *error, size_t size);
void receiver_close(struct packet_receiver *r);

/* The event to poll for. The wait follows at once: what has no event was empty at this time. */
struct pollfd receiver_events(struct packet_receiver *r);
/* Takes all that has arrived into the samples of the channels, each with the earliest time at which it can have arrived.
 * revents: of a poll() that did not fail. Returns true if a packet counted. reopened: a line that had disappeared is
 * back. */
bool receiver_serve(struct packet_receiver *r, int revents, uint64_t now_ns, struct input_sample *sample,
                    bool *reopened);

#endif
