/* SPDX-License-Identifier: MIT
 * The bits of a run do not depend on the floating-point mode of the program or of its workers, and the library restores that
 * mode. A damper slows a sledge down until its velocity would be denormal; beside it swings a chain of rods. Exit status 1:
 * the bits differ; 2: the mode changed; 3: a velocity is denormal; 4: the library fails. */
#include <ali3/ali3.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RODS = 24, STEPS = 100 };
static int mode_of_workers;

static void run_shares(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  (void)context;
  const int was = fegetround();
  fesetround(mode_of_workers);
  for (int i = 2; i >= 0; i--) work(arg, i, 3);
  fesetround(was);
}

static ali3_model *make(void)
{
  ali3_model *m = ali3_model_new();
  int last = ALI3_GROUND;
  char name[16];
  for (int i = 0; i < RODS; i++) {
    snprintf(name, sizeof name, "rod%d", i);
    ali3_body_spec body = {.name = name,
                           .mass = 1,
                           .orientation = {1},
                           .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .position = {0.5 + i}};
    ali3_joint_spec joint = {.name = name,
                             .type = ALI3_JOINT_SPHERICAL,
                             .body_a = last,
                             .point_a = {last < 0 ? 0 : 0.5},
                             .point_b = {-0.5}};
    body.angular_velocity[2] = last < 0 ? 0.1 : 0.0;
    last = joint.body_b = ali3_model_add_body(m, &body);
    ali3_model_add_joint(m, &joint);
  }
  ali3_body_spec sledge = {.name = "sledge",
                           .mass = 1,
                           .orientation = {1},
                           .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .velocity = {1e-295}};
  ali3_joint_spec rail = {
      .name = "rail", .type = ALI3_JOINT_PRISMATIC, .body_a = ALI3_GROUND, .axis_a = {1}, .axis_b = {1}};
  rail.body_b = ali3_model_add_body(m, &sledge);
  const int joint = ali3_model_add_joint(m, &rail);
  ali3_force_spec damper = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  damper.name = "damper";
  damper.joint = joint;
  damper.damping[0] = 100;
  return ali3_model_add_force(m, &damper) < 0 ? NULL : m;
}

/* Fills the poses and velocities of all steps. */
static int run(double (*out)[7], int mode, int workers)
{
  ali3_model *m = make(); /* elements are added in the default mode */
  mode_of_workers = workers;
  const ali3_exec exec = {.shares = 3, .run = run_shares, .worth = 1.0};
  if (!m) return 4;
  fesetround(mode);
  ali3_data *d = ali3_model_freeze(m, NULL) < 0 ? NULL : ali3_data_new(m);
  int status = d ? ali3_reset(m, d) : -1;
  if (d) ali3_data_set_exec(d, &exec);
  for (int i = 0; i < STEPS && status >= 0; i++) {
    status = ali3_step(m, d);
    ali3_body_state rod, sledge;
    ali3_body_get(m, d, RODS - 1, &rod);
    ali3_body_get(m, d, RODS, &sledge);
    memcpy(out[i], rod.position, sizeof rod.position);
    memcpy(out[i] + 3, rod.velocity, sizeof rod.velocity);
    out[i][6] = sledge.velocity[0];
  }
  const int left = fegetround();
  fesetround(FE_TONEAREST);
  ali3_data_free(d);
  ali3_model_free(m);
  return status < 0 ? 4 : left != mode ? 2 : 0;
}

int main(void)
{
  static double expected[STEPS][7], found[STEPS][7];
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int status = run(expected, FE_TONEAREST, FE_TONEAREST);
  for (int i = 0; i < STEPS; i++)
    if (fpclassify(expected[i][6]) == FP_SUBNORMAL) return 3;
  /* positions below 2.2e-308 m become 0, and the rule of the step makes rates of them by 200/s: a few such units may stay */
  if (fabs(expected[STEPS - 1][6]) > 1e-304 || fabs(expected[0][6]) < 1e-300) return 3;
  for (int i = 0; i < 3 && status == 0; i++) {
    status = run(found, modes[i], modes[(i + 1) % 3]);
    if (status == 0 && memcmp(found, expected, sizeof found) != 0) status = 1;
  }
  return status;
}
