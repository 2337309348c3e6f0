/* SPDX-License-Identifier: MIT
 * The regions of absolute stability of the explicit methods and of extrapolation. */
#ifndef DYNAMICS_REGION_H
#define DYNAMICS_REGION_H

#include <ali3/options.h>

/* A mode x'' + damping x' + stiffness x = 0: stiffness per s^2, damping per s, both 0 or more. */
struct mode {
  double stiffness, damping;
};

/* RT. The longest step, s, in which the method does not amplify the mode; INFINITY for a mode at rest. */
double region_longest_step(ali3_method method, struct mode mode);

/* Largest magnitude by which an extrapolated step of dt multiplies the mode: the combination of one, two and three steps of the
 * trapezoidal rule. Above 1 the mode grows. */
double region_extrapolated_growth(struct mode mode, double dt);

#endif
