/* SPDX-License-Identifier: MIT
 * Set-up: functions that find the initial state. */
#ifndef ASSEMBLY_ASSEMBLY_H
#define ASSEMBLY_ASSEMBLY_H

#include "kernels/data.h"

/* --- reset.c --- */

/* A start at another time than 0. */
struct start_given {
  uint64_t step;                     /* steps since the reset of the run */
  const double *turn;                /* (joints) coordinates with full turns */
  const struct reference *reference; /* (drives) of external drives */
  bool given_rates;  /* velocities of bodies are those that a person gave, as in a model at its beginning */
  bool keep_outside; /* loads and commands from outside stay, and so do the states of forces */
  const double *own; /* (frozen.own) states of forces; NULL: as the model has them, or as they are */
};
/* Finds the state at the poses and velocities of the model; `given` NULL: at its beginning. Returns the status of
 * ali3_reset(). */
int start_find(const ali3_model *m, ali3_data *d, const struct start_given *given);

/* --- place.c --- */

/* ali3_place() in the floating-point mode of the library. */
ali3_status place_bodies(const ali3_model *m, ali3_data *d, const ali3_body_state *body, double time);

/* --- assemble.c --- */

/* Moves positions until all rigid rows are met, and compares the displacements with the options. Needs Phi, J, delta and c at
 * the state. Fills d->initial except the velocities. A mechanism that fits keeps its poses to the last bit. ALI3_OK,
 * ALI3_E_ASSEMBLE or ALI3_E_SINGULAR. */
int assemble(const ali3_model *m, ali3_data *d);

/* --- rates.c --- */

/* rate: (bodies) velocity of the centre of mass, world axes, and angular velocity, body axes, as the model gives them. joints:
 * with the rates of joints. along: (bodies) false at the call; nobody gave the velocity of the body, but it goes along with one
 * that moves, so that a joint with a rate on its far side gets it. False: out of memory. */
bool rates_given(const ali3_model *m, bool joints, double (*rate)[6], bool *along);
/* Moves the velocities that nobody gave onto the constraints if the given ones can stay; otherwise it changes no velocity. Where
 * drives move the other body of a joint with a rate, the rate of its own body follows. Needs the rows at the state; the factors
 * are those of another matrix after it. False: out of memory. */
bool rates_project(const ali3_model *m, ali3_data *d, bool joints, double (*rate)[6]);
/* Largest relative change of a given velocity, if the option assembly_velocity is 0. */
#define RATE_PART 0.1
/* Fills in the part of d->initial about given velocities that could not be met. */
void rates_compare(const ali3_model *m, ali3_data *d, const double (*rate)[6]);
/* The largest rate of a rigid row. */
double rates_open(const ali3_model *m, ali3_data *d);

/* --- velocities.c --- */

/* Moves velocities onto the constraints, by the smallest change in the norm of the mass matrix. Bodies without mass take the
 * velocities of their neighbours before. False: nothing holds one of them. */
bool velocities_meet_constraints(const ali3_model *m, ali3_data *d);

/* --- openings.c --- */

/* The joint or the drive with the largest opening in the poses of the model; the other index is -1, and both are -1 if all are
 * closed. size: m or rad. */
struct opening_worst {
  int joint, force;
  double size;
};
struct opening_worst openings_worst(const ali3_model *m);
/* Writes the largest openings in the order of the model, and the number of the others. Returns the number of openings. */
int openings_list(const ali3_model *m, char *text, size_t size);
/* "300 mm", "2.0 degrees" */
void openings_length_text(double x, char text[24]);
void openings_angle_text(double x, char text[24]);

/* --- carried.c --- */

/* Finds the initial velocities of carried bodies. False: nothing holds one of them. */
bool carried_velocities(const ali3_model *m, ali3_data *d);
/* After a failed condensation: writes the body and its free direction into the report. */
void carried_report(const ali3_model *m, ali3_data *d);

/* --- penalty.c --- */

/* Sets delta of every body and the compliance of every row for the inner step: 1/alpha as in the papers. With alpha 0 it is
 * relative to the entry of the row in J delta J', so that one number suits all sizes and units. The normalisation gets its
 * penalty in this way, too. Soft rows are opened: they do not act while the initial state is found, unless they hold a
 * carried body. */
void penalty_set(const ali3_model *m, ali3_data *d, double alpha);
void penalty_open(const ali3_model *m, ali3_data *d);
/* Needs the factors, soft rows open. */
void penalty_find_stiff(const ali3_model *m, ali3_data *d);
/* soft.mobility, after penalty_find_stiff(); false: a pivot is not positive. */
bool penalty_find_mobility(const ali3_model *m, ali3_data *d);
/* Stiffness of a law over an inner step; spring: without its damping. 0: the law has no stiffness. */
double penalty_stiffness(const struct law *law, const struct rule *rule, bool spring);
/* J delta J' of row k of a link, which is rule.h times the inverse of its effective mass. penalty_entry: for free bodies.
 * penalty_mobility: with the rigid rows; it needs the factors with soft rows open, and overwrites w. */
double penalty_entry(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k);
double penalty_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k);

/* Motion of a body after the solve of penalty_mobility(), into o. */
void penalty_corrected(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y]);
/* penalty_mobility() of a row while solves are cheap, penalty_entry() after that. *work: flops of all calls so far. */
double penalty_row_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k,
                            double *work);

/* --- redundancy.c --- */

/* Whether some multipliers of the rigid rows load no body. Needs the factors with soft rows open; overwrites last.lambda. */
bool redundancy_found(const ali3_model *m, ali3_data *d);

/* --- stability.c --- */

/* True: the explicit method does not amplify a mode of the soft rows, or the method is not explicit. False: the report names the
 * force and the longest step. Fills soft.mobility, kg^-1 or (kg m^2)^-1, times the factor by which rows act together. It needs
 * the factors with soft rows open, and overwrites w. */
bool stability_judge(const ali3_model *m, ali3_data *d);

/* --- finite.c --- */

/* Every number that can be read of bodies, joints, forces and sensors is finite. False: the report names the first element with
 * another number. */
bool start_is_finite(const ali3_model *m, ali3_data *d);

#endif
