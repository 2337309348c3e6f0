/* SPDX-License-Identifier: MIT
 * OSC over UDP: state to fixed targets and subscribers, inputs and commands from clients. ali3-osc(7) describes the
 * addresses.
 *
 * One ordinary thread does both directions. It sleeps on the port's eventfd and on the socket, and reaches the loop
 * through its port only. */
#ifndef OSC_OSC_H
#define OSC_OSC_H

#include "osc_messages/config.h"
#include "transport/endpoint.h"

/* The endpoint; its configuration is a struct osc_config. Before it stops, it sends the newest frame once more. */
extern const struct protocol osc_protocol;

/* The UDP port of a running endpoint. */
int osc_port(const struct endpoint *e);

#endif
