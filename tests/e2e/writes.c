/* SPDX-License-Identifier: MIT
 * Preloaded into ali3-record: logs every write, cut and synchronisation of a file NAME.part to the file ALI3_WRITES.
 * A record is struct entry, then the bytes of a write. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITTEN = 1, CUT, SYNCED };

struct entry {
  uint64_t what, offset, bytes;
};

static int log_file = -1;

static __attribute__((constructor)) void open_log(void)
{
  const char *path = getenv("ALI3_WRITES");
  if (path) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static int is_recording(int fd)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path);
  return n > 5 && memcmp(path + n - 5, ".part", 5) == 0;
}

static void log_entry(int fd, uint64_t what, off_t offset, const void *data, size_t bytes)
{
  if (log_file < 0 || !is_recording(fd)) return;
  const struct entry e = {what, (uint64_t)offset, bytes};
  const struct iovec parts[2] = {{(void *)(uintptr_t)&e, sizeof e},
                                 {(void *)(uintptr_t)data, data ? bytes : 0}};
  if (writev(log_file, parts, 2) != (ssize_t)(sizeof e + parts[1].iov_len)) abort();
}

static void *next(const char *name)
{
  void *f = dlsym(RTLD_NEXT, name);
  if (!f) abort();
  return f;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
  ssize_t (*write_at)(int, const void *, size_t, off_t);
  *(void **)&write_at = next("pwrite");
  const ssize_t n = write_at(fd, data, bytes, offset);
  if (n > 0) log_entry(fd, WRITTEN, offset, data, (size_t)n);
  return n;
}

int ftruncate(int fd, off_t size)
{
  int (*cut)(int, off_t);
  *(void **)&cut = next("ftruncate");
  const int status = cut(fd, size);
  if (status == 0) log_entry(fd, CUT, size, NULL, 0);
  return status;
}

int fdatasync(int fd)
{
  int (*synchronise)(int);
  *(void **)&synchronise = next("fdatasync");
  const int status = synchronise(fd);
  if (status == 0) log_entry(fd, SYNCED, 0, NULL, 0);
  return status;
}
