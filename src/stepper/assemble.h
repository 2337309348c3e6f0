/* SPDX-License-Identifier: MIT
 * Set-up: what the initial state asks of assemble.c and openings.c. */
#ifndef STEPPER_ASSEMBLE_H
#define STEPPER_ASSEMBLE_H

#include "stepper/stepper.h"

/* Moves positions until all rigid rows are met, and judges how far bodies were moved; needs Phi, J, delta and c at the
 * state. Fills d->initial but for the velocities. A mechanism that fits is left as it is, to the last bit.
 * ALI3_OK, ALI3_E_ASSEMBLE or ALI3_E_SINGULAR. */
int assemble(const ali3_model *m, ali3_data *d);
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

#endif
