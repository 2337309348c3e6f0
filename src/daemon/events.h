/* SPDX-License-Identifier: MIT
 * The loop's events in words. */
#ifndef DAEMON_EVENTS_H
#define DAEMON_EVENTS_H

#include "rt/cycle.h"

#include <stddef.h>

/* One line without its end, e.g. "cycle 4711: RUNNING -> PAUSED: pause by osc client 2". `ports` are those of
 * the cycle's configuration. Always terminates text[size]. */
void event_text(const struct cycle_event *e, const ali3_model *m, struct port *const *ports, char *text,
                size_t size);

#endif
