/* SPDX-License-Identifier: MIT
 * Mechanics of the steps of a mechanism: conservation, symmetry, scale. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"

#include <stdio.h>
#include <string.h>

static const double none[3] = {0.0};

/* o = v, from body to world axes */
static void to_world(const double p[4], const double v[3], double o[3])
{
  const double *e = p + 1;
  double t[3] = {2 * (e[1] * v[2] - e[2] * v[1]), 2 * (e[2] * v[0] - e[0] * v[2]),
                 2 * (e[0] * v[1] - e[1] * v[0])};
  o[0] = v[0] + p[0] * t[0] + e[1] * t[2] - e[2] * t[1];
  o[1] = v[1] + p[0] * t[1] + e[2] * t[0] - e[0] * t[2];
  o[2] = v[2] + p[0] * t[2] + e[0] * t[1] - e[1] * t[0];
}

struct momentum {
  double linear[3], angular[3]; /* angular: about the world's origin */
};

/* Bodies and their specs. */
static struct momentum momentum(const ali3_model *m, const ali3_data *d, const ali3_body_spec *spec)
{
  struct momentum o = {0};
  for (int i = 0; i < ali3_model_bodies(m); i++) {
    ali3_body_state x;
    double own[3], world[3];
    ali3_body_get(m, d, i, &x);
    for (int k = 0; k < 3; k++) {
      own[k] = 0.0;
      for (int l = 0; l < 3; l++) own[k] += spec[i].inertia[3 * k + l] * x.angular_velocity[l];
    }
    to_world(x.orientation, own, world);
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      o.linear[k] += spec[i].mass * x.velocity[k];
      o.angular[k] +=
          world[k] + spec[i].mass * (x.position[a] * x.velocity[b] - x.position[b] * x.velocity[a]);
    }
  }
  return o;
}

/* One body with three different moments of inertia, tumbling about the unstable axis. */
static double tumbling_drift(double dt, double *energy_drift)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec s = toy_body("b", none, 2.0, 1.0);
  s.inertia[4] = 2.0;
  s.inertia[8] = 2.5;
  s.angular_velocity[0] = 0.2;
  s.angular_velocity[1] = 3.0;
  s.angular_velocity[2] = 0.1;
  s.velocity[0] = 1.0;
  toy_added(m, ali3_model_add_body(m, &s));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  struct momentum first = momentum(m, d, &s);
  ali3_energy start, now;
  double drift = 0.0;
  *energy_drift = 0.0;
  ali3_energy_get(m, d, &start);
  for (int i = 0; i < (int)lround(5.0 / dt); i++) {
    toy_run(m, d, 1);
    struct momentum then = momentum(m, d, &s);
    ali3_energy_get(m, d, &now);
    drift = fmax(drift, check_distance(first.angular, then.angular));
    *energy_drift = fmax(*energy_drift, fabs(now.total - start.total));
    assert_true(check_distance(first.linear, then.linear) < 1e-9);
  }
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.position[0] - 5.0) < 1e-10);
  ali3_data_free(d);
  ali3_model_free(m);
  return drift;
}

TEST(a_free_body_keeps_what_it_has)
{
  double e[2], a = tumbling_drift(0.01, &e[0]), b = tumbling_drift(0.005, &e[1]);
  printf("tumbling body: angular momentum off by %.1e, %.1e; energy by %.1e, %.1e J\n", a, b, e[0], e[1]);
  assert_true(fmax(a, b) < 1e-10 && fmax(e[0], e[1]) < 1e-9);
}

TEST(a_floating_chain_keeps_its_momentum)
{
  enum { N = 8 };
  struct random random = {3};
  ali3_model *m = ali3_model_new();
  ali3_body_spec s[N];
  char name[N][8];
  for (int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "b%d", i);
    s[i] = toy_body(name[i], (const double[]){i, 0, 0}, 1.0 + i, 0.0);
    random_inertia(&random, s[i].inertia);
    random_vector(&random, s[i].velocity, 3);
    random_vector(&random, s[i].angular_velocity, 3);
    toy_added(m, ali3_model_add_body(m, &s[i]));
  }
  for (int i = 1; i < N; i++)
    toy_spherical(m, name[i], i - 1, (const double[]){0.5, 0, 0}, i, (const double[]){-0.5, 0, 0});
  ali3_options o = ali3_options_default();
  o.dt = 0.002;
  o.assembly_velocity = INFINITY;
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_MOVED); /* the initial velocities were inconsistent */
  struct momentum first = momentum(m, d, s);
  toy_run(m, d, 1000);
  struct momentum last = momentum(m, d, s);
  double linear = check_distance(first.linear, last.linear),
         angular = check_distance(first.angular, last.angular);
  printf("floating chain: linear momentum off by %.1e, angular by %.1e\n", linear, angular);
  assert_true(linear < 1e-9);
  assert_true(angular < 1e-2);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A second model that starts at the end of the first, with all velocities reversed. */
static ali3_model *turned_round(const ali3_data *d, const ali3_model *from, const ali3_body_spec *spec)
{
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  for (int i = 0; i < 2; i++) {
    ali3_body_state x;
    ali3_body_spec s = spec[i];
    ali3_body_get(from, d, i, &x);
    memcpy(s.position, x.position, sizeof s.position);
    memcpy(s.orientation, x.orientation, sizeof s.orientation);
    for (int k = 0; k < 3; k++) {
      s.velocity[k] = -x.velocity[k];
      s.angular_velocity[k] = -x.angular_velocity[k];
    }
    toy_added(m, ali3_model_add_body(m, &s));
  }
  return m;
}

static void add_joints(ali3_model *m)
{
  toy_spherical(m, "J1", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
  toy_spherical(m, "J2", 0, (const double[]){0.5, 0, 0}, 1, (const double[]){0, 0, -0.5});
  toy_freeze(m, 0.01);
}

/* The trapezoidal rule is symmetric: its errors on the way there cancel on the way back, except for those of the projections
 * and of three iterations. */
TEST(time_can_be_turned_round)
{
  ali3_body_spec spec[2] = {toy_body("A", (const double[]){0.5, 0, 0}, 1.0, 1.0),
                            toy_body("B", (const double[]){1.0, 0, 0.5}, 1.0, 1.0)};
  ali3_model *there = ali3_model_new();
  toy_added(there, ali3_model_set_gravity(there, (const double[]){0, -9.81, 0}));
  for (int i = 0; i < 2; i++) toy_added(there, ali3_model_add_body(there, &spec[i]));
  add_joints(there);
  ali3_data *d = toy_start(there, ALI3_OK);
  toy_run(there, d, 200);
  ali3_model *back = turned_round(d, there, spec);
  add_joints(back);
  ali3_data *b = ali3_data_new(back);
  assert_true(ali3_reset(back, b) >= 0);
  assert_true(ali3_data_initial(b)->moved_position < 1e-9);
  toy_run(back, b, 200);
  double off = 0.0;
  for (int i = 0; i < 2; i++) {
    ali3_body_state x;
    ali3_body_get(back, b, i, &x);
    off = fmax(off, check_distance(x.position, spec[i].position));
  }
  printf("2 s there and back: %.1e m from the start\n", off);
  assert_true(off < 1e-4); /* one way alone is off by 1e-3 */
  ali3_data_free(d);
  ali3_data_free(b);
  ali3_model_free(there);
  ali3_model_free(back);
}

/* One pass at the velocities leaves up to 2e-6 m/s here, and the second one closes the rows. */
TEST(rates_are_closed)
{
  ali3_model *m = toy_double_pendulum(1.0, 1.0, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  double largest = 0.0;
  for (int i = 0; i < 1000; i++) {
    toy_run(m, d, 1);
    largest = fmax(largest, ali3_data_report(d)->velocity);
  }
  printf("double pendulum: rates of rows within %.1e m/s\n", largest);
  assert_true(largest < 1e-9);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Other units of length and mass give equal numbers, except for rounding. */
TEST(no_unit_is_special)
{
  ali3_model *m = toy_double_pendulum(1.0, 1.0, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 200);
  for (int i = -3; i <= 3; i++)
    for (int k = -3; k <= 3; k += 3) {
      double length = pow(10.0, i), mass = pow(10.0, k);
      ali3_model *other = toy_double_pendulum(length, mass, 0.01);
      ali3_data *o = toy_start(other, ALI3_OK);
      toy_run(other, o, 200);
      for (int b = 0; b < 2; b++) {
        ali3_body_state x, y;
        ali3_body_get(m, d, b, &x);
        ali3_body_get(other, o, b, &y);
        for (int c = 0; c < 3; c++) {
          assert_true(fabs(y.position[c] / length - x.position[c]) < 1e-9);
          assert_true(fabs(y.velocity[c] / length - x.velocity[c]) < 1e-8);
          assert_true(fabs(y.angular_velocity[c] - x.angular_velocity[c]) < 1e-8);
        }
      }
      ali3_joint_state f, g;
      ali3_joint_get(m, d, 1, &f);
      ali3_joint_get(other, o, 1, &g);
      for (int c = 0; c < 3; c++) assert_true(fabs(g.force[c] / (mass * length) - f.force[c]) < 1e-5);
      ali3_data_free(o);
      ali3_model_free(other);
    }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(penalty_hardly_matters)
{
  double tip[4][3];
  for (int i = 0; i < 4; i++) {
    ali3_model *m = ali3_model_new();
    ali3_options options = ali3_options_default();
    toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
    ali3_body_spec a = toy_body("A", (const double[]){0.5, 0, 0}, 1.0, 1.0),
                   b = toy_body("B", (const double[]){1.0, 0, 0.5}, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &a));
    toy_added(m, ali3_model_add_body(m, &b));
    toy_spherical(m, "J1", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
    toy_spherical(m, "J2", 0, (const double[]){0.5, 0, 0}, 1, (const double[]){0, 0, -0.5});
    options.alpha = i == 0 ? 0.0 : pow(10.0, 9 + i);
    toy_added(m, ali3_model_freeze(m, &options));
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_body_state x;
    toy_run(m, d, 300);
    assert_true(ali3_data_report(d)->position < 1e-12);
    ali3_body_get(m, d, 1, &x);
    memcpy(tip[i], x.position, sizeof x.position);
    assert_true(check_distance(tip[0], tip[i]) < 1e-7);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A hub of many revolute joints in loops: redundant, and the most expensive kind of pivot of the tree. */
TEST(a_wheel_of_revolute_joints_holds)
{
  enum { SPOKES = 24 };
  const double turn = 6.283185307179586 / SPOKES;
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  ali3_body_spec hub = toy_body("hub", none, 5.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &hub));
  ali3_joint_spec pin = {.name = "axle",
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = ALI3_GROUND,
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1},
                         .point_a = {0.1, 0, 0},
                         .point_b = {0.1, 0, 0}};
  toy_added(m, ali3_model_add_joint(m, &pin));
  for (int i = 0; i < SPOKES; i++) {
    char name[16];
    double c = cos(turn * i), s = sin(turn * i);
    snprintf(name, sizeof name, "spoke%d", i);
    ali3_body_spec spoke = toy_body(name, (const double[]){c, s, 0}, 1.0, 0.1);
    int body = toy_added(m, ali3_model_add_body(m, &spoke));
    pin = (ali3_joint_spec){.name = name,
                            .type = ALI3_JOINT_REVOLUTE,
                            .body_a = 0,
                            .body_b = body,
                            .axis_a = {0, 0, 1},
                            .axis_b = {0, 0, 1},
                            .point_a = {0.5 * c, 0.5 * s, 0},
                            .point_b = {-0.5 * c, -0.5 * s, 0}};
    toy_added(m, ali3_model_add_joint(m, &pin));
  }
  for (int i = 0; i < SPOKES; i++) {
    char name[16];
    int next = (i + 1) % SPOKES;
    double c = cos(turn * i), s = sin(turn * i), cn = cos(turn * next), sn = sin(turn * next);
    snprintf(name, sizeof name, "rim%d", i);
    pin = (ali3_joint_spec){.name = name,
                            .type = ALI3_JOINT_REVOLUTE,
                            .body_a = 1 + i,
                            .body_b = 1 + next,
                            .axis_a = {0, 0, 1},
                            .axis_b = {0, 0, 1},
                            .point_a = {0.5 * (cn - c), 0.5 * (sn - s), 0},
                            .point_b = {0.5 * (c - cn), 0.5 * (s - sn), 0}};
    toy_added(m, ali3_model_add_joint(m, &pin));
  }
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_energy first, now;
  double position = 0.0, velocity = 0.0, drift = 0.0;
  ali3_energy_get(m, d, &first);
  for (int i = 0; i < 300; i++) {
    toy_run(m, d, 1);
    ali3_energy_get(m, d, &now);
    position = fmax(position, ali3_data_report(d)->position);
    velocity = fmax(velocity, ali3_data_report(d)->velocity);
    drift = fmax(drift, fabs(now.total - first.total));
  }
  printf("wheel: constraints within %.1e, %.1e per s; energy within %.1e J\n", position, velocity, drift);
  assert_true(position < 1e-9 && velocity < 1e-5);
  assert_true(drift < 1e-2);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Status of the tenth step of a free body that spins, with one iteration per step of 10 ms. across: fraction of its rate
 * across the axis. kept: energy after 5 s, relative to the start. */
static int status_of_spin(double rate, double across, double *kept)
{
  ali3_options o = ali3_options_default();
  o.iterations = 1;
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("rotor", none, 1.0, 1.0);
  b.angular_velocity[1] = across * rate;
  b.angular_velocity[2] = rate;
  b.inertia[8] = 2.0;
  toy_added(m, ali3_model_add_body(m, &b));
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_energy first, last;
  int status = ALI3_OK;
  ali3_energy_get(m, d, &first);
  for (int i = 0; i < 10; i++) status = ali3_step(m, d);
  if (kept) {
    toy_run(m, d, 490);
    ali3_energy_get(m, d, &last);
    *kept = last.total / first.total;
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return status;
}

TEST(one_iteration_is_judged_too)
{
  double kept;
  assert_int_equal(status_of_spin(1.0, 0.1, NULL), ALI3_OK);
  assert_int_equal(status_of_spin(10.0, 0.1, NULL), ALI3_OK);
  assert_int_equal(status_of_spin(50.0, 0.1, NULL), ALI3_NOT_CONVERGED); /* gains 40 % of its energy in 5 s */
  assert_int_equal(status_of_spin(100.0, 0.001, &kept), ALI3_OK);
  printf("100 rad/s, one iteration: %.4f of the energy after 5 s\n", kept);
  assert_true(fabs(kept - 1.0) < 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_body_keeps_what_it_has),
      cmocka_unit_test(a_floating_chain_keeps_its_momentum),
      cmocka_unit_test(time_can_be_turned_round),
      cmocka_unit_test(rates_are_closed),
      cmocka_unit_test(no_unit_is_special),
      cmocka_unit_test(penalty_hardly_matters),
      cmocka_unit_test(a_wheel_of_revolute_joints_holds),
      cmocka_unit_test(one_iteration_is_judged_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
