/* SPDX-License-Identifier: MIT
 * Names, files and processes for the tests of shared memory. */
#ifndef TESTS_IO_SHM_BENCH_H
#define TESTS_IO_SHM_BENCH_H

#include "check.h"
#include "telemetry/read.h"
#include "telemetry/shm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char error[320];

/* Unique names, so that daemons of the machine and parallel tests do not interfere. */
static inline const char *name_of(const char *suffix)
{
  static char name[4][64];
  static int next;
  char *n = name[next++ % 4];
  snprintf(n, sizeof name[0], "test-%d-%s", (int)getpid(), suffix);
  return n;
}

static inline const char *path_of(const char *name, enum object_part part)
{
  static char path[OBJECT_PATH];
  object_path(path, name, part);
  return path;
}

static inline struct telemetry *create(const char *name)
{
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (!t) fail_msg("%s", error);
  return t;
}

static inline struct telemetry *start(const char *name)
{
  struct telemetry *t = create(name);
  if (!telemetry_ready(t, error, sizeof error)) fail_msg("%s", error);
  return t;
}

static inline void assert_said(const char *part)
{
  if (!strstr(error, part)) fail_msg("\"%s\" is not in \"%s\"", part, error);
}

static inline void assert_refused(const char *name, const char *why)
{
  struct telemetry_reader r;
  assert_false(telemetry_open(&r, name, error, sizeof error));
  assert_said(why);
}

static inline void assert_not_created(const char *name, const char *why)
{
  assert_null(telemetry_create(name, NULL, error, sizeof error));
  assert_said(why);
}

/* Leaves the block of a killed daemon; `change` (NULL: none) modifies it before. Returns the process number. */
static inline pid_t leave(const char *name, void (*change)(struct telemetry *t))
{
  const pid_t pid = fork();
  if (pid == 0) {
    struct telemetry *t = start(name);
    if (change) change(t);
    _exit(0);
  }
  int status = -1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  return pid;
}

static inline void sweep(const char *name)
{
  for (int part = OBJECT_BLOCK; part <= OBJECT_LOCK; part++) {
    unlink(path_of(name, (enum object_part)part));
    rmdir(path_of(name, (enum object_part)part));
  }
}

/* Checks that no file of that name exists. */
static inline void assert_swept(const char *name)
{
  for (int part = OBJECT_BLOCK; part <= OBJECT_LOCK; part++)
    if (access(path_of(name, (enum object_part)part), F_OK) == 0)
      fail_msg("%s is still there", path_of(name, (enum object_part)part));
}

/* Runs a function as another user in a separate process. Returns its exit status. */
static inline int as_user(uid_t user, int (*run)(const char *name), const char *name)
{
  const pid_t pid = fork();
  if (pid == 0) _exit(setgid(user) == 0 && setuid(user) == 0 ? run(name) : 99);
  int status = -1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define SKIP_UNLESS_ROOT()                                                                                   \
  if (geteuid() != 0) {                                                                                      \
    print_message("skip: needs root, to become another user\n");                                             \
    skip();                                                                                                  \
  }

#endif
