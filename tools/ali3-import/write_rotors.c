/* SPDX-License-Identifier: MIT
 * The model file: rotors. The armature of a joint in MJCF is an inertia on its coordinate that no body has. A disc without mass
 * on the body before the joint, behind a gear, has it: armature = inertia ratio^2. */
#include "import.h"

#include <math.h>

/* Without a motor whose gear is given. The disc then hinders the turns of the body before the joint by 1e-4 of the armature. */
static const double RATIO = 100.0;

bool joint_has_rotor(const struct robot *r, const struct import *o, const struct joint *j)
{
  return o->armature && j->armature > 0.0 && !j->dropped && joint_has_coordinate(j) &&
         r->link[j->parent].group != r->link[j->child].group;
}

static double rotor_ratio(const struct joint *j)
{
  return fabs(j->motor_gear) > 1.0 ? j->motor_gear : RATIO;
}

/* The place of the rotor in the body before the joint, and its axis there. */
static struct frame rotor_foot(const struct robot *r, const struct joint *j, double axis[3])
{
  const struct frame parent = link_in_body(r, j->parent), foot = frame_chain(&parent, &j->origin);
  frame_turn(axis, foot.R, j->axis);
  return foot;
}

void rotor_body_write(const struct robot *r, const struct joint *j, FILE *out)
{
  const double ratio = rotor_ratio(j), moment = j->armature / (ratio * ratio);
  const struct frame at = frame_chain(&r->pose[j->parent], &j->origin);
  double axis[3];
  rotor_foot(r, j, axis);
  /* A thin disc: half its moment across the axis. */
  fprintf(out, "    - {name: \"%s_rotor\", mass: 0, inertia: [", j->label);
  for (int i = 0; i < 3; i++) {
    double row[3];
    for (int k = 0; k < 3; k++) row[k] = 0.5 * moment * ((i == k ? 1.0 : 0.0) + axis[i] * axis[k]);
    if (i) fputs(", ", out);
    vector_write(out, row);
  }
  fputs("], position: ", out);
  vector_write(out, at.p);
  const struct group *g = &r->group[r->link[j->parent].group];
  if (!g->ground) {
    fputs(", orientation: ", out);
    euler_write(out, r->pose[g->root].R);
  }
  fputs("}\n", out);
}

void rotor_joint_write(const struct robot *r, const struct joint *j, FILE *out)
{
  double axis[3];
  const struct frame foot = rotor_foot(r, j, axis);
  fprintf(out, "    - {name: \"%s_rotor\", type: revolute, body_a: \"%s\", body_b: \"%s_rotor\", point_a: ",
          j->label, r->group[r->link[j->parent].group].label, j->label);
  vector_write(out, foot.p);
  fputs(", point_b: [0, 0, 0], axis_a: ", out);
  vector_write(out, axis);
  fputs(", axis_b: ", out);
  vector_write(out, axis);
  fputs("}\n", out);
}

void rotor_gear_write(const struct joint *j, FILE *out)
{
  fprintf(out, "    - {name: \"%s_rotor_gear\", type: gear, joint: \"%s_rotor\", joint_b: \"%s\", ratio: ",
          j->label, j->label, j->label);
  number_write(out, rotor_ratio(j));
  fputs("}\n", out);
}
