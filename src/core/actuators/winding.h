/* SPDX-License-Identifier: MIT
 * The winding of an electric motor: a current, which a voltage drives and the motion of the joint opposes.
 *
 *   L i' = u - R i - k w,   torque = k i       w: rate of the coordinate; the multiplier is minus the torque
 *
 * The controller of the motor limits u and i. */
#ifndef ACTUATORS_WINDING_H
#define ACTUATORS_WINDING_H

#include "actuators/actuator.h"

#include <ali3/model.h>
#include <stdbool.h>

enum winding_state { WINDING_CURRENT = ACTUATOR_STATES, WINDING_VOLTAGE, WINDING_STATES };

/* The rate of the coordinate over a step, and the voltage that is asked for during the step. */
struct winding_way {
  double rate0, rate; /* at the start and at the end */
  double dt;          /* s; 0: the states stay */
  double voltage;
};

/* Everything here is RT. */
void winding_begin(const ali3_force_spec *w, double *own);
/* The states at the end of a step. *slope: -d(torque)/d(rate) of the end, 0 or more. */
void winding_step(const ali3_force_spec *w, const struct winding_way *way, const double *from, double *own,
                  double *slope);
/* The current meets its limit in a step from and to these states, or leaves it. */
bool winding_crosses(const ali3_force_spec *w, const double *from, const double *own);
double winding_torque(const ali3_force_spec *w, const double *own);
/* Energy of the winding, J. */
double winding_energy(const ali3_force_spec *w, const double *own);

#endif
