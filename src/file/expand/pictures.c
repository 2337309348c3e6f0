/* SPDX-License-Identifier: MIT
 * Shapes for pictures, and sensors, that move with their part. Their numbers are in the frame of a body, so only those on the
 * ground turn. */
#include "expand/expander.h"
#include "yaml/text_file.h"

#include <stdlib.h>

/* The image of a mesh is the mesh, reflected along one of its own axes. Mirroring twice about one axis gives the
 * original; about two axes, a half turn about the third. */
bool picture_mirror(struct expander *e, struct node *n, int axis)
{
  static const char *const names[] = {"x", "y", "z"};
  if (!node_text_is(n, "shape", "mesh")) return true;
  int before = 0;
  while (before < 3 && !node_text_is(n, "mirror", names[before])) before++;
  if (before == 3) return node_put_text(e, n, "mirror", names[axis]);
  if (!node_put_text(e, n, "mirror", "none")) return false;
  if (before == axis) return true;
  double own[4] = {1, 0, 0, 0}, half[4] = {0}, p[4];
  half[1 + 3 - before - axis] = 1;
  node_numbers(node_find(n, "orientation"), own, 4);
  p_mul(p, own, half);
  return node_put_numbers(e, n, "orientation", p, 4);
}

bool ground_pose_turn(struct expander *e, struct node *n, const char *point, const struct part_motion *m)
{
  double r[3] = {0}, p[4] = {1, 0, 0, 0}, o[4];
  if (!node_text_is(n, "body", "ground")) return true;
  const struct node *position = node_find(n, point), *orientation = node_find(n, "orientation");
  if ((position && !node_numbers(position, r, 3)) || (orientation && !node_numbers(orientation, p, 4)))
    return true; /* the reader of the file reports it */
  p_mul(o, m->orientation, p);
  const bool turned = v3_dot(o + 1, o + 1) != 0;
  return node_put_numbers(e, n, point, r, 3) && vector_turn(e, n, point, m, true) &&
         ((!turned && !orientation) || node_put_numbers(e, n, "orientation", o, 4));
}

bool picture_lead(struct expander *e, struct node *n, const char *use)
{
  const char *file = node_text(n, "file");
  if (!file) return true;
  char *path = path_beside(use, file);
  if (!path) return fail_expansion(e, n->at, "out of memory");
  const bool good = node_put_text(e, n, "file", path);
  free(path);
  return good;
}
