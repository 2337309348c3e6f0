/* SPDX-License-Identifier: MIT
 * A thread that writes the newest record to the state file. The posting thread never waits for the disk. */
#ifndef RESTART_RESTART_WRITER_H
#define RESTART_RESTART_WRITER_H

#include "restart/state_file.h"

struct restart_writer;

/* Returns NULL if the thread cannot be started (errno). */
struct restart_writer *restart_writer_start(const char *path, const char *instance);
/* Posts a record; it replaces one that is not written yet. */
void restart_writer_post(struct restart_writer *w, const struct state_record *r);
/* Returns the status of the last write: 0 or an errno. */
int restart_writer_status(const struct restart_writer *w);
/* Writes what was posted, waits at most 5 s, and ends. Returns the status of the last write; ETIMEDOUT: the disk still
 * blocks the thread, which keeps w. */
int restart_writer_end(struct restart_writer *w);

#endif
