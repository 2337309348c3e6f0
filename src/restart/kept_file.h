/* SPDX-License-Identifier: MIT
 * The state file: a kept_record as JSON in `<state folder>/<instance>.state`. Calls the system and may block; not for the loop. */
#ifndef RESTART_KEPT_FILE_H
#define RESTART_KEPT_FILE_H

#include "restart/kept.h"

/* Path of the state file of an instance. folder: --state-dir; NULL: $STATE_DIRECTORY as systemd sets it, /var/lib/ali3 for root, else
 * $XDG_STATE_HOME/ali3 or ~/.local/state/ali3. Makes the folder where it is missing. False: there is no place (text in error); path
 * is then as much as is known of it. */
bool kept_file_path(const char *folder, const char *instance, char *path, size_t size, char *error,
                    size_t error_size);

/* Reads a file strictly. KEPT_BROKEN: says why in error. */
struct kept_home kept_file_read(const char *path, const char *instance, char *error, size_t size);

/* Replaces the file, so that a crash leaves the old one or the new one. Returns 0, or an errno. */
int kept_file_write(const char *path, const char *instance, const struct kept_record *r);

#endif
