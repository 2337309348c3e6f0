/* SPDX-License-Identifier: MIT
 * The energy method: momentum, energy and order, for mechanisms with springs, stops and loads; the methods side by side. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <string.h>

static const double none[3];

/* The parts of a mechanism. */
enum {
  JOINTS = 1,
  SPRINGS = 2,
  BUSHINGS = 4,
  FRICTION = 8,
  TABLES = 16,
  LOADS = 32,
  GRAVITY = 64,
  GROUND = 128
};

static ali3_options by_method(ali3_method method, double dt, bool extrapolate)
{
  ali3_options o = ali3_options_default();
  o.assembly_velocity = INFINITY; /* given velocities do not suit the joints */
  o.method = method;
  o.dt = dt;
  o.extrapolate = extrapolate;
  return o;
}

static ali3_force_spec between(ali3_force_type type, const char *name, int a, int b)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name;
  s.body_a = a;
  s.body_b = b;
  s.point_a[1] = 0.2;
  s.point_b[1] = 0.3;
  return s;
}

static void add_spring(ali3_model *m, const char *name, int a, int b, bool table)
{
  static const double bend[3][2] = {{-1.0, -90.0}, {0.02, 0.0}, {1.0, 40.0}};
  ali3_force_spec s = between(ALI3_FORCE_SPRING, name, a, b);
  s.stiffness[0] = 60.0;
  if (table) s.force_table = (ali3_table){.n = 3, .point = bend};
  toy_added(m, ali3_model_add_force(m, &s));
}

static void add_bushing(ali3_model *m, const char *name, int a, int b)
{
  ali3_force_spec s = between(ALI3_FORCE_BUSHING, name, a, b);
  for (int i = 0; i < 6; i++) s.stiffness[i] = i < 3 ? 50.0 + 10.0 * i : i;
  toy_added(m, ali3_model_add_force(m, &s));
}

/* Four bodies in space that move and turn, with unlike moments of inertia. */
static ali3_model *cluster(int has, const ali3_options *o)
{
  enum { BODIES = 4 };
  static const char *const name[BODIES] = {"a", "b", "c", "d"};
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  ali3_model_set_gravity(m, has & GRAVITY ? (const double[]){0, -9.81, 0} : none);
  int body[BODIES];
  for (int i = 0; i < BODIES; i++) {
    ali3_body_spec b = toy_body(name[i], (const double[]){i, 0, 0}, 1.0 + 0.5 * i, 0.1);
    b.inertia[4] = 0.2 + 0.02 * i;
    b.inertia[8] = 0.25;
    memcpy(b.velocity, (const double[]){0.2 * i, 0.3, -0.1 * i}, sizeof b.velocity);
    memcpy(b.angular_velocity, (const double[]){1.0, 0.5 * i, -0.8}, sizeof b.angular_velocity);
    body[i] = toy_added(m, ali3_model_add_body(m, &b));
  }
  if (has & GROUND)
    toy_spherical(m, "ground", ALI3_GROUND, (const double[]){-0.5, 0, 0}, body[0],
                  (const double[]){-0.5, 0, 0});
  int hinge = -1;
  for (int i = 1; i < BODIES && has & JOINTS; i++) {
    const double end[3] = {0.5, 0, 0}, begin[3] = {-0.5, 0, 0};
    if (i != 2) {
      toy_spherical(m, name[i], body[i - 1], end, body[i], begin);
      continue;
    }
    ali3_joint_spec s = {.name = "hinge",
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = body[1],
                         .body_b = body[2],
                         .point_a = {0.5, 0, 0},
                         .point_b = {-0.5, 0, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    hinge = toy_added(m, ali3_model_add_joint(m, &s));
  }
  /* forces between the bodies */
  if (has & SPRINGS) {
    add_spring(m, "ac", body[0], body[2], has & TABLES);
    add_spring(m, "bd", body[1], body[3], false);
  }
  if (has & SPRINGS && hinge >= 0) {
    ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
    s.name = "twist";
    s.joint = hinge;
    s.stiffness[0] = 4.0;
    toy_added(m, ali3_model_add_force(m, &s));
  }
  if (has & BUSHINGS) add_bushing(m, "ab", body[0], body[1]);
  if (has & FRICTION && hinge >= 0) {
    ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_FRICTION);
    s.name = "rub";
    s.joint = hinge;
    s.friction = 0.05;
    s.damping[0] = 0.02;
    toy_added(m, ali3_model_add_force(m, &s));
  }
  if (has & LOADS)
    toy_added(m, ali3_model_add_load(m, &(ali3_load_spec){.name = "pull",
                                                          .type = ALI3_LOAD_FORCE,
                                                          .body = body[3],
                                                          .point = {0.3, 0.1, 0},
                                                          .vector = {1.0, -2.0, 0.5}}));
  toy_freeze_with(m, o);
  return m;
}

/* Linear momentum, and angular momentum about the origin. */
static void momentum_of(const ali3_model *m, const ali3_data *d, double P[3], double L[3])
{
  for (int i = 0; i < 3; i++) P[i] = L[i] = 0.0;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    const double mass = 1.0 + 0.5 * b, J[3] = {0.1, 0.2 + 0.02 * b, 0.25};
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    const double *r = x.position, *v = x.velocity, *p = x.orientation;
    double h[3];
    for (int i = 0; i < 3; i++) {
      P[i] += mass * v[i];
      L[i] += mass * (r[(i + 1) % 3] * v[(i + 2) % 3] - r[(i + 2) % 3] * v[(i + 1) % 3]);
      h[i] = J[i] * x.angular_velocity[i];
    }
    /* p h p* with the rotation of p */
    const double e[3] = {p[1], p[2], p[3]};
    double t[3];
    for (int i = 0; i < 3; i++)
      t[i] = 2.0 * (e[(i + 1) % 3] * h[(i + 2) % 3] - e[(i + 2) % 3] * h[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
      L[i] += h[i] + p[0] * t[i] + e[(i + 1) % 3] * t[(i + 2) % 3] - e[(i + 2) % 3] * t[(i + 1) % 3];
  }
}

/* Largest change of the momenta in 1000 steps. */
static void momentum_holds(int has, int iterations, double linear, double angular)
{
  ali3_options o = by_method(ALI3_METHOD_ENERGY, 0.01, false);
  o.iterations = iterations;
  ali3_model *m = cluster(has, &o);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  double P[2][3], L[2][3], change[2] = {0};
  momentum_of(m, d, P[0], L[0]);
  for (int k = 0; k < 1000; k++) {
    toy_run(m, d, 1);
    momentum_of(m, d, P[1], L[1]);
    for (int i = 0; i < 3; i++) {
      change[0] = fmax(change[0], fabs(P[1][i] - P[0][i]));
      change[1] = fmax(change[1], fabs(L[1][i] - L[0][i]));
    }
  }
  printf("has %3d, %d iterations: linear momentum off by %.1e N s, angular by %.1e N m s\n", has, iterations,
         change[0], change[1]);
  assert_true(change[0] < linear && change[1] < angular);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_free_mechanism_keeps_its_momentum)
{
  momentum_holds(JOINTS, 3, 1e-12, 1e-8);
  momentum_holds(JOINTS, 6, 1e-12, 1e-8);
  momentum_holds(JOINTS | SPRINGS | TABLES | FRICTION, 6, 1e-12, 1e-8);
}

static double energy_of(const ali3_model *m, const ali3_data *d)
{
  ali3_energy e;
  ali3_energy_get(m, d, &e);
  return e.total;
}

/* Largest change of the energy in 1000 steps of 10 ms. */
static double drift(ali3_method method, int has, int iterations, bool extrapolate)
{
  ali3_options o = by_method(method, 0.01, extrapolate);
  o.iterations = iterations;
  ali3_model *m = cluster(has, &o);
  ali3_data *d = ali3_data_new(m);
  assert_true(d && ali3_reset(m, d) >= 0);
  const double start = energy_of(m, d);
  double largest = 0.0;
  for (int i = 0; i < 1000; i++) {
    toy_run(m, d, 1);
    largest = fmax(largest, fabs(energy_of(m, d) - start));
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return largest;
}

/* Without joints no velocity is projected, and the energy is that of the start except for what the iterations leave. */
TEST(springs_and_bushings_keep_all_energy)
{
  static const int kind[] = {SPRINGS, SPRINGS | TABLES, BUSHINGS, SPRINGS | BUSHINGS | TABLES};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    const double ali3 = drift(ALI3_METHOD_ALI3, kind[i], 12, false),
                 energy = drift(ALI3_METHOD_ENERGY, kind[i], 12, false);
    printf("springs %d: energy off by %.1e J, with the method ali3 by %.1e J\n", kind[i], energy, ali3);
    assert_true(energy < 1e-9 && ali3 > 1e4 * energy);
  }
}

/* Three iterations, with the projection of velocities. */
TEST(joints_cost_little_energy)
{
  static const int kind[] = {JOINTS, JOINTS | SPRINGS, JOINTS | GROUND | GRAVITY,
                             JOINTS | SPRINGS | GROUND | GRAVITY};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    const double ali3 = drift(ALI3_METHOD_ALI3, kind[i], 3, false),
                 energy = drift(ALI3_METHOD_ENERGY, kind[i], 3, false),
                 better = drift(ALI3_METHOD_ENERGY, kind[i], 3, true);
    printf("joints %d: energy off by %.1e J, extrapolated %.1e J, with the method ali3 by %.1e J\n", kind[i],
           energy, better, ali3);
    assert_true(energy < ali3 / 8.0 && better < energy / 100.0);
  }
}

/* Positions of all bodies after a second. */
static void end_of(ali3_method method, int has, double dt, bool extrapolate, double (*r)[3])
{
  const ali3_options o = by_method(method, dt, extrapolate);
  ali3_model *m = cluster(has, &o);
  ali3_data *d = ali3_data_new(m);
  assert_true(d && ali3_reset(m, d) >= 0);
  toy_run(m, d, (int)lround(1.0 / dt));
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    memcpy(r[b], x.position, sizeof x.position);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Halves the step three times. Each halving divides the error by 2^order, at least by `least`. */
static void orders(ali3_method method, int has, double (*exact)[3], bool extrapolate, double least)
{
  double last = 0.0;
  printf("%s%s, %d:", ali3_method_name(method), extrapolate ? ", extrapolated" : "", has);
  for (int k = 0; k < 4; k++) {
    double r[4][3], error = 0.0;
    end_of(method, has, (extrapolate ? 0.04 : 0.02) / (1 << k), extrapolate, r);
    for (int i = 0; i < 12; i++) error = fmax(error, fabs(r[i / 3][i % 3] - exact[i / 3][i % 3]));
    printf(k ? " %.2e (%.1f)" : " %.2e", error, last / error);
    if (k > 0) assert_true(last / error > least);
    last = error;
  }
  printf("\n");
}

TEST(halving_the_step_divides_the_error_by_its_order)
{
  static const int kind[] = {JOINTS | GROUND | GRAVITY, JOINTS | SPRINGS | LOADS | GROUND | GRAVITY, SPRINGS};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    double exact[4][3];
    end_of(ALI3_METHOD_ALI3, kind[i], 0.0005, true, exact);
    for (int method = 0; method < ALI3_METHODS; method++) {
      if (ali3_method_is_explicit((ali3_method)method)) continue; /* tests/system/test_orders.c */
      orders((ali3_method)method, kind[i], exact, false, 3.5);
      orders((ali3_method)method, kind[i], exact, true, 11.0);
    }
  }
}

/* A late input gives the bits of an early one, and a failed step leaves no trace. */
TEST(prepare_and_feedback_give_the_bits_of_a_step)
{
  const ali3_options o = by_method(ALI3_METHOD_ENERGY, 0.01, false);
  ali3_model *m = cluster(JOINTS | SPRINGS | TABLES | BUSHINGS | LOADS | FRICTION | GROUND | GRAVITY, &o);
  ali3_data *d = toy_start(m, ALI3_MOVED), *e = toy_start(m, ALI3_MOVED);
  for (int i = 0; i < 200; i++) {
    const double push[3] = {0.02 * i, 0, 1.0};
    if (i % 50 == 25) {
      ali3_set_wrench(m, d, 1, (const double[]){NAN, 0, 0}, none);
      assert_true(ali3_step(m, d) < 0);
    }
    assert_int_equal(ali3_prepare(m, d), ALI3_OK);
    ali3_set_wrench(m, d, 1, push, none);
    ali3_set_wrench(m, e, 1, push, none);
    assert_true(ali3_feedback(m, d) >= 0 && ali3_step(m, e) >= 0);
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      ali3_body_state x, y;
      ali3_body_get(m, d, b, &x);
      ali3_body_get(m, e, b, &y);
      assert_memory_equal(&x, &y, sizeof x);
    }
  }
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(m);
}

TEST(it_has_no_newmark_parameters)
{
  ali3_options o = by_method(ALI3_METHOD_ENERGY, 0.01, false);
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("a", none, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &b));
  o.gamma = 0.6;
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "gamma");
  o.gamma = 0.5;
  o.beta = 0.3;
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "beta");
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_mechanism_keeps_its_momentum),
      cmocka_unit_test(springs_and_bushings_keep_all_energy),
      cmocka_unit_test(joints_cost_little_energy),
      cmocka_unit_test(halving_the_step_divides_the_error_by_its_order),
      cmocka_unit_test(prepare_and_feedback_give_the_bits_of_a_step),
      cmocka_unit_test(it_has_no_newmark_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
