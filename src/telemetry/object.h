/* SPDX-License-Identifier: MIT
 * Files in /dev/shm, where any local user may put anything under any name. They are opened without waiting, looked at,
 * and locked here. Set-up and tools only: everything here calls the system. */
#ifndef TELEMETRY_OBJECT_H
#define TELEMETRY_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define OBJECT_DIRECTORY "/dev/shm" /* where Linux keeps what shm_open() makes */

/* The files of one instance; no instance has a point in its name. */
enum object_part {
  OBJECT_BLOCK,       /* ali3-NAME: the telemetry, once it is complete */
  OBJECT_NEW,         /* ali3-NAME.new: a block that is being made */
  OBJECT_DESCRIPTION, /* ali3-NAME.osc */
  OBJECT_FRAMES,      /* ali3-NAME.frames: the frame ring */
  OBJECT_LOCK         /* ali3-NAME.lock: empty, mode 0600; whoever has locked it owns the name */
};
enum { OBJECT_PATH = 96 };

/* An instance is named by 1 to 63 of A-Z a-z 0-9 _ -. */
bool telemetry_valid_name(const char *instance);
/* The message for an instance name that is not valid. */
void object_bad_name(const char *instance, char *error, size_t size);
void object_path(char path[static OBJECT_PATH], const char *instance, enum object_part part);

/* Opens an existing regular file, never waits, never follows a symbolic link. flags: O_RDONLY or O_RDWR. Returns the
 * descriptor and fills *st in; or returns -1 with errno, ENOENT if nothing is there, and for every other errno what
 * is there in why[size], as in "is a FIFO". */
int object_open(const char *path, int flags, struct stat *st, char *why, size_t size);
/* Effective user of a process. False: there is no such process, or /proc does not show it to us. */
bool object_process_user(int64_t pid, uid_t *user);
/* A file of root, of our own user, or of the user of process `pid`. */
bool object_is_trusted(const struct stat *st, int64_t pid);

/* Locks a file that is open for writing, until the last descriptor and mapping of it are gone. 0, or errno: EAGAIN if
 * another process has locked it. */
int object_lock(int fd);
/* Whether a process that may write the file has locked it. Only asks: it disturbs nobody. */
bool object_is_locked(int fd);
/* The path still leads to the file that is open as fd. */
bool object_is_at(int fd, const char *path);
/* Reads size bytes at an offset. False if the file has fewer. */
bool object_read(int fd, void *to, size_t size, size_t offset);

#endif
