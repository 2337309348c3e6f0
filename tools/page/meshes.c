/* SPDX-License-Identifier: MIT */
#include "page/meshes.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

enum { NOT_FOUND = 404, FAILED = 500 };

static const char *text_of(const json_t *shape, const char *key)
{
  return json_string_value(json_object_get(shape, key));
}

/* The index of the first shape with the file of shape i. */
static size_t first_with_file(const json_t *visual, size_t i)
{
  const json_t *shape = json_array_get(visual, i);
  for (size_t k = 0; k < i; k++) {
    const json_t *other = json_array_get(visual, k);
    if (json_equal(json_object_get(other, "file"), json_object_get(shape, "file")) &&
        json_equal(json_object_get(other, "folder"), json_object_get(shape, "folder")))
      return k;
  }
  return i;
}

void meshes_number(json_t *visual)
{
  const size_t n = json_array_size(visual);
  for (size_t i = 0; i < n; i++)
    if (text_of(json_array_get(visual, i), "file"))
      json_object_set_new(json_array_get(visual, i), "mesh",
                          json_integer((json_int_t)first_with_file(visual, i)));
  for (size_t i = 0; i < n; i++) json_object_del(json_array_get(visual, i), "folder");
}

char *meshes_move(const char *extras, const char *folder)
{
  json_t *o = json_loads(extras, 0, NULL), *visual = json_object_get(o, "visual");
  for (size_t i = 0; i < json_array_size(visual); i++)
    if (text_of(json_array_get(visual, i), "file"))
      json_object_set_new(json_array_get(visual, i), "folder", json_string(folder));
  char *text = o ? json_dumps(o, JSON_COMPACT) : strdup(extras);
  json_decref(o);
  return text;
}

static void refuse_mesh(unsigned *status, unsigned is, char *error, size_t size, const char *why)
{
  *status = is;
  snprintf(error, size, "%s", why);
}

bool meshes_find(const json_t *visual, size_t shape, const char **folder, const char **file)
{
  const json_t *o = json_array_get(visual, shape);
  *folder = text_of(o, "folder");
  *file = text_of(o, "file");
  return *folder && *file && (*folder)[0] == '/';
}

unsigned char *meshes_load(const char *folder, const char *file, size_t *count, unsigned *status, char *error,
                           size_t size)
{
  struct mesh m;
  char why[500];
  unsigned char *packed = NULL;
  *count = 0;
  /* Read the file, and pack what was read. */
  if (!mesh_file_read(&m, folder, file, why, sizeof why))
    refuse_mesh(status, NOT_FOUND, error, size, why);
  else if (!(packed = mesh_pack(&m, count)))
    refuse_mesh(status, FAILED, error, size, "out of memory");
  mesh_free(&m);
  return packed;
}

unsigned char *meshes_read(const json_t *visual, size_t shape, size_t *count, unsigned *status, char *error,
                           size_t size)
{
  const char *folder, *file;
  if (meshes_find(visual, shape, &folder, &file))
    return meshes_load(folder, file, count, status, error, size);
  refuse_mesh(status, NOT_FOUND, error, size, MESHES_NONE);
  *count = 0;
  return NULL;
}
