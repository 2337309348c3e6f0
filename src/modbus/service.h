/* SPDX-License-Identifier: MIT
 * What clients of all kinds, connections and the serial line, are served from: one map, one port to the loop. */
#ifndef ALI3_MODBUS_SERVICE_H
#define ALI3_MODBUS_SERVICE_H

#include "modbus/map.h"
#include "signals/counters.h"

struct modbus_service {
  struct port *port;
  struct counters *counters;
  struct modbus_map map;
  uint32_t last_id;
};

/* A client has come: gives it a number, and the loop's port its name. */
void modbus_service_meet(struct modbus_service *s, struct map_peer *peer);

/* The newest frame of the loop goes into the registers. */
void modbus_service_refresh(struct modbus_service *s);

/* Judges a request and does what it asks of the loop, but for the registers themselves: those are for modbus_reply(). Returns 0,
 * or the exception to answer. *length > 0: pdu is the whole answer, which libmodbus does not know. */
int modbus_service_judge(struct modbus_service *s, const struct map_peer *peer, const struct mbap_request *r,
                         uint64_t now_ns, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER], int *length);

#endif
