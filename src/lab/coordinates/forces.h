/* SPDX-License-Identifier: MIT
 * Loads, force elements, drives and gears of a model in any coordinates, by the compiled rows and the laws of the core
 * (dynamics/rows.h, dynamics/laws.h). A description says where the bodies are and what a load on a body does to its
 * coordinates (struct mover); everything else is here. No input acts: a motor gives no force, an external drive holds
 * the coordinate of the start, valves are closed and windings have no voltage. */
#ifndef COORDINATES_FORCES_H
#define COORDINATES_FORCES_H

#include "coordinates/problem.h"
#include "dynamics/body.h"

/* The bodies of a model at one state of a problem. */
struct mover {
  const void *user;
  /* Place and velocity of a body; accelerations stay 0. */
  void (*state)(const void *user, int body, struct body_state *x);
  /* o += the generalised force of y on a body: force at its centre of mass (world axes), torque (body axes), part along p. */
  void (*load)(const void *user, int body, const struct body_state *x, const double y[BODY_Y], double *o);
};

/* Force elements such as cylinders and motors have states of their own. forces_owns() counts these states, in the order of the
 * stepper, and forces_own_read() reads them. Integrators use scaled values: the oil of a chamber is the travel of the piston that
 * it fills, in m, so that tolerances of lengths suit it. */
int forces_owns(const ali3_model *m);
void forces_own_read(const ali3_model *m, const ali3_data *d, double *own);
/* rate: (forces_owns()) time derivatives of these states. No input acts: valves are closed, and voltages are 0. */
void forces_own_rates(const ali3_model *m, const struct instant *now, const struct mover *at, double *rate);
/* False, with the reason in *why: a current that has no rate. */
bool forces_check_own(const ali3_model *m, struct lab_refusal *why);
/* False, with the reason in *why: a body without inertia. */
bool forces_check_bodies(const ali3_model *m, struct lab_refusal *why);
/* Something other than weight loads the bodies. */
bool forces_load(const ali3_model *m);
/* f += the generalised forces of all loads and soft force elements. */
void forces_add(const ali3_model *m, const struct instant *now, const struct mover *at, double *f);
/* o += their stiffness times k, plus their damping times c, (n, n), positive semidefinite. gradient: (n) to work with. */
void forces_add_slopes(const ali3_model *m, const struct instant *now, const struct mover *at, double k,
                       double c, int n, double *gradient, double *o);
/* Energy stored in springs, J. */
double forces_energy(const ali3_model *m, const struct instant *now, const struct mover *at);

/* Drives and gears: one row each, in the order of the model. */
int forces_rows(const ali3_model *m);
/* Force of the model whose row it is, and its bodies (4), ALI3_GROUND where it has fewer. */
int forces_row_owner(const ali3_model *m, int row, int body[4]);
/* Phi: coordinate less that of the drive's motion, (forces_rows()), and the gradients (forces_rows(), n), to which it adds. */
void forces_row_values(const ali3_model *m, const struct instant *now, const struct mover *at, int n,
                       double *Phi, double *Phi_q);
/* The coordinate alone, of one row. */
double forces_row_value(const ali3_model *m, int row, const struct instant *now, const struct mover *at);
/* d(Phi_q)/dt q' less the acceleration of the drive's motion. */
void forces_row_bias(const ali3_model *m, const struct instant *now, const struct mover *at, double *bias);
/* o (m) = Phi_t: 0 except for drives, whose rows have less the rate of their motion. */
void forces_row_time(const struct problem *p, double time, double *o);
/* The drive's motion in the row at a time: its place, rate and acceleration; 0 for a gear. */
void forces_row_motion(const ali3_model *m, int row, double time, double motion[3]);

/* Angles of revolute joints go on with the bodies: turn (joints) becomes the value nearest to what it was. */
void forces_follow_turns(const ali3_model *m, const struct mover *at, double *turn);

#endif
