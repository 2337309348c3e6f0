/* SPDX-License-Identifier: MIT
 * Modbus server for TCP and RTU: non-blocking framing of our own in front of libmodbus' modbus_reply(). One ordinary
 * thread, which reaches the loop only through its port. ali3-modbus(7) has the register map. */
#ifndef ALI3_MODBUS_SERVER_H
#define ALI3_MODBUS_SERVER_H

#include "modbus_server/config.h"
#include "transport/endpoint.h"

/* The endpoint; its configuration is one struct modbus_config. */
extern const struct protocol modbus_protocol;

/* The TCP port of a running endpoint; -1 if it does not listen on TCP. */
int modbus_server_port(const struct endpoint *e);

#endif
