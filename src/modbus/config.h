/* SPDX-License-Identifier: MIT
 * What the Modbus server is told at its start: the section `modbus` of a configuration file. */
#ifndef ALI3_MODBUS_CONFIG_H
#define ALI3_MODBUS_CONFIG_H

#include "wire/peers.h"
#include "wire/serial.h"
#include "wire/wire.h"

#include <stdbool.h>

struct modbus_config {
  bool enabled;
  bool tcp;           /* listen; else on the line only */
  char *bind;         /* numeric address */
  int port;           /* 0: any free one, see modbus_server_port() */
  int max_clients;    /* 1..16 */
  int half_frame_ms;  /* a frame that takes longer to arrive closes its connection; 0: 1000 */
  int idle_ms;        /* a connection without any request for so long is closed; 0: 30000 */
  struct peers peers; /* no rule: everybody may write */
  struct serial_place serial;
  int unit;              /* our own on the line */
  struct wiring map;     /* signals with addresses of their own */
  bool default_map;      /* bodies, sensors and the block of inputs are there */
  enum wire_order order; /* of the head and the default map */
};

#endif
