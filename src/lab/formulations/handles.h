/* SPDX-License-Identifier: MIT
 * The compounds of paper 5: how a mechanism is put together from bodies (handles_plan.c), and the algebra of it
 * (handles.c). */
#ifndef LAB_HANDLES_H
#define LAB_HANDLES_H

#include "coordinates/absolute.h"

enum { HANDLE = ABSOLUTE_BODY, HANDLE_BLOCK = ABSOLUTE_BODY * ABSOLUTE_BODY, HANDLE_JOINTS = 2 };

/* The steps by which the mechanism is assembled, in this order; backwards they take it apart. */
enum compound_kind {
  COMPOUND_SINGLE, /* a body by itself: both handles are one */
  COMPOUND_PAIR,   /* two bodies and their joint, (9) (10) */
  COMPOUND_MERGE, /* two compounds and the joint between handle 2 of the first and handle 1 of the second, (11) to (32) */
  COMPOUND_APPEND, /* a compound and one more body, which becomes handle 2 */
  COMPOUND_ABSORB, /* a compound that hangs on one body by one joint or two goes into that body, (78) to (86) */
  COMPOUND_ROOT    /* the last one, with its joints to the ground, (35) to (40) */
};

struct compound {
  enum compound_kind kind;
  int a, b;                        /* compounds it is made of; absorb and root: a */
  int body[2];                     /* handles 1 and 2; absorb: body[0] is the body that takes it in */
  int joint;                       /* pair, merge, append */
  int joints, hold[HANDLE_JOINTS]; /* absorb, root: the joints that hold it */
  int handle[HANDLE_JOINTS];       /* absorb, root: at which handle, 0 or 1 */
  /* of a configuration */
  double M11[HANDLE_BLOCK], M12[HANDLE_BLOCK], M22[HANDLE_BLOCK];
  double XA[HANDLE_BLOCK],
      XB[HANDLE_BLOCK]; /* merge: M12A M22A^-1, M21B M11B^-1; append: M12A K, alpha Phi_b'Phi_A K */
  double inverse[2][HANDLE_BLOCK];               /* merge: of M22A and M11B; append: K */
  double row[2][ABSOLUTE_JOINT * HANDLE];        /* Phi_A, Phi_B */
  double C[4 * ABSOLUTE_JOINT * ABSOLUTE_JOINT]; /* (20), (84): factors of its inverse */
  double *M;                                     /* absorb, root: (14, 14) factors */
  double *Phi, *Psi;                             /* absorb: (12, 14) and (12, 7) */
  double *MPhi;                                  /* absorb: (14, 12) M^-1 Phi' */
  /* of a right-hand side */
  double Q1[HANDLE], Q2[HANDLE], b_rows[2 * ABSOLUTE_JOINT], Q[2 * HANDLE];
};

struct handle_plan {
  int count, room;
  struct compound *compound;
  const char *refusal; /* why there is no plan */
};

/* False, with the reason in plan->refusal, where the mechanism is no path of bodies with paths that hang on single
 * bodies. */
bool handles_plan(const struct problem *p, struct handle_plan *plan);
void handles_plan_free(struct handle_plan *plan);

/* For one problem; matrices of a configuration, then right-hand sides. */
struct handle_solver {
  const struct problem *p;
  const struct absolute *absolute;
  struct handle_plan plan;
  double alpha;
  const double *Phi_q;
  double *P, *q; /* (bodies, 7, 7) and (bodies, 7): bodies with p'p = 1 and all that they have absorbed */
  const double *lambda, *gamma;
  double *x;
};

/* handles.c: (9) to (40) and (78) to (86) for the matrices. False: singular. */
struct index1_matrices;
bool handles_factor(void *own, const struct index1_matrices *a);

#endif
