/* SPDX-License-Identifier: MIT
 * Sends packets of a fixed layout, each cycle or every n-th, over UDP or a serial line.
 *
 * One ordinary thread for all of them, that sleeps on the port's eventfd. It sends what the loop publishes and nothing else:
 * while the loop stands still the controllers hear nothing, which their own watchdogs are there for. */
#ifndef PACKETS_PACKETS_H
#define PACKETS_PACKETS_H

#include "transport/endpoint.h"
#include "wire/packet.h"

/* The endpoint: its configuration is an array of struct packet. It sends the newest frame, if that has not been sent, before it
 * stops. A packet with a signal of the platform's motion is not sent while a frame says FLAG_WITHHELD: its numbers begin with the
 * first one that is. */
extern const struct protocol packets_protocol;

#endif
