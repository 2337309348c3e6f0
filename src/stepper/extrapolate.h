/* SPDX-License-Identifier: MIT
 * Extrapolated steps: of data that have twins. RT. */
#ifndef STEPPER_EXTRAPOLATE_H
#define STEPPER_EXTRAPOLATE_H

#include "stepper/data.h"

enum { EXTRAPOLATE_PARTS = 3 }; /* inner steps of the data's own branch */

/* From delta and c as they were set, those of both branches. */
void extrapolate_lengths(const ali3_model *m, ali3_data *d);
/* ALI3_OK or ALI3_E_SINGULAR. */
int extrapolate_prepare(const ali3_model *m, ali3_data *d);
/* Commands have arrived, after the prepare. */
void extrapolate_aim(const ali3_model *m, ali3_data *d);
/* From `after` the start of the step on; status and increment as of inner_iterate(), or ALI3_E_SINGULAR. */
int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment);
/* The branch that failed first; d where no twin did, or there are no twins. */
const ali3_data *extrapolate_failed(const ali3_data *d);

#endif
