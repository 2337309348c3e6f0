/* SPDX-License-Identifier: MIT
 * The types of sensors that read a rate beside their value. */
#ifndef MODEL_SENSOR_RATE_H
#define MODEL_SENSOR_RATE_H

#include <ali3/model.h>

/* A load cell has no rate: its force may jump. */
static inline bool sensor_has_rate(ali3_sensor_type type)
{
  return ali3_sensor_type_readings(type) == 1 && type != ALI3_SENSOR_LOAD_CELL;
}

#endif
