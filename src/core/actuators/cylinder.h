/* SPDX-License-Identifier: MIT
 * A hydraulic cylinder with its valve: volumes of oil, pressures, flows and force. x is the distance of its points.
 *
 *   V_a = dead_a + A_a s,  V_b = dead_b + A_b (stroke - s),  s = x - retracted
 *   p   = E (O/V - 1) for each chamber, at least CYLINDER_VACUUM
 *   F   = p_a A_a - p_b A_b - damping x'        pushes the points apart; the multiplier is -F
 *   O'  = flow through the valve and past the piston
 *
 * O is the volume of the oil at pressure 0. The pressures follow from O and x, so a closed valve keeps an exact oil spring. */
#ifndef ACTUATORS_CYLINDER_H
#define ACTUATORS_CYLINDER_H

#include "actuators/actuator.h"

#include <ali3/model.h>
#include <stdbool.h>

#define CYLINDER_VACUUM (-1e5) /* Pa: oil cavitates */

/* The states of a cylinder. */
enum cylinder_state {
  CYLINDER_OIL = ACTUATOR_STATES,    /* m^3, chambers a and b */
  CYLINDER_SPOOL = CYLINDER_OIL + 2, /* -1 .. 1 */
  CYLINDER_STATES
};

/* The way of the coordinate over a step, and the command of the valve during the step. */
struct cylinder_way {
  double x0, rate0; /* m, m/s at the start */
  double x;         /* m at the end */
  double dt;        /* s; 0: the states stay */
  double command;
};

/* Everything here is RT. States with a chamber at these pressures, the spool at rest, and no energy spent. */
void cylinder_begin(const ali3_force_spec *c, double x, const double pressure[2], double *own);
/* Pressures of both chambers that make the force F with as little pressure as possible, and not less than that of the tank. */
void cylinder_hold(const ali3_force_spec *c, double force, double pressure[2]);

/* The states at the end of a step. *slope: -dF/dx of the end, with the oil that flows in the step. 0 or more. */
void cylinder_step(const ali3_force_spec *c, const struct cylinder_way *way, const double *from, double *own,
                   double *slope);
/* -F at a state, without the flow in a step. *slope: its derivative by x, plus v_d times that by the rate. */
double cylinder_force(const ali3_force_spec *c, const double *own, double x, double rate, double v_d,
                      double *slope);
/* Mean of -F over a step whose ends have the states from and own: the work is the change of the stored energy with the mean of
 * both oils. slope_end: that of cylinder_step(). *slope: the derivative by the x of the end. */
double cylinder_mean(const ali3_force_spec *c, const struct cylinder_way *way, const double *from,
                     const double *own, double slope_end, double *slope);

/* Energy stored in the oil, J. */
double cylinder_energy(const ali3_force_spec *c, const double *own, double x);
void cylinder_pressures(const ali3_force_spec *c, const double *own, double x, double pressure[2]);
/* Flow through the valve into both chambers, m^3/s of oil at pressure 0. */
void cylinder_flows(const ali3_force_spec *c, const double *own, double x, double flow[2]);
/* A step from and to these states crosses a corner of the laws: an edge opens or closes, a chamber begins or ceases to cavitate,
 * or the piston leaves its travel. */
bool cylinder_crosses(const ali3_force_spec *c, const struct cylinder_way *way, const double *from,
                      const double *own);
/* The pull of the supply on the rod side, N. */
double cylinder_pull(const ali3_force_spec *c);
/* Largest stiffness of both chambers over the travel, N/m. */
double cylinder_stiffest(const ali3_force_spec *c);

#endif
