/* SPDX-License-Identifier: MIT
 * Modbus client: polls devices over TCP and on serial lines. One ordinary thread for each connection and each line, which meets
 * the loop only through the ports of its devices. */
#ifndef ALI3_MODBUS_CLIENT_H
#define ALI3_MODBUS_CLIENT_H

#include "modbus/config.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/device_view.h"

struct modbus_client;

/* Starts the threads (SCHED_OTHER, all signals blocked). port, view: of each device. A device that is not there is waited for. NULL on failure, the reason in
 * error[size]. Pointers must live as long as the result. */
struct modbus_client *modbus_client_start(const struct modbus_device *device, int devices,
                                          const struct signals *signals, struct port *port,
                                          struct device_view *view, char *error, size_t size);
/* Writes the safe values once more, stops and joins the threads. An answer under way is waited for, over TCP not for long. */
void modbus_client_stop(struct modbus_client *c);

#endif
