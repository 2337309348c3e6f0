/* SPDX-License-Identifier: MIT */
#include "mesh/mesh_parts.h"

#include <stdlib.h>
#include <string.h>

enum { CORNER_BYTES = 9 * sizeof(float), HEAD_WORDS = 4 };

bool mesh_parse(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size)
{
  *m = (struct mesh){0};
  if (count > (size_t)MESH_MB << 20)
    return mesh_refuse(error, size, "expected at most %d MB, found %.1f", MESH_MB, (double)count / (1 << 20));
  const bool good =
      glb_is(bytes, count) ? glb_read(m, bytes, count, error, size) : stl_read(m, bytes, count, error, size);
  if (good && m->triangles == 0) return mesh_refuse(error, size, "expected one triangle or more, found none");
  return good;
}

void mesh_free(struct mesh *m)
{
  free(m->corner);
  free(m->part);
  *m = (struct mesh){0};
}

unsigned char *mesh_pack(const struct mesh *m, size_t *count)
{
  const uint32_t head[HEAD_WORDS] = {1, m->parts, m->triangles, 0};
  const size_t parts = m->parts * sizeof *m->part, corners = m->triangles * (size_t)CORNER_BYTES;
  *count = sizeof head + parts + corners;
  unsigned char *to = malloc(*count);
  if (!to) return NULL;
  memcpy(to, head, sizeof head);
  if (parts) memcpy(to + sizeof head, m->part, parts);
  if (corners) memcpy(to + sizeof head + parts, m->corner, corners);
  return to;
}
