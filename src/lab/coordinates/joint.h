/* SPDX-License-Identifier: MIT
 * Joint coordinates: what joint.c (the description), joint_pose.c (the kinematics) and joint_make.c (the spanning
 * tree) share with the recursions of src/links.
 *
 * A joint of the tree is revolute or prismatic and has one coordinate. A joint that closes a loop is cut: it has
 * rows. A link is a body with the joint that carries it; links are numbered outwards, so that the parent of a link
 * comes before it. Bodies that no such joints connect with the ground hang on one of them that floats: its centre of mass and
 * its Euler parameters are seven coordinates, and p'p = 1 is a row behind those of cut joints.
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
  JOINT_MOST = 7, /* coordinates of a link: of one that floats */
  JOINT_LINKS = 48,
  JOINT_CUT_ROWS = 48,
  JOINT_CUT_SIDES = 4,                       /* links of a gear; of a cut joint or a drive two */
  JOINT_COUNT = JOINT_LINKS + JOINT_CUT_ROWS /* joints at most: each has a link of the tree or a cut row */
};

struct joint_link {
  int body, joint,
      parent;         /* body and joint of the model, -1: it floats; link of the inner body, -1: the ground */
  int first, count;   /* its coordinates: one, or JOINT_MOST */
  bool turns;         /* revolute; else prismatic */
  double frame[2][9]; /* columns u, v and the axis, in the inner and in the outer body */
  double point[2][3]; /* m, of the joint in the inner and in the outer body */
  double mass, inertia[9], inverse[9]; /* kg, kg m^2 in body axes, and its inverse */
};

struct joint_tie; /* a drive or a gear, joint_parts.h */

enum cut_kind {
  CUT_AXIS,     /* u . (P_b - P_a), u fixed in the world */
  CUT_IN_PLANE, /* U . (P_b - P_a), U fixed in a */
  CUT_ANGLE,    /* U . V, U fixed in a, V in b */
  CUT_LENGTH,   /* (d'd - L^2) / (2 L), d = P_b - P_a */
  CUT_TIE       /* a drive or a gear */
};

struct joint_cut_row {
  enum cut_kind kind;
  double u[3], v[3];
  double length; /* m */
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
  int coordinates, floats; /* of all links; links that float */
  struct joint_link *link;
  struct joint_cut *cut;
  struct joint_cut_row *row;
  int *link_of; /* (bodies) */
  double gravity[3];
  struct joint_tie *tie; /* (ties) in the order of the last cuts */
  int ties, joints;      /* joints of the model */
  /* (joints) the joint's coordinate as drives and springs count it: sign q[at], and an offset; sign 0: it is cut. */
  struct joint_count {
    int at;
    double sign, offset;
  } * count;
};

/* A configuration and its rates. */
struct joint_pose {
  const struct joint_tree *tree;
  struct link_pose {
    double R[9], r[3]; /* the body: rotation, centre of mass in m */
    double point[3],
        C[9]; /* the joint: its point, its axes as columns, which go with the inner body; or r and R */
    double V[SPATIAL]; /* twist of the body */
    union {
      struct {
        double s[SPATIAL], sd[SPATIAL]; /* a joint: twist of a unit of q', and its rate */
      };
      struct {
        double p[4], pd[4]; /* a link that floats: Euler parameters and their rates */
      };
    };
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
/* A link without a joint: it floats. */
static inline bool link_floats(const struct joint_tree *tree, int k)
{
  return tree->link[k].joint < 0;
}
/* joint_float.c: the pose of link k, which floats, at its seven coordinates. qd NULL: at rest. */
void joint_float_pose(struct joint_pose *o, int k, const double *q, const double *qd);
/* The twist of a unit of the rate of coordinate i of a link, i < count, and its rate. */
void link_twist(const struct joint_pose *o, int k, int i, double s[SPATIAL]);
void link_twist_rate(const struct joint_pose *o, int k, int i, double sd[SPATIAL]);
/* The rates x (7) of the coordinates of a link that floats, with x.p = along, for its twist X: X = sum s_j x_j. */
void link_float_rates(const struct joint_pose *o, int k, const double X[SPATIAL], double along, double *x);
/* The wrenches that joint k of the tree holds, (5, 6), 0 for a link that floats, and the one along its freedom: at the joint's
 * point they are orthonormal. */
void link_held(const struct joint_pose *o, int k, double D[JOINT_HELD][SPATIAL]);
void link_along(const struct joint_pose *o, int k, double H[SPATIAL]);
static inline double spatial_dot(const double a[SPATIAL], const double b[SPATIAL])
{
  return v3_dot(a, b) + v3_dot(a + 3, b + 3);
}

bool joint_make(struct problem *p, const ali3_data *d, struct lab_refusal *why); /* joint_make.c */

#endif
