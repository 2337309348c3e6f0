/* SPDX-License-Identifier: MIT
 * Set-up. The balance of forces of a mechanism and its derivatives at a state. With y = (r', w) of each body, see freedoms.h,
 *
 *   F = M y' + gyroscopic terms - loads + J'lambda = 0,   J y' = gamma
 *
 * where lambda has the multipliers of rigid rows, and the forces of the laws of soft rows. A link depends on the few bodies that
 * it joins, and a load on one body, so derivatives of F by poses and velocities are sums of small matrices. Each is a central
 * difference over its own bodies: no joint has to be closed for it. Rows and loads are smooth functions of the poses, with steps
 * of two lengths the error is of fourth order. Force laws return their own slopes. */
#ifndef LINEAR_POINT_H
#define LINEAR_POINT_H

#include "linear/freedoms.h"

enum { LINK_TWISTS = ROWS_SIDES * TWIST }; /* y of all bodies of a link */

struct point {
  const ali3_model *m;
  const ali3_data *d;
  const ali3_freedoms *f;
  struct body_state *x; /* (bodies) */
  struct body_frame *frame;
  int *first;     /* (links + 1) rows of each link in lambda */
  double *lambda; /* (rows) */
  bool moves;     /* some velocity or acceleration is not 0 */
};

/* The state of d. POINT_MOVING: with its velocities, accelerations and multipliers. POINT_LOADS: at rest, without multipliers of
 * rigid rows. POINT_BALANCED: at rest, with those that balance the forces best. */
enum point_kind { POINT_MOVING, POINT_LOADS, POINT_BALANCED };
/* False: out of memory. */
bool point_new(struct point *p, const ali3_model *m, const ali3_data *d, const ali3_freedoms *f,
               enum point_kind kind);
void point_free(struct point *p);

/* A link at the state: Phi, Phi', J (count, sides, 7). */
struct link_state {
  const struct joint_rows *j;
  struct link_view view;
  double Phi[ROWS_MAX], rate[ROWS_MAX], J[STORED_J];
};
void point_link(const struct point *p, int link, struct link_state *o);

/* Derivatives of a link by its own poses (q) and velocities (v). K, C: of J'lambda, (sides 6, sides 6). rate: of Phi' by q;
 * change_q, change_v: of Phi'' by q and v, for rigid rows; (count, sides 6). */
struct link_slopes {
  double K[LINK_TWISTS][LINK_TWISTS], C[LINK_TWISTS][LINK_TWISTS];
  double rate[ROWS_MAX][LINK_TWISTS], change_q[ROWS_MAX][LINK_TWISTS], change_v[ROWS_MAX][LINK_TWISTS];
  double stiff[ROWS_MAX][ROWS_MAX],
      damp[ROWS_MAX][ROWS_MAX]; /* soft rows: slopes of lambda by Phi and Phi' */
  double error;                 /* largest difference of K between the two lengths of steps */
  bool damped;
};
void point_link_slopes(const struct point *p, int link, struct link_slopes *o);
/* Derivatives of the rate and of the second derivative of a joint's coordinate, in row 0; row: J is its gradient, j is not
 * valid. */
void point_coordinate_slopes(const struct point *p, int joint, struct link_slopes *o, struct link_state *row);
/* The law of a row of a link puts the state at a corner. */
bool point_at_corner(const struct point *p, int link);

/* Derivatives of M y' + gyroscopic terms - loads of a body. */
struct body_slopes {
  double K[TWIST][TWIST], C[TWIST][TWIST];
};
void point_body_slopes(const struct point *p, int body, struct body_slopes *o);

/* F of all bodies (bodies, 6). rigid: with the multipliers of rigid rows. */
void point_forces(const struct point *p, bool rigid, double *F);

/* A state moved along a twist y, by a part of it. */
void point_move(struct body_state *x, struct body_frame *f, const double y[TWIST], double part);
/* y' and y'' of a state. */
void point_set_motion(struct body_state *x, const struct body_frame *f, const double rate[TWIST],
                      const double change[TWIST]);

#endif
