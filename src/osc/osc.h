/* SPDX-License-Identifier: MIT
 * OSC over UDP: state out to fixed targets and to subscribers, inputs and commands in. ali3-osc(7) has
 * the addresses.
 *
 * One ordinary thread does both ways: it sleeps on the port's eventfd and on the socket. It never touches the
 * loop except through its port. */
#ifndef OSC_OSC_H
#define OSC_OSC_H

#include "osc/config.h"
#include "transport/endpoint.h"

/* The endpoint: its configuration is one struct osc_config. It sends the newest frame a last time before it stops. */
extern const struct protocol osc_protocol;

/* The UDP port that a running endpoint listens on. */
int osc_port(const struct endpoint *e);

#endif
