/* SPDX-License-Identifier: MIT
 * Bodies without mass or inertia: against closed-form solutions, and against the same mechanism put together without
 * them or with a little mass. */
#include "common/points.h"
#include "common/random.h"

#include <stdlib.h>

/* A spring k to the ground, then a damper c to a body: a Maxwell element with the massless body in its
 * middle. speed: of the body at the start; held: it stays there instead. */
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
    x *= factor; /* what the trapezoidal rule makes of x' = -k/c x, to the last digits */
    ali3_body_get(m, d, 0, &s);
    if (!(fabs(s.position[0] - x) < 1e-7)) fail_msg("step %d: %.9f, not %.9f", i, s.position[0], x);
    double exact = 0.1 * exp(-k / c * i * dt);
    compare(m, d, 0, 0, exact, -k / c * exact, &e);
  }
  done(m, d);
  return e;
}

static void a_massless_body_relaxes_with_the_time_of_spring_and_damper(void **state)
{
  (void)state;
  second_order("0", relaxation(50, 10, 0.01), relaxation(50, 10, 0.001));
}

/* x'' = -u/mass, u' = k (x' - u/c): the tension u of a Maxwell element, by a Runge-Kutta rule of small
 * steps. */
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

static void a_maxwell_element_stops_a_body(void **state)
{
  (void)state;
  struct error coarse = maxwell_error(80, 5, 0.01), fine = maxwell_error(80, 5, 0.001);
  below("Maxwell element, 10 ms", "0", coarse, 3e-4, 8e-3);
  second_order("0", coarse, fine);
}

/* Undamped springs in series with nothing between them: half the stiffness. Started in balance, all
 * velocities right. */
static void springs_in_series_swing_as_one(void **state)
{
  (void)state;
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

/* A pendulum A on the ground and a body B that a rod ties to it, universal at A, spherical at B: without
 * mass the rod pulls along its length and does nothing else. mass < 0: a distance joint instead. */
static ali3_data *hang(ali3_model **model, double mass, const ali3_options *o)
{
  const double on_a[3] = {0.5, 0, 0}, on_b[3] = {-0.1, 0.1, 0.2}, L[3] = {0.2, -0.3, 1.1};
  const double half[3] = {L[0] / 2, L[1] / 2, L[2] / 2}, back[3] = {-half[0], -half[1], -half[2]};
  ali3_model *m = *model = falling();
  ali3_body_spec a = toy_body("A", (const double[]){0.5, 0, 0}, 1.0, 0.1),
                 b = toy_body("B", (const double[]){1.3, -0.4, 0.9}, 2.0, 0.3);
  b.inertia[4] = 0.2;
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "J", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
  ali3_joint_spec s = {.name = "U", .type = ALI3_JOINT_UNIVERSAL, .body_a = 0, .body_b = 2};
  memcpy(s.point_a, on_a, sizeof on_a);
  if (mass < 0.0) {
    s.type = ALI3_JOINT_DISTANCE;
    s.body_b = 1;
    memcpy(s.point_b, on_b, sizeof on_b);
  } else {
    double square = L[0] * L[0] + L[1] * L[1] + L[2] * L[2];
    ali3_body_spec rod =
        toy_body("rod", (const double[]){1 + half[0], half[1], half[2]}, mass, mass * square / 12);
    toy_added(m, ali3_model_add_body(m, &rod));
    memcpy(s.point_b, back, sizeof back);
    s.axis_a[1] = 1.0;
    s.axis_b[0] = L[2];
    s.axis_b[2] = -L[0];
    toy_spherical(m, "S", 2, half, 1, on_b);
  }
  toy_added(m, ali3_model_add_joint(m, &s));
  toy_freeze_with(m, o);
  return toy_start(m, ALI3_OK);
}

/* Largest difference between two mechanisms in the places of their first two bodies. */
static double apart(const ali3_model *m, ali3_data *d, const ali3_model *n, ali3_data *e, int steps)
{
  double largest = 0.0;
  for (int i = 0; i < steps; i++) {
    run_well(m, d, 1);
    run_well(n, e, 1);
    for (int b = 0; b < 2; b++) {
      ali3_body_state x, y;
      ali3_body_get(m, d, b, &x);
      ali3_body_get(n, e, b, &y);
      for (int k = 0; k < 3; k++) larger(&largest, x.position[k] - y.position[k]);
      for (int k = 0; k < 4; k++) larger(&largest, x.orientation[k] - y.orientation[k]);
    }
  }
  return largest;
}

static void a_massless_rod_is_a_distance_joint(void **state)
{
  (void)state;
  ali3_options o = options_with(0.002);
  ali3_model *m, *n;
  ali3_data *d = hang(&m, 0.0, &o), *e = hang(&n, -1.0, &o);
  double difference = apart(m, d, n, e, 500);
  ali3_joint_state rod, line;
  ali3_joint_get(m, d, ali3_model_find_joint(m, "S"), &rod);
  ali3_joint_get(n, e, ali3_model_find_joint(n, "U"), &line);
  print_message("rod and distance joint are %.1e m apart\n", difference);
  assert_true(difference < 1e-6);
  for (int i = 0; i < 3; i++) assert_true(fabs(rod.force[i] - line.force[i]) < 1e-3); /* the same pull on B */
  done(m, d);
  done(n, e);
}

/* Four bars in a plane, all unlike, the coupler of the given mass; at rest. */
static ali3_data *four_bar(ali3_model **model, double mass, const ali3_options *o)
{
  static const double p[4][2] = {{0, 0}, {0.5, 0.866}, {2.2, 1.2}, {2, 0.1}};
  ali3_model *m = *model = falling();
  double half[3];
  for (int i = 0; i < 3; i++) {
    static const char *const name[] = {"crank", "coupler", "rocker"};
    double dx = p[i + 1][0] - p[i][0], dy = p[i + 1][1] - p[i][1], turn = 0.5 * atan2(dy, dx);
    double own = i == 1 ? mass : 1.0;
    half[i] = 0.5 * hypot(dx, dy);
    ali3_body_spec s = toy_body(name[i], (const double[]){p[i][0] + 0.5 * dx, p[i][1] + 0.5 * dy, 0}, own,
                                own * half[i] * half[i] / 3);
    s.orientation[0] = cos(turn);
    s.orientation[3] = sin(turn);
    toy_added(m, ali3_model_add_body(m, &s));
  }
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "J%d", i + 1);
    ali3_joint_spec s = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i == 3 ? ALI3_GROUND : i,
                         .point_a = {i > 0 ? half[i - 1] : 0},
                         .point_b = {i < 3 ? -half[i] : p[3][0], i < 3 ? 0 : p[3][1]},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_joint(m, &s));
  }
  toy_freeze_with(m, o);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_true(ali3_reset(m, d) >= 0);
  return d;
}

static double coupler_matters(double mass, const ali3_options *o)
{
  ali3_model *m, *n;
  ali3_data *d = four_bar(&m, mass, o), *e = four_bar(&n, 0.0, o);
  double difference = apart(m, d, n, e, 50);
  print_message("coupler of %g kg: %.2e m from none\n", mass, difference);
  done(m, d);
  done(n, e);
  return difference;
}

static void a_light_coupler_comes_to_be_a_massless_one(void **state)
{
  (void)state;
  for (int extrapolate = 0; extrapolate < 2; extrapolate++) {
    ali3_options o = options_with(0.002);
    o.extrapolate = extrapolate;
    double last = coupler_matters(1e-2, &o);
    for (double mass = 1e-3; mass > 1e-8; mass /= 10) {
      double now = coupler_matters(mass, &o);
      if (!(last / now > 8 && last / now < 12))
        fail_msg("%g kg: a tenth of the mass matters %.1f times less", mass, last / now);
      last = now;
    }
  }
}

static void a_massless_coupler_keeps_energy_and_constraints(void **state)
{
  (void)state;
  ali3_options o = options_with(0.001);
  ali3_model *m;
  ali3_data *d = four_bar(&m, 0.0, &o);
  ali3_energy before, after;
  ali3_energy_get(m, d, &before);
  for (int i = 0; i < 3000; i++) {
    run_well(m, d, 1);
    assert_true(ali3_report_get(d)->position < 1e-12);
  }
  ali3_energy_get(m, d, &after);
  print_message("energy off by %.1e J in 3 s\n", after.total - before.total);
  assert_true(fabs(after.total - before.total) < 1e-3);
  done(m, d);
}

/* A rod on a universal joint whose axes are both askew to it: held about its own axis, where it may have no
 * inertia. */
static void rod_end(double inertia, double dt, double o[3])
{
  const double q = sqrt(0.5);
  ali3_model *m = falling();
  ali3_body_spec b = toy_body("rod", (const double[]){0.5, 0, 0}, 1.0, 0.2);
  b.inertia[0] = inertia;
  toy_added(m, ali3_model_add_body(m, &b));
  toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = "U",
                                                          .type = ALI3_JOINT_UNIVERSAL,
                                                          .body_a = ALI3_GROUND,
                                                          .point_b = {-0.5, 0, 0},
                                                          .axis_a = {0, q, q},
                                                          .axis_b = {0, -q, q}}));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  run_well(m, d, (int)lround(1.0 / dt));
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  memcpy(o, x.position, sizeof x.position);
  done(m, d);
}

static double distance(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void a_rod_needs_no_inertia_about_its_axis(void **state)
{
  (void)state;
  double thin[3], thinner[3], fine[3], finest[3], thick[3], thicker[3];
  rod_end(0.0, 0.01, thin);
  rod_end(0.0, 0.002, fine);
  rod_end(0.0, 0.0004, finest);
  rod_end(1e-8, 0.01, thinner);
  rod_end(1e-4, 0.01, thick);
  rod_end(1e-3, 0.01, thicker);
  print_message("inertia 0: 10 ms and 2 ms are off by %.2e and %.2e m\n", distance(thin, finest),
                distance(fine, finest));
  assert_true(distance(thin, finest) < 2e-3);
  assert_true(distance(thin, finest) / distance(fine, finest) >
              20); /* 25, less what the last is off itself */
  assert_true(distance(thin, thinner) < 1e-6);
  double ratio = distance(thin, thicker) / distance(thin, thick);
  assert_true(ratio > 8 && ratio < 12);
}

/* A rod without inertia about the axis on which it turns, under a torque, on a torsional spring and damper.
 */
static struct error turning(double k, double c, double dt)
{
  const double torque = 3.0;
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("rod", none, 1.0, 0.2);
  b.inertia[0] = 0.0;
  toy_added(m, ali3_model_add_body(m, &b));
  spring(m,
         toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = "R",
                                                                 .type = ALI3_JOINT_REVOLUTE,
                                                                 .body_a = ALI3_GROUND,
                                                                 .axis_a = {1, 0, 0},
                                                                 .axis_b = {1, 0, 0}})),
         k, c);
  toy_added(m, ali3_model_add_load(
                   m, &(ali3_load_spec){.name = "T", .type = ALI3_LOAD_TORQUE, .vector = {torque, 0, 0}}));
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_MOVED); /* it turns at once */
  for (int i = 0; i <= (int)lround(2.0 / dt); i++) {
    double gone = exp(-k / c * i * dt);
    ali3_joint_state j;
    if (i > 0) run_well(m, d, 1);
    ali3_joint_get(m, d, 0, &j);
    larger(&e.position, j.position - (k > 0.0 ? torque / k * (1 - gone) : torque / c * i * dt));
    larger(&e.velocity, j.velocity - torque / c * gone);
  }
  done(m, d);
  return e;
}

static void a_torsional_damper_holds_what_has_no_inertia(void **state)
{
  (void)state;
  struct error coarse = turning(2, 0.5, 0.01), fine = turning(2, 0.5, 0.001), steady = turning(0, 0.5, 0.01);
  below("spring and damper, 10 ms", "0", coarse, 7e-5, 3e-4);
  second_order("0", coarse, fine);
  below("damper alone, 10 ms", "0", steady, 1.1e-3, 1e-9);
}

/* A massless body on a slide along u, spring and damper to the ground, and a body on it, likewise: where
 * they are along u after 100 steps. */
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

/* Stiffnesses of rigid rows and of springs meet in one pivot, and only along the axes they stay apart by
 * themselves. */
static void no_direction_is_special(void **state)
{
  (void)state;
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

/* Light beside another body is not without mass: a little oscillator next to a ton keeps its order and its
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

static void light_is_not_massless(void **state)
{
  (void)state;
  struct error coarse = light_oscillator(0.01), fine = light_oscillator(0.001);
  below("beside a ton, 10 ms", "1e-4", coarse, 2e-3, 1e-2);
  second_order("1e-4", coarse, fine);
}

/* Lengths times L, masses times M: the same motion in other units, whatever has no mass. */
static void units_do_not_matter(void **state)
{
  (void)state;
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

/* Shares one after the other, the last first; see test_stage.c for true threads. */
static int runs;

static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  int shares = *(const int *)context;
  runs++;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

/* A hundred pendulums, in a row, with massless carriages between them. */
static ali3_model *train(int cars)
{
  ali3_model *m = falling();
  for (int i = 0; i < cars; i++) {
    char name[32];
    snprintf(name, sizeof name, "H%d", i);
    int hub = point(m, name, 0.0, i, 0, 0, 0);
    snprintf(name, sizeof name, "S%d", i);
    spring(m, slide(m, name, i == 0 ? ALI3_GROUND : hub - 2, hub, 0), 0, 3);
    snprintf(name, sizeof name, "B%d", i);
    ali3_body_spec s = toy_body(name, (const double[]){i + 0.5, 0, 0}, 1.0, 0.1);
    int body = toy_added(m, ali3_model_add_body(m, &s));
    ali3_joint_spec j = {.type = ALI3_JOINT_REVOLUTE, .body_a = hub, .body_b = body, .point_b = {-0.5, 0, 0}};
    snprintf(name, sizeof name, "R%d", i);
    j.name = name;
    to_point((const double[]){0, 0, 1}, j.axis_a);
    j.axis_b[2] = 1.0;
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  toy_freeze(m, 0.01);
  return m;
}

static void shares_do_not_change_a_bit(void **state)
{
  (void)state;
  enum { CARS = 40 };
  static const int counts[] = {1, 2, 3, 8};
  ali3_model *m = train(CARS);
  for (int i = 0; i < 4; i++) {
    int shares = counts[i];
    const ali3_exec exec = {&shares, shares, backwards, 1.0};
    ali3_data *d = ali3_data_new(m), *serial = ali3_data_new(m);
    assert_true(d && serial);
    runs = 0;
    ali3_data_set_exec(d, &exec);
    assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, serial) >= 0);
    for (int k = 0; k < 30; k++) {
      run_well(m, d, 1);
      run_well(m, serial, 1);
      for (int b = 0; b < 2 * CARS; b++) {
        ali3_body_state x, y;
        ali3_body_get(m, d, b, &x);
        ali3_body_get(m, serial, b, &y);
        if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%d shares change body %d in step %d", shares, b, k + 1);
      }
    }
    assert_true(shares == 1 || runs > 30); /* there was something to share */
    ali3_data_free(d);
    ali3_data_free(serial);
  }
  ali3_model_free(m);
}

/* Chains of three bodies on hinges, and on each first one a bushing with a body without mass. */
static ali3_model *flags(int copies)
{
  ali3_model *m = falling();
  for (int i = 0; i < 3 * copies; i++) {
    char name[32];
    bool first = i % 3 == 0;
    double at[3] = {i % 3 + 0.5, 0, i / 3};
    snprintf(name, sizeof name, "B%d", i);
    ali3_body_spec s = toy_body(name, at, 1.0, 0.1);
    ali3_joint_spec j = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i % 3 == 1 ? ali3_model_bodies(m) - 2 : ali3_model_bodies(m) - 1,
                         .point_a = {0.5, 0, 0},
                         .point_b = {-0.5, 0, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    if (first) {
      j.body_a = ALI3_GROUND;
      j.point_a[0] = 0;
      j.point_a[2] = at[2];
    }
    j.body_b = toy_added(m, ali3_model_add_body(m, &s));
    toy_added(m, ali3_model_add_joint(m, &j));
    if (!first) continue;
    snprintf(name, sizeof name, "M%d", i);
    s = toy_body(name, at, 0.0, 0.0);
    ali3_force_spec bushing = ali3_force_spec_default(ALI3_FORCE_BUSHING);
    bushing.name = name;
    bushing.body_a = j.body_b;
    bushing.body_b = toy_added(m, ali3_model_add_body(m, &s));
    for (int k = 0; k < 6; k++) {
      bushing.stiffness[k] = 500;
      bushing.damping[k] = 5;
    }
    toy_added(m, ali3_model_add_force(m, &bushing));
  }
  toy_freeze(m, 0.01);
  return m;
}

/* Massless bodies in tiles with lanes not in use: what a failed step leaves there must not come back. */
static void a_failed_step_leaves_nothing_in_lanes_not_in_use(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, 1e200};
  for (int copies = 1; copies <= 9; copies++)
    for (int i = 0; i < 3; i++) {
      ali3_model *m = flags(copies);
      ali3_data *d = ali3_data_new(m), *other = ali3_data_new(m);
      assert_true(d && other && ali3_reset(m, d) >= 0 && ali3_reset(m, other) >= 0);
      run_well(m, d, 3);
      run_well(m, other, 3);
      ali3_set_load(m, d, 0, (const double[]){bad[i], 0, 0}, none);
      assert_int_equal(ali3_step(m, d), ALI3_E_DIVERGED);
      ali3_set_load(m, d, 0, none, none);
      for (int k = 0; k < 5; k++) {
        run_well(m, d, 1);
        run_well(m, other, 1);
      }
      for (int b = 0; b < ali3_model_bodies(m); b++) {
        ali3_body_state x, y;
        ali3_body_get(m, d, b, &x);
        ali3_body_get(m, other, b, &y);
        if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%d copies, load %g: body %d", copies, bad[i], b);
      }
      ali3_set_load(m, d, 0, (const double[]){bad[i], 0, 0}, none);
      assert_int_equal(ali3_step(m, d), ALI3_E_DIVERGED);
      assert_true(fabs(ali3_redundant_rows(m, d)) < 0.1);
      ali3_data_free(other);
      done(m, d);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_massless_body_relaxes_with_the_time_of_spring_and_damper),
      cmocka_unit_test(a_maxwell_element_stops_a_body),
      cmocka_unit_test(springs_in_series_swing_as_one),
      cmocka_unit_test(a_massless_rod_is_a_distance_joint),
      cmocka_unit_test(a_light_coupler_comes_to_be_a_massless_one),
      cmocka_unit_test(a_massless_coupler_keeps_energy_and_constraints),
      cmocka_unit_test(a_rod_needs_no_inertia_about_its_axis),
      cmocka_unit_test(a_torsional_damper_holds_what_has_no_inertia),
      cmocka_unit_test(no_direction_is_special),
      cmocka_unit_test(light_is_not_massless),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(shares_do_not_change_a_bit),
      cmocka_unit_test(a_failed_step_leaves_nothing_in_lanes_not_in_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
