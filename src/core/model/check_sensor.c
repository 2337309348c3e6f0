/* SPDX-License-Identifier: MIT
 * Checks of sensors and of their measuring chains. */
#include "math/euler.h"
#include "model/model_parts.h"

#include <ali3/model.h>
#include <string.h>

#define REFUSE(field, ...) model_refuse(m, ALI3_E_MODEL, "sensor", field, __VA_ARGS__)

static int check_sensor_frame(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  int status = model_check_body_index(m, "sensor", "body", s->body, false);
  if (status < 0) return status;
  REQUIRE_WITHIN("sensor", s->name, "point", s->point, BOUND_LENGTH, "m");
  own->body = s->body;
  memcpy(own->point, s->point, sizeof own->point);
  /* A point has the axes of the body; a pose and an imu need an orientation of norm 1. */
  if (s->type == ALI3_SENSOR_POINT) return ALI3_OK;
  REQUIRE_FINITE("sensor", "orientation", s->orientation);
  const double norm = model_divisor(s->orientation, 4);
  if (fabs(norm - 1.0) > 1e-3)
    return REFUSE("orientation", "sensor '%.60s': expected Euler parameters of norm 1, found norm %g",
                  s->name, norm);
  for (int i = 0; i < 4; i++) own->orientation[i] = s->orientation[i] / norm;
  return ALI3_OK;
}

static int check_sensor_ends(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  int status = model_check_body_index(m, "sensor", "body", s->body, false);
  if (status < 0) return status;
  status = model_check_body_index(m, "sensor", "body_b", s->body_b, true);
  if (status < 0) return status;
  if (s->body == s->body_b)
    return REFUSE("body_b", "sensor '%.60s': expected two different bodies, found one body twice", s->name);
  own->body = s->body;
  own->body_b = s->body_b;
  /* A distance has points, an angle has an axis. */
  if (s->type == ALI3_SENSOR_DISTANCE) {
    REQUIRE_WITHIN("sensor", s->name, "point", s->point, BOUND_LENGTH, "m");
    REQUIRE_WITHIN("sensor", s->name, "point_b", s->point_b, BOUND_LENGTH, "m");
    memcpy(own->point, s->point, sizeof own->point);
    memcpy(own->point_b, s->point_b, sizeof own->point_b);
    return ALI3_OK;
  }
  const double norm = model_divisor(s->axis, 3);
  if (!(isfinite(norm) && norm > 1e-9))
    return REFUSE("axis", "sensor '%.60s': expected an axis of length above 0, found length %g", s->name,
                  norm);
  for (int i = 0; i < 3; i++) own->axis[i] = s->axis[i] / norm;
  REQUIRE_NUMBER("sensor", s->name, "start", s->start, BOUND_LENGTH, "rad");
  own->start = s->start;
  return ALI3_OK;
}

static int check_encoder(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  if (s->joint < 0 || s->joint >= m->joints)
    return REFUSE("joint", "sensor '%.60s': expected the index of a joint", s->name);
  const ali3_joint_type type = m->joint[s->joint].spec.type;
  if (type != ALI3_JOINT_REVOLUTE && type != ALI3_JOINT_PRISMATIC)
    return REFUSE("joint", "sensor '%.60s': expected a revolute or prismatic joint, found a %s joint",
                  s->name, ali3_joint_type_name(type));
  own->joint = s->joint;
  return ALI3_OK;
}

static int check_load_cell(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  if (s->force < 0 || s->force >= m->forces)
    return REFUSE("force", "sensor '%.60s': expected the index of a force element", s->name);
  if (m->force[s->force].spec.type == ALI3_FORCE_BUSHING)
    return REFUSE("force",
                  "sensor '%.60s': a bushing has three forces and three torques, a load cell reads one: "
                  "expected another force element",
                  s->name);
  own->force = s->force;
  return ALI3_OK;
}

/* The numbers of element `at`: an imu has two. */
static int check_channel_numbers(ali3_model *m, const ali3_sensor_spec *s, int at)
{
  const char *const noise = at ? "angular_noise" : "noise",
                    *const resolution = at ? "angular_resolution" : "resolution",
                    *const upper = at ? "angular_upper" : "upper",
                    *const scale = at ? "angular_scale_error" : "scale_error";
  /* Noise, resolution, limits and scale. */
  if (!(s->noise[at] >= 0.0 && s->noise[at] <= BOUND_LOAD))
    return REFUSE(noise, "sensor '%.60s': expected a noise of 0 or more, found %g", s->name, s->noise[at]);
  if (!(s->resolution[at] >= 0.0 && s->resolution[at] <= BOUND_LOAD))
    return REFUSE(resolution, "sensor '%.60s': expected a resolution of 0 or more, found %g", s->name,
                  s->resolution[at]);
  if (!(s->lower[at] <= s->upper[at] && fabs(s->lower[at]) <= BOUND_LOAD && fabs(s->upper[at]) <= BOUND_LOAD))
    return REFUSE(upper, "sensor '%.60s': expected an upper limit above the lower limit, found %g and %g",
                  s->name, s->upper[at], s->lower[at]);
  if (!(fabs(s->scale_error[at]) <= 1.0))
    return REFUSE(scale, "sensor '%.60s': expected an error of the scale from -1 to 1, found %g", s->name,
                  s->scale_error[at]);
  return ALI3_OK;
}

/* Numbers of one value, which an imu has for each axis, or not at all. */
static int check_biases(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  if (s->type != ALI3_SENSOR_IMU) {
    REQUIRE_NUMBER("sensor", s->name, "stuck_at", s->stuck_at, BOUND_LOAD, "of its unit");
    own->stuck_at = s->stuck_at;
    REQUIRE_NUMBER("sensor", s->name, "bias", s->bias, BOUND_LOAD, "of its unit");
    own->bias = s->bias;
    return ALI3_OK;
  }
  for (int i = 0; i < 3; i++) {
    REQUIRE_NUMBER("sensor", s->name, "force_bias", s->force_bias[i], BOUND_LOAD, "in m/s^2");
    REQUIRE_NUMBER("sensor", s->name, "angular_bias", s->angular_bias[i], BOUND_LOAD, "in rad/s");
    own->force_bias[i] = s->force_bias[i];
    own->angular_bias[i] = s->angular_bias[i];
  }
  return ALI3_OK;
}

static int check_measuring_chain(ali3_model *m, const ali3_sensor_spec *s, ali3_sensor_spec *own)
{
  const int kinds = s->type == ALI3_SENSOR_IMU ? 2 : 1;
  for (int i = 0; i < kinds; i++) {
    const int status = check_channel_numbers(m, s, i);
    if (status < 0) return status;
    own->noise[i] = s->noise[i];
    own->lower[i] = s->lower[i];
    own->upper[i] = s->upper[i];
    own->resolution[i] = s->resolution[i];
    own->scale_error[i] = s->scale_error[i];
  }
  /* Filter and delay. */
  if (!(s->cutoff >= 0.0 && s->cutoff <= BOUND_RATE))
    return REFUSE("cutoff", "sensor '%.60s': expected a frequency of 0 Hz or more, found %g", s->name,
                  s->cutoff);
  if (s->filter_order < 0 || s->filter_order > 2)
    return REFUSE("filter_order", "sensor '%.60s': expected a filter of order 1 or 2, found %d", s->name,
                  s->filter_order);
  if (!(s->delay >= 0.0 && s->delay <= BOUND_STEP))
    return REFUSE("delay", "sensor '%.60s': expected a delay of 0 s or more, found %g", s->name, s->delay);
  /* Faults. */
  const int most = kinds == 2 ? 1 : 2;
  if (s->stuck < 0 || s->stuck > most)
    return REFUSE("stuck", "sensor '%.60s': expected 0 to %d, found %d", s->name, most, s->stuck);
  own->cutoff = s->cutoff;
  own->filter_order = s->filter_order;
  own->delay = s->delay;
  own->seed = s->seed;
  own->stuck = s->stuck;
  return check_biases(m, s, own);
}

static void find_angle_reference(const ali3_model *m, const ali3_sensor_spec *s, double reference[4])
{
  static const double PLAIN[4] = {1.0, 0.0, 0.0, 0.0};
  const double *a = m->body[s->body].spec.orientation,
               *b = s->body_b == ALI3_GROUND ? PLAIN : m->body[s->body_b].spec.orientation;
  p_mul(reference, (const double[4]){a[0], -a[1], -a[2], -a[3]}, b);
}

int model_check_sensor(ali3_model *m, const ali3_sensor_spec *s, struct sensor *out)
{
  int status = model_check_name(m, "sensor", &m->sensor_names, s->name);
  if (status < 0) return status;
  /* Fields that its type does not use keep these values. */
  *out = (struct sensor){
      .spec = {.type = s->type, .body = ALI3_GROUND, .body_b = ALI3_GROUND, .orientation = {1.0}}};
  switch (s->type) {
  case ALI3_SENSOR_POINT:
  case ALI3_SENSOR_POSE:
  case ALI3_SENSOR_IMU:
    status = check_sensor_frame(m, s, &out->spec);
    break;
  case ALI3_SENSOR_DISTANCE:
  case ALI3_SENSOR_ANGLE:
    status = check_sensor_ends(m, s, &out->spec);
    break;
  case ALI3_SENSOR_ENCODER:
    status = check_encoder(m, s, &out->spec);
    break;
  case ALI3_SENSOR_LOAD_CELL:
    status = check_load_cell(m, s, &out->spec);
    break;
  default:
    return REFUSE("type", "sensor '%.60s': expected a type of sensor, found %d", s->name, (int)s->type);
  }
  if (status >= 0 && ali3_sensor_type_readings(s->type) > 0) status = check_measuring_chain(m, s, &out->spec);
  if (status >= 0 && s->type == ALI3_SENSOR_ANGLE) find_angle_reference(m, &out->spec, out->reference);
  p_rotation(out->rotation, out->spec.orientation);
  return status < 0 ? status : ALI3_OK;
}
