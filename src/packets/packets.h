/* SPDX-License-Identifier: MIT
 * Sends packets of a fixed layout, each cycle or every n-th, over UDP or a serial line.
 *
 * One ordinary thread for all of them, that sleeps on the port's eventfd. It sends what the loop publishes and nothing else:
 * while the loop stands still the controllers hear nothing, which their own watchdogs are there for. */
#ifndef PACKETS_PACKETS_H
#define PACKETS_PACKETS_H

#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "wire/packet.h"

#include <stddef.h>

struct packets;

/* A packet with a signal of the platform's motion is not sent while a frame says FLAG_WITHHELD: its numbers begin with the first
 * one that is.
 *
 * Opens sockets and lines and starts the thread (SCHED_OTHER, own stack, all signals blocked). NULL on failure, the reason in
 * error[size]. All arguments must live as long as the result. */
struct packets *packets_start(const struct packet *packet, int packets, const struct signals *signals,
                              struct port *port, struct counters *counters, char *error, size_t size);
/* Anybody: the serial line of packet[i] has disappeared, and is not back yet. */
bool packets_line_is_lost(const struct packets *p, int i);
/* Sends the newest frame, if it has not been sent; joins the thread; closes everything. Of NULL nothing. */
void packets_stop(struct packets *p);

#endif
