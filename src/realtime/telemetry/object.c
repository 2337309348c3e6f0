/* SPDX-License-Identifier: MIT
 * The locks are open file description locks (fcntl(2), F_OFD_SETLK). A reader asks for them by F_OFD_GETLK on a
 * read-only descriptor and takes none itself, so no reader can hinder a daemon that starts. A process with read access
 * can only hold a read lock, which is never taken for a daemon. */
#include "telemetry/object.h"

#include "telemetry/telemetry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

enum { NAME_MAX_LENGTH = 63 };

bool telemetry_valid_name(const char *instance)
{
  const size_t n = strlen(instance);
  return n >= 1 && n <= NAME_MAX_LENGTH && strspn(instance, NAME_CHARACTERS) == n;
}

void object_bad_name(const char *instance, char *error, size_t size)
{
  snprintf(error, size, "instance name: expected 1 to %d of A-Z a-z 0-9 _ -, found \"%.80s\"",
           NAME_MAX_LENGTH, instance);
}

void object_path(char path[static OBJECT_PATH], const char *instance, enum object_part part)
{
  static const char *const suffix[] = {
      [OBJECT_BLOCK] = "",         [OBJECT_NEW] = ".new",           [OBJECT_DESCRIPTION] = ".osc",
      [OBJECT_FRAMES] = ".frames", [OBJECT_RECORDER] = ".recorder", [OBJECT_LOCK] = ".lock"};
  snprintf(path, OBJECT_PATH, OBJECT_DIRECTORY TELEMETRY_PREFIX "%.63s%s", instance, suffix[part]);
}

static const char *file_kind_refusal(mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFIFO:
    return "is a FIFO";
  case S_IFDIR:
    return "is a directory";
  case S_IFLNK:
    return "is a symbolic link";
  case S_IFSOCK:
    return "is a socket";
  default:
    return "is a device";
  }
}

/* Never opens a device, because opening may have an effect. The second check finds a file that was replaced between
 * both checks. O_NONBLOCK: a FIFO without a writer, or a file with a lease, would block. */
int object_open(const char *path, int flags, struct stat *st, char *why, size_t size)
{
  if (size) why[0] = '\0';
  /* Check before opening: refuse a device or FIFO. */
  if (lstat(path, st) != 0) {
    const int error = errno;
    snprintf(why, size, "cannot be examined: %s", strerror(error));
    errno = error;
    return -1;
  }
  if (!S_ISREG(st->st_mode)) {
    snprintf(why, size, "%s", file_kind_refusal(st->st_mode));
    errno = EINVAL;
    return -1;
  }
  /* Check after opening: the file may have been replaced. */
  const int fd = open(path, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
  int error = errno;
  if (fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode)) return fd;
  if (fd >= 0) {
    close(fd);
    error = EINVAL;
    snprintf(why, size, "%s", file_kind_refusal(st->st_mode));
  } else {
    snprintf(why, size, "belongs to user %u and cannot be opened: %s", (unsigned)st->st_uid, strerror(error));
  }
  errno = error;
  return -1;
}

/* Uses /proc/PID/status, because root owns /proc/PID itself if the process has capabilities. */
static bool object_process_user(int64_t pid, uid_t *user)
{
  char path[48], line[256];
  unsigned real, effective;
  if (pid < 1) return false;
  snprintf(path, sizeof path, "/proc/%" PRId64 "/status", pid);
  FILE *f = fopen(path, "re");
  if (!f) return false;
  bool found = false;
  while (!found && fgets(line, sizeof line, f))
    found =
        sscanf(line, "Uid: %u %u", &real, &effective) == 2; /* NOLINT(cert-err34-c): the kernel wrote it */
  fclose(f);
  if (found) *user = effective;
  return found;
}

bool object_is_trusted(const struct stat *st, int64_t pid)
{
  uid_t user;
  return st->st_uid == 0 || st->st_uid == geteuid() ||
         (object_process_user(pid, &user) && user == st->st_uid);
}

int object_lock(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return 0;
  return errno == EACCES ? EAGAIN : errno;
}

bool object_is_locked(int fd)
{
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

bool object_is_at(int fd, const char *path)
{
  struct stat own, there;
  return fstat(fd, &own) == 0 && lstat(path, &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

bool object_read(int fd, void *to, size_t size, size_t offset)
{
  char *at = to;
  while (size > 0) {
    const ssize_t n = pread(fd, at, size, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    offset += (size_t)n;
    size -= (size_t)n;
  }
  return true;
}
