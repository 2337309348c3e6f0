/* SPDX-License-Identifier: MIT
 * A Modbus device that is polled: an entry of the section `devices` of a configuration file. */
#ifndef DEVICES_CONFIG_H
#define DEVICES_CONFIG_H

#include "wire/serial.h"
#include "wire/wire.h"

struct modbus_device {
  char *name;
  struct remote_place
      place; /* devices with one path are on one line, with the speed and parity of the first */
  int unit;
  double period, timeout; /* s; the timeout is that of each answer */
  int alive;              /* holding register that changes while its program lives; -1: none */
  struct wiring map;      /* inputs are read from it, all else is written to it */
};

#endif
