/* SPDX-License-Identifier: MIT
 * Rigid rows that are open, and who is to blame. RT. */
#ifndef STEPPER_VIOLATION_H
#define STEPPER_VIOLATION_H

#include "stepper/data.h"

#define VIOLATION_POSITION 1e-5 /* of the size of the mechanism, or rad: see ali3_step() */
#define VIOLATION_VELOCITY 1e-3 /* per step, of the same */

/* Nothing is open. */
void violation_none(ali3_violation *v);
/* After project_norms(): ALI3_OK, ALI3_VIOLATED or ALI3_E_VIOLATED, and d->violation. */
int violation_judge(const ali3_model *m, ali3_data *d);
/* The velocities that the drives ask for contradict each other. */
bool violation_at_start(const ali3_model *m, ali3_data *d);
/* At the last good state, with the aims of a step that failed: names the drives that cannot go there. Leaves another state. */
void violation_blame(const ali3_model *m, ali3_data *d);
/* Once the last good state and its aims are back: where those drives are. */
void violation_locate(const ali3_model *m, ali3_data *d);

#endif
