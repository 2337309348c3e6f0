/* SPDX-License-Identifier: MIT
 * A thread that writes the newest record to the state file. Whoever posts never waits for the disk. */
#ifndef RESTART_RESTART_WRITER_H
#define RESTART_RESTART_WRITER_H

#include "restart/state_file.h"

struct restart_writer;

/* NULL if it cannot be started (errno). */
struct restart_writer *restart_writer_start(const char *path, const char *instance);
/* A record that is posted before the last one is written replaces that. */
void restart_writer_post(struct restart_writer *w, const struct state_record *r);
/* Returns the status of the last write: 0 or an errno. */
int restart_writer_status(const struct restart_writer *w);
/* Writes what was posted, waits 5 s at most, and ends. Returns the status of the last write; ETIMEDOUT: the
 * disk still holds it up, and w stays with the thread. */
int restart_writer_end(struct restart_writer *w);

#endif
