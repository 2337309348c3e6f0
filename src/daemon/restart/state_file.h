/* SPDX-License-Identifier: MIT
 * The state file: a state_record as JSON in `<state folder>/<instance>.state`. Calls the system and may block; not for
 * the loop. */
#ifndef RESTART_STATE_FILE_H
#define RESTART_STATE_FILE_H

#include "restart/state_record.h"

/* Path of the state file of an instance. folder: --state-dir; NULL: $STATE_DIRECTORY as systemd sets it, /var/lib/ali3
 * for root, else $XDG_STATE_HOME/ali3 or ~/.local/state/ali3. Makes a missing folder. Returns false if there is no
 * place, with the reason in error; path then holds the known part. */
bool state_file_path(const char *folder, const char *instance, char *path, size_t size, char *error,
                     size_t error_size);

/* Reads and checks the file. COPY_BROKEN: the reason is in error. */
struct state_copy state_file_read(const char *path, const char *instance, char *error, size_t size);

/* Replaces the file; a crash leaves the old one or the new one. Returns 0 or an errno. */
int state_file_write(const char *path, const char *instance, const struct state_record *r);

#endif
