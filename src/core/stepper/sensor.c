/* SPDX-License-Identifier: MIT
 * Loop code: the motion of a point on a body, computed from the state of the body alone, without differences or filters.
 *
 *   v = r' + R (w x s),   a = r'' + R (w' x s + w x (w x s)),   w, w' in body axes */
#include "math/euler.h"
#include "stepper/elements.h"

#include <assert.h>

static void point_of(const struct body_state *x, const double R[9], const double point[3], const double w[3],
                     const double wd[3], ali3_point_state *o)
{
  double turn[3], a[3], in[3], arm[3];
  v3_cross(turn, w, point);
  v3_cross(a, wd, point);
  v3_cross(in, w, turn);
  v3_axpy(a, 1.0, in);
  v3_copy(o->position, x->r);
  v3_copy(o->velocity, x->rd);
  v3_copy(o->acceleration, x->rdd);
  m3_mul(arm, R, point);
  v3_axpy(o->position, 1.0, arm);
  m3_mul(arm, R, turn);
  v3_axpy(o->velocity, 1.0, arm);
  m3_mul(arm, R, a);
  v3_axpy(o->acceleration, 1.0, arm);
}

void ali3_point_get(const ali3_model *m, const ali3_data *d, int body, const double point[3],
                    ali3_point_state *o)
{
  assert(body >= ALI3_GROUND && body < m->bodies);
  const struct body_state x = stored_state(m, d->now.x, body);
  const struct body_frame f = stored_frame(m, d, body);
  double yd[BODY_Y], ydd[BODY_Y];
  body_velocity(&x, yd);
  body_acceleration(&x, ydd);
  point_of(&x, f.R, point, yd + 3, ydd + 3, o);
}

void ali3_sensor_get(const ali3_model *m, const ali3_data *d, int sensor, ali3_sensor_state *o)
{
  assert(sensor >= 0 && sensor < m->sensors);
  const struct sensor *s = &m->sensor[sensor];
  const struct body_state x = stored_state(m, d->now.x, s->spec.body);
  const struct body_frame f = stored_frame(m, d, s->spec.body);
  ali3_point_state point;
  double yd[BODY_Y], ydd[BODY_Y], world[3], body[3];
  body_velocity(&x, yd);
  body_acceleration(&x, ydd);
  point_of(&x, f.R, s->spec.point, yd + 3, ydd + 3, &point);
  v3_copy(o->position, point.position);
  v3_copy(o->velocity, point.velocity);
  v3_copy(o->acceleration, point.acceleration);
  /* in the axes of the sensor */
  p_mul(o->orientation, x.p, s->spec.orientation);
  m3_tmul(o->angular_velocity, s->rotation, yd + 3);
  m3_tmul(o->angular_acceleration, s->rotation, ydd + 3);
  v3_sub(world, point.acceleration, m->gravity);
  m3_tmul(body, f.R, world);
  m3_tmul(o->specific_force, s->rotation, body);
}
