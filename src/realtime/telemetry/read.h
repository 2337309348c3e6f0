/* SPDX-License-Identifier: MIT
 * The telemetry of a daemon for tools. It is copied out of the file, never mapped: a mapping ends its reader with
 * SIGBUS if somebody truncates the file. A copy is safe to use, whoever wrote the file: see telemetry_copy(). */
#ifndef TELEMETRY_READ_H
#define TELEMETRY_READ_H

#include "telemetry/object.h"
#include "telemetry/telemetry.h"

/* One open instance. All zero: none. */
struct telemetry_reader {
  char instance[64]; /* "": closed */
  int fd;
  int64_t pid;       /* of the daemon's process */
  uint64_t start_ns; /* CLOCK_MONOTONIC */
};

/* Opens the block of an instance; never waits. Accepts only a regular file of root, of our own user, or of the user of
 * the process that it names, with the layout of this version. Returns false with the reason in error[size]. */
bool telemetry_open(struct telemetry_reader *r, const char *instance, char *error, size_t size);
void telemetry_close(struct telemetry_reader *r);
/* True if the process that made the block still runs: it holds the lock. */
bool telemetry_alive(const struct telemetry_reader *r);
/* True if the name still leads to this block; a restarted daemon has a new block. */
bool telemetry_is_current(const struct telemetry_reader *r);

enum telemetry_copied {
  TELEMETRY_NOT_READ, /* the file was truncated; the copy is all zero */
  TELEMETRY_TORN,     /* the live part mixes two cycles: the loop stopped while it wrote them */
  TELEMETRY_WHOLE
};
/* Copies the block. In the copy every text ends within its field and has no terminal control characters, every count is
 * within its array, the instance is the opened one, and records that were being written are left out. */
enum telemetry_copied telemetry_copy(const struct telemetry_reader *r, struct telemetry *copy);
/* Copies the block of an open file, for an instance of that name. */
enum telemetry_copied telemetry_copy_file(int fd, const char *instance, struct telemetry *copy);

/* The description beside the block of an open instance, which the caller frees; NULL: none. */
char *telemetry_description(const struct telemetry_reader *r);
/* Names of the instances that telemetry_open() accepts, of our own user, of root, of accounts of the system and of services:
 * running ones first, then those of dead processes, each newest first. Other persons' instances must be named. A list has at
 * most 256 of a user. Returns how many, at most `max`. One user gets more than half of the places only if no other user needs
 * them. */
int telemetry_list(char name[][64], int max);
/* Why a list is empty: no daemon runs, or one of another person, whose name it says. */
void telemetry_none_text(char *text, size_t size);

/* Replaces control characters and bytes that are not UTF-8 by question marks, in place. The text ends within `size`. */
void telemetry_clean_text(char *text, size_t size);

#endif
