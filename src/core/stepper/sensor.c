/* SPDX-License-Identifier: MIT
 * Loop code: sensors. The motion of a point on a body follows from the state of the body alone, without differences or filters:
 *
 *   v = r' + R (w x s),   a = r'' + R (w' x s + w x (w x s)),   w, w' in body axes */
#include "stepper/sensor.h"
#include "kernels/elements.h"
#include "math/euler.h"
#include "model/sensor_rate.h"

#include <assert.h>
#include <string.h>

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

/* Motion of the frame of a sensor. */
static void frame_motion(const ali3_model *m, const ali3_data *d, const struct sensor *s,
                         ali3_sensor_state *o)
{
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

/* Two points in one place have no direction: the rate of their distance is then its magnitude. */
static void measure_distance(const ali3_model *m, const ali3_data *d, const ali3_sensor_spec *s,
                             ali3_sensor_state *o)
{
  ali3_point_state b;
  double way[3], moves[3];
  ali3_point_get(m, d, s->body_b, s->point_b, &b);
  v3_sub(way, o->position, b.position);
  v3_sub(moves, o->velocity, b.velocity);
  o->value = sqrt(v3_dot(way, way));
  o->rate = o->value > 0.0 ? v3_dot(way, moves) / o->value : sqrt(v3_dot(moves, moves));
}

/* The turn about an axis in the orientation p = conj(p_b) p_a reference (swing and twist): 2 atan(axis . e / e0). A swing by half
 * a turn has none. */
static void measure_angle(const ali3_model *m, const ali3_data *d, const struct sensor *s,
                          ali3_sensor_state *o)
{
  const struct body_state a = stored_state(m, d->now.x, s->spec.body),
                          b = stored_state(m, d->now.x, s->spec.body_b);
  const double back[4] = {b.p[0], -b.p[1], -b.p[2], -b.p[3]},
               back_rate[4] = {b.pd[0], -b.pd[1], -b.pd[2], -b.pd[3]};
  double seen[4], rate[4], more[4], p[4], pd[4];
  p_mul(seen, back, a.p);
  p_mul(rate, back, a.pd);
  p_mul(more, back_rate, a.p);
  for (int i = 0; i < 4; i++) rate[i] += more[i];
  p_mul(p, seen, s->reference);
  p_mul(pd, rate, s->reference);
  const double along = v3_dot(s->spec.axis, p + 1), along_rate = v3_dot(s->spec.axis, pd + 1),
               square = along * along + p[0] * p[0];
  /* p and -p are one orientation */
  o->value = s->spec.start + (square > 0.0 ? 2.0 * atan(along / p[0]) : 0.0);
  o->rate = square > 0.0 ? 2.0 * (along_rate * p[0] - along * pd[0]) / square : 0.0;
}

void ali3_sensor_get(const ali3_model *m, const ali3_data *d, int sensor, ali3_sensor_state *o)
{
  assert(sensor >= 0 && sensor < m->sensors);
  const struct sensor *s = &m->sensor[sensor];
  struct link_view view;
  ali3_force_state force;
  *o = (ali3_sensor_state){.value = 0.0};
  if (s->spec.body != ALI3_GROUND) frame_motion(m, d, s, o);
  /* The value of sensors with one value. */
  switch (s->spec.type) {
  case ALI3_SENSOR_DISTANCE:
    measure_distance(m, d, &s->spec, o);
    break;
  case ALI3_SENSOR_ANGLE:
    measure_angle(m, d, s, o);
    break;
  case ALI3_SENSOR_ENCODER:
    link_view_fill(m, d, &m->frozen->link[s->spec.joint], &view);
    rows_coordinate(&m->frozen->link[s->spec.joint], &view.v, &o->value, &o->rate);
    break;
  case ALI3_SENSOR_LOAD_CELL:
    ali3_force_get(m, d, s->spec.force, &force);
    o->value = force.value;
    break;
  default:
    break;
  }
}

/* --- readings --- */

static void exact_values(const ali3_model *m, const ali3_data *d, int sensor, ali3_reading *o)
{
  ali3_sensor_state x;
  ali3_sensor_get(m, d, sensor, &x);
  memset(o, 0, sizeof *o); /* with the bytes behind `good`: equal readings have equal bytes */
  o->value[0] = x.value;
  o->rate = x.rate;
  o->good = true;
  if (m->sensor[sensor].spec.type != ALI3_SENSOR_IMU) return;
  memcpy(o->value, x.specific_force, sizeof x.specific_force);
  memcpy(o->value + 3, x.angular_velocity, sizeof x.angular_velocity);
}

static void sample_sensors(const ali3_model *m, ali3_data *d,
                           void (*sample)(const struct chain *, const ali3_sensor_spec *, uint64_t,
                                          const double *, double *))
{
  for (int i = 0; i < m->sensors; i++) {
    const struct chain *c = &m->frozen->chain[i];
    ali3_reading exact;
    if (c->channels == 0) continue;
    exact_values(m, d, i, &exact);
    sample(c, &m->sensor[i].spec, d->report.step, exact.value, d->measured + c->first);
  }
}

void sensors_begin(const ali3_model *m, ali3_data *d)
{
  sample_sensors(m, d, chain_begin);
}

void sensors_take(const ali3_model *m, ali3_data *d)
{
  sample_sensors(m, d, chain_take);
}

void ali3_sensor_read(const ali3_model *m, const ali3_data *d, int sensor, ali3_reading *o)
{
  assert(sensor >= 0 && sensor < m->sensors);
  const ali3_sensor_spec *s = &m->sensor[sensor].spec;
  const struct chain *c = &m->frozen->chain[sensor];
  memset(o, 0, sizeof *o);
  o->good = true;
  if (c->channels == 0) return;
  if (c->exact && s->stuck == 0) {
    exact_values(m, d, sensor, o);
    return;
  }
  /* The end of its measuring chain. */
  const double *memory = d->measured + c->first;
  for (int i = 0; i < c->channels; i++) {
    o->value[i] = memory[i * (ptrdiff_t)c->each + CHAIN_READING];
    o->good &= memory[i * (ptrdiff_t)c->each + CHAIN_CLIPPED] == 0.0;
  }
  o->good &= s->stuck == 0;
  if (sensor_has_rate(s->type)) o->rate = (memory[CHAIN_READING] - memory[CHAIN_BEFORE]) / m->options.dt;
}
