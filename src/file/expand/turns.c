/* SPDX-License-Identifier: MIT
 * Elements below attach.c, motions.c and pictures.c: vectors that turn with the frame of a part. */
#include "expand/expand_parts.h"

#include <string.h>

const char ELEMENT_HOST[] = "host";

bool node_text_is(const struct node *map, const char *key, const char *text)
{
  const char *found = node_text(map, key);
  return found && strcmp(found, text) == 0;
}

bool vector_turn(struct expander *e, struct node *map, const char *key, const struct part_motion *m,
                 bool shift)
{
  double v[3], o[3];
  if (!node_numbers(node_find(map, key), v, 3)) return true;
  orientation_turn(o, m->orientation, v);
  if (shift) v3_axpy(o, 1.0, m->position);
  return node_put_numbers(e, map, key, o, 3);
}

/* Loads and inputs in world axes. */
bool load_turn(struct expander *e, struct node *n, const struct part_motion *m)
{
  if (node_text_is(n, "axes", "body")) return true;
  return vector_turn(e, n, "force", m, false) && vector_turn(e, n, "torque", m, false) &&
         vector_turn(e, n, "safe_force", m, false) && vector_turn(e, n, "safe_torque", m, false);
}
