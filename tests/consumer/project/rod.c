/* SPDX-License-Identifier: MIT
 * A rod on a ball joint for one second. Prints the bits of its position. */
#include <ali3/ali3.h>
#include <stdio.h>

int main(void)
{
  if (ali3_abi() != ALI3_ABI) return 2;
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, (const double[]){0, 0, -9.81});
  int rod = ali3_model_add_body(m, &(ali3_body_spec){.name = "rod",
                                                     .mass = 2,
                                                     .orientation = {1},
                                                     .inertia = {0.17, 0, 0, 0, 0.17, 0, 0, 0, 0.17},
                                                     .position = {0.5}});
  ali3_model_add_joint(m, &(ali3_joint_spec){.name = "pivot",
                                             .type = ALI3_JOINT_SPHERICAL,
                                             .body_a = ALI3_GROUND,
                                             .body_b = rod,
                                             .point_b = {-0.5}});
  ali3_data *d = ali3_model_freeze(m, NULL) < 0 ? NULL : ali3_data_new(m);
  if (!d || ali3_reset(m, d) < 0) return 1;
  for (int i = 0; i < 100; i++) ali3_step(m, d);
  ali3_body_state s;
  ali3_body_get(m, d, rod, &s);
  printf("%a %a %a\n", s.position[0], s.position[1], s.position[2]);
  ali3_data_free(d);
  ali3_model_free(m);
}
