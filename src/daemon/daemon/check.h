/* SPDX-License-Identifier: MIT
 * --check: examines the mechanism of a correct file. */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include "daemon/options.h"
#include "settings/settings.h"

/* Reads the file, assembles the mechanism and prints findings about it, the likeliest mistake first. Returns an exit
 * status. */
int check_file(const struct options *options, const struct settings_overrides *over);

#endif
