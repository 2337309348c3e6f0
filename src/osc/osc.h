/* SPDX-License-Identifier: MIT
 * OSC over UDP: state out to fixed targets and to subscribers, inputs and commands in. The address space is
 * in the README.
 *
 * One ordinary thread does both ways: it sleeps on the port's eventfd and on the socket. It never touches the
 * loop except through its port. */
#ifndef OSC_OSC_H
#define OSC_OSC_H

#include "osc/config.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>

struct osc;

/* Opens the sockets and starts the thread (SCHED_OTHER, own stack, all signals blocked). NULL on failure, the
 * reason in error[size]. Pointers in config must live as long as the result; signals, port and counters too.
 */
struct osc *osc_start(const struct osc_config *config, const struct signals *signals, struct port *port,
                      struct counters *counters, char *error, size_t size);
/* Sends the newest frame a last time, joins the thread, closes the sockets. */
void osc_stop(struct osc *o);

/* The UDP port listened on. */
int osc_port(const struct osc *o);

#endif
