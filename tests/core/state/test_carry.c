/* SPDX-License-Identifier: MIT
 * The motion of a model goes on in a model with other masses and stiffnesses: poses and velocities are equal, and the next step
 * obeys the other numbers. */
#include "check.h"
#include "common/heap.h"
#include "common/toys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

struct mass_on_spring {
  double mass, stiffness, push;
  ali3_force_type type;
};

/* A mass that slides along x, held by a spring, and pushed by a load. */
static ali3_model *mass_on_spring(const struct mass_on_spring *o)
{
  ali3_model *m = ali3_model_new();
  const ali3_body_spec body = toy_body("mass", (const double[]){1, 0, 0}, o->mass, 0.1);
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = toy_added(m, ali3_model_add_body(m, &body)),
                           .point_a = {1, 0, 0},
                           .axis_a = {1, 0, 0},
                           .axis_b = {1, 0, 0}};
  toy_added(m, ali3_model_set_gravity(m, (const double[]){-G, 0, 0}));
  ali3_force_spec force = ali3_force_spec_default(o->type);
  force.name = "spring";
  force.joint = toy_added(m, ali3_model_add_joint(m, &slide));
  force.stiffness[0] = o->stiffness;
  force.lower = -0.1;
  toy_added(m, ali3_model_add_force(m, &force));
  const ali3_load_spec load = {.name = "push", .type = ALI3_LOAD_FORCE, .body = 0, .vector = {o->push, 0, 0}};
  toy_added(m, ali3_model_add_load(m, &load));
  toy_freeze(m, 1e-3);
  return m;
}

static const struct mass_on_spring PLAIN = {2, 50, 0, ALI3_FORCE_JOINT_SPRING};

TEST(equal_numbers_give_an_equal_motion)
{
  ali3_model *m = toy_random(5, 20, 4), *other = toy_random(5, 20, 4);
  ali3_data *d = toy_start(m, ALI3_OK), *e = toy_start(other, ALI3_OK);
  toy_run(m, d, 37);
  toy_run(other, e, 11);
  ali3_prepare(other, e); /* the pending step of the other data does not matter */
  const long calls = heap_calls();
  assert_int_equal(ali3_state_carry(other, e, m, d), ALI3_OK);
  assert_int_equal(heap_calls(), calls);
  assert_int_equal(ali3_data_report(e)->step, 37);
  toy_run(m, d, 100);
  toy_run(other, e, 100);
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x, y;
    ali3_body_get(m, d, b, &x);
    ali3_body_get(other, e, b, &y);
    for (int k = 0; k < 3; k++) assert_near(x.position[k], y.position[k], 1e-9);
  }
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(m);
  ali3_model_free(other);
}

/* x'' of the mass after one step from the pose and velocity of a run with PLAIN. */
static double acceleration_with(const struct mass_on_spring *changed, double *x)
{
  ali3_model *m = mass_on_spring(&PLAIN), *other = mass_on_spring(changed);
  ali3_data *d = toy_start(m, ALI3_OK), *e = toy_start(other, ALI3_OK);
  ali3_body_state before, after;
  toy_run(m, d, 300);
  ali3_body_get(m, d, 0, &before);
  assert_int_equal(ali3_state_carry(other, e, m, d), ALI3_OK);
  ali3_body_get(other, e, 0, &after);
  assert_memory_equal(before.position, after.position, sizeof before.position);
  assert_memory_equal(before.velocity, after.velocity, sizeof before.velocity);
  toy_run(other, e, 1);
  ali3_body_get(other, e, 0, &after);
  *x = after.position[0] - 1.0;
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(m);
  ali3_model_free(other);
  return after.acceleration[0];
}

TEST(the_next_step_obeys_the_other_numbers)
{
  double x, a = acceleration_with(&PLAIN, &x);
  assert_near(a, -G - 50 * x / 2, 1e-9);
  a = acceleration_with(&(struct mass_on_spring){2, 80, 0, ALI3_FORCE_JOINT_SPRING}, &x);
  assert_near(a, -G - 80 * x / 2, 1e-9);
  a = acceleration_with(&(struct mass_on_spring){5, 50, 0, ALI3_FORCE_JOINT_SPRING}, &x);
  assert_near(a, -G - 50 * x / 5, 1e-9);
  a = acceleration_with(&(struct mass_on_spring){2, 50, 7, ALI3_FORCE_JOINT_SPRING}, &x);
  assert_near(a, -G - 50 * x / 2 + 7.0 / 2, 1e-9);
}

TEST(a_load_from_outside_stays)
{
  ali3_model *m = mass_on_spring(&PLAIN),
             *other = mass_on_spring(&(struct mass_on_spring){3, 50, 0, ALI3_FORCE_JOINT_SPRING});
  ali3_data *d = toy_start(m, ALI3_OK), *e = toy_start(other, ALI3_OK);
  ali3_body_state s;
  ali3_set_wrench(m, d, 0, (const double[]){4, 0, 0}, (const double[]){0, 0, 0});
  ali3_set_load(m, d, 0, (const double[]){5, 0, 0});
  toy_run(m, d, 20);
  assert_int_equal(ali3_state_carry(other, e, m, d), ALI3_OK);
  toy_run(other, e, 1);
  ali3_body_get(other, e, 0, &s);
  assert_near(s.acceleration[0], -G + (9 - 50 * (s.position[0] - 1)) / 3, 1e-9);
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(m);
  ali3_model_free(other);
}

TEST(another_structure_is_refused)
{
  ali3_model *m = mass_on_spring(&PLAIN),
             *other = mass_on_spring(&(struct mass_on_spring){2, 50, 0, ALI3_FORCE_STOP}),
             *chain = toy_chain(3, true, 1e-3);
  ali3_data *d = toy_start(m, ALI3_OK), *e = toy_start(chain, ALI3_OK), *raw = ali3_data_new(m);
  const size_t size = ali3_data_size(chain);
  void *before = malloc(size);
  assert_true(before && raw);
  memcpy(before, e, size);
  assert_int_equal(ali3_state_carry(chain, e, m, d), ALI3_E_STATE);
  assert_memory_equal(before, e, size);
  assert_false(ali3_model_takes_state(chain, m));
  assert_true(ali3_model_takes_state(m, m));
  assert_int_equal(ali3_state_carry(m, raw, m, d), ALI3_E_ARGUMENT); /* without a reset */
  assert_int_equal(ali3_state_carry(m, d, m, raw), ALI3_E_ARGUMENT);
  ali3_prepare(m, d);
  ali3_data *f = toy_start(m, ALI3_OK);
  assert_int_equal(ali3_state_carry(m, f, m, d), ALI3_E_ARGUMENT);
  ali3_unprepare(m, d);
  assert_int_equal(ali3_state_carry(m, f, m, d), ALI3_OK);
  free(before);
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_data_free(f);
  ali3_data_free(raw);
  ali3_model_free(m);
  ali3_model_free(other);
  ali3_model_free(chain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_numbers_give_an_equal_motion),
                                     cmocka_unit_test(the_next_step_obeys_the_other_numbers),
                                     cmocka_unit_test(a_load_from_outside_stays),
                                     cmocka_unit_test(another_structure_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
