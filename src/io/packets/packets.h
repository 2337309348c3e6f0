/* SPDX-License-Identifier: MIT
 * Packets of a fixed layout, over UDP or a serial line: sends some in every n-th cycle, and receives others, whose
 * numbers become inputs.
 *
 * One ordinary thread serves all of them; it sleeps on the port's eventfd and on the arrivals. It sends only what the
 * loop publishes: while the loop is stuck the receivers get nothing, and their own watchdogs must react. */
#ifndef PACKETS_PACKETS_H
#define PACKETS_PACKETS_H

#include "transport/endpoint.h"
#include "wire/packet.h"

/* The endpoint; its configuration is an array of struct packet. Before it stops it sends the newest frame if that was
 * not sent. A packet with a signal of the platform's motion is not sent while frames have FLAG_WITHHELD; its packet
 * numbers begin with the first one that is sent. A received packet counts if its size, its constant bytes and its
 * checksums are right; a packet whose counter repeats brings no new sample. */
extern const struct protocol packets_protocol;

#endif
