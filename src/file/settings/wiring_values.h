/* SPDX-License-Identifier: MIT
 * The lists of targets, peers, maps of signals, and devices: the structs that their tables of keys fill. */
#ifndef SETTINGS_WIRING_VALUES_H
#define SETTINGS_WIRING_VALUES_H

#include "settings/values.h"

struct target_values {
  const char *host, *interface;
  int port, divisor, profile, stream, ttl;
};

struct mapped_values {
  const char *signal, *address;
  double scale, offset;
};

struct peer_values {
  const char *host;
  int access; /* 0 read, 1 write, 2 jog: as the enum access from ACCESS_READ on */
};

struct wired_values {
  const char *signal;
  int table, address, type, order;
  double scale, offset, safe;
};

struct registered_values {
  const char *name;
  int address, type, order;
  double scale, offset;
};
extern const struct section schema_registered;

/* The choices of "framing". */
enum { FRAMING_TCP, FRAMING_RTU };
struct device_values {
  struct modbus_device device; /* without its texts and its map */
  const char *name, *host, *serial;
  int word_order, framing; /* FRAMING_TCP .. */
};

#endif
