/* SPDX-License-Identifier: MIT
 * The tread of a tyre: two deflections of its contact, along the wheel and across it, with a magic formula for combined slip.
 *
 *   u_i' = -v_i - r_i u_i,   F_i = k_i u_i + d_i u_i'     i: 0 along, 1 across; v: sliding, F: force on the wheel
 *   r_i  = (F0/(sigma_i Fz)) W/g(W/V),  W = |(c_i v_i/mu_i)|,  V: rolling speed,  k_i = c_i F0/sigma_i
 *   g(s) = sin(C atan((1 - E) s/C + E atan(s/C)))         slope 1 at 0, largest value 1
 *
 * So the steady force is mu Fz g of the slip, and for small slip the deflection has the relaxation length sigma Fz/F0. A wheel
 * that does not roll stands on the springs k. The force stays within the ellipse of mu_i Fz. d is in proportion to Fz. */
#ifndef ACTUATORS_TYRE_H
#define ACTUATORS_TYRE_H

#include "actuators/actuator.h"

#include <ali3/model.h>

enum tyre_state {
  TYRE_DEFLECTION = ACTUATOR_STATES, /* m, along and across */
  TYRE_STATES = TYRE_DEFLECTION + 2
};

/* How a wheel moves over the plane: the rates of the rows of a tyre after the first. */
struct tyre_motion {
  double sliding[2]; /* m/s, of the contact, along and across */
  double rolling;    /* m/s, of the centre, along */
};

struct tyre_way {
  struct tyre_motion start, end; /* motion at the start and at the end of the step */
  double load;                   /* N, mean over the step; 0 or more */
  double dt;                     /* s; 0: the states stay */
};

/* Everything here is RT. The deflections at the end of a step, and its losses by sliding and damping. mean: mean force on the
 * wheel over the step, N. slope: -d(mean)/d(sliding) of the end, 0 or more. */
void tyre_step(const ali3_force_spec *t, const struct tyre_way *way, const double *from, double *own,
               double mean[2], double slope[2]);
/* Force on the wheel at a state, N. */
void tyre_force(const ali3_force_spec *t, const double *own, const struct tyre_motion *motion, double load,
                double force[2]);
/* Stiffness of the tread along (0) or across (1), N/m. */
double tyre_stiffness(const ali3_force_spec *t, int i);
/* Energy of one deflection, J. */
double tyre_energy(const ali3_force_spec *t, const double *own, int i);
/* Slip -sliding/|rolling| along, at most 10, and angle of the slip, rad. Both 0 at standstill. */
void tyre_slip(const struct tyre_motion *motion, double *slip, double *angle);

#endif
