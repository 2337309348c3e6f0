/* SPDX-License-Identifier: MIT
 * Reactions of the double four-bar linkage of paper 3 in passes of its singular position, compared with those of planar equations
 * of motion of its own, solved at the state of each sample. They grow without limit there, and single steps used to report up to
 * 250 times as much or less. */
#include "base/isa.h"
#include "check.h"
#include "common/toys.h"

#include <stdlib.h>
#include <string.h>

enum { RODS = 5, PINS = 7, ROWS = 2 * PINS };
static const double INERTIA = 0.08416666666666667, GRAVITY = 9.81, WEIGHT = RODS * 9.81;
static const struct pin {
  int a, b; /* rods; -1: the ground */
  double in_a[3], in_b[3];
} pin[PINS] = {{-1, 0, {0, 0, 0}, {-0.5, 0, 0}}, {-1, 1, {1, 0, 0}, {-0.5, 0, 0}},
               {-1, 2, {2, 0, 0}, {-0.5, 0, 0}}, {0, 3, {0.5, 0, 0}, {-0.5, 0, 0}},
               {3, 1, {0.5, 0, 0}, {0.5, 0, 0}}, {1, 4, {0.5, 0, 0}, {-0.5, 0, 0}},
               {4, 2, {0.5, 0, 0}, {0.5, 0, 0}}};

/* speed: of the upper points, m/s */
static ali3_model *linkage(const ali3_options *o, double speed)
{
  const double half = sqrt(0.5);
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0, -GRAVITY, 0}), ALI3_OK);
  for (int b = 0; b < RODS; b++) {
    const bool crank = b < 3;
    char name[] = {(char)('A' + b), 0};
    ali3_body_spec s = toy_body(name, (double[]){crank ? b : b - 2.5, crank ? 0.5 : 1, 0}, 1, INERTIA);
    s.inertia[0] = INERTIA / 50;
    s.velocity[0] = crank ? 0.5 * speed : speed;
    if (crank) {
      s.orientation[0] = s.orientation[3] = half;
      s.angular_velocity[2] = -speed;
    }
    toy_added(m, ali3_model_add_body(m, &s));
  }
  for (int j = 0; j < PINS; j++) {
    char name[] = {'J', (char)('1' + j), 0};
    ali3_joint_spec s = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = pin[j].a,
                         .body_b = pin[j].b,
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    memcpy(s.point_a, pin[j].in_a, sizeof s.point_a);
    memcpy(s.point_b, pin[j].in_b, sizeof s.point_b);
    toy_added(m, ali3_model_add_joint(m, &s));
  }
  toy_freeze_with(m, o);
  return m;
}

/* Gauss-Jordan elimination with row pivots; the last column is the right-hand side. */
static void solve_rows(long double S[ROWS][ROWS + 1])
{
  for (int i = 0; i < ROWS; i++) {
    int best = i;
    for (int r = i; r < ROWS; r++)
      if (fabsl(S[r][i]) > fabsl(S[best][i])) best = r;
    for (int c = 0; c <= ROWS; c++) {
      const long double kept = S[i][c];
      S[i][c] = S[best][c];
      S[best][c] = kept;
    }
    for (int r = 0; r < ROWS; r++) {
      const long double part = r == i ? 0.0L : S[r][i] / S[i][i];
      for (int c = i; c <= ROWS; c++) S[r][c] -= part * S[i][c];
    }
  }
}

/* Largest force of a pin at the state: A M^-1 A' lambda = -(A M^-1 Q + c), with A a + c the acceleration that a pin leaves. */
static double exact_force(const ali3_model *m, const ali3_data *d)
{
  long double A[ROWS][3 * RODS] = {{0}}, S[ROWS][ROWS + 1], c[ROWS] = {0};
  for (int j = 0; j < PINS; j++)
    for (int side = 0; side < 2; side++) {
      const int b = side ? pin[j].b : pin[j].a;
      const double *p = side ? pin[j].in_b : pin[j].in_a, sign = side ? 1 : -1;
      if (b < 0) continue;
      ali3_body_state x;
      ali3_body_get(m, d, b, &x);
      const long double angle = 2 * atan2l(x.orientation[3], x.orientation[0]), w = x.angular_velocity[2],
                        r[2] = {cosl(angle) * p[0], sinl(angle) * p[0]};
      A[2 * j][3 * b] = A[2 * j + 1][3 * b + 1] = sign;
      A[2 * j][3 * b + 2] = -sign * r[1];
      A[2 * j + 1][3 * b + 2] = sign * r[0];
      for (int i = 0; i < 2; i++) c[2 * j + i] -= sign * w * w * r[i];
    }
  for (int i = 0; i < ROWS; i++) {
    S[i][ROWS] = -c[i];
    for (int b = 0; b < RODS; b++) S[i][ROWS] += A[i][3 * b + 1] * GRAVITY;
    for (int k = 0; k < ROWS; k++) {
      S[i][k] = 0;
      for (int q = 0; q < 3 * RODS; q++) S[i][k] += A[i][q] * A[k][q] / (q % 3 == 2 ? INERTIA : 1.0);
    }
  }
  solve_rows(S);
  double largest = 0;
  for (int j = 0; j < PINS; j++) {
    const double x = (double)(S[2 * j][ROWS] / S[2 * j][2 * j]),
                 y = (double)(S[2 * j + 1][ROWS] / S[2 * j + 1][2 * j + 1]);
    largest = fmax(largest, sqrt(x * x + y * y));
  }
  return largest;
}

/* Runs 20 s. Returns the number of samples that are held. */
static int run(ali3_options o, double speed)
{
  ali3_model *m = linkage(&o, speed);
  ali3_data *d = toy_start(m, ALI3_OK);
  int held = 0;
  for (int i = 0; i < lround(20 / o.dt) && ali3_step(m, d) >= 0; i++) {
    const double exact = exact_force(m, d);
    double force = 0;
    bool mark = false;
    for (int j = 0; j < PINS; j++) {
      ali3_joint_state s;
      ali3_joint_get(m, d, j, &s);
      force = fmax(force, sqrt(s.force[0] * s.force[0] + s.force[1] * s.force[1]));
      mark |= s.held;
    }
    held += mark;
    if (!mark && exact < 1e4 * WEIGHT && !(force > 0.5 * exact && force < 2 * exact))
      fail_msg("%s, %s, %g ms, %g m/s: %g N in place of %g N at %g s", ali3_method_name(o.method), o.isa,
               1e3 * o.dt, speed, force, exact, ali3_data_report(d)->time);
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return held;
}

static ali3_coordinates coordinates = ALI3_COORDINATES_BODY;

static int by_size(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* The motion is chaotic: any instruction set takes a way of its own. So they take turns.
 *   most: held samples of the median run, in percent. A run may keep a joint open for seconds, and marks that. */
static void check_runs(ali3_method method, bool extrapolate, double dt, int runs, double most)
{
  const char *isas[ISA_COUNT] = {0};
  int count = 0, held[20];
  for (enum isa isa = 0; isa < ISA_COUNT; isa++)
    if (isa_supported(isa)) isas[count++] = isa_name(isa);
  ali3_options o = ali3_options_default();
  o.method = method;
  o.coordinates = coordinates;
  o.extrapolate = extrapolate;
  o.dt = dt;
  for (int i = 0; i < runs; i++) {
    snprintf(o.isa, sizeof o.isa, "%s", isas[i % count]);
    held[i] = run(o, 1.0 + 1e-3 * i);
  }
  qsort(held, (size_t)runs, sizeof *held, by_size);
  print_message("%s, %g ms: half of the runs hold at most %d of %g samples\n", ali3_method_name(method),
                1e3 * dt, held[runs / 2], 20 / dt);
  if (held[runs / 2] > most / 100 * 20 / dt) fail_msg("expected at most %g %%", most);
}

TEST(reactions_are_right_or_held)
{
  check_runs(ALI3_METHOD_ALI3, false, 0.01, 20, 0.15);
  check_runs(ALI3_METHOD_ALI3, false, 0.005, 20, 0.15);
  check_runs(ALI3_METHOD_ALI3, false, 0.001, 3, 0.1);
}

TEST(reactions_of_the_energy_method)
{
  check_runs(ALI3_METHOD_ENERGY, false, 0.01, 20, 0.375);
  check_runs(ALI3_METHOD_ENERGY, false, 0.005, 20, 0.3);
}

TEST(reactions_of_extrapolated_steps)
{
  check_runs(ALI3_METHOD_ALI3, true, 0.01, 20, 0.15);
}

TEST(reactions_of_explicit_methods)
{
  check_runs(ALI3_METHOD_RK4, false, 0.01, 20, 0.2);
  check_runs(ALI3_METHOD_DP5, false, 0.01, 20, 0.2);
  check_runs(ALI3_METHOD_ABM8, false, 0.01, 20, 0.2);
}

TEST(reactions_in_joint_coordinates)
{
  coordinates = ALI3_COORDINATES_JOINT;
  check_runs(ALI3_METHOD_RK4, false, 0.01, 10, 0.2);
  check_runs(ALI3_METHOD_DP5, false, 0.01, 10, 0.2);
  check_runs(ALI3_METHOD_ABM8, false, 0.01, 10, 0.2);
  coordinates = ALI3_COORDINATES_BODY;
}

/* A mechanism far from singular positions, and a start at rest. */
TEST(other_mechanisms_hold_none)
{
  ali3_model *chain = toy_chain(8, true, 0.01);
  ali3_data *d = toy_start(chain, ALI3_OK);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(ali3_step(chain, d), ALI3_OK);
    assert_false(ali3_data_report(d)->held);
  }
  ali3_data_free(d);
  ali3_model_free(chain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reactions_are_right_or_held),     cmocka_unit_test(reactions_of_the_energy_method),
      cmocka_unit_test(reactions_of_extrapolated_steps), cmocka_unit_test(reactions_of_explicit_methods),
      cmocka_unit_test(reactions_in_joint_coordinates),  cmocka_unit_test(other_mechanisms_hold_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
