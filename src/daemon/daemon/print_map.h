/* SPDX-License-Identifier: MIT
 * --print-map. */
#ifndef DAEMON_PRINT_MAP_H
#define DAEMON_PRINT_MAP_H

#include "daemon/options.h"
#include "settings/settings.h"

/* Prints every OSC address and Modbus register of the protocols that are on, and every packet. Returns an exit status. */
int print_map(const struct settings *s, const char *path, enum map_format format);

#endif
