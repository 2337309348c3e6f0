/* SPDX-License-Identifier: MIT
 * Is a file right, beyond its words: can the mechanism be assembled? */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include "config/settings.h"

/* --check: assembles the mechanism and prints one line about it. Returns an exit status. */
int check_file(const char *file, const struct settings *s);

#endif
