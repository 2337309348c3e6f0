/* SPDX-License-Identifier: MIT
 * Modbus server, TCP and RTU: own non-blocking framing in front of libmodbus' modbus_reply(). One ordinary
 * thread, which meets the loop only through its port. The register map is in the README. */
#ifndef ALI3_MODBUS_SERVER_H
#define ALI3_MODBUS_SERVER_H

#include "modbus/config.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

struct modbus_server;

/* Opens the listening socket and the line, and starts the thread (SCHED_OTHER, all signals blocked). NULL on failure, the
 * reason in error[size]. Pointers must live as long as the result. */
struct modbus_server *modbus_server_start(const struct modbus_config *config, const struct signals *signals,
                                          struct port *port, struct counters *counters, char *error,
                                          size_t size);
/* The port it listens on; -1: none. */
int modbus_server_port(const struct modbus_server *s);
/* Any thread: its serial line has disappeared, and is not back yet. */
bool modbus_server_line_is_lost(const struct modbus_server *s);
/* Stops and joins the thread, closes all connections. */
void modbus_server_stop(struct modbus_server *s);

#endif
