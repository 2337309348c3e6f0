/* SPDX-License-Identifier: MIT
 * The energy-momentum step: its Jacobian between two poses, what it conserves, its recursion against a dense Newton
 * iteration; and the elimination that it shares with paper 5. */
#include "coordinates/geometric.h"
#include "coordinates/problem_make.h"
#include "formulations/fronts.h"
#include "formulations/mechanism.h"
#include "integrators/linear.h"
#include "integrators/state.h"
#include "math/euler.h"

#include "check.h"

#include <ali3/model.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = MECHANISM_BODIES, NUMBERS = ABSOLUTE_BODY * BODIES, ROWS = 6 * 12 };

/* ---- the Jacobian between two poses ---- */

/* Two poses of all bodies, far apart, and the displacements between them: of the centre of mass, and Cayley's vector. */
static void random_poses(const struct problem *p, struct pose *x0, struct pose *x1, double *d)
{
  double q[NUMBERS];
  unsigned seed = 3;
  for (int i = 0; i < p->n; i++) q[i] = p->q[i] + 0.3 * mechanism_random(&seed);
  geometric_poses(p, q, x0);
  for (int b = 0; b < p->bodies; b++) {
    double turn[4] = {1};
    for (int i = 0; i < 3; i++) {
      d[GEOMETRIC_BODY * b + i] = 0.5 * mechanism_random(&seed);
      d[GEOMETRIC_BODY * b + 3 + i] = 0.8 * mechanism_random(&seed);
      x1[b].r[i] = x0[b].r[i] + d[GEOMETRIC_BODY * b + i];
      turn[1 + i] = 0.5 * d[GEOMETRIC_BODY * b + 3 + i];
    }
    p_mul(x1[b].p, turn, x0[b].p);
    p_normalise(x1[b].p);
    p_rotation(x1[b].R, x1[b].p);
  }
}

TEST(the_jacobian_between_two_poses_is_exact_for_every_joint)
{
  for (int type = 0; type < ALI3_JOINT_TYPES; type++) {
    struct mechanism o = mechanism_pair((ali3_joint_type)type);
    struct problem p;
    struct lab_refusal why;
    struct pose x0[BODIES], x1[BODIES];
    double d[NUMBERS], Phi[2][ROWS], J[ROWS * NUMBERS], change[ROWS] = {0};
    assert_true(problem_make(&p, &description_absolute, o.m, o.d, &why));
    const struct absolute *absolute = p.own;
    random_poses(&p, x0, x1, d);
    geometric_residual(&p, x0, Phi[0]);
    geometric_residual(&p, x1, Phi[1]);
    geometric_jacobian(&p, x0, x1, J);
    add_product(change, 1, J, d, absolute->rows, GEOMETRIC_BODY * p.bodies);
    for (int i = 0; i < absolute->rows; i++)
      assert_near_in(ali3_joint_type_name((ali3_joint_type)type), change[i], Phi[1][i] - Phi[0][i], 1e-14);
    problem_free(&p);
    mechanism_free(&o);
  }
}

/* At one pose it is the Jacobian of absolute coordinates: the same rates of rows for the same velocities. */
TEST(at_one_pose_it_is_the_jacobian)
{
  struct mechanism o = mechanism_with_loop();
  struct problem p;
  struct lab_refusal why;
  struct pose x[BODIES];
  static double v[NUMBERS], qd[NUMBERS], Phi[ROWS + BODIES], Phi_q[(ROWS + BODIES) * NUMBERS],
      J[ROWS * NUMBERS];
  double rate[2][ROWS + BODIES] = {{0}};
  unsigned seed = 5;
  assert_true(problem_make(&p, &description_absolute, o.m, o.d, &why));
  const struct absolute *absolute = p.own;
  geometric_poses(&p, p.q, x);
  for (int b = 0; b < p.bodies; b++) {
    double own[3];
    for (int i = 0; i < GEOMETRIC_BODY; i++) v[GEOMETRIC_BODY * b + i] = mechanism_random(&seed);
    memcpy(qd + ABSOLUTE_BODY * b, v + GEOMETRIC_BODY * b, 3 * sizeof *v);
    m3_tmul(own, x[b].R, v + GEOMETRIC_BODY * b + 3);
    p_from_rotation(qd + ABSOLUTE_BODY * b + 3, x[b].p, 1, own, 0);
  }
  p.kind->rows(&p, NOW(&p), p.q, Phi, Phi_q);
  geometric_jacobian(&p, x, x, J);
  add_product(rate[0], 1, Phi_q, qd, absolute->rows, p.n);
  add_product(rate[1], 1, J, v, absolute->rows, GEOMETRIC_BODY * p.bodies);
  for (int i = 0; i < absolute->rows; i++) assert_near(rate[1][i], rate[0][i], 1e-13);
  problem_free(&p);
  mechanism_free(&o);
}

/* ---- the elimination ---- */

static void double_load(const void *user, int body, double *x)
{
  const double *factor = user;
  for (int i = 0; i < GEOMETRIC_BODY; i++) x[i] *= factor[body];
}

struct dense_rows {
  const double *J;
  int n;
};

static const double *columns_of_rows(const void *user, int row, int body)
{
  const struct dense_rows *o = user;
  return o->J + row * o->n + GEOMETRIC_BODY * body;
}

TEST(fronts_solve_as_a_dense_matrix_does)
{
  struct mechanism made[] = {mechanism_chain(1, false), mechanism_chain(9, false), mechanism_chain(8, true),
                             mechanism_with_loop()};
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
    struct problem p;
    struct lab_refusal why;
    struct pose x[BODIES];
    static double J[ROWS * NUMBERS], S[ROWS * ROWS];
    double factor[BODIES], right[ROWS], exact[ROWS];
    unsigned seed = 11;
    assert_true(problem_make(&p, &description_absolute, made[k].m, made[k].d, &why));
    const int rows = ((const struct absolute *)p.own)->rows, n = GEOMETRIC_BODY * p.bodies;
    geometric_poses(&p, p.q, x);
    geometric_jacobian(&p, x, x, J);
    for (int b = 0; b < p.bodies; b++) factor[b] = 1.5 + mechanism_random(&seed);
    memset(S, 0, sizeof S);
    for (int i = 0; i < rows; i++) {
      exact[i] = right[i] = mechanism_random(&seed);
      for (int j = 0; j < rows; j++)
        for (int c = 0; c < n; c++)
          S[i * rows + j] += factor[c / GEOMETRIC_BODY] * J[i * n + c] * J[j * n + c];
      S[i * rows + i] += 0.01;
    }
    struct fronts *o = fronts_new(&p, GEOMETRIC_BODY, false);
    const struct mobility mobility = {.user = factor, .apply = double_load};
    assert_non_null(o);
    const struct dense_rows dense = {J, n};
    const struct front_rows rows_of_J = {&dense, columns_of_rows};
    assert_true(fronts_factor(o, &rows_of_J, 0.01, &mobility));
    fronts_solve(o, right);
    assert_true(lu_solve(S, rows, exact));
    for (int i = 0; i < rows; i++)
      assert_near(right[i] / largest_entry(exact, rows), exact[i] / largest_entry(exact, rows), 1e-12);
    fronts_free(o);
    problem_free(&p);
    mechanism_free(&made[k]);
  }
}

/* Two rods on pins, the end of the second on a spring to the ground, and turning. */
static struct mechanism mechanism_with_stiff_spring(void)
{
  struct mechanism o = mechanism_new();
  const int first = mechanism_rod(&o, "first", 0, 0, 0.6, 0.8),
            second = mechanism_rod(&o, "second", 0.6, 0.8, 1.5, 0.2);
  mechanism_pin(&o, "J1", ALI3_GROUND, first, 0, 0);
  mechanism_pin(&o, "J2", first, second, 0.6, 0.8);
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "spring";
  spring.body_b = second;
  spring.point_a[0] = 2.5;
  spring.point_b[0] = 0.5;
  spring.stiffness[0] = 1e7;
  assert_true(ali3_model_add_force(o.m, &spring) >= 0);
  mechanism_ready(&o);
  return o;
}

/* ---- runs ---- */

struct end_state {
  int n;
  double q[NUMBERS], qd[NUMBERS];
};

static bool keep_state(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct end_state *o = user;
  (void)sample;
  o->n = s->n;
  memcpy(o->q, s->q, sizeof *o->q * (size_t)s->n);
  memcpy(o->qd, s->qd, sizeof *o->qd * (size_t)s->n);
  return true;
}

static struct lab_result run_em(const struct mechanism *o, const char *method, const char *integrator,
                                double duration, struct end_state *end)
{
  struct problem p;
  struct lab_refusal why;
  struct lab_result result;
  struct lab_run r = lab_run_default();
  const struct lab_watch watch = {.user = end, .step = keep_state};
  assert_true(problem_make(&p, &description_absolute, o->m, o->d, &why));
  r.formulation = lab_find_formulation(method);
  r.integrator = lab_find_integrator(integrator);
  r.duration = duration;
  r.dt = 0.01;
  r.alpha = 1e9;
  r.tolerance = 1e-13;
  r.violations = true;
  assert_int_equal(lab_run(&p, &r, &watch, &result), LAB_OK);
  problem_free(&p);
  return result;
}

TEST(every_joint_keeps_the_energy)
{
  for (int type = 0; type < ALI3_JOINT_TYPES; type++) {
    struct mechanism o = mechanism_pair((ali3_joint_type)type);
    const char *where = ali3_joint_type_name((ali3_joint_type)type);
    struct end_state end;
    const struct lab_result free_run = run_em(&o, "em-unprojected", "nr", 1, &end),
                            projected = run_em(&o, "em", "nr", 1, &end),
                            product = run_em(&o, "product", "step", 1, &end);
    assert_near_in(where, free_run.drift, 0, 1e-10);
    assert_true(projected.drift < 0.1 * product.drift);
    /* The projection takes energy; on the short rod of the distance joint bodies whirl, the prediction is poor, and so (6)
     * may add some. */
    if (type != ALI3_JOINT_DISTANCE) assert_true(projected.final < projected.initial);
    assert_near_in(where, projected.position, 0, 1e-11);
    assert_true(projected.velocity < 0.01 * free_run.velocity);
    mechanism_free(&o);
  }
}

TEST(the_recursion_takes_the_steps_of_the_dense_newton_iteration)
{
  struct mechanism made[] = {mechanism_pair(ALI3_JOINT_REVOLUTE), mechanism_pair(ALI3_JOINT_DISTANCE),
                             mechanism_chain(8, true), mechanism_with_loop()};
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
    struct end_state end[2];
    /* One step ends at one place; what follows differs by the projections, which are mass-orthogonal to the accuracy of
     * the prediction. */
    run_em(&made[k], "em", "nr", 0.01, &end[0]);
    run_em(&made[k], "em-newton", "nr", 0.01, &end[1]);
    for (int i = 0; i < end[0].n; i++) assert_near(end[0].q[i], end[1].q[i], 1e-12);
    run_em(&made[k], "em", "nr", 0.3, &end[0]);
    run_em(&made[k], "em-newton", "nr", 0.3, &end[1]);
    for (int i = 0; i < end[0].n; i++) {
      assert_near(end[0].q[i], end[1].q[i], 1e-6);
      assert_near(end[0].qd[i], end[1].qd[i], 1e-5);
    }
    mechanism_free(&made[k]);
  }
}

/* A spring whose vibration is far faster than the step: dt^2/4 times stiffness over mass is 250. Without its slope in the matrix the
 * iteration diverges in the first step. */
TEST(stiff_springs_need_no_short_steps)
{
  struct mechanism o = mechanism_with_stiff_spring();
  struct end_state end[3];
  const struct lab_result free_run = run_em(&o, "em-unprojected", "nr", 1, &end[0]),
                          em = run_em(&o, "em", "nr", 1, &end[1]),
                          newton = run_em(&o, "em-newton", "nr", 1, &end[2]);
  assert_near(free_run.drift / free_run.initial, 0, 1e-10);
  assert_true(em.iterations < 12 * em.steps);
  assert_near(em.drift, newton.drift, 1e-3 * newton.drift);
  for (int i = 0; i < end[1].n; i++) {
    assert_near(end[1].q[i], end[2].q[i], 1e-6);
    assert_near(end[1].qd[i], end[2].qd[i], 1e-5);
  }
  mechanism_free(&o);
}

/* No joint, no weight: a body that tumbles about its middle axis keeps energy and angular momentum to rounding. */
TEST(a_free_body_keeps_energy_and_angular_momentum)
{
  struct mechanism o = mechanism_new();
  const double none[3] = {0};
  const ali3_body_spec spec = {.name = "A",
                               .mass = 2,
                               .inertia = {0.3, 0, 0, 0, 0.2, 0, 0, 0, 0.1},
                               .orientation = {1},
                               .velocity = {0.3, 0, 0},
                               .angular_velocity = {0.01, 6, 0.02}};
  assert_int_equal(ali3_model_set_gravity(o.m, none), ALI3_OK);
  assert_int_equal(ali3_model_add_body(o.m, &spec), 0);
  mechanism_ready(&o);
  struct end_state end;
  const struct lab_result r = run_em(&o, "em", "nr", 10, &end);
  assert_near(r.drift / r.initial, 0, 1e-11);
  struct pose x;
  double w[3], own[3], L[3];
  p_rotation(x.R, end.q + 3);
  p_to_rotation(w, end.q + 3, end.qd + 3);
  for (int i = 0; i < 3; i++) own[i] = spec.inertia[4 * i] * w[i];
  m3_mul(L, x.R, own);
  for (int i = 0; i < 3; i++) assert_near(L[i], spec.inertia[4 * i] * spec.angular_velocity[i], 1e-10);
  mechanism_free(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_jacobian_between_two_poses_is_exact_for_every_joint),
      cmocka_unit_test(at_one_pose_it_is_the_jacobian),
      cmocka_unit_test(fronts_solve_as_a_dense_matrix_does),
      cmocka_unit_test(every_joint_keeps_the_energy),
      cmocka_unit_test(the_recursion_takes_the_steps_of_the_dense_newton_iteration),
      cmocka_unit_test(stiff_springs_need_no_short_steps),
      cmocka_unit_test(a_free_body_keeps_energy_and_angular_momentum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
