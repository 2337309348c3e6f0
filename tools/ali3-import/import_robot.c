/* SPDX-License-Identifier: MIT
 * From the bytes of a URDF file, or a file in MJCF, to a model file. */
#include "import_robot.h"

#include "mesh_copies.h"
#include "mjcf/mjcf.h"
#include "urdf/urdf.h"

#include <stdlib.h>
#include <string.h>

/* True if the first element of the bytes is <mujoco>. */
static bool is_mjcf(const char *bytes, size_t count)
{
  /* Skip the declaration and comments. */
  for (size_t i = 0; i + 8 < count; i++) {
    if (bytes[i] != '<') continue;
    if (memcmp(bytes + i, "<!--", 4) == 0)
      for (i += 4; i + 8 < count && memcmp(bytes + i, "-->", 3) != 0;) i++;
    else if (bytes[i + 1] != '?' && bytes[i + 1] != '!')
      return memcmp(bytes + i, "<mujoco", 7) == 0 && strchr(" \t\r\n>/", bytes[i + 7]);
  }
  return false;
}

static bool read_either(struct robot *r, const struct import *o, const char *bytes, size_t count,
                        struct notes *n)
{
  if (!is_mjcf(bytes, count)) return urdf_read(r, bytes, count, n);
#ifdef ALI3_WITH_MJCF
  return mjcf_read(r, o, n);
#else
  (void)o;
  return note_error(n, 0,
                    "MJCF: this program was built without libmujoco; build it where the package "
                    "libmujoco-dev is installed");
#endif
}

static bool read_robot(struct robot *r, const struct import *o, const char *bytes, size_t count,
                       struct notes *n)
{
  if (!read_either(r, o, bytes, count, n) || !robot_resolve(r, n) || !loops_read(r, o, n) ||
      !groups_make(r, o, n) || !start_choose(r, o, n) || !groups_prune(r, o, n) || !labels_make(r, n))
    return false;
  r->pose = robot_take(r, (size_t)r->links, sizeof *r->pose);
  if (!r->pose) return note_error(n, 0, "out of memory");
  start_place(r);
  return loops_close(r, o, n);
}

bool import_robot(const struct import *o, const char *bytes, size_t count, struct notes *n, FILE *out)
{
  struct robot r = {.gravity = {0.0, 0.0, -9.81}};
  char *text = NULL;
  size_t size = 0;
  bool good = read_robot(&r, o, bytes, count, n);
  /* Write it to memory: no part of a model must come out. */
  if (good) {
    FILE *model = open_memstream(&text, &size);
    good = model || note_error(n, 0, "out of memory");
    if (model) {
      model_write(&r, o, n, model);
      if (fclose(model) != 0) good = note_error(n, 0, "out of memory");
    }
  }
  /* Now all notes are known. */
  note_flush(n);
  if (good && o->strict && n->count)
    good =
        note_error(n, 0, "%d note%s with --strict: no model is written", n->count, n->count > 1 ? "s" : "");
  if (good) good = mesh_copies_make(&r, o, n);
  if (good && text) fwrite(text, 1, size, out);
  free(text);
  robot_free(&r);
  return good;
}
