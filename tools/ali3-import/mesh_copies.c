/* SPDX-License-Identifier: MIT
 * Copies of mesh files, for pictures. */
#include "mesh_copies.h"

#include "meshes.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MOST = 4096, NAME_MOST = 60 };

/* DIR/NAME with the characters of labels, and .stl or .glb. */
static void name_copy(char *name, size_t room, const char *folder, const char *path, int number)
{
  char plain[NAME_MOST + 1];
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t length = 0;
  for (const char *c = slash ? slash + 1 : path; *c && c != dot && length < NAME_MOST; c++)
    plain[length++] = isalnum((unsigned char)*c) || *c == '-' ? *c : '_';
  plain[length] = '\0';
  const char *ending = dot && strcasecmp(dot, ".glb") == 0 ? "glb" : "stl";
  if (number > 1)
    snprintf(name, room, "%s/%s_%d.%s", folder, plain, number, ending);
  else
    snprintf(name, room, "%s/%s.%s", folder, plain, ending);
}

static bool is_name_taken(const struct robot *r, const char *name)
{
  for (int i = 0; i < r->copies; i++)
    if (strcmp(r->copy[i].to, name) == 0) return true;
  return false;
}

const char *mesh_copy_plan(struct robot *r, const struct shape *s, const struct import *o, char *error,
                           size_t size)
{
  char path[PATH_MOST], name[PATH_MOST];
  if (s->corner) {
    snprintf(path, sizeof path, "%s", s->file);
  } else {
    /* The file must be one that ali3-view reads. */
    struct mesh m;
    const bool readable =
        mesh_of_shape(&m, s, o, error, size) && mesh_path(path, sizeof path, s, o, error, size);
    mesh_free(&m);
    if (!readable) return NULL;
  }
  for (int i = 0; i < r->copies; i++)
    if (strcmp(r->copy[i].from, path) == 0) return r->copy[i].to;
  int number = 1;
  do name_copy(name, sizeof name, o->meshes, path, number++);
  while (is_name_taken(r, name));
  if (robot_grow(r, (void **)&r->copy, r->copies, &r->copy_room, sizeof *r->copy)) {
    struct copy *c = &r->copy[r->copies];
    *c = (struct copy){robot_text(r, path), robot_text(r, name), s->corner, s->triangles};
    if (c->from && c->to) {
      r->copies++;
      return c->to;
    }
  }
  snprintf(error, size, "out of memory");
  return NULL;
}

static bool copy_file(const char *from, const char *to)
{
  char piece[65536];
  FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
  bool good = out != NULL;
  for (size_t got; good && (got = fread(piece, 1, sizeof piece, in)) > 0;)
    good = fwrite(piece, 1, got, out) == got;
  if (in) {
    good = good && !ferror(in);
    fclose(in);
  }
  if (out && fclose(out) != 0) good = false;
  return good;
}

/* A binary STL file: 80 bytes, the number of triangles, and for each its normal, corners, and two bytes. The host is
 * little-endian, as the file is. */
static bool write_stl(const struct copy *c)
{
  static const unsigned char zeros[80];
  FILE *out = fopen(c->to, "we");
  const uint32_t count = (uint32_t)c->triangles;
  bool good = out && fwrite(zeros, 1, 80, out) == 80 && fwrite(&count, sizeof count, 1, out) == 1;
  for (int i = 0; good && i < c->triangles; i++)
    good = fwrite(zeros, 1, 12, out) == 12 &&
           fwrite(c->corner + 9 * (ptrdiff_t)i, sizeof(float), 9, out) == 9 && fwrite(zeros, 1, 2, out) == 2;
  if (out && fclose(out) != 0) good = false;
  return good;
}

bool mesh_copies_make(const struct robot *r, const struct import *o, struct notes *n)
{
  if (r->copies == 0) return true;
  if (mkdir(o->meshes, 0777) != 0 && errno != EEXIST)
    return note_error(n, 0, "--meshes: %s: %s; make the folder above it, or name another folder", o->meshes,
                      strerror(errno));
  for (int i = 0; i < r->copies; i++)
    if (!(r->copy[i].corner ? write_stl(&r->copy[i]) : copy_file(r->copy[i].from, r->copy[i].to)))
      return note_error(n, 0, "copying %s to %s: %s", r->copy[i].from, r->copy[i].to, strerror(errno));
  return true;
}
