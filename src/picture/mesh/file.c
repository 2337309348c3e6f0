/* SPDX-License-Identifier: MIT
 * Mesh files: only below one folder, whatever a name says. */
#include "mesh/mesh_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MOST = 255, SNIFFED = 84 };

static bool has_mesh_ending(const char *name)
{
  const size_t n = strlen(name);
  return n > 4 && (strcasecmp(name + n - 4, ".stl") == 0 || strcasecmp(name + n - 4, ".glb") == 0);
}

/* A name that can lead nowhere but below the folder. */
static bool check_mesh_name(const char *name, char *error, size_t size)
{
  if (strlen(name) > NAME_MOST) return mesh_refuse(error, size, "expected at most %d characters", NAME_MOST);
  if (!has_mesh_ending(name))
    return mesh_refuse(error, size, "%s: expected a name that ends in .stl or .glb", name);
  for (const char *at = name;; at++) {
    const size_t n = strcspn(at, "/");
    if (n == 0 || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
      return mesh_refuse(error, size,
                         "%s: expected a path below the folder of the model file, without \"..\"", name);
    at += n;
    if (*at == '\0') return true;
  }
}

/* Opens the file, folder by folder, without following a link. -1: the reason in error[size]. */
static int open_mesh_file(const char *folder, const char *name, char *error, size_t size)
{
  char part[NAME_MOST + 1];
  int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (const char *rest = name; at >= 0;) {
    const size_t n = strcspn(rest, "/");
    const bool last = rest[n] == '\0';
    snprintf(part, sizeof part, "%.*s", (int)n, rest);
    /* O_NONBLOCK: a FIFO must not make the call wait. */
    const int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    const int next = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC);
    const int why = errno;
    close(at);
    errno = why;
    at = next;
    if (last) break;
    rest += n + 1;
  }
  if (at < 0)
    mesh_refuse(error, size, "%s/%s: %s", folder, name,
                errno == ELOOP ? "expected a file, found a symbolic link" : strerror(errno));
  return at;
}

/* The file, with its length. -1: the reason in error[size]. */
static int open_checked_mesh(const char *folder, const char *name, size_t *length, char *error, size_t size)
{
  struct stat s;
  if (!check_mesh_name(name, error, size)) return -1;
  const int fd = open_mesh_file(folder, name, error, size);
  if (fd < 0) return -1;
  const bool regular = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
  *length = regular ? (size_t)s.st_size : 0;
  if (!regular)
    mesh_refuse(error, size, "%s/%s: expected a regular file", folder, name);
  else if (s.st_size > (off_t)MESH_MB << 20)
    mesh_refuse(error, size, "%s/%s: expected at most %d MB, found %.1f", folder, name, MESH_MB,
                (double)s.st_size / (1 << 20));
  else
    return fd;
  close(fd);
  return -1;
}

/* Returns how many bytes were read, which is less than wanted at the end of the file. */
static size_t read_mesh_bytes(int fd, unsigned char *to, size_t wanted)
{
  size_t got = 0;
  while (got < wanted) {
    const ssize_t n = read(fd, to + got, wanted - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += (size_t)n;
  }
  return got;
}

bool mesh_file_check(const char *folder, const char *name, char *error, size_t size)
{
  unsigned char first[SNIFFED];
  size_t length;
  const int fd = open_checked_mesh(folder, name, &length, error, size);
  if (fd < 0) return false;
  const size_t n = read_mesh_bytes(fd, first, sizeof first);
  close(fd);
  if (glb_is(first, n) || stl_is_binary(first, n, length) || stl_is_text(first, n)) return true;
  return mesh_refuse(error, size, "%s/%s: expected an STL or GLB file, found %zu bytes of neither", folder,
                     name, length);
}

bool mesh_file_read(struct mesh *m, const char *folder, const char *name, char *error, size_t size)
{
  char why[300];
  size_t length;
  *m = (struct mesh){0};
  const int fd = open_checked_mesh(folder, name, &length, error, size);
  if (fd < 0) return false;
  unsigned char *bytes = malloc(length + 1);
  const size_t n = bytes ? read_mesh_bytes(fd, bytes, length) : 0;
  close(fd);
  /* Read it. A file that somebody makes shorter meanwhile is read as the shorter one. */
  bool good = bytes != NULL;
  if (!good)
    mesh_refuse(error, size, "out of memory");
  else if (!mesh_parse(m, bytes, n, why, sizeof why))
    good = mesh_refuse(error, size, "%s/%s: %s", folder, name, why);
  free(bytes);
  return good;
}
