/* SPDX-License-Identifier: MIT
 * Serves all clients, TCP connections and the serial line, from one map and one port to the loop. */
#ifndef ALI3_MODBUS_SERVICE_H
#define ALI3_MODBUS_SERVICE_H

#include "modbus_server/map.h"
#include "signals/counters.h"

struct modbus_service {
  struct port *port;
  struct counters *counters;
  struct modbus_map map;
  uint32_t last_id;
  uint32_t jogs;                            /* number of the last jog */
  const struct modbus_parameter *parameter; /* (parameters) */
  int parameters;
  uint32_t shows; /* the desk's, when the registers last got the values of the parameters */
};

/* Gives a new client its number, and the loop's port the client's name. */
void modbus_service_meet(struct modbus_service *s, struct map_peer *peer);

/* Puts the newest frame of the loop into the registers. */
void modbus_service_refresh(struct modbus_service *s);

/* Checks a request and passes its effects to the loop. The registers themselves are left to modbus_reply(). Returns 0,
 * or the exception to answer. *length > 0: `pdu` is the complete answer, which libmodbus cannot encode. */
int modbus_service_judge(struct modbus_service *s, const struct map_peer *peer, const struct mbap_request *r,
                         uint64_t now_ns, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER], int *length);

#endif
