/* SPDX-License-Identifier: MIT
 * Modbus TCP server: own non-blocking MBAP framing in front of libmodbus' modbus_reply(). One ordinary
 * thread, which meets the loop only through its port. The register map is in the README. */
#ifndef IO_MODBUS_SERVER_H
#define IO_MODBUS_SERVER_H

#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

struct modbus_config {
  const char *bind;  /* numeric address */
  int port;          /* 0: any free one, see modbus_server_port() */
  int max_clients;   /* 1..16 */
  int half_frame_ms; /* a frame that takes longer to arrive closes its connection; 0: 1000 */
  int idle_ms;       /* so does the want of any request for so long; 0: 30000 */
};

struct modbus_server;

/* Opens the listening socket and starts the thread (SCHED_OTHER, all signals blocked). NULL on failure, the
 * reason in error[size]. Pointers must live as long as the result. */
struct modbus_server *modbus_server_start(const struct modbus_config *config, const struct signals *signals,
                                          struct port *port, struct counters *counters, char *error,
                                          size_t size);
/* The port it listens on. */
int modbus_server_port(const struct modbus_server *s);
/* Stops and joins the thread, closes all connections. */
void modbus_server_stop(struct modbus_server *s);

#endif
