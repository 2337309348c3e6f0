/* SPDX-License-Identifier: MIT
 * The full screen. */
#ifndef ALI3_TOP_SCREEN_H
#define ALI3_TOP_SCREEN_H

#include "options.h"
#include "telemetry/watch.h"

#include <signal.h>

/* Until the user or *interrupted (set by a handler of SIGINT and SIGTERM) ends it, or the time is over. Returns the exit
 * status: the verdict of the last look, EXIT_USAGE where the terminal cannot do it. */
int screen_run(const struct options *o, const volatile sig_atomic_t *interrupted);

#endif
