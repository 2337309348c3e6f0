/* SPDX-License-Identifier: MIT
 * Texts for the loop's events. */
#ifndef JOURNAL_EVENTS_H
#define JOURNAL_EVENTS_H

#include "loop/cycle.h"

#include <stddef.h>

/* One line without its end, e.g. "cycle 4711: RUNNING -> PAUSED: pause by osc client 2". `g` is the configuration of
 * the cycle. Always terminates text[size]. */
void event_text(const struct cycle_event *e, const struct cycle_config *g, char *text, size_t size);

#endif
