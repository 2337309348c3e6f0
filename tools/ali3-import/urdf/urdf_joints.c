/* SPDX-License-Identifier: MIT
 * URDF: joints. */
#include "urdf/urdf_elements.h"

#include <math.h>
#include <string.h>

enum { JOINTS_MOST = 10000 };

bool take_joint(struct reader *x, const struct tag *t)
{
  static const char *const type_name[] = {"fixed",     "revolute", "continuous",
                                          "prismatic", "planar",   "floating"};
  struct robot *r = x->robot;
  const char *name = tag_needs(x, t, "name"), *type = name ? tag_needs(x, t, "type") : NULL;
  if (!type) return false;
  /* Find the type. */
  int kind = 0;
  while (kind < 6 && strcmp(type, type_name[kind]) != 0) kind++;
  if (kind == 6)
    return reader_fail(x, t->line,
                       "joint '%.100s': expected the type fixed, revolute, continuous, prismatic, planar or "
                       "floating, found '%.60s'",
                       name, type);
  /* Add the joint, with the defaults of URDF. */
  if (r->joints == JOINTS_MOST)
    return reader_fail(x, t->line, "expected at most %d joints, found more", JOINTS_MOST);
  const int before = robot_find_joint(r, name);
  if (before != NONE)
    return reader_fail(x, t->line, "joint '%.100s': line %d has a joint of this name, too", name,
                       r->joint[before].line);
  if (!robot_grow(r, (void **)&r->joint, r->joints, &r->joint_room, sizeof *r->joint))
    return reader_no_memory(x);
  x->joint = &r->joint[r->joints++];
  *x->joint = (struct joint){.name = name,
                             .line = t->line,
                             .type = (enum joint_type)kind,
                             .parent = NONE,
                             .child = NONE,
                             .origin = frame_one,
                             .axis = {1, 0, 0},
                             .leader = NONE,
                             .multiplier = 1.0};
  return true;
}

bool take_joint_origin(struct reader *x, const struct tag *t)
{
  return tag_origin(x, t, &x->joint->origin);
}

bool take_parent(struct reader *x, const struct tag *t)
{
  return (x->joint->parent_name = tag_needs(x, t, "link")) != NULL;
}

bool take_child(struct reader *x, const struct tag *t)
{
  return (x->joint->child_name = tag_needs(x, t, "link")) != NULL;
}

/* A fixed joint may have an axis of length 0. */
bool take_axis(struct reader *x, const struct tag *t)
{
  struct joint *j = x->joint;
  double axis[3] = {1, 0, 0};
  if (!tag_numbers(x, t, "xyz", 3, axis, NULL)) return false;
  const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
  if (j->type == JOINT_FIXED || j->type == JOINT_FLOATING) return true;
  if (!(length > 1e-9))
    return reader_fail(x, t->line, "joint '%.100s': expected an axis, found one of length 0", j->name);
  for (int i = 0; i < 3; i++) j->axis[i] = axis[i] / length;
  return true;
}

bool take_limit(struct reader *x, const struct tag *t)
{
  struct joint *j = x->joint;
  j->limit_line = t->line;
  return tag_numbers(x, t, "lower", 1, &j->lower, &j->has_lower) &&
         tag_numbers(x, t, "upper", 1, &j->upper, &j->has_upper) &&
         tag_numbers(x, t, "velocity", 1, &j->velocity, &j->has_velocity) &&
         tag_numbers(x, t, "effort", 1, &j->effort, &j->has_effort);
}

bool take_dynamics(struct reader *x, const struct tag *t)
{
  struct joint *j = x->joint;
  if (!tag_numbers(x, t, "damping", 1, &j->damping, NULL) ||
      !tag_numbers(x, t, "friction", 1, &j->friction, NULL))
    return false;
  if (j->damping >= 0.0 && j->friction >= 0.0) return true;
  return reader_fail(x, t->line,
                     "joint '%.100s': expected damping and friction of 0 or more, found %g and %g", j->name,
                     j->damping, j->friction);
}

bool take_mimic(struct reader *x, const struct tag *t)
{
  struct joint *j = x->joint;
  j->mimic_line = t->line;
  j->leader_name = tag_needs(x, t, "joint");
  return j->leader_name && tag_numbers(x, t, "multiplier", 1, &j->multiplier, NULL) &&
         tag_numbers(x, t, "offset", 1, &j->offset, NULL);
}
