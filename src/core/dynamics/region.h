/* SPDX-License-Identifier: MIT
 * The regions of absolute stability of the explicit methods. */
#ifndef DYNAMICS_REGION_H
#define DYNAMICS_REGION_H

#include <ali3/model.h>

/* A mode x'' + damping x' + stiffness x = 0: stiffness per s^2, damping per s, both 0 or more. */
struct mode {
  double stiffness, damping;
};

/* RT. The longest step, s, in which the method does not amplify the mode; INFINITY for a mode at rest. */
double region_longest_step(ali3_method method, struct mode mode);

#endif
