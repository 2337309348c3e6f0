/* SPDX-License-Identifier: MIT
 * A part that stands on a body. Its ground is that body, so points in the frame of the ground need no change. Numbers in the
 * world wait in the frame of the body until all bodies have their poses. */
#include "expand/expand_parts.h"

#include <string.h>

/* Puts the name of the body under a key. Mistakes about it show the line of the key attach_to. */
static bool put_host(struct expander *e, struct node *n, const char *key, const struct node *host)
{
  struct node *copy = node_new_like(e, host, 0);
  if (!copy) return false;
  copy->key = key;
  node_put(n, copy);
  return true;
}

bool element_attach(struct expander *e, struct node *n, enum element_list list, const struct node *host)
{
  static const char *const reference[] = {"body", "body_a", "body_b", "relative_to"};
  if (node_find(n, ELEMENT_HOST)) return true; /* to a body of the part */
  e->attached = true;
  for (size_t i = 0; i < sizeof reference / sizeof *reference; i++)
    if (node_text_is(n, reference[i], "ground") && !put_host(e, n, reference[i], host)) return false;
  const bool placed = list == BODIES && node_find(n, "position") && !node_find(n, "relative_to");
  return (!placed || put_host(e, n, "relative_to", host)) && put_host(e, n, ELEMENT_HOST, host);
}

bool element_detach(struct expander *e, struct node *n, const double r[3], const double p[4])
{
  struct part_motion m = {.moved = true};
  memcpy(m.position, r, sizeof m.position);
  memcpy(m.orientation, p, sizeof m.orientation);
  node_remove(n, ELEMENT_HOST);
  return vector_turn(e, n, "at", &m, true) && vector_turn(e, n, "axis", &m, false) &&
         vector_turn(e, n, "velocity", &m, false) && load_turn(e, n, &m);
}
