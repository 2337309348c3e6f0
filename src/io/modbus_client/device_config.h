/* SPDX-License-Identifier: MIT
 * A polled Modbus device: an entry of the section `devices` of a configuration file. */
#ifndef MODBUS_CLIENT_DEVICE_CONFIG_H
#define MODBUS_CLIENT_DEVICE_CONFIG_H

#include "wire/serial.h"
#include "wire/wire.h"

struct modbus_device {
  char *name;
  struct remote_config remote; /* devices with one path share a line with the speed and parity of the first */
  int unit;
  double period, timeout; /* s; the timeout applies to each answer */
  int alive;              /* holding register that changes while the device's program runs; -1: none */
  struct wiring map;      /* inputs are read from the device, other signals are written to it */
};

#endif
