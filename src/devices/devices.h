/* SPDX-License-Identifier: MIT
 * Modbus client: polls devices over TCP and on serial lines. One ordinary thread for each connection and each line, which
 * meets the loop only through the ports of its devices. */
#ifndef DEVICES_DEVICES_H
#define DEVICES_DEVICES_H

#include "devices/bus.h"
#include "transport/endpoint.h"

struct modbus_device {
  const char *name;
  struct bus_place place; /* devices with one path are on one line, with the speed and parity of the first */
  int unit;
  uint64_t period_ns;
  uint64_t timeout_ns; /* for each answer */
  int alive;           /* holding register that changes while its program lives; -1: none */
  const struct wiring *map;
};

/* The endpoint: its configuration is an array of struct modbus_device. It has a port and a view for each device, in this order. A
 * device that is not there is waited for. When the endpoint stops it writes the safe values once more; it waits for an answer
 * under way, over TCP not for long. */
extern const struct protocol devices_protocol;

#endif
