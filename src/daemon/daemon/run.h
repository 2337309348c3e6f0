/* SPDX-License-Identifier: MIT
 * The life of the daemon, from a parsed file to the report. */
#ifndef DAEMON_RUN_H
#define DAEMON_RUN_H

#include "daemon/options.h"
#include "settings/settings.h"

/* Runs until a stop. Returns an exit status. Call once per process: it changes signal masks and locks memory. */
int run(const struct options *o, const struct settings *s);

#endif
