/* SPDX-License-Identifier: MIT
 * Sends packets of a fixed layout, every n-th cycle, over UDP or a serial line.
 *
 * One ordinary thread sends all of them; it sleeps on the port's eventfd. It sends only what the loop publishes: while
 * the loop is stuck the receivers get nothing, and their own watchdogs must react. */
#ifndef PACKETS_PACKETS_H
#define PACKETS_PACKETS_H

#include "transport/endpoint.h"
#include "wire/packet.h"

/* The endpoint; its configuration is an array of struct packet. Before it stops it sends the newest frame if that was
 * not sent. A packet with a signal of the platform's motion is not sent while frames have FLAG_WITHHELD; its packet
 * numbers begin with the first one that is sent. */
extern const struct protocol packets_protocol;

#endif
