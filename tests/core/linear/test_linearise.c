/* SPDX-License-Identifier: MIT
 * Linear systems against closed forms, against differences of accelerations, and against steps. */
#include "pendulums.h"

#include <complex.h>
#include <string.h>
#include <time.h>

/* Accelerations of the two hinges of a double pendulum at given angles and rates. */
static void hinge_accelerations(const ali3_model *m, ali3_data *d, const double *length, const double q[2],
                                const double rate[2], double o[2])
{
  ali3_body_state body[2];
  memset(body, 0, sizeof body);
  double at[2] = {0}, speed[2] = {0}, angle = 0.0, w = 0.0;
  for (int b = 0; b < 2; b++) {
    angle += q[b];
    w += rate[b];
    const double x = 0.5 * length[b] * sin(angle), y = -0.5 * length[b] * cos(angle);
    body[b].position[0] = at[0] + x;
    body[b].position[1] = at[1] + y;
    body[b].velocity[0] = speed[0] - w * y;
    body[b].velocity[1] = speed[1] + w * x;
    body[b].orientation[0] = cos(0.5 * angle);
    body[b].orientation[3] = sin(0.5 * angle);
    body[b].angular_velocity[2] = w;
    at[0] += 2 * x;
    at[1] += 2 * y;
    speed[0] -= 2 * w * y;
    speed[1] += 2 * w * x;
  }
  assert_true(ali3_place(m, d, body, 0.0) >= 0);
  for (int b = 0; b < 2; b++) ali3_body_get(m, d, b, &body[b]);
  o[0] = body[0].angular_acceleration[2];
  o[1] = body[1].angular_acceleration[2] - o[0];
}

static void add_forces(ali3_model *m)
{
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING), damper,
                  motor = ali3_force_spec_default(ALI3_FORCE_MOTOR);
  spring.name = "spring";
  spring.body_a = ALI3_GROUND;
  spring.body_b = 1;
  spring.point_a[0] = 1.0;
  spring.point_b[1] = -0.2;
  spring.stiffness[0] = 50.0;
  spring.damping[0] = 3.0;
  spring.rest = 0.5;
  toy_added(m, ali3_model_add_force(m, &spring));
  damper = ali3_force_spec_default(ALI3_FORCE_FRICTION);
  damper.name = "friction";
  damper.joint = 1;
  damper.friction = 0.5;
  damper.slip = 0.3;
  damper.damping[0] = 0.1;
  toy_added(m, ali3_model_add_force(m, &damper));
  motor.name = "motor";
  motor.joint = 0;
  toy_added(m, ali3_model_add_force(m, &motor));
}

/* At a state that moves and is not in balance. */
TEST(a_moving_pendulum_has_the_slopes_of_its_accelerations)
{
  const double length[2] = {1.2, 0.7}, mass[2] = {2, 3}, inertia[2] = {0.3, 0.2}, angle[2] = {0.4, -0.5};
  const double q[2] = {0.4, -0.9}, rate[2] = {1.1, -2.3}, h = 1e-3;
  ali3_model *m = pendulum(2, length, mass, inertia, angle);
  add_forces(m);
  toy_freeze_apart(m, 0.001);
  ali3_data *d = toy_start(m, ALI3_OK), *other = toy_start(m, ALI3_OK);
  double base[2];
  hinge_accelerations(m, d, length, q, rate, base);
  const ali3_port input[] = {{ALI3_PORT_COMMAND, 2, 0}, {ALI3_PORT_WRENCH, 1, 1}};
  const ali3_port output[] = {{ALI3_PORT_JOINT, 1, 6}, {ALI3_PORT_JOINT, 1, 7}, {ALI3_PORT_BODY, 0, 18},
                              {ALI3_PORT_FORCE, 0, 2}, {ALI3_PORT_JOINT, 0, 1}, {ALI3_PORT_BODY, 1, 14}};
  enum { OUTPUTS = sizeof output / sizeof *output };
  const int joint[2] = {0, 1};
  const ali3_ports ports = {input, 2, output, OUTPUTS, joint, 2};
  ali3_linear l;
  assert_int_equal(ali3_linearise(m, d, &ports, &l, NULL), ALI3_OK);
  assert_int_equal(l.states, 4);
  for (int k = 0; k < 4; k++) {
    /* differences of fourth order: of accelerations, and of what programs read */
    double slope[2] = {0}, read[OUTPUTS] = {0};
    for (int e = 0; e < 4; e++) {
      const double by = (e & 1 ? -1 : 1) * (e & 2 ? 2 : 1) * h,
                   weight = (e & 2 ? -1.0 : 8.0) * (e & 1 ? -1 : 1) / (12.0 * h);
      double moved[4] = {q[0], q[1], rate[0], rate[1]}, a[2];
      moved[k] += by;
      hinge_accelerations(m, other, length, moved, moved + 2, a);
      for (int i = 0; i < 2; i++) slope[i] += weight * a[i];
      ali3_joint_state j0, j1;
      ali3_body_state b0, b1;
      ali3_force_state f;
      ali3_joint_get(m, other, 0, &j0);
      ali3_joint_get(m, other, 1, &j1);
      ali3_body_get(m, other, 0, &b0);
      ali3_body_get(m, other, 1, &b1);
      ali3_force_get(m, other, 0, &f);
      const double now[OUTPUTS] = {j1.position, j1.velocity, b0.angular_acceleration[2],
                                   f.value,     j0.force[1], b1.acceleration[1]};
      for (int i = 0; i < OUTPUTS; i++) read[i] += weight * now[i];
    }
    for (int i = 0; i < 2; i++) {
      assert_near(l.A[(2 + i) * 4 + k], slope[i], 2e-8);
      assert_near(l.A[i * 4 + k], k == 2 + i, 1e-12);
    }
    for (int i = 0; i < OUTPUTS; i++) assert_near(l.C[i * 4 + k], read[i], 2e-7);
  }
  /* inputs: the mass matrix, and the power of each */
  double M[4];
  double_pendulum_mass(length, mass, inertia, q[1], M);
  const double det = M[0] * M[3] - M[1] * M[2], x0 = length[0] * sin(q[0]),
               x1 = 0.5 * length[1] * sin(q[0] + q[1]);
  const double B[2][2] = {{1, 0}, {x0 + x1, x1}};
  for (int k = 0; k < 2; k++) {
    assert_near(l.B[4 + k], (M[3] * B[k][0] - M[1] * B[k][1]) / det, 1e-9);
    assert_near(l.B[6 + k], (M[0] * B[k][1] - M[2] * B[k][0]) / det, 1e-9);
    assert_near(l.D[2 * 2 + k], l.B[4 + k], 1e-9); /* angular acceleration of the first body */
  }
  ali3_linear_free(&l);
  assert_null(l.A);
  ali3_data_free(d);
  ali3_data_free(other);
  ali3_model_free(m);
}

/* Mass 1 on a slide along z, on a plate on a slide, with a spring and a damper between them. */
enum { PLATE, BODY };
static ali3_model *shaker(double k, double c)
{
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, (const double[]){0, 0, -PENDULUM_G});
  for (int i = 0; i < 2; i++) {
    const double at[3] = {0, 0, i};
    ali3_body_spec b = toy_body(i ? "body" : "plate", at, i ? 2.0 : 30.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &b));
    ali3_joint_spec j = {.name = i ? "body" : "plate",
                         .type = ALI3_JOINT_PRISMATIC,
                         .body_a = ALI3_GROUND,
                         .body_b = i,
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    j.point_a[2] = i;
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING),
                  drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  spring.name = "spring";
  spring.body_a = PLATE;
  spring.body_b = BODY;
  spring.stiffness[0] = k;
  spring.damping[0] = c;
  spring.rest = 1.0;
  toy_added(m, ali3_model_add_force(m, &spring));
  drive.name = "drive";
  drive.joint = PLATE;
  drive.external = true;
  drive.max_rate = drive.max_acceleration = 10.0;
  toy_added(m, ali3_model_add_force(m, &drive));
  toy_freeze(m, 0.001);
  return m;
}

/* C (i w - A)^-1 B + D, by Gauss' elimination. */
static double complex response(const ali3_linear *l, int output, int input, double omega)
{
  enum { MOST = 8 };
  const int n = l->states;
  double complex W[MOST][MOST + 1], x[MOST], sum = l->D[output * l->inputs + input];
  assert_true(n <= MOST);
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < n; c++) W[r][c] = (r == c ? I * omega : 0.0) - l->A[r * n + c];
    W[r][n] = l->B[r * l->inputs + input];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k; r < n; r++)
      if (cabs(W[r][k]) > cabs(W[best][k])) best = r;
    for (int c = 0; c <= n; c++) {
      const double complex t = W[k][c];
      W[k][c] = W[best][c];
      W[best][c] = t;
    }
    for (int r = k + 1; r < n; r++)
      for (int c = n; c >= k; c--) W[r][c] -= W[r][k] / W[k][k] * W[k][c];
  }
  for (int k = n - 1; k >= 0; k--) {
    x[k] = W[k][n];
    for (int c = k + 1; c < n; c++) x[k] -= W[k][c] * x[c];
    x[k] /= W[k][k];
    sum += l->C[output * n + k] * x[k];
  }
  return sum;
}

/* From the acceleration of the target to the position of the body and to the force of the drive. */
TEST(a_shaker_has_its_transfer_functions)
{
  const double k = 800, c = 12, mass = 2.0, plate = 30.0;
  ali3_model *m = shaker(k, c);
  ali3_data *d = toy_start(m, ALI3_OK);
  assert_true(ali3_equilibrium(m, d, NULL, NULL, NULL) >= 0);
  const ali3_port input = {ALI3_PORT_COMMAND, 1, 0};
  const ali3_port output[] = {{ALI3_PORT_BODY, BODY, 2},
                              {ALI3_PORT_FORCE, 1, 2},
                              {ALI3_PORT_FORCE, 1, 0},
                              {ALI3_PORT_FORCE, 1, 3},
                              {ALI3_PORT_BODY, BODY, 15}};
  const ali3_ports ports = {&input, 1, output, 5, NULL, 0};
  ali3_linear l;
  assert_int_equal(ali3_linearise(m, d, &ports, &l, NULL), ALI3_OK);
  assert_int_equal(l.states, 4);
  for (int i = 1; i <= 50; i++) {
    const double w = 0.8 * i;
    const double complex s = I * w, body = (c * s + k) / (mass * s * s + c * s + k);
    const double complex force = plate * s * s + (c * s + k) * (1.0 - body);
    const double size = 1.0 + cabs(force / (s * s));
    assert_near(cabs(response(&l, 0, 0, w) - body / (s * s)) * w * w, 0.0, 1e-8);
    assert_near(cabs(response(&l, 1, 0, w) - force / (s * s)), 0.0, 1e-8 * size);
    assert_near(cabs(response(&l, 2, 0, w) - 1.0 / (s * s)) * w * w, 0.0, 1e-9);
    assert_near(cabs(response(&l, 3, 0, w) - 1.0 / (s * s)) * w * w, 0.0, 1e-9);
    assert_near(cabs(response(&l, 4, 0, w) - body), 0.0, 1e-8);
  }
  double pole[4][2];
  assert_int_equal(ali3_linear_poles(&l, pole[0]), ALI3_OK);
  assert_near(pole[0][0], 0.0, 1e-9);
  assert_near(pole[2][0], -c / (2 * mass), 1e-8);
  assert_near(pole[2][1], sqrt(k / mass - c * c / (4 * mass * mass)), 1e-8);
  ali3_linear_free(&l);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A displacement of 1e-5 from equilibrium, 1 s of rk4, against exp(A t). */
TEST(steps_follow_the_linear_system)
{
  const double length[2] = {1.2, 0.7}, mass[2] = {2, 3}, inertia[2] = {0.3, 0.2}, angle[2] = {0.1, -0.2},
               small = 1e-5;
  ali3_model *m = pendulum(2, length, mass, inertia, angle);
  add_forces(m);
  ali3_options o = ali3_options_default();
  o.dt = 0.001;
  o.method = ALI3_METHOD_RK4;
  o.assembly_position = o.assembly_angle = INFINITY;
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_equilibrium_report report;
  assert_true(ali3_equilibrium(m, d, NULL, &report, NULL) >= 0);
  assert_int_equal(report.unstable, 0);
  ali3_joint_state rest[2], now;
  for (int j = 0; j < 2; j++) ali3_joint_get(m, d, j, &rest[j]);
  const int joint[2] = {0, 1};
  const ali3_ports ports = {.joint = joint, .joints = 2};
  ali3_linear l;
  assert_int_equal(ali3_linearise(m, d, &ports, &l, NULL), ALI3_OK);
  /* exp(A) x by its series in 1000 parts */
  double x[4] = {small, 0, 0, 0}, a[2];
  for (int step = 0; step < 1000; step++) {
    double term[4];
    memcpy(term, x, sizeof x);
    for (int order = 1; order < 8; order++) {
      double next[4] = {0};
      for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) next[r] += l.A[4 * r + c] * term[c] * 0.001 / order;
      memcpy(term, next, sizeof next);
      for (int r = 0; r < 4; r++) x[r] += term[r];
    }
  }
  /* the mean of both sides has no error of second order */
  double moved[2] = {0};
  for (int sign = 1; sign >= -1; sign -= 2) {
    const double q[2] = {rest[0].position + sign * small, rest[1].position}, still[2] = {0};
    hinge_accelerations(m, d, length, q, still, a);
    toy_run(m, d, 1000);
    for (int j = 0; j < 2; j++) {
      ali3_joint_get(m, d, j, &now);
      moved[j] += 0.5 * sign * (now.position - rest[j].position);
    }
  }
  for (int j = 0; j < 2; j++) assert_near(moved[j] / small, x[j] / small, 1e-6);
  ali3_linear_free(&l);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A top that sleeps: it spins about the vertical through its pivot. Its axis moves like A z'' - i C w z' - m g l z = 0 in axes that do not
 * turn; the states turn with the body, so its frequencies are less by w. */
TEST(a_sleeping_top_has_its_two_frequencies)
{
  const double A = 0.9, C = 0.4, mass = 2.0, l = 0.5, w = 25.0, about = A + mass * l * l;
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, (const double[]){0, 0, -PENDULUM_G});
  ali3_body_spec b = toy_body("top", (const double[]){0, 0, l}, mass, A);
  b.inertia[8] = C;
  b.angular_velocity[2] = w;
  toy_added(m, ali3_model_add_body(m, &b));
  toy_spherical(m, "pivot", ALI3_GROUND, (const double[3]){0}, 0, (const double[]){0, 0, -l});
  toy_freeze(m, 0.001);
  ali3_data *d = toy_start(m, ALI3_OK);
  const ali3_ports ports = {0};
  ali3_linear s;
  double pole[6][2];
  assert_int_equal(ali3_linearise(m, d, &ports, &s, NULL), ALI3_OK);
  assert_int_equal(s.states, 6);
  assert_int_equal(ali3_linear_poles(&s, pole[0]), ALI3_OK);
  const double root = sqrt(C * C * w * w - 4 * about * mass * PENDULUM_G * l);
  double expected[2] = {fabs((C * w - root) / (2 * about) - w), fabs((C * w + root) / (2 * about) - w)};
  if (expected[0] > expected[1]) {
    const double x = expected[0];
    expected[0] = expected[1];
    expected[1] = x;
  }
  for (int i = 0; i < 4; i++) {
    assert_near(pole[2 + i][0], 0.0, 1e-7);
    assert_near(fabs(pole[2 + i][1]), expected[i / 2], 1e-7);
  }
  ali3_linear_free(&s);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_body_without_mass_is_named)
{
  const double length[2] = {1, 1}, mass[2] = {1, 0}, inertia[2] = {0.1, 0}, angle[2] = {0, 0};
  ali3_model *m = pendulum(2, length, mass, inertia, angle);
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  spring.name = "spring";
  spring.joint = 1;
  spring.stiffness[0] = 10;
  spring.damping[0] = 1;
  toy_added(m, ali3_model_add_force(m, &spring));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_ports ports = {0};
  ali3_linear l;
  ali3_problem problem;
  assert_int_equal(ali3_linearise(m, d, &ports, &l, &problem), ALI3_E_SINGULAR);
  assert_non_null(strstr(problem.text, "\"rod1\""));
  assert_null(l.A);
  const ali3_port wrong = {ALI3_PORT_COMMAND, 0, 0};
  ports = (ali3_ports){.input = &wrong, .inputs = 1};
  assert_int_equal(ali3_linearise(m, d, &ports, &l, &problem), ALI3_E_ARGUMENT);
  assert_non_null(strstr(problem.text, "\"spring\""));
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A chain of 128 with 384 freedoms takes less than a second. */
TEST(a_long_chain_takes_less_than_a_second)
{
  ali3_model *m = toy_chain(128, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  const ali3_ports ports = {0};
  ali3_linear l;
  const clock_t start = clock();
  assert_int_equal(ali3_linearise(m, d, &ports, &l, NULL), ALI3_OK);
  const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_int_equal(l.states, 768);
  print_message("linearised in %.3f s\n", took);
  assert_in_time(took, 1.0);
  ali3_linear_free(&l);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_moving_pendulum_has_the_slopes_of_its_accelerations),
      cmocka_unit_test(a_shaker_has_its_transfer_functions),
      cmocka_unit_test(steps_follow_the_linear_system),
      cmocka_unit_test(a_sleeping_top_has_its_two_frequencies),
      cmocka_unit_test(a_body_without_mass_is_named),
      cmocka_unit_test(a_long_chain_takes_less_than_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
