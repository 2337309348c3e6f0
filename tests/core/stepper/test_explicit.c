/* SPDX-License-Identifier: MIT
 * Explicit methods: the step up to which they are stable, what they refuse, and what Adams methods do after an input jumps. */
#include "check.h"
#include "common/toys.h"
#include "dynamics/region.h"
#include "kernels/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double none[3] = {0.0};
static const ali3_method method[] = {ALI3_METHOD_RK4, ALI3_METHOD_DP5, ALI3_METHOD_AB4, ALI3_METHOD_ABM8,
                                     ALI3_METHOD_DP8};
enum { METHODS = sizeof method / sizeof *method };

static ali3_options options_of(ali3_method which, double dt)
{
  ali3_options o = ali3_options_default();
  o.method = which;
  o.dt = dt;
  return o;
}

/* A wheel of 1 kg m^2 on an axle. */
static int wheel(ali3_model *m, const char *name, double at, double speed)
{
  ali3_body_spec b = toy_body(name, (const double[]){at, 0, 0}, 1.0, 1.0);
  b.angular_velocity[2] = speed;
  const int body = toy_added(m, ali3_model_add_body(m, &b));
  return toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = name,
                                                                 .type = ALI3_JOINT_REVOLUTE,
                                                                 .body_a = ALI3_GROUND,
                                                                 .body_b = body,
                                                                 .point_a = {at, 0, 0},
                                                                 .axis_a = {0, 0, 1},
                                                                 .axis_b = {0, 0, 1}}));
}

static void spring(ali3_model *m, const char *name, int joint, double stiffness, double damping)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  s.name = name;
  s.joint = joint;
  s.stiffness[0] = stiffness;
  s.damping[0] = damping;
  toy_added(m, ali3_model_add_force(m, &s));
}

/* Status of a reset of a sprung wheel; *growth: kinetic and potential energy after 300 steps over that after 20. */
static int swing(ali3_method which, double dt, struct mode mode, double *growth, double *longest)
{
  ali3_model *m = ali3_model_new();
  const ali3_options o = options_of(which, dt);
  spring(m, "spring", wheel(m, "wheel", 0.0, 0.01), mode.stiffness, mode.damping);
  toy_freeze_with(m, &o);
  ali3_data *d = ali3_data_new(m);
  const int status = ali3_reset(m, d);
  *longest = ali3_data_report(d)->longest_step;
  if (status >= 0) {
    ali3_energy early, late;
    toy_run(m, d, 20);
    ali3_energy_get(m, d, &early);
    toy_run(m, d, 280);
    ali3_energy_get(m, d, &late);
    *growth = late.total / early.total;
  } else {
    char text[400];
    assert_int_equal(ali3_data_report(d)->worst_force, 0);
    ali3_report_text(m, d, text, sizeof text);
    assert_non_null(strstr(text, "joint_spring \"spring\" is too stiff for the method"));
    assert_non_null(strstr(text, "raise solver.substeps to 2, or choose solver.method ali3"));
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return status;
}

/* Just below the longest step nothing grows, and just above it the reset refuses the mechanism. */
TEST(a_spring_is_followed_up_to_the_boundary_of_the_region)
{
  static const double ratio[] = {0.0, 0.02, 0.12, 0.3, 0.6, 0.9, 1.5};
  for (int i = 0; i < METHODS; i++)
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; k++) {
      const struct mode mode = {900.0, 2.0 * ratio[k] * 30.0};
      const double longest = region_longest_step(method[i], mode);
      double growth = 0.0, needed;
      assert_int_equal(swing(method[i], 0.99 * longest, mode, &growth, &needed), ALI3_OK);
      print_message("%s, damping ratio %g: %.4g s, energy x %.3g\n", ali3_method_name(method[i]), ratio[k],
                    longest, growth);
      assert_true(growth < 1.001);
      assert_int_equal(swing(method[i], 1.05 * longest, mode, &growth, &needed), ALI3_E_STIFF);
      assert_true(fabs(needed / longest - 1.0) < 0.03);
    }
}

/* The boundary is not too narrow: the classical limits on both axes. */
TEST(the_regions_have_their_known_size)
{
  const struct mode swings = {1.0, 0.0}, decays = {0.0, 1.0};
  assert_true(fabs(region_longest_step(ALI3_METHOD_RK4, swings) - 2.0 * sqrt(2.0)) < 1e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_RK4, decays) - 2.785) < 1e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_DP5, decays) - 3.306) < 1e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_DP8, decays) - 5.166) < 1e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_AB4, swings) - 0.43) < 2e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_AB4, decays) - 0.3) < 1e-3);
  assert_true(isinf(region_longest_step(ALI3_METHOD_AB4, (struct mode){0.0, 0.0})));
  assert_true(fabs(region_longest_step(ALI3_METHOD_ABM8, swings) - 0.158) < 2e-3);
  assert_true(fabs(region_longest_step(ALI3_METHOD_ABM8, decays) - 0.381) < 1e-3);
}

/* Four springs on one wheel are as stiff as one spring with the sum of their stiffnesses. */
TEST(springs_on_one_body_are_judged_together)
{
  const struct mode all = {900.0, 0.0};
  const double longest = region_longest_step(ALI3_METHOD_RK4, all);
  for (int above = 0; above < 2; above++) {
    ali3_model *m = ali3_model_new();
    const ali3_options o = options_of(ALI3_METHOD_RK4, longest * (above ? 1.03 : 0.97));
    const int joint = wheel(m, "wheel", 0.0, 1.0);
    for (int i = 0; i < 4; i++) spring(m, (const char *[]){"a", "b", "c", "d"}[i], joint, 225.0, 0.0);
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, above ? ALI3_E_STIFF : ALI3_OK);
    if (above) assert_true(fabs(ali3_data_report(d)->longest_step / longest - 1.0) < 0.02);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A ball falls on a plane: its friction becomes stiff when the ball lands, in a step that fails and names the contact. */
TEST(a_contact_that_becomes_stiff_fails_the_step)
{
  ali3_model *m = ali3_model_new();
  const ali3_options o = options_of(ALI3_METHOD_RK4, 1e-3);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  const ali3_body_spec ball = toy_body("ball", (const double[]){0, 0.2, 0}, 1.0, 4e-3);
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_SPHERE_PLANE);
  s.name = "floor";
  s.body_a = ALI3_GROUND;
  s.body_b = toy_added(m, ali3_model_add_body(m, &ball));
  s.normal[1] = 1.0;
  s.radius_b = 0.1;
  s.stiffness[0] = 1e4;
  s.friction = 0.5;
  toy_added(m, ali3_model_add_force(m, &s));
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  int status = ALI3_OK, steps = 0;
  while (status == ALI3_OK && steps < 400) {
    status = ali3_step(m, d);
    steps++;
  }
  const ali3_report *r = ali3_data_report(d);
  char text[400];
  ali3_report_text(m, d, text, sizeof text);
  print_message("step %d: %s\n", steps, text);
  assert_int_equal(status, ALI3_E_STIFF);
  assert_int_equal(r->worst_force, 0);
  assert_true(r->longest_step > 0.0 && r->longest_step < 1e-3);
  assert_true(steps > 100 && (int)r->step == steps - 1); /* it falls for 0.14 s */
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(bodies_without_mass_are_refused)
{
  ali3_model *m = ali3_model_new();
  const ali3_options o = options_of(ALI3_METHOD_DP5, 0.01);
  const ali3_body_spec light = toy_body("light", none, 0.0, 0.0);
  toy_spherical(m, "ball", ALI3_GROUND, none, toy_added(m, ali3_model_add_body(m, &light)), none);
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_E_MODEL);
  assert_non_null(strstr(ali3_model_problem(m)->text, "body 'light'"));
  ali3_model_free(m);
}

static void count_factorisation(void *context, ali3_phase phase)
{
  *(int *)context += phase == ALI3_PHASE_CONDENSE;
}

/* Factorisations of each of `steps` steps of a double pendulum. push: force on the second body in step i, N. */
static void count_steps(ali3_method which, double (*push)(int step), int steps, int *count)
{
  ali3_options o = options_of(which, 0.01);
  o.coordinates = ALI3_COORDINATES_BODY; /* in joint coordinates abm8 factorises again at the end */
  ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 0; i < steps; i++) {
    count[i] = 0;
    ali3_data_set_probe(d, &(ali3_probe){.context = &count[i], .mark = count_factorisation});
    ali3_set_wrench(m, d, 1, (const double[]){push(i), 0, 0}, none);
    assert_int_equal(ali3_step(m, d), ALI3_OK);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

static double jumping(int step)
{
  return step < 50 ? 0.0 : 5.0;
}
static double smooth(int step)
{
  return 5.0 * sin(0.05 * step);
}

/* begins: steps after the start and after a jump that a one-step method takes, with `many` factorisations each. */
static void check_jumps(ali3_method which, int begins, int many)
{
  enum { STEPS = 100, JUMP = 50 };
  int count[STEPS], more = 0;
  count_steps(which, jumping, STEPS, count);
  assert_int_equal(count[0], many + 1); /* one for the prepare */
  for (int i = 1; i < STEPS; i++)
    assert_int_equal(count[i], i < begins || (i >= JUMP && i < JUMP + begins) ? many : 1);
  count_steps(which, smooth, STEPS, count);
  for (int i = 14; i < STEPS; i++) more += count[i] > 1;
  print_message("smooth input: %d of %d steps of %s by a one-step method\n", more, STEPS - 14,
                ali3_method_name(which));
  assert_true(more <= 2 * begins);
}

TEST(adams_methods_begin_anew_after_a_jump)
{
  check_jumps(ALI3_METHOD_AB4, 3, 4);
  check_jumps(ALI3_METHOD_ABM8, 7, 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_is_followed_up_to_the_boundary_of_the_region),
      cmocka_unit_test(the_regions_have_their_known_size),
      cmocka_unit_test(springs_on_one_body_are_judged_together),
      cmocka_unit_test(a_contact_that_becomes_stiff_fails_the_step),
      cmocka_unit_test(bodies_without_mass_are_refused),
      cmocka_unit_test(adams_methods_begin_anew_after_a_jump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
