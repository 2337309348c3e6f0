/* SPDX-License-Identifier: MIT
 * The specs of a model's elements, as ali3_model_add_*() takes them. */
#include "model/model.h"

#include <assert.h>
#include <string.h>

#define COPY_ARRAY(to, from) memcpy(to, from, sizeof(to))

ali3_body_spec ali3_model_body_spec(const ali3_model *m, int body)
{
  assert(body >= 0 && body < m->bodies);
  const struct body *b = &m->body[body];
  ali3_body_spec s = {.name = b->name, .mass = b->mass};
  COPY_ARRAY(s.inertia, b->inertia);
  COPY_ARRAY(s.position, b->position);
  COPY_ARRAY(s.orientation, b->orientation);
  COPY_ARRAY(s.velocity, b->velocity);
  COPY_ARRAY(s.angular_velocity, b->angular_velocity);
  return s;
}

ali3_joint_spec ali3_model_joint_spec(const ali3_model *m, int joint)
{
  assert(joint >= 0 && joint < m->joints);
  const struct joint *j = &m->joint[joint];
  /* numbers, then vectors */
  ali3_joint_spec s = {.name = j->name,
                       .type = j->type,
                       .body_a = j->body[0],
                       .body_b = j->body[1],
                       .length = j->length,
                       .position = j->position,
                       .velocity = j->velocity,
                       .dropped = j->dropped};
  COPY_ARRAY(s.point_a, j->point[0]);
  COPY_ARRAY(s.point_b, j->point[1]);
  COPY_ARRAY(s.axis_a, j->axis[0]);
  COPY_ARRAY(s.axis_b, j->axis[1]);
  COPY_ARRAY(s.relative_orientation, j->relative);
  return s;
}

ali3_load_spec ali3_model_load_spec(const ali3_model *m, int load)
{
  assert(load >= 0 && load < m->loads);
  const struct load *l = &m->load[load];
  ali3_load_spec s = {.name = l->name, .type = l->type, .body = l->body, .body_axes = l->body_axes};
  COPY_ARRAY(s.vector, l->vector);
  COPY_ARRAY(s.point, l->point);
  return s;
}

ali3_force_spec ali3_model_force_spec(const ali3_model *m, int force)
{
  assert(force >= 0 && force < m->forces);
  ali3_force_spec s = m->force[force].spec;
  s.name = m->force[force].name;
  return s;
}

ali3_sensor_spec ali3_model_sensor_spec(const ali3_model *m, int sensor)
{
  assert(sensor >= 0 && sensor < m->sensors);
  const struct sensor *x = &m->sensor[sensor];
  ali3_sensor_spec s = {.name = x->name, .type = x->type, .body = x->body};
  COPY_ARRAY(s.point, x->point);
  COPY_ARRAY(s.orientation, x->orientation);
  return s;
}
