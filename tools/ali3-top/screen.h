/* SPDX-License-Identifier: MIT
 * The full screen. */
#ifndef ALI3_TOP_SCREEN_H
#define ALI3_TOP_SCREEN_H

#include "options.h"
#include "telemetry/watch.h"

#include <signal.h>

/* Runs until the user, *interrupted (set by a handler of SIGINT and SIGTERM) or the time ends it. Returns the exit
 * status: the verdict of the last look, or EXIT_USAGE if the terminal cannot show it. */
int screen_run(const struct options *o, const volatile sig_atomic_t *interrupted);

#endif
