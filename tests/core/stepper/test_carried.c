/* SPDX-License-Identifier: MIT
 * Bodies without mass or inertia, or light ones, on springs and dampers, compared with closed-form solutions in any
 * direction and any units. */
#include "common/points.h"
#include "common/random.h"

/* A spring k to the ground, then a damper c to a body: a Maxwell element with the massless body in its middle. speed: speed
 * of the body at the start. held: the body stays there instead. */
static struct error relaxation(double k, double c, double dt)
{
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  ali3_options o = options_with(dt);
  point(m, "M", 0.0, 0.1, 0, 0, 0);
  int to_wall = slide(m, "S", ALI3_GROUND, 0, 0);
  spring(m, to_wall, k, 0);
  spring(m, to_wall, 0, c);
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  double a = 0.5 * dt * k / c, factor = (1.0 - a) / (1.0 + a), x = 0.1;
  compare(m, d, 0, 0, x, -k / c * x, &e);
  if (!(e.velocity < 1e-6)) fail_msg("the velocity at the start is off by %g m/s", e.velocity);
  for (int i = 1; i <= (int)lround(1.0 / dt); i++) {
    ali3_body_state s;
    run_well(m, d, 1);
    x *= factor; /* result of the trapezoidal rule for x' = -k/c x, to the last digits */
    ali3_body_get(m, d, 0, &s);
    if (!(fabs(s.position[0] - x) < 1e-7)) fail_msg("step %d: %.9f, not %.9f", i, s.position[0], x);
    double exact = 0.1 * exp(-k / c * i * dt);
    compare(m, d, 0, 0, exact, -k / c * exact, &e);
  }
  done(m, d);
  return e;
}

TEST(a_massless_body_relaxes_with_the_time_of_spring_and_damper)
{
  second_order("0", relaxation(50, 10, 0.01), relaxation(50, 10, 0.001));
}

/* x'' = -u/mass, u' = k (x' - u/c): the tension u of a Maxwell element, by a Runge-Kutta method with small steps. */
static void maxwell(double k, double c, double mass, double v[3])
{
  const double h = 1e-4;
  double s[4][3] = {{0}};
  for (int stage = 0; stage < 4; stage++) {
    double y[3], part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
    for (int i = 0; i < 3; i++) y[i] = v[i] + part * s[stage ? stage - 1 : 0][i];
    s[stage][0] = y[1];
    s[stage][1] = -y[2] / mass;
    s[stage][2] = k * (y[1] - y[2] / c);
  }
  for (int i = 0; i < 3; i++) v[i] += h / 6.0 * (s[0][i] + 2 * s[1][i] + 2 * s[2][i] + s[3][i]);
}

static struct error maxwell_error(double k, double c, double dt)
{
  struct error e = {0};
  double v[3] = {0.0, 1.0, 0.0};
  ali3_model *m = ali3_model_new();
  point(m, "M", 0.0, 0, 0, 1.0, 0);
  point(m, "B", 2.0, 0, 0, 1.0, 0);
  spring(m, slide(m, "S", ALI3_GROUND, 0, 0), k, 0);
  spring(m, slide(m, "D", 0, 1, 0), 0, c);
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 1; i <= (int)lround(2.0 / dt); i++) {
    for (int n = 0; n < (int)lround(dt / 1e-4); n++) maxwell(k, c, 2.0, v);
    run_well(m, d, 1);
    compare(m, d, 1, 0, v[0], v[1], &e);
    compare(m, d, 0, 0, v[2] / k, v[1] - v[2] / c, &e);
  }
  done(m, d);
  return e;
}

TEST(a_maxwell_element_stops_a_body)
{
  struct error coarse = maxwell_error(80, 5, 0.01), fine = maxwell_error(80, 5, 0.001);
  below("Maxwell element, 10 ms", "0", coarse, 3e-4, 8e-3);
  second_order("0", coarse, fine);
}

/* Undamped springs in series with a massless body between them have half the stiffness. They start in balance with
 * consistent velocities. */
TEST(springs_in_series_swing_as_one)
{
  const double k = 100, w = sqrt(0.5 * k), dt = 0.001;
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  point(m, "M", 0.0, 0, 0, 0.5, 0);
  point(m, "B", 1.0, 0, 0, 1.0, 0);
  spring(m, slide(m, "S1", ALI3_GROUND, 0, 0), k, 0);
  spring(m, slide(m, "S2", 0, 1, 0), k, 0);
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 1; i <= 2000; i++) {
    run_well(m, d, 1);
    compare(m, d, 1, 0, sin(w * i * dt) / w, cos(w * i * dt), &e);
    compare(m, d, 0, 0, 0.5 * sin(w * i * dt) / w, 0.5 * cos(w * i * dt), &e);
  }
  ali3_energy energy;
  ali3_energy_get(m, d, &energy);
  below("springs in series", "0", e, 1e-5, 1e-4);
  assert_true(fabs(energy.total - 0.5) < 1e-9);
  done(m, d);
}

/* A massless body on a slide along u with spring and damper to the ground, and a body on it with a slide, spring and damper,
 * too. Returns their positions along u after 100 steps. */
static void slide_along(const double u[3], double k, double c, double dt, double o[2])
{
  ali3_model *m = ali3_model_new();
  for (int i = 0; i < 2; i++) {
    ali3_body_spec s = toy_body(i ? "B" : "M", none, i ? 1.0 : 0.0, 0.0);
    for (int n = 0; n < 3; n++) {
      s.position[n] = (i ? 0.3 : 0.1) * u[n];
      s.velocity[n] = (i ? 0.5 : 0.0) * u[n];
    }
    toy_added(m, ali3_model_add_body(m, &s));
    ali3_joint_spec j = {.name = i ? "S2" : "S1", .type = ALI3_JOINT_PRISMATIC, .body_a = i - 1, .body_b = i};
    j.position = i ? 0.2 : 0.1; /* 0 if both are at one point */
    memcpy(j.axis_a, u, sizeof j.axis_a);
    spring(m, toy_added(m, ali3_model_add_joint(m, &j)), k, c);
  }
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  run_well(m, d, 100);
  for (int i = 0; i < 2; i++) {
    ali3_body_state x;
    ali3_body_get(m, d, i, &x);
    o[i] = x.position[0] * u[0] + x.position[1] * u[1] + x.position[2] * u[2];
  }
  done(m, d);
}

/* The stiffnesses of rigid rows and of springs meet in one pivot. They do not mix along
 * the axes, so the test compares oblique directions with an axis. */
TEST(no_direction_is_special)
{
  for (int way = 0; way < 4; way++) {
    double straight[2], oblique[2], worst = 0.0, dt = way % 2 ? 1e-3 : 1e-2, k = way < 2 ? 100 : 1000;
    double c = way < 2 ? 2 : 0;
    slide_along((const double[]){1, 0, 0}, k, c, dt, straight);
    for (uint64_t seed = 1; seed <= 20; seed++) {
      struct random random = {seed};
      double u[3];
      random_unit(&random, u, 3);
      slide_along(u, k, c, dt, oblique);
      for (int i = 0; i < 2; i++) {
        larger(&worst, oblique[i] - straight[i]);
        if (!(fabs(oblique[i] - straight[i]) < 1e-6))
          fail_msg("seed %d: body %d at %.9f, along an axis at %.9f", (int)seed, i, oblique[i], straight[i]);
      }
    }
    print_message("%g s, damping %g: oblique slides are %.1e m off\n", dt, c, worst);
  }
}

/* A light body beside a heavy one is not massless: a small oscillator next to a ton keeps its order of convergence and its
 * energy. */
static struct error light_oscillator(double dt)
{
  const double mass = 1e-4, k = 2e-3, w = sqrt(k / mass);
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  ali3_body_spec heavy = toy_body("heavy", none, 1000.0, 100.0), light = toy_body("light", none, mass, 1e-8);
  light.position[0] = 0.1;
  light.velocity[0] = 0.2;
  toy_added(m, ali3_model_add_body(m, &light));
  toy_added(m, ali3_model_add_body(m, &heavy));
  ali3_joint_spec s = {.name = "S", .type = ALI3_JOINT_PRISMATIC, .body_a = ALI3_GROUND, .axis_a = {1, 0, 0}};
  s.position = light.position[0];
  spring(m, toy_added(m, ali3_model_add_joint(m, &s)), k, 0);
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 1; i <= (int)lround(2.0 / dt); i++) {
    double t = i * dt;
    run_well(m, d, 1);
    compare(m, d, 0, 0, 0.1 * cos(w * t) + 0.2 / w * sin(w * t), 0.2 * cos(w * t) - 0.1 * w * sin(w * t), &e);
  }
  done(m, d);
  return e;
}

TEST(light_is_not_massless)
{
  struct error coarse = light_oscillator(0.01), fine = light_oscillator(0.001);
  below("beside a ton, 10 ms", "1e-4", coarse, 2e-3, 1e-2);
  second_order("1e-4", coarse, fine);
}

/* Lengths times L, masses times M: the motion is the same in other units, for any massless part. */
TEST(units_do_not_matter)
{
  double first[2] = {0};
  for (int i = 0; i < 5; i++) {
    static const double lengths[] = {1, 1e-3, 1e3, 1, 1}, masses[] = {1, 1, 1, 1e-6, 1e6};
    double L = lengths[i], M = masses[i];
    ali3_model *m = ali3_model_new();
    ali3_body_state x[2];
    point(m, "M", 0.0, 0.1 * L, 0, 0, 0);
    point(m, "B", M, 0.3 * L, 0, 0.5 * L, 0);
    spring(m, slide(m, "S1", ALI3_GROUND, 0, 0), 100 * M, 2 * M);
    spring(m, slide(m, "S2", 0, 1, 0), 50 * M, 1 * M);
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_MOVED);
    run_well(m, d, 100);
    for (int b = 0; b < 2; b++) {
      ali3_body_get(m, d, b, &x[b]);
      double position = x[b].position[0] / L;
      if (i == 0) first[b] = position;
      if (!(fabs(position - first[b]) < 1e-8))
        fail_msg("length %g, mass %g: body %d at %.12f, not %.12f", L, M, b, position, first[b]);
    }
    done(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_massless_body_relaxes_with_the_time_of_spring_and_damper),
      cmocka_unit_test(a_maxwell_element_stops_a_body),
      cmocka_unit_test(springs_in_series_swing_as_one),
      cmocka_unit_test(no_direction_is_special),
      cmocka_unit_test(light_is_not_massless),
      cmocka_unit_test(units_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
