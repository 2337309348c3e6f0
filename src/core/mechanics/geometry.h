/* SPDX-License-Identifier: MIT
 * Set-up. Poses of all bodies and the scaled Jacobian of the rigid rows, independent of ali3_data.
 *
 * A motion of a body is v = (c', L w): the velocity of a reference point c, world axes, and the angular velocity in body axes
 * times a length L of the body. c is the mean of the points where joints act, and L follows from their lever arms about c.
 * Neither the mass nor the centre of mass has an effect. Each row is divided by its norm. */
#ifndef MECHANICS_GEOMETRY_H
#define MECHANICS_GEOMETRY_H

#include "kernels/elements.h"
#include "mechanics/parts.h"

enum { GEOMETRY_V = 6 }; /* length of v */

/* Pose of a body, and the meaning of its v. */
struct body_geometry {
  struct body_state x; /* r, p only */
  struct body_frame f;
  double middle[3]; /* c, body axes */
  double length;    /* L, m */
};

struct geometry {
  const ali3_model *m;
  struct body_geometry *body; /* (bodies) */
  const double *turn;         /* (joints) angles without wrap */
};

/* The scaled rows of one link. */
struct geometry_rows {
  int count, sides; /* rows; bodies that are not the ground */
  int body[ROWS_SIDES];
  double J[ROWS_MAX][ROWS_SIDES * GEOMETRY_V]; /* (count, sides, 6) */
  double Phi[ROWS_MAX];                        /* residual, divided by the norm of its row */
  double norm[ROWS_MAX];                       /* divisor of each row; 1 for a row of zeros */
};

/* Takes the state of d. False: out of memory. */
bool geometry_new(struct geometry *g, const ali3_model *m, const ali3_data *d, const struct parts *parts);
/* A copy that can be moved. False: out of memory. */
bool geometry_copy(struct geometry *to, const struct geometry *from);
void geometry_free(struct geometry *g);

/* A pseudo-random number in -1 .. 1, a function of `number`. */
double geometry_scatter(uint64_t number);

void geometry_rows(const struct geometry *g, int link, struct geometry_rows *o);
/* Scaled rows of a link that need not be a link of the model. */
void geometry_rows_of(const struct geometry *g, const struct joint_rows *j, struct geometry_rows *o);
/* Moves all bodies by v, (bodies, 6). */
void geometry_move(struct geometry *g, const double *v);

#endif
