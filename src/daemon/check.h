/* SPDX-License-Identifier: MIT
 * Is a file right, beyond its words: can the mechanism be assembled? */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include "config/settings.h"

/* --check: assembles the mechanism and prints one line about it. Returns an exit status. */
int check_file(const char *file, const struct settings *s);

/* In words why ali3_reset() failed with `status`, or (ALI3_MOVED) how far it moved things; "" if there is
 * nothing to say. */
void check_initial_text(const ali3_model *m, const ali3_data *d, int status, char *text, size_t size);

#endif
