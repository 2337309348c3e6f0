/* SPDX-License-Identifier: MIT
 * The daemon's side of the telemetry block, a file in /dev/shm. Tools read it by telemetry/read.h. */
#ifndef TELEMETRY_SHM_H
#define TELEMETRY_SHM_H

#include "telemetry/object.h"
#include "telemetry/telemetry.h"

/* The block of a process that ended without removing it: it was killed. */
struct telemetry_left {
  bool there;  /* there was a block */
  bool known;  /* it has our layout and belongs to root or our user: the fields below are valid */
  bool whole;  /* `live` is consistent; false: it mixes words of the last two cycles */
  int64_t pid; /* process number */
  struct telemetry_live live; /* its last figures: state, fault, over ... */
};

/* Daemon: takes the name `instance` and makes a block for it: zeroed, writable by the owner only, invisible to readers.
 * Refuses a name of a living process, also while that process starts or ends. The block of a killed process stays until
 * telemetry_ready(), so that a failed start does not lose it; its contents go to *left (NULL: not wanted). Returns NULL
 * on failure, with the reason in error[size]. */
struct telemetry *telemetry_create(const char *instance, struct telemetry_left *left, char *error,
                                   size_t size);
/* Daemon: all constant fields are set, readers may come. The block replaces one of a killed process. Returns false if
 * somebody put another file there meanwhile, with the reason in error[size]. */
bool telemetry_ready(struct telemetry *t, char *error, size_t size);
/* Daemon: puts a text for tools beside the block: the description of its OSC interface. Call before telemetry_ready().
 * Returns false if the system refused. */
bool telemetry_describe(struct telemetry *t, const char *text);
/* Daemon: removes and unmaps exactly what telemetry_create() made. NULL is allowed. */
void telemetry_destroy(struct telemetry *t);

#endif
