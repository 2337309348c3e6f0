/* SPDX-License-Identifier: MIT
 * Rigid rows that do not close, and the elements that cause it; rotations beyond an inner step or a bushing. RT. */
#ifndef STEPPER_VIOLATION_H
#define STEPPER_VIOLATION_H

#include "kernels/data.h"

#define VIOLATION_POSITION 1e-5 /* relative to the size of the mechanism, or rad: see ali3_step() */
#define VIOLATION_VELOCITY 1e-3 /* per step, relative to the size of the mechanism, or rad */

/* Resets the violation to none. */
void violation_none(ali3_violation *v);
/* After project_norms(): ALI3_OK, ALI3_VIOLATED or ALI3_E_VIOLATED, and d->violation. */
int violation_judge(const ali3_model *m, ali3_data *d);
/* The velocities that the drives ask for contradict each other. */
bool violation_at_start(const ali3_model *m, ali3_data *d);
/* Starts from the last good state with the targets of a failed step, and names the drives that cannot reach them. It changes
 * the state. */
void violation_blame(const ali3_model *m, ali3_data *d);
/* Fills in the positions of the named drives, after the last good state and its targets are restored. */
void violation_locate(const ali3_model *m, ali3_data *d);

/* rotation.c. rotation_judge: at the end of an inner step that a fast body began; it fills d->turned. rotation_status: ALI3_OK or
 * ALI3_UNRESOLVED, with the body or joint in the report. */
void rotation_judge(const ali3_model *m, ali3_data *d);
int rotation_status(ali3_data *d);
/* At the end of a step: a bushing passed half a turn in it, or the points of a spring_damper or end_stop passed each other.
 * before: states at its start. */
void rotation_judge_elements(const ali3_model *m, ali3_data *d, const double *before);
/* At the start of a step that failed: names the body or joint whose rotation an inner step does not resolve. */
void rotation_blame(const ali3_model *m, ali3_data *d);
/* rad, the turn in an inner step above which points off the axis are not resolved. */
double rotation_most(const ali3_model *m);

#endif
