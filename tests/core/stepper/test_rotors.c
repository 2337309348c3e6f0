/* SPDX-License-Identifier: MIT
 * Fast rotors at 10 ms and three iterations: 50 rad/s is half a radian in a step. */
#include "stepper/corners.h"

#include <string.h>

static const double none[3] = {0}, Xx[3] = {1, 0, 0}, Yy[3] = {0, 1, 0}, Zz[3] = {0, 0, 1};

static int rotor(ali3_model *m, const char *name, const double at[3], const double inertia[3],
                 const double rate[3])
{
  ali3_body_spec b = toy_body(name, at, 1.0, 0.0);
  for (int i = 0; i < 3; i++) {
    b.inertia[4 * i] = inertia[i];
    b.angular_velocity[i] = rate[i];
  }
  return toy_added(m, ali3_model_add_body(m, &b));
}

static void joint(ali3_model *m, const char *name, ali3_joint_type type, int a, const double pa[3], int b,
                  const double pb[3], const double axis[3])
{
  ali3_joint_spec s = {.name = name, .type = type, .body_a = a, .body_b = b};
  memcpy(s.point_a, pa, sizeof s.point_a);
  memcpy(s.point_b, pb, sizeof s.point_b);
  memcpy(s.axis_a, axis, sizeof s.axis_a);
  memcpy(s.axis_b, axis, sizeof s.axis_b);
  toy_added(m, ali3_model_add_joint(m, &s));
}

/* A free body with a fraction of its rate across its main axis of rotation. */
static void free_body(ali3_model *m, double rate, const double inertia[3], int axis)
{
  double w[3] = {0.1 * rate, 0.1 * rate, 0.1 * rate};
  w[axis] = rate;
  rotor(m, "rotor", none, inertia, w);
}

static void disc(ali3_model *m, double rate)
{
  free_body(m, rate, (double[]){1, 1, 2}, 2);
}

/* A rotation about the middle axis: the body flips again and again. */
static void tumbling(ali3_model *m, double rate)
{
  free_body(m, rate, (double[]){1, 2, 3}, 1);
}

static void ball(ali3_model *m, double rate)
{
  free_body(m, rate, (double[]){2, 2, 2}, 2);
}

/* An unbalanced rotor: the bearing is 0.3 rad off its principal axis. */
static void bearing(ali3_model *m, double rate)
{
  const double axis[3] = {0, sin(0.3), cos(0.3)}, w[3] = {0, rate * axis[1], rate * axis[2]};
  const int b = rotor(m, "rotor", none, (double[]){1, 2, 3}, w);
  joint(m, "bearing", ALI3_JOINT_REVOLUTE, ALI3_GROUND, none, b, none, axis);
}

/* A wheel on an arm that falls from the horizontal and swings: about 4 rad/s across the axis of the wheel. */
static void wheel_on_arm(ali3_model *m, double rate, const double inertia[3])
{
  toy_added(m, ali3_model_set_gravity(m, (double[]){0, -g, 0}));
  const int arm = rotor(m, "arm", (double[]){0.5, 0, 0}, (double[]){0.01, 0.1, 0.1}, none);
  const int wheel = rotor(m, "wheel", (double[]){1, 0, 0.1}, inertia, (double[]){rate, 0, 0});
  joint(m, "hinge", ALI3_JOINT_REVOLUTE, ALI3_GROUND, none, arm, (double[]){-0.5, 0, 0}, Zz);
  joint(m, "bearing", ALI3_JOINT_REVOLUTE, arm, (double[]){0.5, 0, 0.1}, wheel, none, Xx);
}

static void flywheel(ali3_model *m, double rate)
{
  wheel_on_arm(m, rate, (double[]){0.02, 0.01, 0.01});
}

static void propeller(ali3_model *m, double rate)
{
  wheel_on_arm(m, rate, (double[]){0.02, 0.008, 0.013});
}

/* A gyroscope released with its axis horizontal: it nutates. */
static void pivoted(ali3_model *m, double rate, const double inertia[3])
{
  toy_added(m, ali3_model_set_gravity(m, (double[]){0, -g, 0}));
  const int top = rotor(m, "top", (double[]){0.2, 0, 0}, inertia, (double[]){rate, 0, 0});
  joint(m, "pivot", ALI3_JOINT_SPHERICAL, ALI3_GROUND, none, top, (double[]){-0.2, 0, 0}, none);
}

static void top(ali3_model *m, double rate)
{
  pivoted(m, rate, (double[]){0.02, 0.01, 0.01});
}

static void round_top(ali3_model *m, double rate)
{
  pivoted(m, rate, (double[]){0.02, 0.02, 0.02});
}

static void gyroscope(ali3_model *m, double rate)
{
  toy_added(m, ali3_model_set_gravity(m, (double[]){0, -g, 0}));
  const double off[3] = {0.05, 0, 0}, ring[3] = {0.01, 0.01, 0.02};
  const int outer = rotor(m, "outer", none, ring, none), inner = rotor(m, "inner", none, ring, none);
  const int wheel = rotor(m, "wheel", off, (double[]){0.02, 0.01, 0.01}, (double[]){rate, 0, 0});
  joint(m, "yaw", ALI3_JOINT_REVOLUTE, ALI3_GROUND, none, outer, none, Yy);
  joint(m, "pitch", ALI3_JOINT_REVOLUTE, outer, none, inner, none, Zz);
  joint(m, "spin", ALI3_JOINT_REVOLUTE, inner, off, wheel, none, Xx);
}

struct kind {
  const char *name;
  void (*add)(ali3_model *m, double rate);
  bool is_free;
};
static const struct kind KIND[] = {
    {"disc", disc, true},        {"tumbling", tumbling, true},    {"ball", ball, true},
    {"bearing", bearing, false}, {"flywheel", flywheel, false},   {"propeller", propeller, false},
    {"top", top, false},         {"round top", round_top, false}, {"gyroscope", gyroscope, false},
};
enum { KINDS = sizeof KIND / sizeof *KIND };

/* Angular momentum of the first body in world axes. */
static void momentum(const ali3_model *m, const ali3_data *d, const double inertia[9], double L[3])
{
  const ali3_body_state x = body(m, d, 0);
  ali3_point_state tip[3], at;
  double local[3];
  for (int i = 0; i < 3; i++) {
    local[i] = 0;
    for (int k = 0; k < 3; k++) local[i] += inertia[3 * i + k] * x.angular_velocity[k];
  }
  ali3_point_get(m, d, 0, none, &at);
  const double *unit[3] = {Xx, Yy, Zz};
  for (int i = 0; i < 3; i++) ali3_point_get(m, d, 0, unit[i], &tip[i]);
  for (int k = 0; k < 3; k++) {
    L[k] = 0;
    for (int i = 0; i < 3; i++) L[k] += (tip[i].position[k] - at.position[k]) * local[i];
  }
}

struct seen {
  double energy;   /* largest deviation, relative to the kinetic energy at the start */
  double momentum; /* largest deviation of a free body, relative to the start */
  ali3_body_state last;
};

static struct seen spin(const struct kind *k, double rate, const ali3_options *o, double seconds)
{
  static const double inertia[3][9] = {
      {1, 0, 0, 0, 1, 0, 0, 0, 2}, {1, 0, 0, 0, 2, 0, 0, 0, 3}, {2, 0, 0, 0, 2, 0, 0, 0, 2}};
  struct seen seen = {0};
  ali3_model *m = ali3_model_new();
  k->add(m, rate);
  toy_freeze_with(m, o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_energy first, now;
  double L0[3] = {0}, L[3] = {0};
  ali3_energy_get(m, d, &first);
  if (k->is_free) momentum(m, d, inertia[k - KIND], L0);
  for (int i = 0; i < (int)lround(seconds / o->dt); i++) {
    toy_run(m, d, 1);
    ali3_energy_get(m, d, &now);
    seen.energy = fmax(seen.energy, fabs(now.total - first.total) / first.kinetic);
    if (!k->is_free) continue;
    momentum(m, d, inertia[k - KIND], L);
    const double off[3] = {L[0] - L0[0], L[1] - L0[1], L[2] - L0[2]};
    seen.momentum = fmax(seen.momentum, sqrt((off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) /
                                             (L0[0] * L0[0] + L0[1] * L0[1] + L0[2] * L0[2])));
  }
  seen.last = body(m, d, ali3_model_bodies(m) - 1);
  end(m, d);
  return seen;
}

TEST(a_rotor_of_50_per_s_keeps_its_energy)
{
  ali3_options o = ali3_options_default();
  for (int i = 0; i < KINDS; i++) {
    const struct seen s = spin(&KIND[i], 50.0, &o, 10.0);
    print_message("%-9s: energy within %.1e, angular momentum within %.1e of the start\n", KIND[i].name,
                  s.energy, s.momentum);
    assert_true(s.energy < 1.2e-3);
    assert_true(s.momentum < 1e-3);
  }
}

TEST(a_faster_one_does_too)
{
  ali3_options o = ali3_options_default();
  for (int i = 0; i < KINDS; i++) {
    const struct seen s = spin(&KIND[i], 100.0, &o, 10.0);
    print_message("%-9s: energy within %.1e, angular momentum within %.1e of the start\n", KIND[i].name,
                  s.energy, s.momentum);
    assert_true(s.energy < 1e-2);
  }
}

/* Compares with a step of 0.25 ms. */
static double error(const struct kind *k, double dt, bool extrapolate, const struct seen *exact)
{
  double sum = 0;
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.iterations = 8; /* the test measures the step, not the solution of its equations */
  o.extrapolate = extrapolate;
  const struct seen s = spin(k, 30.0, &o, 0.4);
  for (int i = 0; i < 4; i++) sum += pow(s.last.orientation[i] - exact->last.orientation[i], 2);
  for (int i = 0; i < 3; i++) sum += pow(s.last.position[i] - exact->last.position[i], 2);
  return sqrt(sum);
}

TEST(its_order_is_that_of_the_method)
{
  ali3_options fine = ali3_options_default();
  fine.dt = 2.5e-4;
  fine.extrapolate = true;
  for (int i = 0; i < KINDS; i++) {
    if (KIND[i].add == ball || KIND[i].add == bearing)
      continue; /* steady rotation: exact except for rounding */
    const struct seen exact = spin(&KIND[i], 30.0, &fine, 0.4);
    const double plain[2] = {error(&KIND[i], 0.01, false, &exact), error(&KIND[i], 0.005, false, &exact)};
    const double better[2] = {error(&KIND[i], 0.01, true, &exact), error(&KIND[i], 0.005, true, &exact)};
    print_message("%-9s: %.1e and %.1e, extrapolated %.1e and %.1e\n", KIND[i].name, plain[0], plain[1],
                  better[0], better[1]);
    assert_true(plain[1] < 0.3 * plain[0]);
    assert_true(better[1] < 0.1 * better[0] && better[0] < 0.03 * plain[0]);
  }
}

/* An encoder agrees with the speed. */
TEST(steady_rotation_is_exact)
{
  ali3_options o = ali3_options_default();
  const struct kind about_z = KIND[3];
  for (double rate = 15.0; rate < 200.0; rate *= 2.0) {
    ali3_model *m = ali3_model_new();
    about_z.add(m, rate);
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_joint_state s;
    toy_run(m, d, 100);
    ali3_joint_get(m, d, 0, &s);
    print_message("%g rad/s: %.9f rad after 1 s\n", rate, s.position);
    assert_true(fabs(s.position - rate) < 1e-4 * rate);
    end(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rotor_of_50_per_s_keeps_its_energy),
      cmocka_unit_test(a_faster_one_does_too),
      cmocka_unit_test(its_order_is_that_of_the_method),
      cmocka_unit_test(steady_rotation_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
