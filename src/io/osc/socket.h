/* SPDX-License-Identifier: MIT
 * The listening socket of OSC, read in batches. Each datagram comes with its arrival time. */
#ifndef OSC_SOCKET_H
#define OSC_SOCKET_H

#include "osc_messages/config.h"
#include "signals/counters.h"
#include "transport/inet_address.h"

#include <stddef.h>
#include <stdint.h>

enum { OSC_BATCH = 32 }; /* datagrams per read */

struct osc_received {
  struct inet_address from;
  uint64_t t_ns; /* arrival, CLOCK_MONOTONIC; unique for each datagram */
  size_t size;   /* more than OSC_IN_MAX: the datagram was cut off */
  const uint8_t *bytes;
};

struct osc_socket;

/* Opens and binds the socket. NULL on failure, with the reason in error[size]. */
struct osc_socket *osc_socket_open(const struct osc_config *config, struct counters *counters, char *error,
                                   size_t size);
void osc_socket_close(struct osc_socket *s);

int osc_socket_fd(const struct osc_socket *s);
int osc_socket_port(const struct osc_socket *s);

/* Reads up to OSC_BATCH datagrams in the order of arrival. They stay valid until the next read. Fewer datagrams: the
 * socket is empty. Counts what the kernel dropped because the socket was full (osc_overflow). */
int osc_socket_read(struct osc_socket *s, struct osc_received received[OSC_BATCH]);

#endif
