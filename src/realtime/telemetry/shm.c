/* SPDX-License-Identifier: MIT
 * The daemon's side of the telemetry block. Set-up only: everything here calls the system.
 *
 * The process that has locked ali3-NAME.lock owns the name; only the owner touches the other files of the name. The
 * lock has its own file with mode 0600, because any user can put a read lock on a file that he can read and so keep us
 * from locking it. The owner also locks the block while it lives, by which readers recognise a running daemon.
 *
 * A lock counts only while its path leads to its file. The owner removes the file before it gives up the lock, so a
 * process that has just locked a file checks that the path still leads to it, and starts over if not. */
#include "telemetry/shm.h"

#include "rt/clock.h"
#include "telemetry/read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REMEDY "remove it as its owner or as root, or choose another telemetry.name"

enum { TRIES = 1000 }; /* another process that ends at this moment costs one try */

/* True if a daemon runs under that name; tells which. */
static bool is_running(const char *instance, char *error, size_t size)
{
  struct telemetry_reader r = {0};
  char why[256];
  if (!telemetry_open(&r, instance, why, sizeof why)) return false;
  const bool running = telemetry_alive(&r);
  if (running)
    snprintf(error, size,
             "an instance \"%s\" is already running as process %" PRId64
             "; end it or choose another telemetry.name",
             instance, r.pid);
  telemetry_close(&r);
  return running;
}

/* A file of another user is in the way. Root removes it; other users can only report it, because the sticky bit of the
 * directory lets each user remove his own files only. Returns true if the file is gone. */
static bool remove_foreign(const char *instance, const char *path, const char *what, char *error, size_t size)
{
  if (is_running(instance, error, size)) return false;
  if (geteuid() == 0 && (unlink(path) == 0 || errno == ENOENT)) return true;
  snprintf(error, size, "shared memory %s %s: " REMEDY, path, what);
  return false;
}

/* The lock file, created if it does not exist. Returns -1 with errno EAGAIN (try again) or with the reason in
 * error[size]. */
static int open_lock(const char *instance, const char *path, char *error, size_t size)
{
  struct stat st;
  char why[160];
  /* The file exists and is ours. */
  int fd = object_open(path, O_RDWR, &st, why, sizeof why);
  if (fd >= 0 && st.st_uid == geteuid()) return fd;
  const int reason = fd < 0 ? errno : 0;
  if (fd >= 0) {
    close(fd);
    snprintf(why, sizeof why, "belongs to user %u", (unsigned)st.st_uid);
  }
  /* No file: create it. Another process may be faster. */
  if (reason == ENOENT) {
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == EEXIST) {
      if (fd < 0) errno = EAGAIN;
      return fd;
    }
    snprintf(error, size, "shared memory %s: %s", path, strerror(errno));
    errno = EPERM;
    return -1;
  }
  errno = remove_foreign(instance, path, why, error, size) ? EAGAIN : EPERM;
  return -1;
}

/* The descriptor of the lock of that name; -1 with the reason in error[size]. */
static int take_name(const char *instance, char *error, size_t size)
{
  char path[OBJECT_PATH];
  object_path(path, instance, OBJECT_LOCK);
  for (int i = 0; i < TRIES; i++) {
    const int fd = open_lock(instance, path, error, size);
    if (fd < 0 && errno == EAGAIN) continue;
    if (fd < 0) return -1;
    const int reason = object_lock(fd);
    if (reason == 0 && object_is_at(fd, path)) return fd;
    close(fd);
    if (reason == 0) continue; /* the previous owner has just ended */
    if (reason != EAGAIN)
      snprintf(error, size, "shared memory %s: cannot be locked: %s", path, strerror(reason));
    else if (!is_running(instance, error, size))
      snprintf(error, size, "another process is starting or ending an instance \"%s\"; try again", instance);
    return -1;
  }
  snprintf(error, size, "shared memory %s: another process makes and removes it again and again", path);
  return -1;
}

static void copy_left(int fd, const struct stat *st, struct telemetry_left *left)
{
  left->there = true;
  if (st->st_uid != 0 && st->st_uid != geteuid()) return;
  struct telemetry *old = malloc(sizeof *old); /* too large for a stack */
  if (!old) return;
  const enum telemetry_copied copied = telemetry_copy_file(fd, "", old);
  if (copied != TELEMETRY_NOT_READ) {
    left->known = true;
    left->whole = copied == TELEMETRY_WHOLE;
    left->pid = old->pid;
    left->live = old->live;
  }
  free(old);
}

/* Examines the file that has the name of the block, if there is one. Returns false if it cannot be replaced. */
static bool look_at_place(const char *instance, struct telemetry_left *left, char *error, size_t size)
{
  char path[OBJECT_PATH], why[160];
  struct stat st = {0};
  object_path(path, instance, OBJECT_BLOCK);
  const int fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  if (fd < 0 && errno == ENOENT) return true;
  const bool ours = fd >= 0 && st.st_uid == geteuid();
  if (ours && object_is_locked(fd)) { /* somebody has removed the lock file */
    if (!is_running(instance, error, size))
      snprintf(error, size, "shared memory %s: locked by another process", path);
    close(fd);
    return false;
  }
  if (fd >= 0 && left) copy_left(fd, &st, left);
  if (fd >= 0) close(fd);
  if (ours || (st.st_uid == geteuid() && !S_ISDIR(st.st_mode))) return true;
  if (fd >= 0) snprintf(why, sizeof why, "belongs to user %u", (unsigned)st.st_uid);
  return remove_foreign(instance, path, why, error, size);
}

/* Removes the file of a process that was killed while it started. */
static bool clear_place(const char *path, char *error, size_t size)
{
  if (unlink(path) == 0 || errno == ENOENT) return true;
  snprintf(error, size, "shared memory %s: cannot be removed: %s: " REMEDY, path, strerror(errno));
  return false;
}

/* Creates an empty locked file for a block; -1: see errno. The file is locked before others may read it. */
static int make_object(const char *path)
{
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  int reason = object_lock(fd);
  /* fchmod() makes it readable for all, whatever the umask. The space is allocated, not only sized: with a full file
   * system the first access to a page would kill the process, perhaps in the loop. */
  if (reason == 0 && fchmod(fd, 0644) != 0) reason = errno;
  if (reason == 0) reason = posix_fallocate(fd, 0, sizeof(struct telemetry));
  if (reason == 0) return fd;
  unlink(path);
  close(fd);
  errno = reason;
  return -1;
}

static struct telemetry *map_object(const char *path, int lock, char *error, size_t size)
{
  const int fd = make_object(path);
  void *p = MAP_FAILED;
  if (fd >= 0) p = mmap(NULL, sizeof(struct telemetry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    snprintf(error, size, "shared memory %s: %s", path, strerror(errno));
    if (fd >= 0) {
      unlink(path);
      close(fd);
    }
    return NULL;
  }
  struct telemetry *t = p;
  t->lock = lock;
  t->object = fd;
  return t;
}

static void remove_own(int fd, const char *instance, enum object_part part)
{
  char path[OBJECT_PATH];
  object_path(path, instance, part);
  if (object_is_at(fd, path)) unlink(path);
}

struct telemetry *telemetry_create(const char *instance, struct telemetry_left *left, char *error,
                                   size_t size)
{
  if (left) *left = (struct telemetry_left){0};
  if (!telemetry_valid_name(instance)) {
    object_bad_name(instance, error, size);
    return NULL;
  }
  const int lock = take_name(instance, error, size);
  if (lock < 0) return NULL;
  char path[OBJECT_PATH];
  object_path(path, instance, OBJECT_NEW);
  struct telemetry *t = NULL;
  if (look_at_place(instance, left, error, size) && clear_place(path, error, size))
    t = map_object(path, lock, error, size);
  if (!t) {
    remove_own(lock, instance, OBJECT_LOCK);
    close(lock);
    return NULL;
  }
  object_path(path, instance, OBJECT_DESCRIPTION);
  unlink(path); /* left by a process that was killed */
  t->pid = getpid();
  t->version = TELEMETRY_VERSION;
  t->size = sizeof *t;
  t->start_ns = clock_now_ns();
  snprintf(t->instance, sizeof t->instance, "%s", instance);
  return t;
}

bool telemetry_ready(struct telemetry *t, char *error, size_t size)
{
  char made[OBJECT_PATH], path[OBJECT_PATH], lock[OBJECT_PATH];
  object_path(made, t->instance, OBJECT_NEW);
  object_path(path, t->instance, OBJECT_BLOCK);
  object_path(lock, t->instance, OBJECT_LOCK);
  __atomic_store_n(&t->magic, TELEMETRY_MAGIC, __ATOMIC_RELEASE);
  if (!object_is_at(t->lock, lock) || !object_is_at(t->object, made)) {
    snprintf(error, size, "shared memory %s: another process removed it",
             object_is_at(t->lock, lock) ? made : lock);
    return false;
  }
  if (rename(made, path) == 0) return true;
  snprintf(error, size, "shared memory %s: cannot be replaced: %s: " REMEDY, path, strerror(errno));
  return false;
}

void telemetry_destroy(struct telemetry *t)
{
  if (!t) return;
  char lock[OBJECT_PATH], description[OBJECT_PATH];
  object_path(lock, t->instance, OBJECT_LOCK);
  object_path(description, t->instance, OBJECT_DESCRIPTION);
  remove_own(t->object, t->instance, OBJECT_BLOCK);
  remove_own(t->object, t->instance, OBJECT_NEW);
  const int held = t->lock, object = t->object;
  if (object_is_at(held, lock)) {
    unlink(description);
    unlink(lock); /* last: now the name is free */
  }
  munmap(t, sizeof *t);
  close(object);
  close(held);
}

bool telemetry_describe(struct telemetry *t, const char *text)
{
  char path[OBJECT_PATH];
  object_path(path, t->instance, OBJECT_DESCRIPTION);
  const int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const size_t size = strlen(text);
  bool written = fchmod(fd, 0644) == 0;
  for (size_t at = 0; written && at < size;) {
    const ssize_t n = write(fd, text + at, size - at);
    written = n > 0;
    if (written) at += (size_t)n;
  }
  close(fd);
  if (!written) unlink(path);
  return written;
}
