/* SPDX-License-Identifier: MIT
 * Modbus client: polls devices over TCP and on serial lines. One ordinary thread for each connection and each line, which meets
 * the loop only through the ports of its devices. */
#ifndef ALI3_MODBUS_CLIENT_H
#define ALI3_MODBUS_CLIENT_H

#include "modbus/bus.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/device_view.h"

struct modbus_device {
  const char *name;
  struct bus_place place; /* devices with one path are on one line, with the speed and parity of the first */
  int unit;
  uint64_t period_ns;
  uint64_t timeout_ns; /* for each answer */
  int alive;           /* holding register that changes while its program lives; -1: none */
  const struct wiring *map;
  struct port *port;
  struct device_view *view;
};

struct modbus_client;

/* Starts the threads (SCHED_OTHER, all signals blocked). A device that is not there is waited for. NULL on failure, the reason in
 * error[size]. Pointers must live as long as the result. */
struct modbus_client *modbus_client_start(const struct modbus_device *device, int devices,
                                          const struct signals *signals, char *error, size_t size);
/* Writes the safe values once more, stops and joins the threads. An answer under way is waited for, over TCP not for long. */
void modbus_client_stop(struct modbus_client *c);

#endif
