/* SPDX-License-Identifier: MIT
 * The telemetry block as a file in /dev/shm, as the daemon makes it. Tools read it: telemetry/read.h. */
#ifndef TELEMETRY_SHM_H
#define TELEMETRY_SHM_H

#include "telemetry/object.h"
#include "telemetry/telemetry.h"

/* The block of a process that ended without removing it: it was killed. */
struct telemetry_left {
  bool there;  /* there was one */
  bool known;  /* with our layout, of root or our user: the fields below are its */
  bool whole;  /* live was written in one piece; else it mixes the last two cycles word by word */
  int64_t pid; /* of the process */
  struct telemetry_live live; /* its last figures: state, fault, over ... */
};

/* Daemon: takes the name `instance` and makes a block for it: zeroed, writable by the owner only, not seen by readers.
 * A name that is taken by a living process is refused, also while that process starts or ends. A block that a killed
 * process left stays where it is until telemetry_ready(), so that a start which fails does not lose it; what it says
 * comes in *left (NULL: not wanted). NULL on failure, the reason in error[size]. */
struct telemetry *telemetry_create(const char *instance, struct telemetry_left *left, char *error,
                                   size_t size);
/* Daemon: all constant fields are filled in: readers may come. The block takes the place of one left behind. False: somebody
 * put something else there meanwhile; the reason in error[size]. */
bool telemetry_ready(struct telemetry *t, char *error, size_t size);
/* Daemon: puts a text beside it, for tools: what its OSC interface is. Before telemetry_ready(). False: the system refused. */
bool telemetry_describe(struct telemetry *t, const char *text);
/* Daemon: removes and unmaps what telemetry_create() made, and nothing else. NULL is allowed. */
void telemetry_destroy(struct telemetry *t);

#endif
