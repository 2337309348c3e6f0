/* SPDX-License-Identifier: MIT
 * Reactions of joints: every formulation in its own coordinates beside libali3, on mechanisms in motion. */
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/state.h"

#include "check.h"

#include <ali3/model.h>
#include <math.h>
#include <string.h>

enum { JOINTS = 16 };

static const struct method {
  const char *name, *integrator;
  const struct description *kind;
  double dt, near; /* s, N */
} methods[] = {
    {"al1-dca", "ode45", &description_absolute, 1e-3, 1e-4},
    {"al1-dca-projected", "ode45", &description_absolute, 1e-3, 1e-4},
    {"al1-dense", "ode45", &description_absolute, 1e-3, 1e-4},
    {"ali3", "nr", &description_absolute, 5e-4, 1e-2},
    {"em", "nr", &description_absolute, 2e-4, 2e-2}, /* means over the step */
    {"product", "step", &description_absolute, 1e-3, 1e-3},
    {"dca", "ode45", &description_joint, 1e-3, 1e-4},
    {"dca-dense", "ode45", &description_joint, 1e-3, 1e-4},
    {"hdca", "ode45", &description_joint, 1e-3, 1e-4},
    {"hdca-dense", "ode45", &description_joint, 1e-3, 1e-4},
    {"ali3", "nr", &description_joint, 5e-4, 1e-2},
    {"penalty", "tr", &description_natural, 2e-4, 1e-2},
    {"al1", "nr", &description_natural, 5e-4, 1e-2},
    {"ali3", "nr", &description_natural, 5e-4, 1e-2},
    {"hamiltonian", "nr", &description_natural, 5e-4, 1e-2},
};

static bool keep_reactions(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  if (sample->time >= s->run->duration * (1 - 1e-12)) assert_true(lab_reactions_get(s, user));
  return true;
}

/* False: the mechanism has no such coordinates. */
static bool run_method(const struct mechanism *o, const struct method *m, struct lab_reaction *end)
{
  struct problem p;
  struct lab_refusal why;
  struct lab_run r = lab_run_default();
  struct lab_result result;
  char text[300];
  const struct lab_watch watch = {.user = end, .step = keep_reactions};
  if (!problem_make(&p, m->kind, o->m, o->d, &why)) return false;
  r.formulation = lab_find_formulation(m->name);
  r.integrator = lab_find_integrator(m->integrator);
  r.duration = 0.2;
  r.dt = m->dt;
  r.rtol = r.atol = 1e-10;
  r.tolerance = 1e-13;
  r.violations = true; /* which must not disturb multipliers */
  r.alpha = m->kind == &description_natural || strcmp(m->name, "ali3") == 0 ? 1e9 : 1e7;
  if (strcmp(m->name, "em") == 0) r.alpha = 1e12; /* its matrix has h^2 */
  r.omega = strcmp(m->name, "hamiltonian") == 0 ? 1 : 10;
  if (lab_unsuitable(&p, &r, text, sizeof text)) fail_msg("%s", text);
  const enum lab_status status = lab_run(&p, &r, &watch, &result);
  if (status != LAB_OK) fail_msg("%s %s: %s", m->name, m->kind->name, lab_status_text(status));
  problem_free(&p);
  return true;
}

/* spatial: false where the motion is planar, so that natural coordinates know all of it. */
static void check_mechanism(struct mechanism o, const char *where, int kinds)
{
  static const struct method exact_method = {"product", "stepx", &description_absolute, 2.5e-4, 0};
  struct lab_reaction exact[JOINTS], found[JOINTS];
  int ran = 0;
  double largest = 0;
  assert_true(run_method(&o, &exact_method, exact));
  const int joints = ali3_model_joints(o.m);
  for (int j = 0; j < joints; j++)
    for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(exact[j].force[i]));
  assert_true(largest > 1);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const struct method *m = &methods[k];
    if (!run_method(&o, m, found)) continue;
    ran |= m->kind == &description_absolute ? 1 : m->kind == &description_joint ? 2 : 4;
    for (int j = 0; j < joints; j++) {
      char text[200];
      snprintf(text, sizeof text, "%s: %s, %s, %s, joint %d", where, m->name, m->integrator, m->kind->name,
               j);
      for (int i = 0; i < 3; i++) {
        assert_near_in(text, found[j].force[i], exact[j].force[i], m->near * largest / 10);
        assert_near_in(text, found[j].torque[i], exact[j].torque[i], m->near * largest / 10);
      }
    }
  }
  assert_int_equal(ran, kinds);
  mechanism_free(&o);
}

TEST(planar_mechanisms_in_all_coordinates)
{
  check_mechanism(mechanism_slider(0), "slider along x", 7);
  check_mechanism(mechanism_slider(0.3), "slider on a slope", 7);
  check_mechanism(mechanism_chain(5, false), "open chain", 7);
  check_mechanism(mechanism_chain(4, true), "closed chain", 7);
  check_mechanism(mechanism_with_loop(), "loops", 3);
}

TEST(joints_in_space)
{
  for (int type = 0; type < ALI3_JOINT_TYPES; type++)
    check_mechanism(mechanism_pair((ali3_joint_type)type), ali3_joint_type_name((ali3_joint_type)type), 3);
}

/* A spring, a drive and a load between the joints count among the loads of the bodies. */
TEST(forces_between_the_joints)
{
  struct mechanism o = mechanism_new();
  const int crank = mechanism_rod(&o, "crank", 0, 0, 0.6, 0.8),
            rod = mechanism_rod(&o, "rod", 0.6, 0.8, 1.5, 0.2);
  mechanism_pin(&o, "J1", ALI3_GROUND, crank, 0, 0);
  mechanism_pin(&o, "J2", rod, crank, 0.6, 0.8); /* the body that is reached first is b */
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING),
                  drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  spring.name = "spring";
  spring.body_b = rod;
  spring.point_b[0] = 0.3;
  spring.stiffness[0] = 60;
  spring.rest = 0.4;
  const ali3_load_spec load = {.name = "load", .type = ALI3_LOAD_TORQUE, .body = rod, .vector = {0, 0, 5}};
  assert_true(ali3_model_add_force(o.m, &spring) >= 0);
  assert_true(ali3_model_add_load(o.m, &load) >= 0);
  drive.name = "drive";
  drive.joint = 0;
  drive.amplitude = 0.4;
  drive.frequency = 0.6;
  assert_true(ali3_model_add_force(o.m, &drive) >= 0);
  mechanism_ready(&o);
  check_mechanism(o, "driven", 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(planar_mechanisms_in_all_coordinates),
                                     cmocka_unit_test(joints_in_space),
                                     cmocka_unit_test(forces_between_the_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
