/* SPDX-License-Identifier: MIT
 * Links that fixed joints hold together are one body. Bodies without mass at the end of a branch are dropped, with their
 * joints. */
#include "import.h"

#include <fnmatch.h>
#include <string.h>

static bool is_merged(const struct robot *r, const struct import *o, const struct joint *j)
{
  return j->type == JOINT_FIXED && !(o->keep_fixed && !inertia_is_none(&r->link[j->child].inertia));
}

/* Gives each link its group and its frame in the root link of the group. */
static bool assign_groups(struct robot *r, const struct import *o, struct notes *n)
{
  r->group = robot_take(r, (size_t)r->links, sizeof *r->group);
  if (!r->group) return note_error(n, 0, "out of memory");
  r->group[0] = (struct group){.root = r->root, .name_link = NONE, .joint = NONE};
  r->groups = 1;
  r->link[r->root].group = 0;
  r->link[r->root].in_group = frame_one;
  /* Parents come first, so their groups are known. */
  for (int k = 0; k < r->joints; k++) {
    struct joint *j = &r->joint[r->order[k]];
    struct link *child = &r->link[j->child];
    const struct link *parent = &r->link[j->parent];
    if (is_merged(r, o, j)) {
      child->group = parent->group;
      child->in_group = frame_chain(&parent->in_group, &j->origin);
      continue;
    }
    child->group = r->groups;
    child->in_group = frame_one;
    r->group[r->groups++] = (struct group){.root = j->child, .name_link = NONE, .joint = r->order[k]};
  }
  return true;
}

/* A body has the name of its first link with mass. */
static void weigh_groups(struct robot *r)
{
  for (int g = 0; g < r->groups; g++) {
    const struct link *root = &r->link[r->group[g].root];
    r->group[g].inertia = (struct inertia){
        .centre = {root->inertia.centre[0], root->inertia.centre[1], root->inertia.centre[2]}};
    r->group[g].name_link = NONE;
  }
  for (int i = 0; i < r->links; i++) {
    const struct link *l = &r->link[i];
    struct group *g = &r->group[l->group];
    if (inertia_is_none(&l->inertia)) continue;
    inertia_add(&g->inertia, &l->inertia, &l->in_group);
    if (g->name_link == NONE && l->inertia.mass > 0.0) g->name_link = i;
  }
  for (int g = 0; g < r->groups; g++)
    if (r->group[g].name_link == NONE) r->group[g].name_link = r->group[g].root;
}

static bool choose_ground(struct robot *r, const struct import *o, struct notes *n)
{
  const struct link *root = &r->link[r->root];
  const bool massless = inertia_is_none(&r->group[0].inertia);
  const bool world = strcmp(root->name, "world") == 0 && inertia_is_none(&root->inertia);
  if (o->base == BASE_FREE && massless && o->density == 0.0)
    return note_error(n, root->line,
                      "link '%.100s': --base free: the base has no mass; remove the option, or try --density",
                      root->name);
  r->group[0].ground = o->base == BASE_FIXED || (o->base == BASE_AUTO && (massless || world));
  if (o->base != BASE_AUTO || world) return true;
  if (r->group[0].ground)
    note(n, root->line, "link '%.100s' has no mass and is taken as the ground; --base says otherwise",
         root->name);
  else
    note(n, root->line, "link '%.100s' has a mass and is free to move; --base fixed holds it", root->name);
  return true;
}

bool groups_make(struct robot *r, const struct import *o, struct notes *n)
{
  if (!assign_groups(r, o, n)) return false;
  weigh_groups(r);
  if (!choose_ground(r, o, n) || !density_apply(r, o, n)) return false;
  weigh_groups(r);
  if (!inertia_check(r, o, n)) return false;
  weigh_groups(r);
  inertia_fill(r, o, n);
  weigh_groups(r);
  return true;
}

static int parent_group(const struct robot *r, int g)
{
  return r->link[r->joint[r->group[g].joint].parent].group;
}

/* Whether a joint that stays follows this one. */
static bool is_followed(const struct robot *r, int joint)
{
  for (int i = 0; i < r->joints; i++)
    if (r->joint[i].leader == joint && !r->joint[i].dropped) return true;
  return false;
}

static void drop_group(struct robot *r, int g)
{
  struct joint *j = &r->joint[r->group[g].joint];
  j->dropped = r->group[g].dropped = true;
}

static bool prune_once(struct robot *r, int *children)
{
  bool changed = false;
  memset(children, 0, (size_t)r->groups * sizeof *children);
  for (int g = 1; g < r->groups; g++) children[parent_group(r, g)] += !r->group[g].dropped;
  for (int g = r->groups - 1; g > 0; g--) {
    const struct group *a = &r->group[g];
    if (a->dropped || a->ground || a->needed || children[g] || !inertia_is_none(&a->inertia) ||
        is_followed(r, a->joint))
      continue;
    drop_group(r, g);
    children[parent_group(r, g)]--;
    changed = true;
  }
  return changed;
}

/* A body without mass needs a joint that holds it. */
static bool check_masses(const struct robot *r, struct notes *n)
{
  /* Look at each body that moves. */
  bool mass = false, moves = false;
  for (int g = 0; g < r->groups; g++) {
    const struct group *a = &r->group[g];
    if (a->ground || a->dropped) continue;
    moves = true;
    mass |= a->inertia.mass > 0.0;
    const bool loose =
        g == 0 || r->joint[a->joint].type == JOINT_FLOATING || r->joint[a->joint].type == JOINT_PLANAR;
    if (loose && !(a->inertia.mass > 0.0))
      return note_error(n, r->link[a->root].line,
                        "link '%.100s' has no mass, and no joint holds it; try --density",
                        r->link[a->root].name);
  }
  if (mass) return true;
  const bool movable = r->groups > 1;
  if (moves || movable)
    return note_error(
        n, r->link[r->root].line,
        "no link that moves has a mass; --density KG_M3 computes masses from shapes and STL files");
  return note_error(n, r->link[r->root].line, "no link moves: all joints are fixed, and so is the base");
}

/* A body that a loop ends at stays, whatever its mass. */
static bool mark_loops(struct robot *r, const struct import *o, struct notes *n)
{
  for (int i = 0; i < r->loops; i++) {
    const struct loop *loop = &r->loop[i];
    for (int k = 0; k < 2; k++) r->group[r->link[loop->link[k]].group].needed = true;
    if (r->link[loop->link[0]].group == r->link[loop->link[1]].group)
      return note_error(n, 0, "%s:%d: links '%.100s' and '%.100s' are one body, so they close no loop",
                        o->loops, loop->line, r->link[loop->link[0]].name, r->link[loop->link[1]].name);
  }
  return true;
}

bool groups_prune(struct robot *r, const struct import *o, struct notes *n)
{
  int *children = robot_take(r, (size_t)r->groups, sizeof *children);
  if (!children) return note_error(n, 0, "out of memory");
  if (!mark_loops(r, o, n)) return false;
  while (prune_once(r, children)) continue;
  for (int g = 1; g < r->groups; g++) {
    const struct link *l = &r->link[r->group[g].root];
    if (!r->group[g].dropped) continue;
    const bool sensor = o->frames && fnmatch(o->frames, l->name, 0) == 0;
    note(n, r->joint[r->group[g].joint].line,
         "link '%.100s' has no mass and is dropped with its joint '%.100s'%s", l->name,
         r->joint[r->group[g].joint].name,
         sensor ? "; a sensor keeps its place at the start" : "; --frames keeps it as a sensor");
  }
  return check_masses(r, n);
}
