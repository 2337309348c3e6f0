/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"

#include <stdio.h>
#include <string.h>

static const double none[3] = {0.0};

static ali3_model *one_body(const ali3_body_spec *s)
{
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -10.0, 0}));
  toy_added(m, ali3_model_add_body(m, s));
  return m;
}

TEST(a_consistent_state_stays_where_it_is)
{
  ali3_model *m = toy_chain(10, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  const ali3_initial *i = ali3_data_initial(d);
  assert_true(i->moved_position == 0.0 && i->moved_orientation == 0.0);
  assert_int_equal(i->body_position, -1);
  assert_int_equal(ali3_data_report(d)->step, 0);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A hanging pendulum loads its hook with its weight. A deflected pendulum starts with the known acceleration. */
TEST(acceleration_and_reaction_at_the_start)
{
  ali3_body_spec s = toy_body("b", (const double[]){0, -1, 0}, 2.0, 0.5);
  ali3_model *m = one_body(&s);
  toy_spherical(m, "hook", ALI3_GROUND, none, 0, (const double[]){0, 1, 0});
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_joint_state j;
  ali3_body_state x;
  ali3_joint_get(m, d, 0, &j);
  assert_true(fabs(j.force[1] - 20.0) < 1e-12 && fabs(j.force[0]) < 1e-12);
  assert_true(fabs(j.torque[0]) + fabs(j.torque[1]) + fabs(j.torque[2]) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);

  s = toy_body("b", (const double[]){1, 0, 0}, 2.0, 0.5);
  m = one_body(&s);
  toy_spherical(m, "hook", ALI3_GROUND, none, 0, (const double[]){-1, 0, 0});
  toy_freeze(m, 0.01);
  d = toy_start(m, ALI3_OK);
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.angular_acceleration[2] + 20.0 / 2.5) < 1e-12); /* m g l / (J + m l^2) */
  assert_true(fabs(x.acceleration[1] + 8.0) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A body welded to the ground with an error of 1 mm is moved by 1 mm. */
TEST(a_displaced_body_is_moved_and_reported)
{
  ali3_body_spec s = toy_body("b", (const double[]){0.001, 0, 0}, 1.0, 1.0);
  ali3_model *m = one_body(&s);
  ali3_joint_spec weld = {
      .name = "weld", .type = ALI3_JOINT_FIXED, .body_a = ALI3_GROUND, .relative_orientation = {1}};
  toy_added(m, ali3_model_add_joint(m, &weld));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  const ali3_initial *i = ali3_data_initial(d);
  assert_true(fabs(i->moved_position - 0.001) < 1e-12);
  assert_true(i->moved_orientation < 1e-12 && i->moved_velocity < 1e-12);
  assert_int_equal(i->body_position, 0);
  assert_true(ali3_data_report(d)->position < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* All joints are open by a few millimetres and degrees. */
TEST(a_mechanism_slightly_apart_is_assembled)
{
  enum { N = 10 };
  struct random random = {9};
  ali3_model *m = ali3_model_new();
  char name[16];
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "b%d", i);
    ali3_body_spec s = toy_body(name, (const double[]){i + 0.5, 0, 0}, 1.0, 1.0);
    for (int k = 0; k < 3; k++) {
      s.position[k] += random_between(&random, -0.005, 0.005);
      s.orientation[1 + k] = random_between(&random, -0.02, 0.02);
    }
    toy_added(m, ali3_model_add_body(m, &s));
    ali3_joint_spec j = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i,
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1},
                         .point_a = {i ? 0.5 : 0.0},
                         .point_b = {-0.5}};
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  const ali3_initial *i = ali3_data_initial(d);
  assert_true(i->moved_position > 1e-4 && i->moved_position < 0.1);
  assert_true(i->moved_orientation > 1e-3 && i->moved_orientation < 0.2);
  assert_true(i->body_position >= 0);
  assert_true(ali3_data_report(d)->position < 1e-11);
  for (int b = 0; b < N; b++) {
    ali3_body_state x;
    double s = 0.0;
    ali3_body_get(m, d, b, &x);
    for (int k = 0; k < 4; k++) s += x.orientation[k] * x.orientation[k];
    assert_true(fabs(s - 1.0) < 1e-9);
  }
  toy_run(m, d, 100);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A rod of 1 m between points 10 m apart, beside a joint that is closed. */
TEST(a_joint_that_cannot_close_is_reported)
{
  ali3_body_spec s = toy_body("free", (const double[]){0, 5, 0}, 1.0, 1.0);
  ali3_model *m = one_body(&s);
  toy_spherical(m, "innocent", ALI3_GROUND, (const double[]){0, 5, 0}, 0, none);
  s = toy_body("rod", (const double[]){0.5, 0, 0}, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &s));
  toy_spherical(m, "left", ALI3_GROUND, none, 1, (const double[]){-0.5, 0, 0});
  toy_spherical(m, "right", ALI3_GROUND, (const double[]){10, 0, 0}, 1, (const double[]){0.5, 0, 0});
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_E_ASSEMBLE);
  const ali3_report *r = ali3_data_report(d);
  assert_int_equal(r->status, ALI3_E_ASSEMBLE);
  assert_true(r->worst_joint == 1 || r->worst_joint == 2);
  assert_true(r->position > 1.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Random velocities: the joints remove a part with the least change in kinetic energy. */
TEST(velocities_are_made_consistent)
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct random random = {seed};
    double before = 0.0;
    ali3_model *m = ali3_model_new();
    for (int i = 0; i < 2; i++) {
      ali3_body_spec s = toy_body(i ? "B" : "A", (const double[]){i + 0.5, 0, 0}, 1.0 + i, 0.5);
      random_vector(&random, s.velocity, 3);
      random_vector(&random, s.angular_velocity, 3);
      for (int k = 0; k < 3; k++)
        before += 0.5 * (s.mass * s.velocity[k] * s.velocity[k] +
                         s.inertia[4 * k] * s.angular_velocity[k] * s.angular_velocity[k]);
      toy_added(m, ali3_model_add_body(m, &s));
    }
    toy_spherical(m, "J1", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
    toy_spherical(m, "J2", 0, (const double[]){0.5, 0, 0}, 1, (const double[]){-0.5, 0, 0});
    ali3_options o = ali3_options_default();
    o.assembly_velocity = INFINITY;
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    ali3_energy after;
    ali3_energy_get(m, d, &after);
    const ali3_initial *i = ali3_data_initial(d);
    assert_true(ali3_data_report(d)->velocity < 1e-11);
    assert_true(i->moved_position == 0.0 && i->moved_velocity > 1e-3 && i->moved_angular_velocity > 1e-3);
    assert_true(after.kinetic < before);
    /* the point of A at the ground rests: v = w x (0.5, 0, 0) */
    ali3_body_state x;
    ali3_body_get(m, d, 0, &x);
    assert_true(fabs(x.velocity[0]) < 1e-11);
    assert_true(fabs(x.velocity[1] - 0.5 * x.angular_velocity[2]) < 1e-11);
    assert_true(fabs(x.velocity[2] + 0.5 * x.angular_velocity[1]) < 1e-11);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

TEST(reset_goes_back_to_the_same_bits)
{
  ali3_model *m = toy_double_pendulum(1.0, 1.0, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state first[2], again[2];
  for (int i = 0; i < 2; i++) ali3_body_get(m, d, i, &first[i]);
  toy_run(m, d, 77);
  assert_int_equal(ali3_prepare(m, d), ALI3_OK); /* also in the middle of a step */
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  for (int i = 0; i < 2; i++) ali3_body_get(m, d, i, &again[i]);
  assert_memory_equal(first, again, sizeof first);
  assert_int_equal(ali3_data_report(d)->step, 0);
  assert_int_equal(ali3_feedback(m, d), ALI3_E_ARGUMENT);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A revolute joint that the assembly moves shows its angle at once, and not only after the first step. */
TEST(an_assembled_joint_shows_its_angle)
{
  ali3_body_spec a = toy_body("a", (const double[]){1, 0, 0}, 1.0, 1.0);
  ali3_body_spec b = toy_body("b", (const double[]){2, 0.3, 0}, 1.0, 1.0);
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = {.name = "hinge",
                       .type = ALI3_JOINT_REVOLUTE,
                       .body_a = ALI3_GROUND,
                       .body_b = 0,
                       .point_b = {-1, 0, 0},
                       .axis_a = {0, 0, 1},
                       .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &j));
  toy_spherical(m, "tip", 0, (const double[]){1, 0, 0}, 1, none);
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  ali3_joint_state at;
  ali3_body_state x;
  ali3_joint_get(m, d, 0, &at);
  ali3_body_get(m, d, 0, &x);
  assert_true(at.position > 0.05);
  assert_true(fabs(at.position - 2.0 * atan2(x.orientation[3], x.orientation[0])) < 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* The rows of an orientation also vanish half a turn away, which is no assembly. */
TEST(the_wrong_side_of_an_orientation_is_refused)
{
  for (int half = 0; half < 2; half++) {
    ali3_body_spec s = toy_body("b", none, 1.0, 1.0);
    ali3_model *m = one_body(&s);
    ali3_joint_spec j = {.name = "weld", .type = ALI3_JOINT_FIXED, .body_a = ALI3_GROUND, .body_b = 0};
    j.relative_orientation[0] = half ? 0.0 : 0.8; /* 180 or 74 degrees */
    j.relative_orientation[1] = half ? 1.0 : 0.6;
    toy_added(m, ali3_model_add_joint(m, &j));
    toy_freeze_apart(m, 0.01);
    ali3_data *d = toy_start(m, half ? ALI3_E_ASSEMBLE : ALI3_MOVED);
    ali3_body_state x;
    ali3_body_get(m, d, 0, &x);
    if (half)
      assert_int_equal(ali3_data_report(d)->worst_joint, 0);
    else
      assert_true(fabs(x.orientation[0] - 0.8) < 1e-9 && fabs(x.orientation[1] - 0.6) < 1e-9);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* With a penalty that is far too weak for the step, the start still has the right accelerations. */
TEST(the_start_does_not_depend_on_the_penalty)
{
  ali3_body_spec s = toy_body("b", (const double[]){1, 0, 0}, 2.0, 0.5);
  ali3_model *m = one_body(&s);
  toy_spherical(m, "hook", ALI3_GROUND, none, 0, (const double[]){-1, 0, 0});
  ali3_options o = ali3_options_default();
  o.dt = 1e-6;
  o.alpha = 1e7;
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.acceleration[1] + 8.0) < 1e-9);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_consistent_state_stays_where_it_is),
      cmocka_unit_test(acceleration_and_reaction_at_the_start),
      cmocka_unit_test(a_displaced_body_is_moved_and_reported),
      cmocka_unit_test(a_mechanism_slightly_apart_is_assembled),
      cmocka_unit_test(a_joint_that_cannot_close_is_reported),
      cmocka_unit_test(velocities_are_made_consistent),
      cmocka_unit_test(reset_goes_back_to_the_same_bits),
      cmocka_unit_test(an_assembled_joint_shows_its_angle),
      cmocka_unit_test(the_wrong_side_of_an_orientation_is_refused),
      cmocka_unit_test(the_start_does_not_depend_on_the_penalty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
