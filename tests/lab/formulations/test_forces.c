/* SPDX-License-Identifier: MIT
 * Force elements, loads, drives and gears in all coordinates: formulations that share neither coordinates nor integrators agree
 * with the product's step; rows of drives and gears against differences. */
#include "coordinates/forces.h"
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/linear.h"
#include "integrators/state.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 21, ROWS = 24, POSES = 3 * 7 };

/* A crank on the ground, a rod on it, and a mass that slides along the rod: both kinds of coordinates. */
static struct mechanism arm_with(const ali3_force_spec *force, const ali3_load_spec *load, bool slider)
{
  struct mechanism o = mechanism_new();
  const int crank = mechanism_rod(&o, "crank", 0, 0, 0.6, 0.8),
            rod = mechanism_rod(&o, "rod", 0.6, 0.8, 1.5, 0.2);
  mechanism_pin(&o, "J1", ALI3_GROUND, crank, 0, 0);
  mechanism_pin(&o, "J2", crank, rod, 0.6, 0.8);
  if (slider) {
    ali3_joint_spec slide = {.name = "J3", .type = ALI3_JOINT_PRISMATIC, .body_a = rod, .axis_a = {1, 0, 0}};
    slide.body_b = mechanism_rod(&o, "mass", 1.5, 0.2, 2.4, -0.4);
    slide.velocity = 0.3;
    slide.point_b[0] = -0.9;
    assert_true(ali3_model_add_joint(o.m, &slide) >= 0);
  }
  if (force) assert_true(ali3_model_add_force(o.m, force) >= 0);
  if (load) assert_true(ali3_model_add_load(o.m, load) >= 0);
  mechanism_ready(&o);
  return o;
}

/* A force of a type that this mechanism has room for. */
static ali3_force_spec force_of_type(ali3_force_type type)
{
  ali3_force_spec f = ali3_force_spec_default(type);
  f.name = "force";
  f.stiffness[0] = 30;
  f.damping[0] = 2;
  if (ali3_force_type_on_joint(type)) {
    f.joint = type == ALI3_FORCE_FRICTION || type == ALI3_FORCE_BRAKE ? 2 : 1;
    f.lower = -0.01;
    f.upper = 0.01;
  } else {
    f.body_a = ALI3_GROUND;
    f.body_b = 1;
    memcpy(f.point_a, (double[3]){0.5, -0.4, 0}, sizeof f.point_a);
    memcpy(f.point_b, (double[3]){0.4, 0.1, 0}, sizeof f.point_b);
    f.lower = 0.8;
    f.upper = 1;
  }
  switch (type) {
  case ALI3_FORCE_BUSHING:
    for (int i = 0; i < 6; i++) f.stiffness[i] = f.damping[i] = 3 + i;
    break;
  case ALI3_FORCE_CABLE:
    f.rest = 0.8;
    break;
  case ALI3_FORCE_FRICTION:
  case ALI3_FORCE_BRAKE:
    f.friction = 1.5;
    f.slip = 0.2;
    break;
  case ALI3_FORCE_DRIVE:
    f.amplitude = 0.3;
    f.frequency = 0.7;
    f.speed = 9; /* beyond half a turn in the run */
    break;
  case ALI3_FORCE_GEAR:
    f.joint = 0;
    f.joint_b = 2;
    f.ratio = 1.7;
    break;
  case ALI3_FORCE_SPHERE_PLANE:
    memcpy(f.normal, (double[3]){0.1, 1, 0}, sizeof f.normal);
    f.radius_b = 0.9;
    f.friction = 0.4;
    f.slip = 0.3;
    break;
  case ALI3_FORCE_SPHERE_SPHERE:
    f.radius_a = 0.5;
    f.radius_b = 0.8;
    f.friction = 0.4;
    f.slip = 0.3;
    break;
  default:
    break;
  }
  return f;
}

/* ---- motions ---- */

static bool keep_poses(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  double *at = user;
  (void)sample;
  for (int b = 0; b < s->problem->bodies; b++) {
    struct lab_body x;
    lab_body_get(s, b, &x);
    memcpy(at + 7 * b, x.position, sizeof x.position);
    memcpy(at + 7 * b + 3, x.orientation, sizeof x.orientation);
  }
  return true;
}

static const struct method {
  const char *name, *integrator;
  const struct description *kind;
  double dt, near;
} methods[] = {
    {"al1-dca-projected", "ode45", &description_absolute, 1e-3, 2e-8},
    {"al1-dense", "ode113", &description_absolute, 1e-3, 1e-6},
    {"dca", "ode45", &description_joint, 1e-3, 2e-8},
    {"dca-dense", "ode23", &description_joint, 1e-3, 2e-7},
    {"hdca", "ode45", &description_joint, 1e-3, 2e-7},
    {"hdca-dense", "ode45", &description_joint, 1e-3, 2e-7},
    {"penalty", "ode45", &description_joint, 1e-3, 2e-6},
    {"ali3", "nr", &description_absolute, 5e-4, 5e-5},
    {"ali3", "nr", &description_joint, 5e-4, 5e-5},
    {"em", "nrx", &description_absolute, 1e-3, 1e-6},
    {"em-newton", "nr", &description_absolute, 1e-3, 1e-5},
    {"al1", "nr", &description_natural, 5e-4, 5e-5},
    {"ali3", "nr", &description_natural, 5e-4, 5e-5},
    {"penalty", "ode45", &description_natural, 5e-4, 2e-6},
    {"hamiltonian", "nr", &description_natural, 5e-4, 2e-5},
};

static bool run_method(const struct mechanism *o, const char *name, const char *integrator,
                       const struct description *kind, double dt, double *end)
{
  struct problem p;
  struct lab_refusal why;
  struct lab_run r = lab_run_default();
  struct lab_result result;
  char text[300];
  const struct lab_watch watch = {.user = end, .step = keep_poses};
  if (!problem_make(&p, kind, o->m, o->d, &why)) return false;
  r.formulation = lab_find_formulation(name);
  r.integrator = lab_find_integrator(integrator);
  r.duration = 0.4;
  r.dt = dt;
  r.rtol = r.atol = 1e-10;
  r.tolerance = 1e-12;
  r.alpha = kind == &description_natural || strcmp(name, "ali3") == 0 ? 1e9 : 1e7;
  r.omega = strcmp(name, "hamiltonian") == 0 ? 1 : 10;
  const char *refusal = lab_unsuitable(&p, &r, text, sizeof text);
  if (refusal) fail_msg("%s", refusal);
  const enum lab_status status = lab_run(&p, &r, &watch, &result);
  if (status != LAB_OK) fail_msg("%s %s: %s", name, kind->name, lab_status_text(status));
  problem_free(&p);
  return true;
}

/* Poses of the bodies; p and -p are one. */
static double largest_difference(const double *a, const double *b, int bodies)
{
  double worst = 0;
  for (int k = 0; k < bodies; k++, a += 7, b += 7) {
    double product = 0;
    for (int i = 3; i < 7; i++) product += a[i] * b[i];
    for (int i = 0; i < 7; i++) worst = fmax(worst, fabs(a[i] - (i > 2 && product < 0 ? -b[i] : b[i])));
  }
  return worst;
}

/* acts: the motion is another one without the force. */
static void check_motion(struct mechanism o, struct mechanism plain, const char *where, bool acts,
                         bool natural)
{
  double exact[POSES], end[POSES], without[POSES];
  const int bodies = ali3_model_bodies(o.m);
  assert_true(run_method(&o, "product", "stepx", &description_absolute, 2.5e-4, exact));
  assert_true(run_method(&plain, "product", "stepx", &description_absolute, 2.5e-4, without));
  if (acts && largest_difference(exact, without, bodies) < 1e-3) fail_msg("%s: does not act", where);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const struct method *m = &methods[k];
    char text[120];
    snprintf(text, sizeof text, "%s: %s %s, %s", where, m->name, m->integrator, m->kind->name);
    if (!run_method(&o, m->name, m->integrator, m->kind, m->dt, end)) {
      assert_true(m->kind == &description_natural && !natural);
      continue;
    }
    assert_near_in(text, largest_difference(exact, end, bodies), 0, m->near);
  }
  mechanism_free(&o);
  mechanism_free(&plain);
}

TEST(every_force_acts_alike_in_all_coordinates)
{
  for (int type = 0; type < ALI3_FORCE_TYPES; type++) {
    const ali3_force_spec f = force_of_type((ali3_force_type)type);
    if (type == ALI3_FORCE_CYLINDER || type == ALI3_FORCE_WINDING || type == ALI3_FORCE_TYRE)
      continue; /* refused: test_methods.py */
    const bool rigid = type == ALI3_FORCE_DRIVE || type == ALI3_FORCE_GEAR;
    check_motion(arm_with(&f, NULL, true), arm_with(NULL, NULL, true),
                 ali3_force_type_name((ali3_force_type)type),
                 type != ALI3_FORCE_MOTOR && type != ALI3_FORCE_BRAKE, false);
    if (rigid || type == ALI3_FORCE_FRICTION || type == ALI3_FORCE_BRAKE) continue;
    check_motion(arm_with(&f, NULL, false), arm_with(NULL, NULL, false),
                 ali3_force_type_name((ali3_force_type)type),
                 type != ALI3_FORCE_MOTOR && type != ALI3_FORCE_BRAKE, true);
  }
}

TEST(loads_act_alike_in_all_coordinates)
{
  for (int kind = 0; kind < 4; kind++) {
    const ali3_load_spec load = {.name = "load",
                                 .type = kind < 2 ? ALI3_LOAD_FORCE : ALI3_LOAD_TORQUE,
                                 .body = 1,
                                 .vector = {3, -2, 4},
                                 .point = {0.3, 0.2, 0},
                                 .body_axes = kind & 1};
    check_motion(arm_with(NULL, &load, false), arm_with(NULL, NULL, false), "load", true, true);
  }
}

/* ---- rows of drives and gears ---- */

static void check_rows(const struct problem *p, const char *where)
{
  double q[NUMBERS], qd[NUMBERS], Phi[2][ROWS], Phi_q[ROWS * NUMBERS], other[ROWS * NUMBERS], bias[ROWS],
      rate[2][ROWS] = {{0}}, Phi_t[ROWS];
  const double step = 1e-5, time = 0.13;
  const struct instant now = {time, p->turn, p->own_start};
  unsigned seed = 7;
  assert_int_equal(p->driven_rows, 1);
  /* In absolute coordinates an angle has its gradient where the joint is closed. */
  const bool free = p->kind == &description_joint;
  for (int i = 0; i < p->n; i++) {
    q[i] = p->q[i] + (free ? 0.1 * mechanism_random(&seed) : 0);
    qd[i] = free ? mechanism_random(&seed) : p->qd[i];
  }
  /* Phi_q and Phi_t */
  p->kind->rows(p, &now, q, Phi[0], Phi_q);
  for (int j = 0; j < p->n; j++) {
    const double kept = q[j];
    for (int side = 0; side < 2; side++) {
      q[j] = kept + (side ? step : -step);
      p->kind->rows(p, &now, q, Phi[side], other);
    }
    q[j] = kept;
    assert_near_in(where, Phi_q[p->driven * p->n + j], (Phi[1][p->driven] - Phi[0][p->driven]) / (2 * step),
                   1e-7);
  }
  forces_row_time(p, time, Phi_t);
  for (int side = 0; side < 2; side++) {
    const struct instant moved = {time + (side ? step : -step), p->turn, p->own_start};
    p->kind->rows(p, &moved, q, Phi[side], other);
  }
  assert_near_in(where, Phi_t[p->driven], (Phi[1][p->driven] - Phi[0][p->driven]) / (2 * step), 1e-7);
  /* bias: the rate of Phi_q q' + Phi_t along q' */
  p->kind->bias(p, &now, q, qd, bias);
  for (int side = 0; side < 2; side++) {
    const struct instant moved = {time + (side ? step : -step), p->turn, p->own_start};
    double at[NUMBERS], value[ROWS];
    for (int i = 0; i < p->n; i++) at[i] = q[i] + (side ? step : -step) * qd[i];
    p->kind->rows(p, &moved, at, value, other);
    forces_row_time(p, moved.time, rate[side]);
    add_product(rate[side], 1, other, qd, p->m, p->n);
  }
  assert_near_in(where, bias[p->driven], (rate[1][p->driven] - rate[0][p->driven]) / (2 * step), 1e-6);
}

TEST(drives_and_gears_have_exact_rows)
{
  for (int type = 0; type < 3; type++)
    for (int k = 0; k < 2; k++) {
      const struct description *kind = k ? &description_joint : &description_absolute;
      ali3_force_spec f = force_of_type(type < 2 ? ALI3_FORCE_DRIVE : ALI3_FORCE_GEAR);
      if (type == 1) f.joint = 2; /* a slide, which turns with the rod */
      struct mechanism o = arm_with(&f, NULL, true);
      struct problem p;
      struct lab_refusal why;
      assert_true(problem_make(&p, kind, o.m, o.d, &why));
      check_rows(&p, kind->name);
      problem_free(&p);
      mechanism_free(&o);
    }
}

/* The force is less the gradient of the energy. */
TEST(springs_have_the_energy_of_their_force)
{
  const struct description *const kinds[] = {&description_absolute, &description_joint, &description_natural};
  for (int k = 0; k < 3; k++) {
    ali3_force_spec f = force_of_type(ALI3_FORCE_SPRING);
    f.damping[0] = 0;
    struct mechanism o = arm_with(&f, NULL, false);
    struct problem p;
    struct lab_refusal why;
    double force[NUMBERS], energy[2], kinetic, zero[NUMBERS] = {0};
    assert_true(problem_make(&p, kinds[k], o.m, o.d, &why));
    const double step = 1e-5;
    p.kind->force(&p, NOW(&p), p.q, zero, force);
    for (int i = 0; i < p.n; i++) {
      const double kept = p.q[i];
      for (int side = 0; side < 2; side++) {
        p.q[i] = kept + (side ? step : -step);
        p.kind->energy(&p, NOW(&p), p.q, zero, &kinetic, &energy[side]);
      }
      p.q[i] = kept;
      assert_near_in(p.kind->name, force[i], -(energy[1] - energy[0]) / (2 * step), 1e-6);
    }
    problem_free(&p);
    mechanism_free(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_force_acts_alike_in_all_coordinates),
                                     cmocka_unit_test(loads_act_alike_in_all_coordinates),
                                     cmocka_unit_test(drives_and_gears_have_exact_rows),
                                     cmocka_unit_test(springs_have_the_energy_of_their_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
