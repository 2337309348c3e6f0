/* SPDX-License-Identifier: MIT
 * Modbus client: polls devices over TCP and on serial lines. One ordinary thread serves each connection and each line;
 * it reaches the loop only through the ports of its devices. */
#ifndef DEVICES_DEVICES_H
#define DEVICES_DEVICES_H

#include "modbus_client/device_config.h"
#include "transport/endpoint.h"

/* The endpoint; its configuration is an array of struct modbus_device. It has a port and a view for each device, in
 * this order. An absent device is tried again and again. When the endpoint stops it writes the safe values once more.
 * It waits for the answer under way, over TCP for a short time only. */
extern const struct protocol devices_protocol;

#endif
