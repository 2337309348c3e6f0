/* SPDX-License-Identifier: MIT
 * Elimination of joints in the system of their multipliers, S z = r with
 *
 *   S = C + sum over bodies of D_b' M_b^-1 D_b,    C: a compliance on the diagonal
 *
 * Two rows meet in S where their joints share a body. Joints are eliminated level by level: a level takes as many joints with
 * small boundaries as share no compound, so that a chain of n joints has about log2 n + 1 levels, as in paper 5. The update of a
 * front on its boundary goes into its parent. Loops need nothing special. Memory and work grow with the number of joints. */
#ifndef LINKS_ELIMINATION_H
#define LINKS_ELIMINATION_H

#include <stdbool.h>

enum { FRONT_ROWS = 6, FRONT_BODIES = 4 }; /* rows of a joint and bodies of a gear, at most */

struct front_joint {
  int body[FRONT_BODIES], first, count; /* -1: the ground, or fewer bodies; rows */
};

struct front {     /* the elimination of one joint */
  int pivot, size; /* rows eliminated, and with the boundary */
  int *row;        /* (size) numbers in the system: rows of the joint, then rows of the boundary, ascending */
  double *F;       /* (size, size): factors of the pivot, and the boundary's rows */
  int *place;      /* (size - pivot) where the parent has the rows of the boundary */
  int body[FRONT_BODIES], bodies; /* that it brings in */
  int parent;                     /* the front that takes what it leaves; -1: none */
};

struct elimination {
  int joints, bodies, count;
  int levels; /* of fronts, one above the other */
  struct front_joint *joint;
  struct front *front; /* (count) a front comes after those whose parent it is */
};

/* Floating-point operations of one factorisation and of one solve, from the sizes of the fronts, without those of add(). path: of
 * both together along the longest way from a first front to a last one, which as many threads as there are fronts would need. */
struct elimination_cost {
  double factor, solve, path;
};

/* Copies the joints. False: out of memory. */
bool elimination_make(struct elimination *o, const struct front_joint *joint, int joints, int bodies);
void elimination_free(struct elimination *o);
/* False: out of memory. */
bool elimination_count(const struct elimination *o, struct elimination_cost *cost);
/* add() adds D_b' M_b^-1 D_b over the rows of a front to its F. compliance: (rows). False: singular. */
bool elimination_factor(struct elimination *o, void (*add)(const void *user, struct front *f, int body),
                        const void *user, const double *compliance);
/* r becomes z. */
void elimination_solve(const struct elimination *o, double *r);

#endif
