/* SPDX-License-Identifier: MIT
 * The signals of sensors: their names (set-up), and their values (loop code). */
#include "signals/signals_parts.h"

#include "model/sensor_rate.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <stdlib.h>
#include <string.h>

/* Units of the one value that a sensor reads, and of the rate of that value. */
struct reading_units {
  const char *value, *rate;
};

/* Without `default`: the compiler names a new type that is missing. */
static struct reading_units reading_units_of(const ali3_model *m, const ali3_sensor_spec *s)
{
  static const struct reading_units angle = {"rad", "rad/s"}, length = {"m", "m/s"};
  switch (s->type) {
  case ALI3_SENSOR_ENCODER:
    return ali3_model_joint_type(m, s->joint) == ALI3_JOINT_REVOLUTE ? angle : length;
  case ALI3_SENSOR_LOAD_CELL:
    return (struct reading_units){ali3_model_force_turns(m, s->force) ? "N m" : "N", NULL};
  case ALI3_SENSOR_ANGLE:
    return angle;
  case ALI3_SENSOR_DISTANCE:
    return length;
  /* Types without one value. */
  case ALI3_SENSOR_POINT:
  case ALI3_SENSOR_POSE:
  case ALI3_SENSOR_IMU:
  case ALI3_SENSOR_TYPES:
    break;
  }
  return (struct reading_units){"", ""};
}

/* value, rate, quality */
static void walk_reading(struct walk *w, const char *prefix, const ali3_model *m, const ali3_sensor_spec *s)
{
  const struct reading_units units = reading_units_of(m, s);
  walk_group(w, prefix, "value", units.value, NULL, 1);
  if (sensor_has_rate(s->type)) walk_group(w, prefix, "rate", units.rate, NULL, 1);
  walk_group(w, prefix, "quality", "", NULL, 1);
}

void walk_sensor(struct walk *w, const ali3_model *m, int sensor)
{
  const ali3_sensor_spec spec = ali3_model_sensor_spec(m, sensor);
  char *prefix = walk_join(w, "sensor.", spec.name, ".", "");
  if (!prefix) return;
  bool pose = spec.type == ALI3_SENSOR_POSE;
  /* One value, an imu, or the motion of a frame. */
  if (ali3_sensor_type_readings(spec.type) == 1) {
    walk_reading(w, prefix, m, &spec);
  } else if (spec.type == ALI3_SENSOR_IMU) {
    walk_group(w, prefix, "specific_force", "m/s^2", walk_xyz, 3);
    walk_group(w, prefix, "angular_velocity", "rad/s", walk_xyz, 3);
  } else {
    walk_group(w, prefix, "position", "m", walk_xyz, 3);
    if (pose) walk_group(w, prefix, "orientation", "", walk_e0123, 4);
    walk_group(w, prefix, "velocity", "m/s", walk_xyz, 3);
    if (pose) walk_group(w, prefix, "angular_velocity", "rad/s", walk_xyz, 3);
    walk_group(w, prefix, "acceleration", "m/s^2", walk_xyz, 3);
    if (pose) walk_group(w, prefix, "angular_acceleration", "rad/s^2", walk_xyz, 3);
  }
  free(prefix);
}

void signals_observe_sensor(const ali3_model *m, const ali3_data *d, int sensor, double *values)
{
  _Static_assert(offsetof(ali3_sensor_state, specific_force) == sizeof(ali3_body_state),
                 "a pose's signals begin as ali3_sensor_state does");
  ali3_sensor_state x;
  ali3_reading reading;
  const ali3_sensor_type type = ali3_model_sensor_type(m, sensor);
  if (ali3_sensor_type_readings(type) > 0)
    ali3_sensor_read(m, d, sensor, &reading);
  else
    ali3_sensor_get(m, d, sensor, &x);
  /* In the order of walk_sensor(). */
  if (ali3_sensor_type_readings(type) == 1) {
    *values++ = reading.value[0];
    if (sensor_has_rate(type)) *values++ = reading.rate;
    *values = reading.good;
    return;
  }
  switch (type) {
  case ALI3_SENSOR_IMU:
    memcpy(values, reading.value, sizeof reading.value);
    break;
  case ALI3_SENSOR_POSE:
    memcpy(values, &x, sizeof(ali3_body_state));
    break;
  default:
    memcpy(values, x.position, sizeof x.position);
    memcpy(values + 3, x.velocity, sizeof x.velocity);
    memcpy(values + 6, x.acceleration, sizeof x.acceleration);
  }
}
