/* SPDX-License-Identifier: MIT
 * Joint coordinates: what joint.c (the description), joint_pose.c (the kinematics) and joint_make.c (the spanning
 * tree) share with the recursions of src/links.
 *
 * A joint of the tree is revolute or prismatic and has one coordinate. A joint that closes a loop is cut: it has
 * rows. A link is a body with the joint that carries it; links are numbered outwards, so that the parent of a link
 * comes before it.
 *
 * Twists V = (v, w) and wrenches P = (force, moment) are in world axes about the origin of the world: v is the
 * velocity of the point of the body that is at the origin. So no vector needs a shift from joint to joint. */
#ifndef COORDINATES_JOINT_H
#define COORDINATES_JOINT_H

#include "coordinates/problem.h"
#include "math/vec3.h"

enum {
  SPATIAL = 6,
  JOINT_HELD = 5,
  JOINT_LINKS = 48,
  JOINT_CUT_ROWS = 48,
  JOINT_CUT_SIDES = 4,                       /* links of a gear; of a cut joint or a drive two */
  JOINT_COUNT = JOINT_LINKS + JOINT_CUT_ROWS /* joints at most: each has a link of the tree or a cut row */
};

struct joint_link {
  int body, joint, parent; /* body and joint of the model; link of the inner body, -1: the ground */
  bool turns;              /* revolute; else prismatic */
  double frame[2][9];      /* columns u, v and the axis, in the inner and in the outer body */
  double point[2][3];      /* m, of the joint in the inner and in the outer body */
  double mass, inertia[9], inverse[9]; /* kg, kg m^2 in body axes, and its inverse */
};

struct joint_tie; /* a drive or a gear, joint_ties.h */

enum cut_kind {
  CUT_AXIS,     /* u . (P_b - P_a), u fixed in the world */
  CUT_IN_PLANE, /* U . (P_b - P_a), U fixed in a */
  CUT_ANGLE,    /* U . V, U fixed in a, V in b */
  CUT_TIE       /* a drive or a gear */
};

struct joint_cut_row {
  enum cut_kind kind;
  double u[3], v[3];
};

/* A joint that is cut, or a drive or a gear, which has a row as well. */
struct joint_cut {
  int joint; /* index in the model; -1: a drive or a gear */
  /* Links of a and b; a gear has two more, of its second joint. -1: ground, or none */
  int link[JOINT_CUT_SIDES];
  int first, count;   /* rows */
  double point[2][3]; /* m, in the frames of a and b */
};

struct joint_tree {
  int links, cuts, rows;
  struct joint_link *link;
  struct joint_cut *cut;
  struct joint_cut_row *row;
  int *link_of; /* (bodies) */
  double gravity[3];
  struct joint_tie *tie; /* (ties) in the order of the last cuts */
  int ties, joints;      /* joints of the model */
  /* (joints) the joint's coordinate as drives and springs count it: sign q of its link, and an offset; sign 0: it is cut. */
  struct joint_count {
    int link;
    double sign, offset;
  } * count;
};

/* A configuration and its rates. */
struct joint_pose {
  const struct joint_tree *tree;
  struct link_pose {
    double R[9], r[3];     /* the body: rotation, centre of mass in m */
    double point[3], C[9]; /* the joint: its point, its axes as columns, which go with the inner body */
    double s[SPATIAL], sd[SPATIAL]; /* twist of a unit of q', and its rate */
    double V[SPATIAL];              /* twist of the body */
  } link[JOINT_LINKS];
  struct cut_pose {
    double Phi;
    /* A unit of the multiplier gives the wrench D[1] on b and -D[0] on a; Dd are the rates. The two differ where the
     * loop is open. A tie is in place wherever the bodies are: D[0] is that of its first joint, on both bodies, and D[1] that of
     * the second joint of a gear. */
    double D[2][SPATIAL], Dd[2][SPATIAL];
    bool tied;
  } row[JOINT_CUT_ROWS];
  double coordinate[JOINT_COUNT]; /* every joint of the model, as drives and springs count it */
};

/* joint_pose.c; qd NULL: at rest. */
void joint_pose_set(struct joint_pose *o, const struct problem *p, const struct instant *now, const double *q,
                    const double *qd);
/* The sign of a side of a cut in the difference of motions, and its place in D and Dd. */
static inline double joint_side_sign(int side)
{
  return side & 1 ? 1 : -1;
}
static inline int joint_side_wrench(const struct cut_pose *o, int side)
{
  return o->tied ? side >> 1 : side & 1;
}
/* joint_ties.c: P (links, 6) += wrenches of loads and springs. */
void joint_add_wrenches(const struct joint_pose *o, const struct problem *p, const struct instant *now,
                        double *P);
/* The twist of a body; of the ground 0. */
const double *joint_twist(const struct joint_pose *o, int link);
/* o = M V, o = M^-1 P, and the wrench of weight less V x* M V, of a link's body. */
void link_momentum(const struct joint_pose *o, int link, const double V[SPATIAL], double P[SPATIAL]);
void link_mobility(const struct joint_pose *o, int link, const double P[SPATIAL], double V[SPATIAL]);
void link_weight(const struct joint_pose *o, int link, double P[SPATIAL]);
void link_force(const struct joint_pose *o, int link, double P[SPATIAL]);
/* The wrenches that joint k of the tree holds, (5, 6), and the one along its freedom: at the joint's point they are
 * orthonormal. */
void link_held(const struct joint_pose *o, int k, double D[JOINT_HELD][SPATIAL]);
void link_along(const struct joint_pose *o, int k, double H[SPATIAL]);
static inline double spatial_dot(const double a[SPATIAL], const double b[SPATIAL])
{
  return v3_dot(a, b) + v3_dot(a + 3, b + 3);
}

bool joint_make(struct problem *p, const ali3_data *d, struct lab_refusal *why); /* joint_make.c */

#endif
