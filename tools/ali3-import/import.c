/* SPDX-License-Identifier: MIT
 * From the bytes of a URDF file to a model file. */
#include "import.h"

#include "mesh_copies.h"
#include "urdf.h"

#include <stdlib.h>

static bool read_robot(struct robot *r, const struct import *o, const char *bytes, size_t count,
                       struct notes *n)
{
  if (!urdf_read(r, bytes, count, n) || !robot_resolve(r, n) || !loops_read(r, o, n) ||
      !groups_make(r, o, n) || !start_choose(r, o, n) || !groups_prune(r, o, n) || !labels_make(r, n))
    return false;
  r->pose = robot_take(r, (size_t)r->links, sizeof *r->pose);
  if (!r->pose) return note_error(n, 0, "out of memory");
  start_place(r);
  return loops_close(r, o, n);
}

bool import_urdf(const struct import *o, const char *bytes, size_t count, struct notes *n, FILE *out)
{
  struct robot r = {0};
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
