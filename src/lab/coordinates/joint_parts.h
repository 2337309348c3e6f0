/* SPDX-License-Identifier: MIT
 * Drives and gears in joint coordinates, whose rows are cut ones, and loads and springs as wrenches on links. */
#ifndef COORDINATES_JOINT_PARTS_H
#define COORDINATES_JOINT_PARTS_H

#include "coordinates/forces.h"
#include "coordinates/joint.h"

enum { TIE_TERMS = 2 };

/* A drive has the coordinate of one joint, a gear the sum of two. */
struct joint_tie {
  int terms;
  struct tie_term {
    bool turns;
    double ratio;
    double axis[3], point[3]; /* the axis in body a; m, the point of the joint in body b */
  } term[TIE_TERMS];
};

/* Set-up: the cuts, rows and ties of all drives and gears. False, with the reason, where there are too many rows. */
bool joint_ties_make(const struct problem *p, struct joint_tree *tree, struct lab_refusal *why);
/* Place and velocity of a link's body. */
void joint_body_state(const struct link_pose *x, struct body_state *o);
/* The bodies of a pose, with loads as wrenches about the origin (links, 6), or as generalised forces (links). */
struct mover joint_wrench_mover(const struct joint_pose *o);
struct mover joint_force_mover(const struct joint_pose *o);
/* Phi of a drive or gear, of the pose so far. */
double joint_tie_value(const struct joint_pose *o, const struct problem *p, const struct instant *now,
                       int tie);

#endif
