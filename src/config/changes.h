/* SPDX-License-Identifier: MIT
 * What differs between two readings of a file, by the names of its keys. */
#ifndef CONFIG_CHANGES_H
#define CONFIG_CHANGES_H

#include "config/settings.h"

#include <stddef.h>

/* Writes the names, "cycle.overrun, inputs.push.hold", of what differs to text, cut where it is too small, and returns how
 * many there are. while_running: of the keys that may change then; else of all others that the daemon goes by. Model and
 * inputs are compared as they are written: another spelling of the same number is a difference. */
int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size);
/* The platforms are the same but for what may change while the loop runs; true as well where there is none. */
bool settings_same_platform(const struct settings *a, const struct settings *b);
/* The lists of inputs are the same but for what may change while the loop runs. */
bool settings_same_inputs(const struct settings *a, const struct settings *b);

#endif
