/* SPDX-License-Identifier: MIT
 * Settings of the Modbus server: the section `modbus` of a configuration file. */
#ifndef ALI3_MODBUS_CONFIG_H
#define ALI3_MODBUS_CONFIG_H

#include "wire/peers.h"
#include "wire/serial.h"
#include "wire/wire.h"

#include <stdbool.h>

/* Treatment in SAFE and FAULT of writes that would act. */
enum safe_writes { SAFE_WRITES_REFUSE, SAFE_WRITES_IGNORE };

/* Treatment of reads of what does not exist. */
enum modbus_gaps { GAPS_REFUSE, GAPS_ZERO };

/* A parameter of the model in holding registers. */
struct modbus_parameter {
  char *name;
  const char *unit;
  int address;
  struct wire wire;
  double value; /* at the start, SI */
};

struct modbus_config {
  bool enabled;
  bool tcp;           /* listen on TCP; false: serve the serial line only */
  char *bind;         /* numeric address */
  int port;           /* 0: any free port, see modbus_server_port() */
  int max_clients;    /* 1..16 */
  int half_frame_ms;  /* a frame that takes longer to arrive closes its connection; 0: 1000 */
  int idle_ms;        /* a connection without a request for this time is closed; 0: 30000 */
  struct peers peers; /* without a rule everybody may write */
  struct serial_config serial;
  enum access serial_access;
  int unit;                           /* the server's unit on the line */
  struct wiring map;                  /* signals that the user maps to addresses */
  struct modbus_parameter *parameter; /* (parameters) */
  int parameters;
  int safe_writes;       /* enum safe_writes */
  int mirror;            /* holding register of a copy of all input registers; 0 or less: none */
  int gaps;              /* enum modbus_gaps */
  double owner_timeout;  /* s of silence after which the owner loses the inputs; 0: 1 */
  bool default_map;      /* serve bodies, sensors and the input block at their default addresses */
  enum wire_order order; /* order of the head and the default map */
};

#endif
