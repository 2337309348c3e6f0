/* SPDX-License-Identifier: MIT */
#include "restart/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 1024 };

bool durable_make_folder(const char *folder)
{
  char path[PATH];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) return false;
  for (char *p = path + 1; *p; p++) {
    if (*p != '/') continue;
    *p = '\0';
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    *p = '/';
  }
  return mkdir(path, 0755) == 0 || errno == EEXIST;
}

bool durable_folder(const char *given, char *folder, size_t size)
{
  const char *systemd = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  if (given)
    snprintf(folder, size, "%s", given);
  else if (systemd && systemd[0] == '/') /* systemd gives a list with colons */
    snprintf(folder, size, "%.*s", (int)strcspn(systemd, ":"), systemd);
  else if (geteuid() == 0)
    snprintf(folder, size, "/var/lib/ali3");
  else if (xdg && xdg[0] == '/')
    snprintf(folder, size, "%s/ali3", xdg);
  else if (home && home[0] == '/')
    snprintf(folder, size, "%s/.local/state/ali3", home);
  else
    return false;
  return true;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n <= 0) return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

/* Writes and syncs. Returns 0 or an errno. */
static int write_through(const char *path, const void *bytes, size_t size)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  errno = ENOSPC; /* a short write does not set errno */
  const bool written = write_all(fd, bytes, size) && fsync(fd) == 0;
  const int status = written ? 0 : errno;
  close(fd);
  return status;
}

/* The new name must survive a power cut, too. A file system that cannot sync a folder is accepted. */
static void sync_folder(const char *path)
{
  char folder[PATH];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash) return;
  *slash = '\0';
  const int fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

int durable_write(const char *path, const void *bytes, size_t size)
{
  char fresh[PATH + 8];
  if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) return ENAMETOOLONG;
  int status = write_through(fresh, bytes, size);
  if (status == 0 && rename(fresh, path) != 0) status = errno;
  if (status != 0)
    unlink(fresh);
  else
    sync_folder(path);
  return status;
}
