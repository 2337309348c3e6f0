/* SPDX-License-Identifier: MIT
 * Mechanisms that no joint of the tree connects with the ground: a body floats with seven coordinates. The forms of paper 2
 * beside absolute coordinates, and the momenta that stay where no load acts. */
#include "coordinates/joint.h"
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/state.h"
#include "math/euler.h"
#include "model/model.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { BODIES = MECHANISM_BODIES, NUMBERS = 13 * BODIES };

/* ---- mechanisms ---- */

static int add_tumbling_body(struct mechanism *o, const char *name, double x, double y)
{
  const ali3_body_spec spec = {.name = name,
                               .mass = 1 + 0.3 * x,
                               .inertia = {0.3, 0.02, 0, 0.02, 0.2, 0.01, 0, 0.01, 0.4},
                               .position = {x, y, 0},
                               .orientation = {1},
                               .velocity = {0.4 - 0.9 * y, 0.9 * x, 0.2},
                               .angular_velocity = {0, 0, 0.9}};
  const int body = ali3_model_add_body(o->m, &spec);
  assert_true(body >= 0);
  o->pose[body] = (struct mechanism_pose){x, y, 0};
  return body;
}

static void join_bodies(struct mechanism *o, const char *name, ali3_joint_type type, int a, int b,
                        const double axis[3])
{
  const ali3_body_spec *x = &o->m->body[a].spec, *y = &o->m->body[b].spec;
  ali3_joint_spec spec = {.name = name, .type = type, .body_a = a, .body_b = b};
  for (int i = 0; i < 3; i++) {
    spec.point_a[i] = 0.5 * (y->position[i] - x->position[i]);
    spec.point_b[i] = -spec.point_a[i];
    spec.axis_a[i] = axis[i];
    spec.axis_b[i] = ali3_joint_type_has_axis_b(type) ? axis[i] : 0;
  }
  assert_true(ali3_model_add_joint(o->m, &spec) >= 0);
}

static void take_weight(struct mechanism *o)
{
  assert_int_equal(ali3_model_set_gravity(o->m, (const double[3]){0}), ALI3_OK);
}

/* A tree in space with a spring between its ends; no weight. */
static struct mechanism floating_tree(void)
{
  struct mechanism o = mechanism_new();
  take_weight(&o);
  add_tumbling_body(&o, "A", 0, 0);
  add_tumbling_body(&o, "B", 1, 0.2);
  add_tumbling_body(&o, "C", 1.5, 1);
  add_tumbling_body(&o, "D", -0.8, 0.5);
  join_bodies(&o, "J1", ALI3_JOINT_REVOLUTE, 0, 1, (const double[]){0.6, 0, 0.8});
  join_bodies(&o, "J2", ALI3_JOINT_PRISMATIC, 2, 1, (const double[]){0, 0.6, 0.8});
  join_bodies(&o, "J3", ALI3_JOINT_REVOLUTE, 0, 3, (const double[]){0, 1, 0});
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "spring";
  spring.body_a = 3;
  spring.body_b = 2;
  spring.stiffness[0] = 40;
  spring.rest = 1.5;
  assert_true(ali3_model_add_force(o.m, &spring) >= 0);
  mechanism_ready(&o);
  return o;
}

/* A quadrilateral with axes along z, so that three of its rows are redundant, and a loop in its loop. */
static struct mechanism floating_loops(void)
{
  static const double z[3] = {0, 0, 1};
  struct mechanism o = mechanism_new();
  take_weight(&o);
  add_tumbling_body(&o, "A", 0, 0);
  add_tumbling_body(&o, "B", 1, 0.2);
  add_tumbling_body(&o, "C", 1.2, 1.1);
  add_tumbling_body(&o, "D", -0.2, 0.9);
  add_tumbling_body(&o, "E", 0.5, 0.6);
  join_bodies(&o, "J1", ALI3_JOINT_REVOLUTE, 0, 1, z);
  join_bodies(&o, "J2", ALI3_JOINT_REVOLUTE, 1, 2, z);
  join_bodies(&o, "J3", ALI3_JOINT_REVOLUTE, 2, 3, z);
  join_bodies(&o, "J4", ALI3_JOINT_REVOLUTE, 3, 0, z);
  join_bodies(&o, "J5", ALI3_JOINT_REVOLUTE, 0, 4, z);
  join_bodies(&o, "J6", ALI3_JOINT_SPHERICAL, 4, 2, (const double[3]){0});
  mechanism_ready(&o);
  return o;
}

/* Two bodies on spherical joints, with weight: both float, and all joints are cut. */
static struct mechanism floating_balls(void)
{
  return mechanism_pair(ALI3_JOINT_SPHERICAL);
}

/* ---- runs ---- */

struct end_state {
  double body[NUMBERS], momentum[6];
  double drift; /* largest change of a momentum since the start */
  bool began;
};

/* The sum over all bodies: linear, and angular about the origin. */
static void find_momentum(const struct lab_state *s, double P[6])
{
  const ali3_model *m = s->problem->model;
  memset(P, 0, 6 * sizeof *P);
  for (int b = 0; b < s->problem->bodies; b++) {
    struct lab_body x;
    double R[9], own[3], turn[3], moment[3];
    lab_body_get(s, b, &x);
    p_rotation(R, x.orientation);
    m3_mul(own, m->body[b].spec.inertia, x.angular_velocity);
    m3_mul(turn, R, own);
    v3_cross(moment, x.position, x.velocity);
    for (int i = 0; i < 3; i++) {
      P[i] += m->body[b].spec.mass * x.velocity[i];
      P[3 + i] += m->body[b].spec.mass * moment[i] + turn[i];
    }
  }
}

static bool keep_end(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct end_state *o = user;
  double P[6];
  (void)sample;
  find_momentum(s, P);
  if (!o->began) memcpy(o->momentum, P, sizeof P);
  o->began = true;
  for (int i = 0; i < 6; i++) o->drift = fmax(o->drift, fabs(P[i] - o->momentum[i]));
  for (int b = 0; b < s->problem->bodies; b++) {
    struct lab_body x;
    lab_body_get(s, b, &x);
    double *at = o->body + 13 * b;
    for (int i = 0; i < 3; i++) {
      at[i] = x.position[i];
      at[3 + i] = x.velocity[i];
      at[6 + i] = x.angular_velocity[i];
    }
    for (int i = 0; i < 4; i++) at[9 + i] = x.orientation[0] < 0 ? -x.orientation[i] : x.orientation[i];
  }
  return true;
}

static struct lab_result run(const struct mechanism *o, const char *method, const struct description *kind,
                             double tolerance, struct end_state *end)
{
  struct problem p;
  struct lab_refusal why;
  struct lab_result result;
  struct lab_run r = lab_run_default();
  char text[300];
  const struct lab_watch watch = {.user = end, .step = keep_end};
  memset(end, 0, sizeof *end);
  assert_true(problem_make(&p, kind, o->m, o->d, &why));
  r.formulation = lab_find_formulation(method);
  r.integrator = lab_find_integrator("ode45");
  r.duration = 1;
  r.rtol = r.atol = tolerance;
  r.violations = true;
  if (lab_unsuitable(&p, &r, text, sizeof text)) fail_msg("%s", text);
  if (lab_run(&p, &r, &watch, &result) != LAB_OK) fail_msg("%s: %s", method, lab_status_text(result.status));
  problem_free(&p);
  return result;
}

/* ---- tests ---- */

static const char *const forms[] = {"dca", "dca-dense", "dca-handles", "hdca", "hdca-dense", "hdca-handles"};
enum { FORMS = sizeof forms / sizeof *forms };

TEST(all_forms_follow_absolute_coordinates)
{
  struct mechanism (*const make[])(void) = {floating_tree, floating_loops, floating_balls};
  for (size_t k = 0; k < sizeof make / sizeof *make; k++) {
    struct mechanism o = make[k]();
    struct end_state exact, found;
    run(&o, "al1-dca-projected", &description_absolute, 1e-12, &exact);
    for (int f = 0; f < FORMS; f++) {
      const struct lab_result r = run(&o, forms[f], &description_joint, 1e-12, &found);
      for (int i = 0; i < 13 * ali3_model_bodies(o.m); i++)
        assert_near_in(forms[f], found.body[i], exact.body[i], 1e-9);
      assert_true(r.position < 1e-9 && r.velocity < 1e-9);
    }
    mechanism_free(&o);
  }
}

/* The momentum of a link that floats is a state of Hamiltonian DCA: nothing changes it, however coarse the steps are. */
TEST(momenta_stay)
{
  struct mechanism (*const make[])(void) = {floating_tree, floating_loops};
  for (size_t k = 0; k < sizeof make / sizeof *make; k++) {
    struct mechanism o = make[k]();
    struct end_state end;
    for (int f = 0; f < FORMS; f++) {
      const bool impulses = strncmp(forms[f], "hdca", 4) == 0;
      run(&o, forms[f], &description_joint, 1e-4, &end);
      assert_near_in(forms[f], end.drift, 0, impulses ? 1e-11 : 1e-2);
      run(&o, forms[f], &description_joint, 1e-10, &end);
      assert_near_in(forms[f], end.drift, 0, impulses ? 1e-11 : 1e-8);
    }
    mechanism_free(&o);
  }
}

/* Euler parameters off the unit sphere are the same place: the twist does not see their norm. */
TEST(the_norm_of_euler_parameters_does_not_count)
{
  struct mechanism o = floating_tree();
  struct problem p;
  struct lab_refusal why;
  double q[2][40], qd[2][40], kinetic[2], potential[2], bias[8];
  assert_true(problem_make(&p, &description_joint, o.m, o.d, &why));
  assert_int_equal(p.n, 10);
  assert_int_equal(p.m, 1);
  for (int i = 0; i < p.n; i++) {
    const double factor = i >= 3 && i < 7 ? 1.3 : 1; /* the first link floats */
    q[0][i] = p.q[i];
    qd[0][i] = p.qd[i];
    q[1][i] = factor * p.q[i];
    qd[1][i] = factor * p.qd[i] + (factor > 1 ? 0.2 * p.q[i] : 0);
  }
  for (int k = 0; k < 2; k++) p.kind->energy(&p, NOW(&p), q[k], qd[k], &kinetic[k], &potential[k]);
  assert_near(kinetic[1], kinetic[0], 1e-12);
  assert_near(potential[1], potential[0], 1e-12);
  p.kind->bias(&p, NOW(&p), q[0], qd[0], bias);
  assert_near(bias[0], 2 * p_dot(qd[0] + 3, qd[0] + 3), 1e-14);
  problem_free(&p);
  mechanism_free(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms_follow_absolute_coordinates),
                                     cmocka_unit_test(momenta_stay),
                                     cmocka_unit_test(the_norm_of_euler_parameters_does_not_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
