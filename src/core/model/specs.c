/* SPDX-License-Identifier: MIT
 * The specs of a model's elements, as ali3_model_add_*() takes them. */
#include "model/model.h"

#include <ali3/model.h>
#include <assert.h>

/* The kept spec with the name of the element. */
#define SPEC_OF(element, count, index)                                                                       \
  assert((index) >= 0 && (index) < (count));                                                                 \
  ali3_##element##_spec s = m->element[index].spec;                                                          \
  s.name = m->element[index].name;                                                                           \
  return s

ali3_body_spec ali3_model_body_spec(const ali3_model *m, int body)
{
  SPEC_OF(body, m->bodies, body);
}

ali3_joint_spec ali3_model_joint_spec(const ali3_model *m, int joint)
{
  SPEC_OF(joint, m->joints, joint);
}

ali3_load_spec ali3_model_load_spec(const ali3_model *m, int load)
{
  SPEC_OF(load, m->loads, load);
}

ali3_force_spec ali3_model_force_spec(const ali3_model *m, int force)
{
  SPEC_OF(force, m->forces, force);
}

ali3_sensor_spec ali3_model_sensor_spec(const ali3_model *m, int sensor)
{
  SPEC_OF(sensor, m->sensors, sensor);
}
