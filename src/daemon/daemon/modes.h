/* SPDX-License-Identifier: MIT
 * ali3d --modes. */
#ifndef DAEMON_MODES_H
#define DAEMON_MODES_H

#include "config/settings.h"

/* Prints a table. Returns the exit status. */
int print_modes(const struct settings *settings);

#endif
