/* SPDX-License-Identifier: MIT
 * The product's stepper as a method of the laboratory: the same bits as libali3 gives, from a copy of the model. */
#include "coordinates/absolute.h"
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/state.h"

#include "check.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <string.h>

enum { STEPS = 100 };

struct beside { /* libali3 itself, one step behind each step of the laboratory */
  const ali3_model *m;
  ali3_data *d;
  long steps;
};

static bool compare_bits(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct beside *o = user;
  (void)sample;
  if (o->steps++ > 0) assert_true(ali3_step(o->m, o->d) >= 0);
  for (int b = 0; b < ali3_model_bodies(o->m); b++) {
    ali3_body_state exact;
    ali3_body_get(o->m, o->d, b, &exact);
    assert_memory_equal(s->q + ABSOLUTE_BODY * b, exact.position, sizeof exact.position);
    assert_memory_equal(s->q + ABSOLUTE_BODY * b + 3, exact.orientation, sizeof exact.orientation);
    assert_memory_equal(s->w + ABSOLUTE_BODY * b, exact.velocity, sizeof exact.velocity);
  }
  return true;
}

/* The mechanism is frozen with the default options, whose step is 10 ms, so that the plain step is libali3's own. */
static struct lab_result run_product(struct mechanism *o, const char *integrator, double dt,
                                     const struct lab_watch *watch)
{
  struct problem p;
  struct lab_refusal why;
  struct lab_result result;
  struct lab_run r = lab_run_default();
  assert_true(problem_make(&p, &description_absolute, o->m, o->d, &why));
  r.formulation = lab_find_formulation("product");
  r.integrator = lab_find_integrator(integrator);
  r.duration = STEPS * 0.01;
  r.dt = dt;
  r.violations = true;
  assert_int_equal(lab_run(&p, &r, watch, &result), LAB_OK);
  problem_free(&p);
  return result;
}

TEST(every_joint_takes_the_steps_of_the_library)
{
  for (int type = 0; type < ALI3_JOINT_TYPES; type++) {
    struct mechanism o = mechanism_pair((ali3_joint_type)type);
    struct beside beside = {.m = o.m, .d = o.d};
    const struct lab_watch watch = {.user = &beside, .step = compare_bits};
    const struct lab_result r = run_product(&o, "step", 0.01, &watch);
    assert_int_equal(beside.steps, STEPS + 1);
    assert_int_equal(r.calls, 3 * STEPS);
    assert_near(r.position, 0, 1e-5);
    /* q'' has been taken over, too; on the short rod bodies whirl, and a step of 10 ms is coarse. */
    if (type != ALI3_JOINT_DISTANCE)
      assert_near_in(ali3_joint_type_name((ali3_joint_type)type), r.acceleration, 0, 1e-2);
    mechanism_free(&o);
  }
}

TEST(more_work_gives_more_accuracy)
{
  struct mechanism o = mechanism_pair(ALI3_JOINT_REVOLUTE);
  const struct lab_result plain = run_product(&o, "step", 0.01, NULL),
                          half = run_product(&o, "step", 0.005, NULL),
                          substeps = run_product(&o, "substeps", 0.01, NULL),
                          extrapolated = run_product(&o, "stepx", 0.01, NULL);
  assert_int_equal(substeps.calls, 2 * plain.calls);
  assert_int_equal(extrapolated.calls, 6 * plain.calls);
  assert_near(plain.drift / half.drift, 4, 1);
  assert_near(plain.drift / substeps.drift, 4, 1);
  assert_true(extrapolated.drift < 0.01 * plain.drift);
  mechanism_free(&o);
}

TEST(a_perturbed_run_scales_the_velocities)
{
  struct mechanism o = mechanism_pair(ALI3_JOINT_SPHERICAL);
  struct problem p;
  struct lab_refusal why;
  struct lab_result result[2];
  struct lab_run r = lab_run_default();
  assert_true(problem_make(&p, &description_absolute, o.m, o.d, &why));
  r.formulation = lab_find_formulation("product");
  r.integrator = lab_find_integrator("step");
  r.duration = r.dt = 0.01;
  for (int k = 0; k < 2; k++, r.speed = 0) assert_int_equal(lab_run(&p, &r, NULL, &result[k]), LAB_OK);
  ali3_energy energy;
  ali3_energy_get(o.m, o.d, &energy);
  assert_near(result[0].initial, energy.total, 1e-12);
  assert_near(result[1].initial, energy.potential, 1e-12);
  problem_free(&p);
  mechanism_free(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_joint_takes_the_steps_of_the_library),
                                     cmocka_unit_test(more_work_gives_more_accuracy),
                                     cmocka_unit_test(a_perturbed_run_scales_the_velocities)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
