/* SPDX-License-Identifier: MIT
 * The rows of absolute coordinates by velocities: of the centre of mass along world axes, and of rotation about
 * them, 6 numbers for each body. This Jacobian has no part along p, and p'p = 1 is no row of it.
 *
 * Every row is bilinear in vectors that turn with bodies: U . V, U . d, d . d, where d is from a point of body a to
 * one of body b. Between two poses that differ by a Cayley rotation, a vector changes by theta x (mean of both), so
 *
 *   Phi(1) - Phi(0) = J_m (displacements, rotations theta)     exactly,
 *
 * if each vector in J_m is the mean of both poses. */
#ifndef COORDINATES_GEOMETRIC_H
#define COORDINATES_GEOMETRIC_H

#include "coordinates/absolute.h"

enum { GEOMETRIC_BODY = 6 };

struct pose { /* place and orientation of a body */
  double r[3], p[4], R[9];
};

/* (bodies) poses of the coordinates q, p brought to unit length. */
void geometric_poses(const struct problem *p, const double *q, struct pose *x);
/* Phi of all joints, (rows). Rows of drives and gears are left as they are: forces_mean.h. */
void geometric_residual(const struct problem *p, const struct pose *x, double *Phi);
/* J_m between the poses x0 and x1, (rows, 6 bodies); with x0 = x1 the Jacobian there. Rows of drives and gears are 0. */
void geometric_jacobian(const struct problem *p, const struct pose *x0, const struct pose *x1, double *J);

#endif
