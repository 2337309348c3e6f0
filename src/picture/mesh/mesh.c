/* SPDX-License-Identifier: MIT */
#include "mesh/readers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256, CORNER_BYTES = 9 * sizeof(float), HEAD_WORDS = 4 };

bool mesh_refuse(char *error, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, size, format, arguments);
  va_end(arguments);
  return false;
}

bool mesh_begin_part(struct mesh *m, int32_t color, char *error, size_t size)
{
  if (m->parts == MESH_PARTS_MOST)
    return mesh_refuse(error, size, "expected at most %d pieces", MESH_PARTS_MOST);
  struct mesh_part *more = realloc(m->part, (m->parts + 1) * sizeof *more);
  if (!more) return mesh_refuse(error, size, "out of memory");
  m->part = more;
  more[m->parts++] = (struct mesh_part){.color = color};
  return true;
}

bool mesh_add(struct mesh *m, const float corner[9], char *error, size_t size)
{
  if (m->triangles == MESH_TRIANGLES_MOST)
    return mesh_refuse(error, size, "expected at most %d triangles: export the mesh with fewer",
                       MESH_TRIANGLES_MOST);
  for (int i = 0; i < 9; i++)
    if (!isfinite(corner[i]))
      return mesh_refuse(error, size, "a corner of triangle %u is not finite", m->triangles + 1);
  /* More room, then the corners. */
  if (m->triangles == m->room) {
    const uint32_t room = m->room ? 2 * m->room : FIRST_ROOM;
    float *more = realloc(m->corner, (size_t)room * CORNER_BYTES);
    if (!more) return mesh_refuse(error, size, "out of memory");
    m->corner = more;
    m->room = room;
  }
  memcpy(m->corner + 9 * (size_t)m->triangles, corner, CORNER_BYTES);
  m->triangles++;
  m->part[m->parts - 1].triangles++;
  return true;
}

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
