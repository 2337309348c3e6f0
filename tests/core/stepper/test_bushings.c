/* SPDX-License-Identifier: MIT
 * Bushings at large rotations: the torque is stiffness times the rotation vector, up to half a turn. */
#include "stepper/corners.h"

#include <string.h>

static const double none[3] = {0}, STIFF[3] = {1, 1.5, 2};

/* A body without weight on a bushing to the ground; damping: N m s/rad about each axis. */
static ali3_model *hung(double damping, const double rate[3])
{
  ali3_model *m = model(0);
  ali3_body_spec b = toy_body("b", none, 1.0, 0.01);
  b.inertia[4] = 0.015;
  b.inertia[8] = 0.02;
  for (int i = 0; i < 3; i++) b.angular_velocity[i] = rate[i];
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_BUSHING);
  s.name = "u";
  s.body_b = 0;
  for (int i = 0; i < 3; i++) {
    s.stiffness[i] = 100;
    s.damping[i] = 1;
    s.stiffness[3 + i] = STIFF[i];
    s.damping[3 + i] = damping;
  }
  toy_added(m, ali3_model_add_force(m, &s));
  return m;
}

/* A constant torque turns the body to torque over stiffness, about any axis of the bushing. */
TEST(a_torque_turns_by_torque_over_stiffness)
{
  static const double ANGLE[] = {0.5, 0.8, 1.2, 1.6, 2.5, 3.0};
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < sizeof ANGLE / sizeof *ANGLE; i++)
      for (int sign = -1; sign <= 1; sign += 2) {
        ali3_model *m = hung(0.6, none);
        ali3_load_spec load = {.name = "t", .type = ALI3_LOAD_TORQUE, .body = 0};
        load.vector[axis] = sign * STIFF[axis] * ANGLE[i];
        toy_added(m, ali3_model_add_load(m, &load));
        ali3_data *d = start(m, 0.01);
        toy_run(m, d, 2000);
        const ali3_body_state s = body(m, d, 0);
        const double angle = 2 * atan2(sign * s.orientation[1 + axis], s.orientation[0]);
        if (!(fabs(angle - ANGLE[i]) < 1e-6))
          fail_msg("axis %d: at rest at %g rad, expected %g rad", axis, angle, ANGLE[i]);
        end(m, d);
      }
}

/* Energy of rotation and bushing at the largest rate from which no axis turns by half a turn. */
TEST(an_undamped_bushing_keeps_energy_at_large_rotations)
{
  static const ali3_method METHOD[] = {ALI3_METHOD_ENERGY, ALI3_METHOD_RK4};
  for (int k = 0; k < 2; k++) {
    ali3_options o = ali3_options_default();
    o.dt = k == 0 ? 0.01 : 0.002;
    o.method = METHOD[k];
    o.iterations = 12;
    ali3_model *m = hung(0, (const double[]){14, 9, 5});
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    const double first = energy(m, d);
    double largest = 0, turned = 0;
    for (int i = 0; i < 1000; i++) {
      toy_run(m, d, 1);
      largest = fmax(largest, fabs(energy(m, d) - first));
      turned = fmax(turned, 2 * acos(fabs(body(m, d, 0).orientation[0])));
    }
    print_message("%s: energy within %.1e of %g J, rotations up to %g rad\n", ali3_method_name(METHOD[k]),
                  largest, first, turned);
    assert_true(turned > 1.2);
    assert_true(largest < (k == 0 ? 1e-9 : 1e-4) * first);
    end(m, d);
  }
}

/* A torque that the bushing cannot hold: the step in which it comes to half a turn says so, whatever the method. */
TEST(half_a_turn_is_said)
{
  static const ali3_method METHOD[] = {ALI3_METHOD_ALI3, ALI3_METHOD_ENERGY, ALI3_METHOD_RK4,
                                       ALI3_METHOD_ABM8};
  for (int k = 0; k < 5; k++) {
    ali3_options o = ali3_options_default();
    o.method = METHOD[k % 4];
    o.extrapolate = k == 4;
    o.dt = 0.002;
    ali3_model *m = hung(0.6, none);
    toy_added(m, ali3_model_add_load(
                     m, &(ali3_load_spec){
                            .name = "t", .type = ALI3_LOAD_TORQUE, .body = 0, .vector = {0, 0, 6.5}}));
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    int status = ALI3_OK;
    double angle = 0;
    for (int i = 0; i < 3000 && status != ALI3_UNRESOLVED; i++) {
      if (!(angle < 3.1415)) fail_msg("%s: %g rad, in silence", ali3_method_name(o.method), angle);
      status = ali3_step(m, d);
      const ali3_body_state s = body(m, d, 0);
      angle = 2 * atan2(s.orientation[3], s.orientation[0]);
    }
    if (status != ALI3_UNRESOLVED || angle < 3.13) fail_msg("%s: %g rad", ali3_method_name(o.method), angle);
    char text[400];
    assert_int_equal(ali3_data_report(d)->worst_force, 0);
    ali3_report_text(m, d, text, sizeof text);
    assert_non_null(strstr(text, "bushing \"u\" passes half a turn"));
    end(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_torque_turns_by_torque_over_stiffness),
      cmocka_unit_test(half_a_turn_is_said),
      cmocka_unit_test(an_undamped_bushing_keeps_energy_at_large_rotations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
