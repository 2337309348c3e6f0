/* SPDX-License-Identifier: MIT
 * Files in /dev/shm, where any local user may put any file under any name. These functions open them without waiting,
 * check and lock them. Set-up and tools only: everything here calls the system. */
#ifndef TELEMETRY_OBJECT_H
#define TELEMETRY_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define OBJECT_DIRECTORY "/dev/shm" /* directory of shm_open() on Linux */

/* The files of one instance; an instance name contains no point. */
enum object_part {
  OBJECT_BLOCK,       /* ali3-NAME: the complete telemetry block */
  OBJECT_NEW,         /* ali3-NAME.new: an unfinished block */
  OBJECT_DESCRIPTION, /* ali3-NAME.osc */
  OBJECT_FRAMES,      /* ali3-NAME.frames: the frame ring */
  OBJECT_RECORDER,    /* ali3-NAME.recorder: the report of a recorder, which owns and locks it */
  OBJECT_LOCK         /* ali3-NAME.lock: empty, mode 0600; the process that holds its lock owns the name */
};
enum { OBJECT_PATH = 96 };

/* An instance name has 1 to 63 characters of A-Z a-z 0-9 _ -. */
bool telemetry_valid_name(const char *instance);
/* The message for an invalid instance name. */
void object_bad_name(const char *instance, char *error, size_t size);
void object_path(char path[static OBJECT_PATH], const char *instance, enum object_part part);

/* Opens an existing regular file; never waits, never follows a symbolic link. flags: O_RDONLY or O_RDWR. Returns the
 * descriptor and fills *st. On failure returns -1 with errno (ENOENT: no file); for any other errno why[size] says what
 * is there, as in "is a FIFO". */
int object_open(const char *path, int flags, struct stat *st, char *why, size_t size);
/* True for a file of root, of our own user, or of the user of process `pid`. */
bool object_is_trusted(const struct stat *st, int64_t pid);

/* Locks a file that is open for writing, until its last descriptor and mapping are gone. Returns 0 or errno; EAGAIN:
 * another process has locked it. */
int object_lock(int fd);
/* True if a process with write access has locked the file. Takes no lock itself. */
bool object_is_locked(int fd);
/* True if the path still leads to the open file fd. */
bool object_is_at(int fd, const char *path);
/* Reads `size` bytes at an offset. Returns false if the file has fewer. */
bool object_read(int fd, void *to, size_t size, size_t offset);

#endif
