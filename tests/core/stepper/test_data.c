/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, GUARD = 256 };

/* Bytes of a known pattern around the block survive every use of it. */
TEST(lives_in_the_callers_block)
{
  ali3_model *m = toy_chain(5, true, 0.01);
  size_t size = ali3_data_size(m);
  assert_true(size > 0 && size % ALIGN == 0);
  unsigned char *memory = aligned_alloc(ALIGN, size + 2 * GUARD);
  assert_non_null(memory);
  memset(memory, 0xa5, size + 2 * GUARD);
  ali3_data *d = ali3_data_place(m, memory + GUARD, size), *own = toy_start(m, ALI3_OK);
  assert_non_null(d);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  toy_run(m, d, 50);
  toy_run(m, own, 50);
  for (int i = 0; i < 5; i++) {
    ali3_body_state a, b;
    ali3_body_get(m, d, i, &a);
    ali3_body_get(m, own, i, &b);
    assert_memory_equal(&a, &b, sizeof a);
  }
  ali3_data_free(d); /* the caller owns the block: nothing happens */
  for (int i = 0; i < GUARD; i++) {
    assert_int_equal(memory[i], 0xa5);
    assert_int_equal(memory[GUARD + size + (size_t)i], 0xa5);
  }
  free(memory);
  ali3_data_free(own);
  ali3_model_free(m);
}

TEST(a_block_that_does_not_fit_is_refused)
{
  ali3_model *m = toy_chain(3, true, 0.01);
  size_t size = ali3_data_size(m);
  unsigned char *memory = aligned_alloc(ALIGN, size + ALIGN);
  assert_non_null(memory);
  memory[0] = memory[8] = 0xa5;
  assert_null(ali3_data_place(m, memory, size - 1));
  assert_null(ali3_data_place(m, memory + 8, size));
  assert_null(ali3_data_place(m, NULL, size));
  assert_int_equal(memory[0], 0xa5); /* and was not written to */
  assert_int_equal(memory[8], 0xa5);
  assert_non_null(ali3_data_place(m, memory, size));
  free(memory);
  ali3_model_free(m);

  m = ali3_model_new(); /* not frozen */
  assert_int_equal(ali3_data_size(m), 0);
  assert_null(ali3_data_new(m));
  ali3_data_free(NULL);
  ali3_model_free(m);
}

/* A body at rest above the origin, and one that moves and turns. */
TEST(energy_is_what_the_books_say)
{
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, 0, -10.0}));
  ali3_body_spec a = toy_body("a", (const double[]){0, 0, 3}, 2.0, 1.0),
                 b = toy_body("b", (const double[]){1, 2, -1}, 4.0, 0.5);
  b.velocity[0] = 3.0;
  b.angular_velocity[2] = 2.0;
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_energy e;
  ali3_energy_get(m, d, &e);
  assert_true(fabs(e.kinetic - (18.0 + 1.0)) < 1e-12);
  assert_true(fabs(e.potential - (60.0 - 40.0)) < 1e-12);
  assert_true(fabs(e.total - 39.0) < 1e-12);
  ali3_body_state x;
  ali3_body_get(m, d, 1, &x);
  assert_true(fabs(x.acceleration[2] + 10.0) < 1e-12);
  assert_true(fabs(x.angular_velocity[2] - 2.0) < 1e-15);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A wheel on an axle: the joint angle counts full turns, and its rate is that of the wheel. */
TEST(joint_angle_does_not_wrap)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec wheel = toy_body("wheel", (const double[3]){0}, 1.0, 1.0);
  wheel.angular_velocity[2] = -5.0;
  toy_added(m, ali3_model_add_body(m, &wheel));
  ali3_joint_spec axle = {.name = "axle",
                          .type = ALI3_JOINT_REVOLUTE,
                          .body_a = ALI3_GROUND,
                          .axis_a = {0, 0, 1},
                          .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &axle));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 1; i <= 1000; i++) {
    ali3_joint_state j;
    toy_run(m, d, 1);
    ali3_joint_get(m, d, 0, &j);
    assert_true(fabs(j.position + 0.05 * i) < 1e-2); /* 8 turns in all */
    assert_true(fabs(j.velocity + 5.0) < 1e-2);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Whatever was in the structs before. */
TEST(equal_states_have_equal_bytes)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec wheel = toy_body("wheel", (const double[3]){0}, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &wheel));
  const ali3_joint_spec axle = {.name = "axle",
                                .type = ALI3_JOINT_REVOLUTE,
                                .body_a = ALI3_GROUND,
                                .axis_a = {0, 0, 1},
                                .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &axle));
  const ali3_sensor_spec encoder = {.name = "encoder", .type = ALI3_SENSOR_ENCODER};
  toy_added(m, ali3_model_add_sensor(m, &encoder));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  struct {
    ali3_joint_state joint;
    ali3_reading reading;
  } x, y;
  memset(&x, 0x00, sizeof x);
  memset(&y, 0xff, sizeof y);
  ali3_joint_get(m, d, 0, &x.joint);
  ali3_joint_get(m, d, 0, &y.joint);
  ali3_sensor_read(m, d, 0, &x.reading);
  ali3_sensor_read(m, d, 0, &y.reading);
  assert_memory_equal(&x.joint, &y.joint, sizeof x.joint);
  assert_memory_equal(&x.reading, &y.reading, sizeof x.reading);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lives_in_the_callers_block),    cmocka_unit_test(a_block_that_does_not_fit_is_refused),
      cmocka_unit_test(energy_is_what_the_books_say),  cmocka_unit_test(joint_angle_does_not_wrap),
      cmocka_unit_test(equal_states_have_equal_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
