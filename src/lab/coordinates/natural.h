/* SPDX-License-Identifier: MIT
 * What natural.c (the equations) and natural_make.c (the rules by which a model becomes points and rods) share. */
#ifndef COORDINATES_NATURAL_H
#define COORDINATES_NATURAL_H

#include "coordinates/problem.h"

struct natural_point {
  int at[2];          /* x and y: which coordinate of q; -1: a constant */
  double fixed[2];    /* m, where constant */
  double velocity[2]; /* m/s, at the start */
  bool ground, used;  /* used: a rod ends here; else it was united with another point */
};

struct natural_rod {              /* one for each body, in the order of the model */
  int P, Q;                       /* points */
  double L, c;                    /* m, from P to Q, and from P to the centre of mass */
  bool row;                       /* it has a constraint: one of its points moves */
  double z;                       /* m, of the plane */
  double start[2];                /* m, Q - P at the start */
  double orientation[4], axis[3]; /* at the start; the normal of the plane in body axes */
};

struct natural_line { /* normal . P = offset */
  int point;
  double normal[2], offset;
};

struct natural {
  struct natural_point *point;
  struct natural_rod *rod;
  struct natural_line *line;
  int points, rods, lines;
  int *joint_point; /* (joints) the point of each joint */
  double potential; /* J, of weights at constants */
};

bool natural_make(struct problem *p, const ali3_data *d, struct lab_refusal *why);

#endif
