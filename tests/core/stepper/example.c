/* SPDX-License-Identifier: MIT
 * A program that uses libali3: a double pendulum in space, 10 s at 10 ms. */
#include <ali3/ali3.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
  ali3_body_spec body = {
      .name = "upper", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1.0}};
  ali3_joint_spec joint = {.name = "hook", .type = ALI3_JOINT_SPHERICAL, .body_a = ALI3_GROUND, .body_b = 0};
  ali3_options options = ali3_options_default();
  ali3_model *m = ali3_model_new();
  if (!m) return 1;
  ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0});
  body.position[0] = 0.5;
  int status = ali3_model_add_body(m, &body);
  body.name = "lower";
  body.position[0] = 1.0;
  body.position[2] = 0.5;
  if (status >= 0) status = ali3_model_add_body(m, &body);
  joint.point_b[0] = -0.5;
  if (status >= 0) status = ali3_model_add_joint(m, &joint);
  joint = (ali3_joint_spec){.name = "elbow", .type = ALI3_JOINT_SPHERICAL, .body_a = 0, .body_b = 1};
  joint.point_a[0] = 0.5;
  joint.point_b[2] = -0.5;
  if (status >= 0) status = ali3_model_add_joint(m, &joint);
  if (status >= 0) status = ali3_model_freeze(m, &options);
  ali3_data *d = status >= 0 ? ali3_data_new(m) : NULL;
  if (!d || ali3_reset(m, d) < 0) {
    fprintf(stderr, "%s\n", ali3_model_problem(m)->text);
    return 1;
  }
  ali3_energy first, last;
  ali3_body_state tip;
  ali3_energy_get(m, d, &first);
  for (int i = 0; i < 1000 && status >= 0; i++) status = ali3_step(m, d);
  ali3_energy_get(m, d, &last);
  ali3_body_get(m, d, 1, &tip);
  printf("%s at %.2f s: lower at %.3f %.3f %.3f m, energy %.1e J off\n", ali3_status_text(status),
         ali3_data_report(d)->time, tip.position[0], tip.position[1], tip.position[2],
         fabs(last.total - first.total));
  ali3_data_free(d);
  ali3_model_free(m);
  return status < 0;
}
