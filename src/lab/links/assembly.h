/* SPDX-License-Identifier: MIT
 * The compounds of assembly.c: how a mechanism is put together from links (assembly_plan.c), and the numbers of a
 * configuration. */
#ifndef LINKS_ASSEMBLY_H
#define LINKS_ASSEMBLY_H

#include "links/links.h"

enum { ASSEMBLY_BLOCK = SPATIAL * SPATIAL };

/* A side of a joint, on a link of the compound. */
struct handle_place {
  int joint, side, link; /* joints of the tree by their link, then the cut ones */
};

struct handle_compound {
  int first, count, a, b; /* in the order of links; compounds it is made of, -1: one link */
  int handles, inner;     /* handles that lead out; joints between a and b, or of the root to the ground */
  int rows;               /* rows that the inner joints have */
  struct handle_place *handle;
  struct inner_joint {
    int joint, row;         /* its first row */
    int handle[2];          /* at side 0 and side 1, in the compound that has the side; -1: the ground */
    bool in_b[2];           /* that compound is b */
  } * joint;                /* (inner) */
  int *outer;               /* (handles) handle of a or, counted on, of b that goes on as this one */
  double *xi;               /* (6 handles, 6 handles) */
  double *E, *G, *work;     /* (rows, 6 handles), (rows, rows) inverse, (rows, rows) */
  double *xi0, *T;          /* (6 handles) of a right-hand side; wrenches at the handles */
  double *step, *sigma;     /* (rows) a - D'(X_b - X_a) for sigma = 0 without T; sigma */
  double M[ASSEMBLY_BLOCK]; /* leaf: M_1^-1 at its first handle, or at its centre of mass */
};

struct assembly {
  const struct joint_tree *tree;
  const struct joint_pose *pose;
  int count, links;
  int *order; /* (links) depth first, so that the halves of a branch hang together */
  struct handle_compound
      *compound; /* (2 links + 1) leaves come before what they are put into; the last one is the root */
};

/* assembly_plan.c. NULL: out of memory. */
void *assembly_make(const struct problem *p);
void assembly_release(void *own);
/* Rows of a joint, and its first row in `a` of link_solver.solve(). */
int assembly_rows(const struct joint_tree *tree, int joint);
int assembly_first_row(const struct joint_tree *tree, int joint);

#endif
