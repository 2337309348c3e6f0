/* SPDX-License-Identifier: MIT
 * The triangles of a mesh, one after another. */
#include "mesh/mesh_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256, CORNER_BYTES = 9 * sizeof(float) };

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
