/* SPDX-License-Identifier: MIT
 * Joints as rows. A joint is a short list of primitives, each of one to three rows Phi(q) = 0:
 *
 *   coincide   P_b - P_a               3 rows
 *   dot        U . V                   u in a, v in b: perpendicular
 *   in_plane   U . (P_b - P_a)         P_b in the plane through P_a normal to U
 *   distance   (d'd - L^2) / (2 L)     d = P_b - P_a
 *   length     |d| - L                 forces only, as the next two
 *   slide      U . d - L               u: axis; coordinate of a prismatic joint
 *   angle      angle of b about the axis of a, without wrap, - L
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
 *   distance        distance                                       1 */
#ifndef DYNAMICS_ROWS_H
#define DYNAMICS_ROWS_H

#include "dynamics/body.h"

enum { ROWS_PRIMITIVES = 6, ROWS_MAX = 6 };

enum primitive_kind { ROW_COINCIDE, ROW_DOT, ROW_IN_PLANE, ROW_DISTANCE, ROW_LENGTH, ROW_SLIDE, ROW_ANGLE };

/* lambda = stiffness Phi + damping Phi' of a row that gives way. */
struct law {
  double stiffness, damping;
};

struct primitive {
  enum primitive_kind kind;
  double u[3]; /* unit, in the frame of a */
  double v[3]; /* unit, in the frame of b */
};

struct joint_rows {
  int body[2];      /* model index or ALI3_GROUND */
  int first, count; /* rows, in the order of the joints */
  int primitives;
  struct primitive primitive[ROWS_PRIMITIVES];
  double point[2][3]; /* m, body frames */
  double length;      /* L of distance, length, slide, angle */
  bool soft;          /* row i follows law[i] instead of Phi = 0 */
  struct law law[ROWS_MAX];
  int joint; /* whose coordinate it is about; -1 */
  /* joint coordinate: angle from u0 (a) to v0 (b) about axis (a), or the distance along axis; enum below */
  enum { COORDINATE_NONE, COORDINATE_ANGLE, COORDINATE_SLIDE } coordinate;
  double axis[3], u0[3], u1[3], v0[3];
};

/* Set-up: the rows of joint `index` of the model; `first` is left to the caller. ALI3_OK or model_refuse(). */
int rows_compile(ali3_model *m, int index, struct joint_rows *j);

/* Set-up: likewise the rows of force `index`, whose joint, if it is on one, is `joint`, else
 * NULL. */
void rows_compile_force(const ali3_model *m, int index, const struct joint_rows *joint, struct joint_rows *j);

/* The two bodies a joint looks at. */
struct joint_view {
  const struct body_state *x[2];
  const struct body_frame *f[2];
  double turn; /* angle of the joint at the start of the step, without wrap: the angle now is taken nearest to
                  it */
};

/* RT. Phi (count) and the Jacobian in body coordinates: row i of side s at J + 14 i + 7 s. Rows of a ground
 * side are written too, and ignored by all. */
void rows_evaluate(const struct joint_rows *j, const struct joint_view *v, double *Phi, double *J);
/* RT. bias = d(Phi_q)/dt q' = -gamma (count), at the state's q and q'. */
void rows_bias(const struct joint_rows *j, const struct joint_view *v, double *bias);

/* RT. Phi' = J y' (count), y' of the state as it is. */
void rows_rate(const struct joint_rows *j, const struct joint_view *v, const double *J, double *rate);

/* RT. Joint coordinate in (-pi, pi] or m, and its rate. */
void rows_coordinate(const struct joint_rows *j, const struct joint_view *v, double *position,
                     double *velocity);

/* RT. Load of the joint on body b at point b, world axes, from the multipliers (count) and the Jacobian. */
void rows_reaction(const struct joint_rows *j, const struct joint_view *v, const double *J,
                   const double *lambda, double force[3], double torque[3]);

#endif
