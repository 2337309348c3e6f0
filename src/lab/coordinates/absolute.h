/* SPDX-License-Identifier: MIT
 * Absolute coordinates: which rows a joint has, for the recursions that go joint by joint. */
#ifndef COORDINATES_ABSOLUTE_H
#define COORDINATES_ABSOLUTE_H

#include "coordinates/problem.h"

/* Coordinates of a body; rows of a joint at most; bodies of a joint, or of a gear, at most. */
enum { ABSOLUTE_BODY = 7, ABSOLUTE_JOINT = 6, ABSOLUTE_SIDES = 4 };

enum absolute_kind {
  ROW_AXIS,     /* k . (P_b - P_a), k fixed in the world: three of them make two points coincide */
  ROW_ANGLE,    /* U . V */
  ROW_IN_PLANE, /* U . (P_b - P_a) */
  ROW_LENGTH    /* (d'd - L^2) / (2 L), d = P_b - P_a */
};

struct absolute_row {
  enum absolute_kind kind;
  int body[2];                    /* ALI3_GROUND or a body */
  double u[3], v[3], point[2][3]; /* in the frames of a and b; u of ROW_AXIS in the world */
  double length;
};

struct absolute_joint {                   /* a joint, or a drive or a gear, whose row forces.h has */
  int body[ABSOLUTE_SIDES], first, count; /* ALI3_GROUND where it has fewer; rows */
};

/* Rows: first the joints in their order, then drives and gears, then p'p - 1 for each body. */
struct absolute {
  struct absolute_row *row;
  struct absolute_joint *joint;
  int plain, rows, joints; /* rows of `row`; with those of drives and gears; joints, drives and gears */
  int *joint_of_row;       /* (rows) in `joint` */
  double gravity[3];
};

/* The rows of joints, drives and gears body by body, (rows, ABSOLUTE_SIDES, ABSOLUTE_BODY): side s of row i is that of body
 * joint[joint_of_row[i]].body[s], and 0 where that is the ground. Work and memory grow with the number of rows. The rows of
 * p'p = 1 need no memory: they are 2p'. */
enum { ABSOLUTE_BLOCK = ABSOLUTE_SIDES * ABSOLUTE_BODY };
/* Phi (m) and J at q. */
void absolute_blocks(const struct problem *p, const struct instant *now, const double *q, double *Phi,
                     double *J);
/* o (m) += k Phi_q x, and o (n) += k Phi_q' lambda, with the blocks of q. */
void absolute_add_rows(const struct problem *p, const double *q, const double *J, double k, const double *x,
                       double *o);
void absolute_add_columns(const struct problem *p, const double *q, const double *J, double k,
                          const double *lambda, double *o);
/* The columns of a body in a row; NULL: the row has no part of it. */
const double *absolute_block_of(const struct absolute *a, const double *J, int row, int body);
/* o (n) += k M x */
void absolute_add_momenta(const struct problem *p, const double *q, double k, const double *x, double *o);

/* absolute_make.c */
bool absolute_make(struct problem *p, const ali3_data *d, struct lab_refusal *why);
void absolute_release(struct problem *p);

#endif
