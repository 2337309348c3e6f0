/* SPDX-License-Identifier: MIT
 * Is a file right, beyond its words: what is there to say about the mechanism? */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include "config/settings.h"
#include "daemon/options.h"

/* --check: reads the file, assembles the mechanism and prints what was found about it, the likeliest mistake first.
 * Returns an exit status. */
int check_file(const struct options *options, const struct settings_overrides *over);

#endif
