/* SPDX-License-Identifier: MIT
 * The start: the coordinate of each joint, and from them the pose of each link. */
#include "import.h"
#include "yaml/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes coordinates from a file of lines NAME: VALUE. */
static bool read_pose(struct robot *r, const struct import *o, struct notes *n, bool *given)
{
  /* Read the file. */
  struct report report = {.out = n->to ? n->to : stderr};
  struct yaml tree = {0};
  bool good = yaml_read(&tree, o->pose, &report);
  if (good && (!tree.root || tree.root->kind != NODE_MAP))
    good = note_error(n, 0, "%s: expected lines JOINT: VALUE", o->pose);
  /* Take its lines. */
  for (const struct node *at = good ? tree.root->first : NULL; at; at = at->next) {
    const int joint = robot_find_joint(r, at->key);
    char *end = NULL;
    const double value = at->kind == NODE_SCALAR ? strtod(at->text, &end) : NAN;
    const char *found = at->kind == NODE_SCALAR ? at->text : "no scalar";
    if (joint == NONE || !joint_has_coordinate(&r->joint[joint]))
      good = note_error(n, 0, "%s:%d: '%.100s' is no joint with a coordinate", o->pose, at->key_at.line,
                        at->key);
    else if (!end || end == at->text || *end || !isfinite(value))
      good = note_error(n, 0, "%s:%d: joint '%.100s': expected a number (rad or m), found '%.60s'", o->pose,
                        at->at.line, at->key, found);
    else if (r->joint[joint].leader != NONE)
      good = note_error(n, 0, "%s:%d: joint '%.100s' follows '%.100s'; give the position of that joint",
                        o->pose, at->at.line, at->key, r->joint[r->joint[joint].leader].name);
    else {
      r->joint[joint].position = value;
      given[joint] = true;
    }
    if (!good) break;
  }
  yaml_free(&tree);
  if (!good) n->failed = true;
  return good;
}

/* A leader that does not move, or a multiplier of 0, makes a joint that stays. */
static bool resolve_mimic(struct robot *r, struct joint *j, struct notes *n)
{
  if (!j->leader_name) return true;
  const int leader = robot_find_joint(r, j->leader_name);
  if (leader == NONE)
    return note_error(n, j->mimic_line, "joint '%.100s': <mimic>: there is no joint '%.100s'", j->name,
                      j->leader_name);
  /* Look at what it follows. */
  const struct joint *to = &r->joint[leader];
  if (to == j) return note_error(n, j->mimic_line, "joint '%.100s' follows itself", j->name);
  if (!joint_has_coordinate(j)) {
    note(n, j->mimic_line, "joint '%.100s' has no coordinate, so it follows no joint", j->name);
    return true;
  }
  if (to->type == JOINT_PLANAR || to->type == JOINT_FLOATING)
    return note_error(n, j->mimic_line, "joint '%.100s' follows '%.100s', which has no coordinate", j->name,
                      to->name);
  if (!joint_has_coordinate(to) || j->multiplier == 0.0) {
    note(n, j->mimic_line, "joint '%.100s' follows '%.100s' and never moves: it is held at %g", j->name,
         to->name, j->offset);
    j->held = true;
    j->position = j->offset;
    return true;
  }
  j->leader = leader;
  return true;
}

static bool sort_followers(struct robot *r, struct notes *n)
{
  for (int i = 0; i < r->joints; i++) {
    int at = i;
    for (int steps = 0; r->joint[at].leader != NONE; at = r->joint[at].leader)
      if (steps++ > r->joints)
        return note_error(n, r->joint[i].mimic_line,
                          "joint '%.100s': the joints that it follows form a circle", r->joint[i].name);
  }
  return true;
}

static void start_within(struct joint *j, struct notes *n)
{
  if (!joint_has_limits(j) || (j->lower <= j->position && j->position <= j->upper)) return;
  const double before = j->position;
  j->position = fmin(fmax(j->position, j->lower), j->upper);
  note(n, j->limit_line, "joint '%.100s': %g is outside its limits %g to %g; it starts at %g", j->name,
       before, j->lower, j->upper, j->position);
}

/* The coordinate of a follower, from the leader at the end of the line. */
static double followed_position(const struct robot *r, const struct joint *j)
{
  double factor = 1.0, shift = 0.0;
  for (; j->leader != NONE; j = &r->joint[j->leader]) {
    shift += factor * j->offset;
    factor *= j->multiplier;
  }
  return factor * j->position + shift;
}

bool start_choose(struct robot *r, const struct import *o, struct notes *n)
{
  /* Find the leaders, then place them, then the followers. */
  for (int i = 0; i < r->joints; i++)
    if (!resolve_mimic(r, &r->joint[i], n)) return false;
  if (!sort_followers(r, n)) return false;
  bool *given = robot_take(r, (size_t)r->joints, sizeof *given);
  if (!given) return note_error(n, 0, "out of memory");
  if (o->pose && !r->posed && !read_pose(r, o, n, given)) return false;
  for (int i = 0; i < r->joints; i++) {
    struct joint *j = &r->joint[i];
    if (joint_has_coordinate(j) && j->leader == NONE) start_within(j, n);
  }
  for (int i = 0; i < r->joints; i++) {
    struct joint *j = &r->joint[i];
    if (j->leader == NONE) continue;
    j->position = followed_position(r, j);
    if (joint_has_limits(j) && !(j->lower <= j->position && j->position <= j->upper))
      note(n, j->mimic_line, "joint '%.100s' follows '%.100s' to %g, outside its limits %g to %g", j->name,
           r->joint[j->leader].name, j->position, j->lower, j->upper);
  }
  return true;
}

/* A joint without a coordinate, which only the closing of loops turns. */
static void turn_joint(double R[9], const struct joint *j)
{
  double first[9], second[9];
  if (j->type == JOINT_UNIVERSAL) {
    frame_about(first, j->axis, j->angle[0]);
    frame_about(second, j->second_axis, j->angle[1]);
    frame_product(R, first, second);
  } else {
    frame_about_vector(R, j->angle);
  }
}

void start_follow(struct robot *r)
{
  for (int i = 0; i < r->joints; i++)
    if (r->joint[i].leader != NONE) r->joint[i].position = followed_position(r, &r->joint[i]);
}

void start_place(struct robot *r)
{
  r->pose[r->root] = frame_one;
  for (int k = 0; k < r->joints; k++) {
    const struct joint *j = &r->joint[r->order[k]];
    struct frame motion = frame_one, foot = frame_chain(&r->pose[j->parent], &j->origin);
    if (j->type == JOINT_PRISMATIC)
      for (int i = 0; i < 3; i++) motion.p[i] = j->axis[i] * (j->position - j->zero);
    else if (j->type == JOINT_SPHERICAL || j->type == JOINT_UNIVERSAL)
      turn_joint(motion.R, j);
    else if (joint_has_coordinate(j))
      frame_about(motion.R, j->axis, j->position - j->zero);
    r->pose[j->child] = frame_chain(&foot, &motion);
  }
}
