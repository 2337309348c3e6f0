/* SPDX-License-Identifier: MIT
 * Every connection is a short list of primitives, each with one to three rows. Primitives of joints, Phi(q) = 0:
 *
 *   coincide    P_b - P_a               3 rows
 *   dot         U . V                   u in a, v in b: perpendicular
 *   in_plane    U . (P_b - P_a)         P_b in the plane through P_a normal to U
 *   distance    (d'd - L^2) / (2 L)     d = P_b - P_a
 *
 * Primitives of springs, drives, contacts and other forces:
 *
 *   length      |d| - L
 *   gap         U . d - L               sphere of radius L over the plane through P_a normal to U
 *   coordinate  sum of ratio x - L      x: coordinates of one joint or two (coordinate.h)
 *   angle       x - L                   in lanes: the coordinate of one joint, if that is an angle
 *   rotation    U . (rotation vector of b in a)   v: vector part of the Euler parameters of b in a at the start
 *   slip        sliding at a contact    no position: a velocity row (0, J)
 *   roll        sliding along and across a wheel with the axle v in b, and speed of its centre: velocity rows, too
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
 *   bushing         in_plane x 3, rotation x 3                     6
 *   contact         gap or length, slip x 2                        3, without friction 1
 *   tyre            gap, roll                                      4
 *   gear, drive, and all others on a joint: coordinate             1
 *   spring_damper, cable, end_stop, hydraulic_cylinder: length     1, pulled hard length, coincide: 4 */
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
  ROW_ROTATION,
  ROW_SLIP,
  ROW_ROLL
};

/* Number of rows. */
static inline int primitive_count(enum primitive_kind kind)
{
  return kind == ROW_COINCIDE || kind == ROW_ROLL ? 3 : kind == ROW_SLIP ? 2 : 1;
}

struct primitive {
  enum primitive_kind kind;
  double u[3]; /* unit, in the frame of a */
  double v[3]; /* unit, in the frame of b; of a rotation see above */
};

struct joint_rows {
  int sides;            /* bodies it joins: 2; of a gear up to 4 */
  int body[ROWS_SIDES]; /* model index or ALI3_GROUND; only the ground may occur twice */
  int count;            /* rows; first to end_load say how they are stored (struct tree_joint) */
  int first, stride;    /* row k at first + k stride */
  size_t jacobian;      /* its Jacobian, as in struct tree_joint */
  int primitives;
  struct primitive primitive[ROWS_PRIMITIVES];
  double point[2][3]; /* m, body frames */
  double length;      /* L */
  double radius[2];   /* m, contacts; radius[0] is 0 for a plane, radius[1] of a tyre is the rolling radius */
  bool twists; /* a body has no point off its axis, and may turn about it by any angle: dynamics/mean.h */
  bool soft;   /* row i follows law[i] instead of Phi = 0 */
  struct law law[ROWS_MAX];
  /* Coordinates. A joint has its own; a force on joints has the coordinates of these joints. */
  int coordinates; /* 0 .. 2 */
  struct coordinate coordinate[2];
  double ratio[2];
  int joint[2];   /* joints of the coordinates; -1 */
  int side[2][2]; /* their bodies a, b as sides of this link */
  int drive;      /* number of a drive; -1 */
  int rolling;    /* number of a contact of spheres with friction; -1 */
  int own;        /* first state of a force that has states of its own, in state.own; -1 */
};

/* True for a link of a coinciding point and directions. The r columns of its Jacobian are constant: -I and I in the first three
 * rows (sides 0 and 1), and 0 in all other rows. */
static inline bool rows_share_point(const struct joint_rows *j)
{
  bool share = j->sides == 2 && j->primitive[0].kind == ROW_COINCIDE;
  for (int k = 1; k < j->primitives; k++) share = share && j->primitive[k].kind == ROW_DOT;
  return share;
}

/* The last rows are those of a rotation vector. */
static inline bool rows_turn(const struct joint_rows *j)
{
  return j->primitives > 0 && j->primitive[j->primitives - 1].kind == ROW_ROTATION;
}

/* The law of the first row stores energy. */
static inline bool rows_store(const struct joint_rows *j)
{
  const enum law_kind kind = j->law[0].kind;
  return j->soft && !j->twists &&
         (kind == LAW_LINEAR || kind == LAW_TABLE || kind == LAW_USER || kind == LAW_LIMITS ||
          kind == LAW_CYLINDER);
}

/* Set-up: the rows of joint `index` of the model. The caller says where they are stored. Returns ALI3_OK or the status of
 * model_refuse(). */
int rows_compile(ali3_model *m, int index, struct joint_rows *j);

/* Set-up: leaves out rows of a compiled joint, a sum of enum ali3_drop. */
void rows_drop(struct joint_rows *j, unsigned dropped);

/* Set-up: the rows of force `index`. joint: the compiled joints of the model. *start: coordinate at the start. */
void rows_compile_force(const ali3_model *m, int index, const struct joint_rows *joint, struct joint_rows *j,
                        double *start);

/* Set-up: number of states of its own that a compiled force has. */
int rows_states(const struct joint_rows *j);

/* Set-up: for a spring or cable whose pull over its length matters in a step. Adds three rows of the distance of its points
 * without a force (LAW_SWAY), which put the stiffness across its line into the factors. They also act along the line, where the
 * stiffness of the spring itself is far larger. stiffness: pull over length at the start. */
void rows_add_sway(struct joint_rows *j, double stiffness);

/* The bodies of a link. */
struct joint_view {
  const struct body_state *x[ROWS_SIDES];
  const struct body_frame *f[ROWS_SIDES];
  double turn[2];    /* joint angles at the start of the step, with full turns */
  double tangent[3]; /* contact of spheres: last first direction of sliding; 0: none yet */
};

/* RT. Phi (count) and the Jacobian in body coordinates: row i of side s at J + 7 (sides i + s). The rows of a ground side are
 * written, too, and nobody reads them. */
void rows_evaluate(const struct joint_rows *j, const struct joint_view *v, double *Phi, double *J);
/* RT. The two unit directions of sliding at a contact, across its unit normal n, world axes. */
void rows_tangents(const struct primitive *p, const struct joint_view *v, const double n[3], double t[2][3]);
/* RT. bias = d(Phi_q)/dt q' = -gamma (count), at the state's q and q'; 0 for slip, which is never rigid. */
void rows_bias(const struct joint_rows *j, const struct joint_view *v, double *bias);

/* RT. Row k is a length, m; false: an angle or a product of directions. */
bool rows_is_length(const struct joint_rows *j, int k);
/* RT. Phi' = J y' (count), with the present y'. */
void rows_rate(const struct joint_rows *j, const struct joint_view *v, const double *J, double *rate);

/* RT. Coordinate of a joint, an angle nearest to v->turn, and its rate. */
void rows_coordinate(const struct joint_rows *j, const struct joint_view *v, double *position,
                     double *velocity);

/* RT. Load of the link on body b at point b, world axes, from the multipliers (count) and the Jacobian; 0 for a gear, which loads
 * up to four bodies. */
void rows_reaction(const struct joint_rows *j, const struct joint_view *v, const double *J,
                   const double *lambda, double force[3], double torque[3]);

#endif
