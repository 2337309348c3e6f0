/* SPDX-License-Identifier: MIT
 * The specs of a model's elements by kind and index, and the comparison of two specs field by field. */
#ifndef COMMON_SPECS_H
#define COMMON_SPECS_H

#include "model/spec_fields.h"

#include <stdbool.h>
#include <string.h>

union spec {
  ali3_body_spec body;
  ali3_joint_spec joint;
  ali3_load_spec load;
  ali3_force_spec force;
  ali3_sensor_spec sensor;
};

static inline int spec_count(const ali3_model *m, enum spec_element e)
{
  const int count[SPEC_ELEMENTS] = {ali3_model_bodies(m), ali3_model_joints(m), ali3_model_loads(m),
                                    ali3_model_forces(m), ali3_model_sensors(m)};
  return count[e];
}

static inline union spec spec_at(const ali3_model *m, enum spec_element e, int i)
{
  union spec s;
  memset(&s, 0, sizeof s);
  if (e == SPEC_OF_BODY) s.body = ali3_model_body_spec(m, i);
  if (e == SPEC_OF_JOINT) s.joint = ali3_model_joint_spec(m, i);
  if (e == SPEC_OF_LOAD) s.load = ali3_model_load_spec(m, i);
  if (e == SPEC_OF_FORCE) s.force = ali3_model_force_spec(m, i);
  if (e == SPEC_OF_SENSOR) s.sensor = ali3_model_sensor_spec(m, i);
  return s;
}

/* Equal bits; names and tables have equal contents. */
static inline bool spec_field_equal(const struct spec_field *f, const union spec *a, const union spec *b)
{
  const char *x = (const char *)a + f->at, *y = (const char *)b + f->at;
  const char *one, *two;
  ali3_table s, t;
  switch (f->kind) {
  case SPEC_NAME:
    memcpy(&one, x, sizeof one);
    memcpy(&two, y, sizeof two);
    return one && two ? strcmp(one, two) == 0 : one == two;
  case SPEC_TABLE:
    memcpy(&s, x, sizeof s);
    memcpy(&t, y, sizeof t);
    return s.n == t.n && (s.n == 0 || memcmp(s.point, t.point, (size_t)s.n * sizeof *s.point) == 0);
  case SPEC_NUMBERS:
    return memcmp(x, y, (size_t)f->count * sizeof(double)) == 0;
  case SPEC_FLAG:
    return memcmp(x, y, sizeof(bool)) == 0;
  default: /* an enum, an index or a sum of bits */
    return memcmp(x, y, sizeof(int)) == 0;
  }
}

#endif
