/* SPDX-License-Identifier: MIT
 * Modbus client: polls devices over TCP and on serial lines. One ordinary thread for each connection and each line, which
 * meets the loop only through the ports of its devices. */
#ifndef DEVICES_DEVICES_H
#define DEVICES_DEVICES_H

#include "devices/config.h"
#include "transport/endpoint.h"

/* The endpoint: its configuration is an array of struct modbus_device. It has a port and a view for each device, in this order. A
 * device that is not there is waited for. When the endpoint stops it writes the safe values once more; it waits for an answer
 * under way, over TCP not for long. */
extern const struct protocol devices_protocol;

#endif
