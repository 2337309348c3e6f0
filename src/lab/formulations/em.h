/* SPDX-License-Identifier: MIT
 * The energy-momentum step: what em.c (the step) and em_system.c (its rows and their matrix) share. The numbers of equations are
 * those of em.c. */
#ifndef LAB_EM_H
#define LAB_EM_H

#include "coordinates/geometric.h"
#include "integrators/state.h"

struct fronts;

enum { EM_BODY = GEOMETRIC_BODY }; /* velocities of a body */

struct em {
  const struct problem *p;
  bool newton, projects;
  int rows, all, n;            /* rows of joints; with those of soft force elements; velocities */
  double h;                    /* s, of this step */
  double gravity[3];           /* m/s^2 */
  struct fronts *fronts;       /* em: factors of S over the rows of joints */
  struct fronts *soft_fronts;  /* em: over all rows; NULL: nothing is soft */
  double *S;                   /* em-newton: (all, all) factors of S over `factors` rows */
  int *pivot, factors;         /* (all) */
  struct pose *x0, *x1, *next; /* (bodies) ends of the step, and the end after the increment */
  struct pose *factored;       /* poses whose B is in the factors */
  double *v0, *v1, *v_next;    /* (n) */
  double *J_left, *J_f, *J;    /* (all, n); J_left: left of S in em-newton */
  double *R, *d, *B_load;      /* (n) */
  double *z;                   /* (all) */
  double *l, *law, *slope; /* (all - rows) mean forces of soft rows: unknowns, and by their laws; dL/dx1 */
  void *memory;
};

/* x := B x of all bodies, at the poses of the factors. */
void em_displacements(const struct em *o, double *x);
/* z: what the rows lack: Phi of joints at the end of the step, and (7) of soft rows, whose laws have been found. */
void em_residual(const struct lab_state *s, const struct em *o);
/* J_m between two poses, or the Jacobian at one, of the rows of joints. */
void em_jacobian(const struct lab_state *s, const struct em *o, const struct pose *x0, const struct pose *x1,
                 double *J);
/* Mean forces and slopes of soft rows from x0 to x1, by their laws. */
void em_find_laws(const struct lab_state *s, const struct em *o);
/* The scaled soft rows, as of em_jacobian(), after those of joints. */
void em_soft_rows(const struct lab_state *s, const struct em *o, const struct pose *x0, const struct pose *x1,
                  double *J);
/* R -= mean loads, with the forces l of soft rows. */
void em_take_loads(const struct lab_state *s, const struct em *o);
/* l += z of soft rows. */
void em_add_forces(const struct lab_state *s, const struct em *o);
/* Factors at the poses x, where J_f has been made; with soft rows, or of those of joints alone. left: of S in em-newton. False:
 * singular. */
bool em_factor(const struct lab_state *s, struct em *o, const struct pose *x, const double *left, bool soft);
/* x := S^-1 x by these factors. em keeps both kinds. */
void em_solve(const struct em *o, double *x, bool soft);

#endif
