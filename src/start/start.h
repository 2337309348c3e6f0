/* SPDX-License-Identifier: MIT
 * Set-up: what the initial state is found with. */
#ifndef START_START_H
#define START_START_H

#include "stepper/data.h"

/* --- assemble.c --- */

/* Moves positions until all rigid rows are met, and judges how far bodies were moved; needs Phi, J, delta and c at the
 * state. Fills d->initial but for the velocities. A mechanism that fits is left as it is, to the last bit.
 * ALI3_OK, ALI3_E_ASSEMBLE or ALI3_E_SINGULAR. */
int assemble(const ali3_model *m, ali3_data *d);

/* --- openings.c --- */

/* Coordinate at which a drive begins. */
double drive_begins(const struct drive *drive);
/* The joint, or else the drive, that is furthest open as given, -1 each if all are closed; how far in m or rad. */
struct opening_worst {
  int joint, force;
  double size;
};
struct opening_worst openings_worst(const ali3_model *m);
/* In words, the largest ones in the order of the model, and how many more there are. Returns how many are open. */
int openings_list(const ali3_model *m, char *text, size_t size);
/* "300 mm", "2.0 degrees" */
void openings_length_text(double x, char text[24]);
void openings_angle_text(double x, char text[24]);

/* --- carried.c --- */

/* Initial velocities of carried bodies; false: nothing holds one of them. */
bool carried_velocities(const ali3_model *m, ali3_data *d);
/* After a failed condensation: which body, and in which direction. */
void carried_report(const ali3_model *m, ali3_data *d);

/* --- penalty.c --- */

/* delta of every body and the compliance of every row for the inner step, 1/alpha as in the papers or, alpha 0, relative to the
 * row's own entry of J delta J', so that one number serves all sizes and units; the normalisation gets its penalty by the same
 * measure. Soft rows are opened: while the initial state is found they take no part in it, but where they hold a carried body. */
void penalty_set(const ali3_model *m, ali3_data *d, double alpha);
void penalty_open(const ali3_model *m, ali3_data *d);
/* Needs the factors, soft rows open. */
void penalty_find_stiff(const ali3_model *m, ali3_data *d);
/* soft.mobility, after penalty_find_stiff(); false: a pivot is not positive. */
bool penalty_find_mobility(const ali3_model *m, ali3_data *d);
/* Stiffness of a law over an inner step; spring: without its damping. 0: it does not spring. */
double penalty_stiffness(const struct law *law, const struct rule *rule, bool spring);
/* J delta J' of row k of a link, rule.h times the inverse of its effective mass: of its bodies alone, and as the rigid
 * rows let them move. The latter needs the factors, soft rows open, and spoils w. */
double penalty_entry(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k);
double penalty_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k);

/* --- finite.c --- */

/* Each body, joint, force and sensor as read from outside. False: names the first that is not, in the report. */
bool start_is_finite(const ali3_model *m, ali3_data *d);

#endif
