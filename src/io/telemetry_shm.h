/* SPDX-License-Identifier: MIT
 * The telemetry block as a POSIX shared memory object: made by the daemon, opened read-only by tools. */
#ifndef IO_TELEMETRY_SHM_H
#define IO_TELEMETRY_SHM_H

#include "rt/telemetry.h"

/* An instance is named by 1 to 63 of A-Z a-z 0-9 _ -. */
bool telemetry_valid_name(const char *instance);

/* Daemon: creates the object for `instance` (replacing one left by a dead process, refusing one whose process
 * lives), sized, zeroed, writable by the owner only, readable by all. NULL on failure, the reason in
 * error[size]. */
struct telemetry *telemetry_create(const char *instance, char *error, size_t size);
/* Daemon: all constant fields are filled: readers may come. */
void telemetry_ready(struct telemetry *t);
/* Daemon: puts a text beside it, for tools: what its OSC interface is. Before telemetry_ready(). False: the system refused. */
bool telemetry_describe(struct telemetry *t, const char *text);
/* Daemon: unlinks and unmaps. */
void telemetry_destroy(struct telemetry *t);

/* Tool: maps an instance read-only; NULL if there is none, or it is of another version (reason in error). */
const struct telemetry *telemetry_open(const char *instance, char *error, size_t size);
void telemetry_close(const struct telemetry *t);
/* Tool: the text beside an instance that telemetry_open() opens, to be freed; NULL: there is none. */
char *telemetry_description(const char *instance);
/* Tool: the process that made it still runs. */
bool telemetry_alive(const struct telemetry *t);
/* Tool: names of the instances present, those that run before those left by dead processes, each newest
 * first; at most max. Returns how many. */
int telemetry_list(char name[][64], int max);

#endif
