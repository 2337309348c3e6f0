/* SPDX-License-Identifier: MIT */
#include "common/toys.h"
#include "check.h"
#include "common/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int toy_added(const ali3_model *m, int index)
{
  if (index < 0) fail_msg("%s", ali3_model_problem(m)->text);
  return index;
}

ali3_body_spec toy_body(const char *name, const double position[3], double mass, double inertia)
{
  ali3_body_spec s = {.name = name, .mass = mass, .orientation = {1.0}};
  for (int i = 0; i < 3; i++) {
    s.inertia[4 * i] = inertia;
    s.position[i] = position[i];
  }
  return s;
}

int toy_spherical(ali3_model *m, const char *name, int a, const double point_a[3], int b,
                  const double point_b[3])
{
  ali3_joint_spec s = {.name = name, .type = ALI3_JOINT_SPHERICAL, .body_a = a, .body_b = b};
  memcpy(s.point_a, point_a, sizeof s.point_a);
  memcpy(s.point_b, point_b, sizeof s.point_b);
  return toy_added(m, ali3_model_add_joint(m, &s));
}

void toy_freeze(ali3_model *m, double dt)
{
  ali3_options options = ali3_options_default();
  options.dt = dt;
  toy_freeze_with(m, &options);
}

void toy_freeze_apart(ali3_model *m, double dt)
{
  ali3_options options = ali3_options_default();
  options.dt = dt;
  options.assembly_position = options.assembly_angle = INFINITY;
  toy_freeze_with(m, &options);
}

void toy_freeze_with(ali3_model *m, const ali3_options *options)
{
  toy_added(m, ali3_model_freeze(m, options));
}

ali3_model *toy_copy_with(const ali3_model *m, const ali3_options *options)
{
  const size_t size = ali3_model_flat_size(m);
  void *flat = malloc(size);
  ali3_model *copy = ali3_model_new();
  assert_true(flat && copy && ali3_model_flat_write(m, flat, size) == ALI3_OK);
  assert_int_equal(ali3_model_flat_read(copy, flat, size), ALI3_OK);
  toy_freeze_with(copy, options);
  free(flat);
  return copy;
}

ali3_data *toy_start(const ali3_model *m, int status)
{
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_int_equal(ali3_reset(m, d), status);
  return d;
}

void toy_run(const ali3_model *m, ali3_data *d, int steps)
{
  for (int i = 0; i < steps; i++)
    if (ali3_step(m, d) < 0) fail_msg("step %d: %s", i + 1, ali3_status_text(ali3_data_report(d)->status));
}

static ali3_model *new_model(double gravity)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0.0, -gravity, 0.0}));
  return m;
}

ali3_model *toy_chain(int links, bool grounded, double dt)
{
  ali3_model *m = new_model(9.81);
  char name[32];
  for (int i = 0; i < links; i++) {
    snprintf(name, sizeof name, "b%d", i + 1);
    ali3_body_spec b = toy_body(name, (const double[]){i + 0.5, 0.0, 0.0}, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &b));
  }
  for (int i = grounded ? 0 : 1; i < links; i++) {
    snprintf(name, sizeof name, "J%d", i + 1);
    toy_spherical(m, name, i == 0 ? ALI3_GROUND : i - 1, (const double[]){i == 0 ? 0.0 : 0.5, 0.0, 0.0}, i,
                  (const double[]){-0.5, 0.0, 0.0});
  }
  toy_freeze(m, dt);
  return m;
}

ali3_model *toy_double_pendulum_with(double length, double mass, const ali3_options *options)
{
  ali3_model *m = new_model(9.81 * length);
  const double L = length;
  ali3_body_spec a = toy_body("A", (const double[]){0.5 * L, 0.0, 0.0}, mass, 0.1 * mass * L * L);
  ali3_body_spec b = toy_body("B", (const double[]){1.0 * L, 0.0, 0.5 * L}, 2.0 * mass, 0.3 * mass * L * L);
  b.inertia[4] *= 1.5;
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "J1", ALI3_GROUND, (const double[3]){0.0}, 0, (const double[]){-0.5 * L, 0.0, 0.0});
  toy_spherical(m, "J2", 0, (const double[]){0.5 * L, 0.0, 0.0}, 1, (const double[]){0.0, 0.0, -0.5 * L});
  toy_freeze_with(m, options);
  return m;
}

ali3_model *toy_double_pendulum(double length, double mass, double dt)
{
  ali3_options options = ali3_options_default();
  options.dt = dt;
  return toy_double_pendulum_with(length, mass, &options);
}

/* A spherical joint half way between two centres of mass. */
static void join(ali3_model *m, int number, int a, const double *ra, int b, const double *rb)
{
  char name[32];
  double half[3], back[3];
  for (int i = 0; i < 3; i++) {
    half[i] = 0.5 * (rb[i] - ra[i]);
    back[i] = -half[i];
  }
  snprintf(name, sizeof name, "J%d", number);
  toy_spherical(m, name, a, half, b, back);
}

ali3_model *toy_random_with(uint64_t seed, int bodies, int extra, const ali3_options *options)
{
  enum { MOST = 1024 };
  double r[MOST][3];
  struct random random = {seed};
  ali3_model *m = new_model(9.81);
  char name[32];
  assert_true(bodies > 1 && bodies <= MOST);
  for (int i = 0; i < bodies; i++) {
    for (int k = 0; k < 3; k++) r[i][k] = random_between(&random, -5.0, 5.0);
    snprintf(name, sizeof name, "b%d", i);
    ali3_body_spec b = toy_body(name, r[i], random_between(&random, 0.5, 2.0), 0.0);
    random_inertia(&random, b.inertia);
    toy_added(m, ali3_model_add_body(m, &b));
  }
  join(m, 0, ALI3_GROUND, (const double[3]){0.0}, 0, r[0]);
  for (int i = 1; i < bodies; i++) {
    int near = i > 8 ? i - 8 : 0, to = near + random_below(&random, i - near);
    join(m, i, to, r[to], i, r[i]);
  }
  for (int i = 0; i < extra; i++) {
    int a = random_below(&random, bodies - 1), b = a + 1 + random_below(&random, bodies - 1 - a);
    join(m, bodies + i, a, r[a], b, r[b]);
  }
  toy_freeze_with(m, options);
  return m;
}

ali3_model *toy_random(uint64_t seed, int bodies, int extra)
{
  const ali3_options o = ali3_options_default();
  return toy_random_with(seed, bodies, extra, &o);
}
