/* SPDX-License-Identifier: MIT
 * Set-up. The independent velocities of a mechanism, and the solves with its rigid rows.
 *
 * A velocity of a body is y = (r', w): velocity of the centre of mass, world axes, and angular velocity, body axes. The columns
 * of T span the velocities with J y = 0. P is a constant left inverse of T: it picks the velocities of the columns that the
 * elimination leaves free (mechanics/factor.h), and combines them. The velocities of named joints are the rates of their
 * coordinates, at neighbouring positions, too. */
#ifndef LINEAR_FREEDOMS_H
#define LINEAR_FREEDOMS_H

#include "mechanics/factor.h"

#include <ali3/linear.h>

enum { TWIST = 6 }; /* length of y */

struct ali3_freedoms {
  const ali3_model *m;
  int n, bodies;
  double *T;        /* (bodies, 6, n) */
  double *inverse;  /* (n, n) the inverse of the combination of columns: P = inverse (free columns of v) */
  int *free_column; /* (n) body * 6 + column of v that is free */
  int named, *named_joint; /* (named) joints whose rates are the first velocities */
  double *joint; /* (joints, n) rates of the coordinates of revolute and prismatic joints; other rows are 0 */
  struct parts parts;
  struct geometry at; /* poses, and the meaning of v */
  double *turn;       /* (joints) joint angles */
  struct factor factor;
  struct rows_used used;
  bool *link; /* (rigid links) rows that hold */
  int *first; /* (rigid links) */
};

/* `released`: forces whose drives do not hold, (forces); NULL: none. Arguments as for ali3_freedoms_new(). */
ali3_freedoms *freedoms_find(const ali3_model *m, const ali3_data *d, const int *joint, int joints,
                             unsigned flags, const bool *released, ali3_problem *problem);

/* A row of T: element i of y of a body. */
static inline double *freedoms_row(const ali3_freedoms *f, int body, int i)
{
  return f->T + ((size_t)body * TWIST + (size_t)i) * (size_t)f->n;
}

/* y (bodies, 6) with J y = rate for the rows that hold, and P y = 0. rate: (used.rows), of rows as rows_evaluate() has them; the
 * call overwrites it. v: room (bodies, 6). */
void freedoms_particular(const ali3_freedoms *f, double *rate, double *v, double *y);
/* lambda (used.rows) with J'lambda = load, (bodies, 6), for loads that do no work along T. The call overwrites load. */
void freedoms_multipliers(const ali3_freedoms *f, double *load, double *lambda);
/* o (n) = P y, y (bodies, 6). room: (n) */
void freedoms_project(const ali3_freedoms *f, const double *y, double *room, double *o);

/* Writes a reason. Returns status. */
__attribute__((format(printf, 4, 5))) ali3_status linear_refuse(ali3_problem *problem, ali3_status status,
                                                                const char *element, const char *format, ...);

#endif
