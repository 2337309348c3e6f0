// SPDX-License-Identifier: MIT
// rod.c in C++.
#include <ali3/ali3.h>
#include <cstdio>

int main()
{
  ali3_model *m = ali3_model_new();
  const double gravity[] = {0, 0, -9.81};
  ali3_model_set_gravity(m, gravity);
  ali3_body_spec body = {};
  body.name = "rod";
  body.mass = 2;
  body.orientation[0] = 1;
  body.inertia[0] = body.inertia[4] = body.inertia[8] = 0.17;
  body.position[0] = 0.5;
  ali3_joint_spec joint = {};
  joint.name = "pivot";
  joint.type = ALI3_JOINT_SPHERICAL;
  joint.body_a = ALI3_GROUND;
  joint.body_b = ali3_model_add_body(m, &body);
  joint.point_b[0] = -0.5;
  ali3_model_add_joint(m, &joint);
  ali3_data *d = ali3_model_freeze(m, nullptr) < 0 ? nullptr : ali3_data_new(m);
  if (!d || ali3_reset(m, d) < 0) return 1;
  for (int i = 0; i < 100; i++) ali3_step(m, d);
  ali3_body_state s;
  ali3_body_get(m, d, joint.body_b, &s);
  std::printf("%a %a %a\n", s.position[0], s.position[1], s.position[2]);
  ali3_data_free(d);
  ali3_model_free(m);
}
