/* SPDX-License-Identifier: MIT
 * Mesh files of a robot. */
#include "meshes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MOST = 4096 };

static bool explain_mesh(char *error, size_t size, const char *what, const char *file)
{
  snprintf(error, size, "mesh '%.80s': %s", file, what);
  return false;
}

static bool is_file(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static bool join_path(char *path, size_t room, const char *folder, const char *name)
{
  return snprintf(path, room, "%s/%s", folder, name) < (int)room;
}

/* A package is a folder of its name at or above the folder of the robot, or beside one of them. */
static bool search_up(char *path, size_t room, const char *file, const char *name, size_t length,
                      const char *rest)
{
  char folder[PATH_MOST], *real = realpath(file, NULL);
  if (!real) return false;
  bool found = snprintf(folder, sizeof folder, "%s", real) < (int)sizeof folder;
  free(real);
  if (!found) return false;
  found = false;
  for (char *slash; !found && (slash = strrchr(folder, '/')) && slash != folder;) {
    *slash = '\0';
    char below[PATH_MOST];
    const char *last = strrchr(folder, '/');
    if (last && strlen(last + 1) == length && strncmp(last + 1, name, length) == 0)
      found = join_path(path, room, folder, rest) && is_file(path);
    if (!found && snprintf(below, sizeof below, "%.*s/%s", (int)length, name, rest) < (int)sizeof below)
      found = join_path(path, room, folder, below) && is_file(path);
  }
  return found;
}

static bool in_package(char *path, size_t room, const char *uri, const struct import *o)
{
  const char *slash = strchr(uri, '/');
  if (!slash) return false;
  const size_t length = (size_t)(slash - uri);
  for (int i = 0; i < o->packages; i++)
    if (strlen(o->package[i].name) == length && strncmp(o->package[i].name, uri, length) == 0)
      return join_path(path, room, o->package[i].folder, slash + 1) && is_file(path);
  return search_up(path, room, o->file, uri, length, slash + 1);
}

static bool find_file(char *path, size_t room, const char *name, const struct import *o)
{
  const char *slash = strrchr(o->file, '/');
  if (name[0] == '/') return snprintf(path, room, "%s", name) < (int)room && is_file(path);
  const int length = slash ? (int)(slash - o->file) : 1;
  return snprintf(path, room, "%.*s/%s", length, slash ? o->file : ".", name) < (int)room && is_file(path);
}

bool mesh_path(char *path, size_t room, const struct shape *s, const struct import *o, char *error,
               size_t size)
{
  static const char *const scheme[] = {"package://", "model://", "file://"};
  const char *name = s->file;
  for (int i = 0; i < 3; i++) {
    const size_t length = strlen(scheme[i]);
    if (strncmp(name, scheme[i], length) != 0) continue;
    name += length;
    if (i == 2) break;
    return in_package(path, room, name, o) ||
           explain_mesh(error, size, "no such file; --package NAME=DIR says where its package is", s->file);
  }
  return find_file(path, room, name, o) || explain_mesh(error, size, "no such file", s->file);
}

static unsigned char *read_all(const char *path, size_t *count)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  struct stat s;
  unsigned char *bytes = NULL;
  *count = 0;
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size <= (off_t)MESH_MB << 20)
    bytes = malloc((size_t)s.st_size + 1);
  while (bytes && *count < (size_t)s.st_size) {
    const ssize_t got = read(fd, bytes + *count, (size_t)s.st_size - *count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    *count += (size_t)got;
  }
  close(fd);
  return bytes;
}

bool mesh_of_shape(struct mesh *m, const struct shape *s, const struct import *o, char *error, size_t size)
{
  char path[PATH_MOST], why[200];
  *m = (struct mesh){0};
  const char *dot = strrchr(s->file, '.');
  if (!dot || (strcasecmp(dot, ".stl") != 0 && strcasecmp(dot, ".glb") != 0))
    return explain_mesh(error, size, "expected an STL or GLB file; convert it", s->file);
  if (!mesh_path(path, sizeof path, s, o, error, size)) return false;
  size_t count;
  unsigned char *bytes = read_all(path, &count);
  if (!bytes) return explain_mesh(error, size, "cannot be read, or is larger than 32 MB", s->file);
  const bool good = mesh_parse(m, bytes, count, why, sizeof why) || explain_mesh(error, size, why, s->file);
  free(bytes);
  return good;
}
