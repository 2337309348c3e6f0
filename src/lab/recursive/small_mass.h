/* SPDX-License-Identifier: MIT
 * Chains of point masses with springs and dampers, as in the problems of paper 4, through the recursion: the equations of
 * motion in joint coordinates as a residual for radau.h.
 *
 *   y = (q, u),    q' - u = 0,    B u' - g(q, u, t) = 0                                (25) (28)
 *
 * Model files have no joint that leaves a point just x and y, so these problems are built in. */
#ifndef RECURSIVE_SMALL_MASS_H
#define RECURSIVE_SMALL_MASS_H

#include "recursive/radau.h"
#include "recursive/recursion.h"

enum { SMALL_MASS_BODIES = 2, SMALL_MASS_SPRINGS = 4, SMALL_MASS_PLANE = 2 };

/* Acts along one axis between two points, slack where both have one coordinate; force on b: -c (p_b - p_a) - d (v_b - v_a). */
struct small_mass_spring {
  int a, b; /* -1: ground */
  int axis;
  double c, d; /* N/m, N s/m */
};

struct small_mass_problem {
  const char *name;
  int d, bodies, springs;
  struct small_mass_point {
    int predecessor;                /* -1: ground */
    bool is_free[SMALL_MASS_PLANE]; /* axes along which it moves beside its predecessor */
    double mass;                    /* kg */
    double position[SMALL_MASS_PLANE], velocity[SMALL_MASS_PLANE]; /* at the start, of the world */
  } point[SMALL_MASS_BODIES];
  struct small_mass_spring spring[SMALL_MASS_SPRINGS];
  double force, frequency; /* N, 1/s: force sin(frequency t) on point 0 along x */
};

/* m1 on the ground, m2 = 1 kg on m1, along x: (5). c1 = c2 = 100 N/m, d1 = d2, F = 10 N sin(2 t) on m1. */
struct small_mass_problem small_mass_oscillator(double m1, double damping);
/* Section 4, figure 3: 1: point j hangs on i by a spring along x; 2: by a rod. j is free along y. */
struct small_mass_problem small_mass_points(int number, double mi);

struct small_mass_run {
  struct small_mass_problem problem;
  struct tree tree;
  struct tree_body body[SMALL_MASS_BODIES];
  int n;                /* joint coordinates */
  double y[RADAU_MOST]; /* q, u: the state */
};

/* The start. Velocities of directions without mass follow from (28b). NULL: it can run; else why not, a static text. */
const char *small_mass_start(struct small_mass_run *o, const struct small_mass_problem *problem);
/* To the time `end` (s), from `t`. False: the integration failed. */
bool small_mass_run_to(struct small_mass_run *o, double t, double end, double tolerance,
                       struct radau_result *result);
/* Positions of the points now, (bodies, d), m. */
void small_mass_positions(const struct small_mass_run *o, double *position);

#endif
