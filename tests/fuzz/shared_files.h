/* SPDX-License-Identifier: MIT
 * Files of an instance in /dev/shm, as a hostile user of the machine makes them, for the targets `ring` and `block`. */
#ifndef TESTS_FUZZ_SHARED_FILES_H
#define TESTS_FUZZ_SHARED_FILES_H

#include "telemetry/object.h"
#include "telemetry/telemetry.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Name of the instance; the files are removed at the end of the process. */
static char shared_instance[40];

static inline void shared_need(bool holds)
{
  if (!holds) abort();
}

static inline void shared_remove(void)
{
  char path[OBJECT_PATH];
  object_path(path, shared_instance, OBJECT_FRAMES);
  unlink(path);
  object_path(path, shared_instance, OBJECT_BLOCK);
  unlink(path);
}

/* The descriptor of a new file of this instance with these bytes. */
static inline int shared_make(enum object_part part, const void *bytes, size_t size)
{
  char path[OBJECT_PATH];
  if (!shared_instance[0]) {
    snprintf(shared_instance, sizeof shared_instance, "fuzz-%d", (int)getpid());
    atexit(shared_remove);
  }
  object_path(path, shared_instance, part);
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  shared_need(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
  return fd;
}

/* The block of a running daemon, whose process is this one: it holds the lock. */
static inline int shared_make_block(struct telemetry *t)
{
  t->magic = TELEMETRY_MAGIC;
  t->version = TELEMETRY_VERSION;
  t->size = sizeof *t;
  t->pid = getpid();
  t->start_ns = 1;
  t->period_ns = 10000000;
  const int fd = shared_make(OBJECT_BLOCK, t, sizeof *t);
  shared_need(object_lock(fd) == 0);
  return fd;
}

#endif
