/* SPDX-License-Identifier: MIT
 * Set-up: checks that every number that can be read of a state is finite. */
#include "assembly/assembly.h"

#include <math.h>

static bool numbers_are_finite(const void *state, size_t size)
{
  const double *x = state;
  for (size_t i = 0; i < size / sizeof *x; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

bool start_is_finite(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  const ali3_report seen = *r;
  r->worst_body = r->worst_joint = r->worst_force = -1;
  /* Check bodies and their sensors, then joints and forces. */
  for (int i = 0; i < m->bodies; i++) {
    ali3_body_state x;
    ali3_body_get(m, d, i, &x);
    r->worst_body = i;
    if (!numbers_are_finite(&x, sizeof x)) return false;
  }
  for (int i = 0; i < m->sensors; i++) {
    ali3_sensor_state x;
    ali3_sensor_get(m, d, i, &x);
    r->worst_body = m->sensor[i].spec.body;
    if (!numbers_are_finite(&x, sizeof x)) return false;
  }
  r->worst_body = -1;
  for (int i = 0; i < m->joints; i++) {
    ali3_joint_state x;
    ali3_joint_get(m, d, i, &x);
    r->worst_joint = i;
    if (!numbers_are_finite(&x, sizeof x)) return false;
  }
  r->worst_joint = -1;
  for (int i = 0; i < m->forces; i++) {
    ali3_force_state x;
    ali3_force_get(m, d, i, &x);
    r->worst_force = i;
    if (!numbers_are_finite(&x, sizeof x)) return false;
  }
  *r = seen;
  return true;
}
