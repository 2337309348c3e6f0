/* SPDX-License-Identifier: MIT
 * Every connection is a short list of primitives, each of one to three rows. Of a joint, Phi(q) = 0:
 *
 *   coincide    P_b - P_a               3 rows
 *   dot         U . V                   u in a, v in b: perpendicular
 *   in_plane    U . (P_b - P_a)         P_b in the plane through P_a normal to U
 *   distance    (d'd - L^2) / (2 L)     d = P_b - P_a
 *
 * and of springs, drives, contacts and their like:
 *
 *   length      |d| - L
 *   gap         U . d - L               sphere of radius L over the plane through P_a normal to U
 *   coordinate  sum of ratio x - L      x: coordinates of one joint or two (coordinate.h)
 *   angle       x - L                   in lanes: the coordinate of one joint, if that is an angle
 *   slip        sliding at a contact    no position: a velocity row (0, J)
 *
 *   P = r + A(p) point,  U = A(p_a) u,  V = A(p_b) v
 *
 *   type            primitives                                    rows
 *   fixed           coincide, dot x 3                              6
 *   revolute        coincide, dot x 2                              5
 *   prismatic       in_plane x 2, dot x 3                          5
 *   cylindrical     in_plane x 2, dot x 2                          4
 *   universal       coincide, dot                                  4
 *   spherical       coincide                                       3
 *   planar          in_plane, dot x 2                              3
 *   point_on_line   in_plane x 2                                   2
 *   point_in_plane  in_plane                                       1
 *   distance        distance                                       1
 *   bushing         in_plane x 3, dot x 3                          6
 *   contact         gap or length, slip x 2                        3, without friction 1
 *   gear, drive, and all others on a joint: coordinate             1
 *   spring_damper, cable, end_stop: length                         1, pulled hard length, coincide: 4 */
#ifndef DYNAMICS_ROWS_H
#define DYNAMICS_ROWS_H

#include "dynamics/coordinate.h"
#include "dynamics/laws.h"

#include <stddef.h>

enum { ROWS_PRIMITIVES = 6, ROWS_MAX = 6, ROWS_SIDES = 4 };

enum primitive_kind {
  ROW_COINCIDE,
  ROW_DOT,
  ROW_IN_PLANE,
  ROW_DISTANCE,
  ROW_LENGTH,
  ROW_GAP,
  ROW_COORDINATE,
  ROW_ANGLE,
  ROW_SLIP
};

struct primitive {
  enum primitive_kind kind;
  double u[3]; /* unit, in the frame of a */
  double v[3]; /* unit, in the frame of b */
};

struct joint_rows {
  int sides;            /* bodies it joins: 2; of a gear up to 4 */
  int body[ROWS_SIDES]; /* model index or ALI3_GROUND, all different but for the ground */
  int count;            /* rows; how they are stored (struct tree_joint): */
  int first, stride;    /* row k at first + k stride */
  size_t jacobian;      /* its Jacobian, (count, sides, 7): element i at jacobian + i stride */
  int primitives;
  struct primitive primitive[ROWS_PRIMITIVES];
  double point[2][3]; /* m, body frames */
  double length;      /* L */
  double radius[2];   /* m, contacts; [0] of a plane: 0 */
  bool soft;          /* row i follows law[i] instead of Phi = 0 */
  struct law law[ROWS_MAX];
  /* coordinates: of a joint its own; of what acts on joints, theirs: */
  int coordinates; /* 0 .. 2 */
  struct coordinate coordinate[2];
  double ratio[2];
  int joint[2];   /* whose coordinates they are; -1 */
  int slot[2][2]; /* their bodies a, b as sides of this link */
  int drive;      /* of a drive: its number; -1 */
  int rolling;    /* of a contact of spheres with friction: its number; -1 */
};

/* Rows of points that coincide, and of directions alone: the r columns of their Jacobian never change. They are -I and
 * I in the first three rows, of sides 0 and 1, and 0 in all others. */
static inline bool rows_share_point(const struct joint_rows *j)
{
  bool share = j->sides == 2 && j->primitive[0].kind == ROW_COINCIDE;
  for (int k = 1; k < j->primitives; k++) share = share && j->primitive[k].kind == ROW_DOT;
  return share;
}

/* Set-up: the rows of joint `index` of the model; where they are stored is left to the caller. ALI3_OK or
 * model_refuse(). */
int rows_compile(ali3_model *m, int index, struct joint_rows *j);

/* Set-up: likewise the rows of force `index`; `joint` has the compiled joints of the model. *start: coordinate
 * at the start. */
void rows_compile_force(const ali3_model *m, int index, const struct joint_rows *joint, struct joint_rows *j,
                        double *start);

/* Set-up: for a spring or cable whose pull over its length counts in a step. Three rows of the distance of its points that ask
 * for no force (LAW_SWAY) and stand for the stiffness across its line. They also act along it, where its own stiffness is far
 * larger. stiffness: pull over length at the start. */
void rows_add_sway(struct joint_rows *j, double stiffness);

/* The bodies a link looks at. */
struct joint_view {
  const struct body_state *x[ROWS_SIDES];
  const struct body_frame *f[ROWS_SIDES];
  double turn[2];    /* angles of its joints at the start of the step, without wrap: the angle now is taken
                     nearest to them */
  double tangent[3]; /* contact of spheres: the first direction of sliding, of late; 0: none yet */
};

/* RT. Phi (count) and the Jacobian in body coordinates: row i of side s at J + 7 (sides i + s). Rows of a
 * ground side are written too, and ignored by all. */
void rows_evaluate(const struct joint_rows *j, const struct joint_view *v, double *Phi, double *J);
/* RT. bias = d(Phi_q)/dt q' = -gamma (count), at the state's q and q'; 0 for slip, which is never rigid. */
void rows_bias(const struct joint_rows *j, const struct joint_view *v, double *bias);

/* RT. Phi' = J y' (count), y' of the state as it is. */
void rows_rate(const struct joint_rows *j, const struct joint_view *v, const double *J, double *rate);

/* RT. Coordinate of a joint, an angle nearest to v->turn, and its rate. */
void rows_coordinate(const struct joint_rows *j, const struct joint_view *v, double *position,
                     double *velocity);

/* RT. Load of the link on body b at point b, world axes, from the multipliers (count) and the Jacobian; of a
 * gear, which loads four bodies, 0. */
void rows_reaction(const struct joint_rows *j, const struct joint_view *v, const double *J,
                   const double *lambda, double force[3], double torque[3]);

#endif
