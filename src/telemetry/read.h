/* SPDX-License-Identifier: MIT
 * The telemetry of a daemon as tools read it: copied out of the file, never mapped, since a mapping ends its reader with
 * SIGBUS when somebody cuts the file. A copy is safe to use whoever wrote the file: see telemetry_copy(). */
#ifndef TELEMETRY_READ_H
#define TELEMETRY_READ_H

#include "telemetry/object.h"
#include "telemetry/telemetry.h"

/* One instance, opened. All zero: none. */
struct telemetry_reader {
  char instance[64]; /* "": closed */
  int fd;
  int64_t pid;       /* of its process */
  uint64_t start_ns; /* CLOCK_MONOTONIC */
};

/* Opens the block of an instance, never waits. Only a regular file is taken that belongs to root, to our own user, or to
 * the user of the process that it names, and that has the layout of this version. False: the reason in error[size]. */
bool telemetry_open(struct telemetry_reader *r, const char *instance, char *error, size_t size);
void telemetry_close(struct telemetry_reader *r);
/* The process that made the block still runs: it has locked it. */
bool telemetry_alive(const struct telemetry_reader *r);
/* The name still leads to this block: a daemon that was started again has a new one. */
bool telemetry_is_current(const struct telemetry_reader *r);

enum telemetry_copied {
  TELEMETRY_NOT_READ, /* the file has been cut; the copy is all zero */
  TELEMETRY_TORN, /* the figures of the last cycle (live) mix two cycles: the loop stopped while it wrote them */
  TELEMETRY_WHOLE
};
/* Copies the block. In the copy texts end within their fields and hold nothing that a terminal would obey, numbers of rows
 * are within their arrays, the instance is the one that was opened, and records that were being written are left out. */
enum telemetry_copied telemetry_copy(const struct telemetry_reader *r, struct telemetry *copy);
/* Copies the block in a file that is open for reading, for an instance of that name. */
enum telemetry_copied telemetry_copy_file(int fd, const char *instance, struct telemetry *copy);

/* The text beside the block of an instance that is open, to be freed; NULL: there is none. */
char *telemetry_description(const struct telemetry_reader *r);
/* Names of the instances that telemetry_open() takes, those that run before those left by dead processes, each newest
 * first; at most max, of which one user gets more than half only where no other user needs the places. Returns how many. */
int telemetry_list(char name[][64], int max);

/* Replaces in place what a terminal would obey or could not show: control characters and bytes that are not UTF-8 become
 * question marks. The text ends within size. */
void telemetry_clean_text(char *text, size_t size);

#endif
