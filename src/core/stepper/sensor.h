/* SPDX-License-Identifier: MIT
 * Readings of the sensors: the readings of a start, and the sample of a step that has ended. RT. */
#ifndef STEPPER_SENSOR_H
#define STEPPER_SENSOR_H

#include "kernels/data.h"

void sensors_begin(const ali3_model *m, ali3_data *d);
void sensors_take(const ali3_model *m, ali3_data *d);

#endif
