/* SPDX-License-Identifier: MIT
 * ali3-lab: the chain of paper 1. */
#include "lab_tool.h"

#include <ali3/model.h>

ali3_model *chain_of_links(int links)
{
  ali3_options options = ali3_options_default();
  ali3_model *m = ali3_model_new();
  char name[32];
  bool good = m && ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0}) == ALI3_OK;
  /* Links along x, from the ground on. */
  for (int i = 0; i < links && good; i++) {
    ali3_body_spec b = {.name = name, .mass = 1.0, .inertia = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0}};
    ali3_joint_spec j = {.name = name, .type = ALI3_JOINT_SPHERICAL, .body_a = i ? i - 1 : ALI3_GROUND};
    snprintf(name, sizeof name, "b%d", i + 1);
    b.position[0] = i + 0.5;
    b.orientation[0] = 1.0;
    good = ali3_model_add_body(m, &b) >= 0;
    snprintf(name, sizeof name, "J%d", i + 1);
    j.body_b = i;
    j.point_a[0] = i ? 0.5 : 0.0;
    j.point_b[0] = -0.5;
    good = good && ali3_model_add_joint(m, &j) >= 0;
  }
  if (good && ali3_model_freeze(m, &options) == ALI3_OK) return m;
  ali3_model_free(m);
  return NULL;
}
