/* SPDX-License-Identifier: MIT
 * The tree of a robot: names to indices, one root, parents before children. */
#include "import.h"

#include <string.h>

static bool resolve_joint(struct robot *r, int index, struct notes *n)
{
  struct joint *j = &r->joint[index];
  /* Find both links. */
  const char *const end[2] = {j->parent_name, j->child_name}, *const word[2] = {"parent", "child"};
  int link[2] = {j->parent, j->child};
  for (int i = 0; i < 2; i++) {
    if (link[i] != NONE) continue; /* the reader knew it */
    if (!end[i])
      return note_error(n, j->line, "joint '%.100s': expected <%s link>, found none", j->name, word[i]);
    link[i] = robot_find_link(r, end[i]);
    if (link[i] == NONE)
      return note_error(n, j->line, "joint '%.100s': <%s>: there is no link '%.100s'", j->name, word[i],
                        end[i]);
  }
  /* Hang the child below the parent. */
  struct link *child = &r->link[link[1]];
  if (link[0] == link[1])
    return note_error(n, j->line, "joint '%.100s': '%.100s' is its parent and its child", j->name,
                      child->name);
  if (child->parent != NONE)
    return note_error(
        n, j->line,
        "link '%.100s' is the child of two joints, '%.100s' and '%.100s'; URDF has no loops: give one "
        "of them in a file for --loops",
        child->name, r->joint[child->parent].name, j->name);
  j->parent = link[0];
  j->child = link[1];
  child->parent = index;
  return true;
}

static bool find_root(struct robot *r, struct notes *n)
{
  r->root = NONE;
  for (int i = 0; i < r->links; i++) {
    if (r->link[i].parent != NONE) continue;
    if (r->root != NONE)
      return note_error(n, r->link[i].line,
                        "expected one link that is no child, found '%.100s' (line %d) and '%.100s'",
                        r->link[r->root].name, r->link[r->root].line, r->link[i].name);
    r->root = i;
  }
  return r->root != NONE || note_error(n, 0, "expected a link that is no child of a joint, found none");
}

/* Lists the joints from the root outwards, each level in the order of the file. */
static bool sort_joints(struct robot *r, struct notes *n)
{
  /* The children of each link as a list: first[link], then next[joint]. */
  int *first = robot_take(r, (size_t)r->links, sizeof *first),
      *next = robot_take(r, (size_t)r->joints, sizeof *next);
  r->order = robot_take(r, (size_t)r->joints, sizeof *r->order);
  if (!first || !next || !r->order) return note_error(n, 0, "out of memory");
  for (int i = 0; i < r->links; i++) first[i] = NONE;
  for (int i = r->joints - 1; i >= 0; i--) {
    next[i] = first[r->joint[i].parent];
    first[r->joint[i].parent] = i;
  }
  int count = 0;
  for (int i = first[r->root]; i != NONE; i = next[i]) r->order[count++] = i;
  for (int k = 0; k < count; k++)
    for (int i = first[r->joint[r->order[k]].child]; i != NONE; i = next[i]) r->order[count++] = i;
  if (count == r->joints) return true;
  bool *reached = robot_take(r, (size_t)r->joints, sizeof *reached);
  if (!reached) return note_error(n, 0, "out of memory");
  for (int k = 0; k < count; k++) reached[r->order[k]] = true;
  int lost = 0;
  while (reached[lost]) lost++;
  return note_error(n, r->joint[lost].line,
                    "joint '%.100s': its links form a circle, which no joint connects to the root",
                    r->joint[lost].name);
}

static void turn_moments(struct link *l)
{
  double turned[9];
  frame_turn_tensor(turned, l->inertial.R, l->inertia.moment);
  memcpy(l->inertia.moment, turned, sizeof turned);
  memcpy(l->inertia.centre, l->inertial.p, sizeof l->inertia.centre);
}

static void name_colours(struct robot *r, struct shape *list, struct notes *n)
{
  for (struct shape *s = list; s; s = s->next) {
    if (s->coloured || !s->colour || !s->colour[0]) continue;
    for (int i = 0; i < r->colours && !s->coloured; i++)
      if (strcmp(r->colour[i].name, s->colour) == 0) {
        memcpy(s->rgb, r->colour[i].rgb, sizeof s->rgb);
        s->coloured = true;
      }
    if (!s->coloured) note_often(n, s->line, "material '%.60s' has no colour in this file", s->colour);
  }
}

bool robot_resolve(struct robot *r, struct notes *n)
{
  if (r->links == 0) return note_error(n, 0, "expected a link, found none");
  for (int i = 0; i < r->joints; i++)
    if (!resolve_joint(r, i, n)) return false;
  if (!find_root(r, n) || !sort_joints(r, n)) return false;
  for (int i = 0; i < r->links; i++) {
    turn_moments(&r->link[i]);
    name_colours(r, r->link[i].visual, n);
  }
  return true;
}
