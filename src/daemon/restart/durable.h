/* SPDX-License-Identifier: MIT
 * Files that survive a power cut, and the folder in which a daemon keeps them. Calls the system and may block; not for the
 * loop. */
#ifndef RESTART_DURABLE_H
#define RESTART_DURABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of all daemons. given: an option; NULL: $STATE_DIRECTORY as systemd sets it, /var/lib/ali3 for root, else
 * $XDG_STATE_HOME/ali3 or ~/.local/state/ali3. Returns false if none of these is set. */
bool durable_folder(const char *given, char *folder, size_t size);
/* Makes a folder and its parents. Returns false with errno. */
bool durable_make_folder(const char *folder);

/* Replaces the file; a crash or power cut leaves the old one or the new one. Returns 0 or an errno. */
int durable_write(const char *path, const void *bytes, size_t size);

#endif
