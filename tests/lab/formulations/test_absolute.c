/* SPDX-License-Identifier: MIT
 * Absolute coordinates: rows of every joint type against differences, accelerations against the project's own
 * reset. */
#include "coordinates/absolute.h"
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/linear.h"
#include "integrators/state.h"

#include "check.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <string.h>

enum { UNKNOWNS = 14, ROWS = 16 };

/* At a state off the constraints and off p'p = 1. */
static void check_gradients(const struct problem *p, const char *where)
{
  double q[UNKNOWNS], qd[UNKNOWNS], Phi[2][ROWS], Phi_q[ROWS * UNKNOWNS], other[ROWS * UNKNOWNS], bias[ROWS],
      rate[2][ROWS] = {{0}};
  const double step = 1e-5;
  unsigned seed = 7;
  for (int i = 0; i < p->n; i++) {
    q[i] = p->q[i] + 0.1 * mechanism_random(&seed);
    qd[i] = mechanism_random(&seed);
  }
  p->kind->rows(p, NOW(p), q, Phi[0], Phi_q);
  for (int j = 0; j < p->n; j++) {
    const double kept = q[j];
    for (int side = 0; side < 2; side++) {
      q[j] = kept + (side ? step : -step);
      p->kind->rows(p, NOW(p), q, Phi[side], other);
    }
    q[j] = kept;
    for (int r = 0; r < p->m; r++)
      assert_near_in(where, Phi_q[r * p->n + j], (Phi[1][r] - Phi[0][r]) / (2 * step), 1e-8);
  }
  p->kind->bias(p, NOW(p), q, qd, bias);
  for (int side = 0; side < 2; side++) {
    double moved[UNKNOWNS];
    for (int i = 0; i < p->n; i++) moved[i] = q[i] + (side ? step : -step) * qd[i];
    p->kind->rows(p, NOW(p), moved, Phi[side], other);
    add_product(rate[side], 1, other, qd, p->m, p->n);
  }
  for (int r = 0; r < p->m; r++) assert_near_in(where, bias[r], (rate[1][r] - rate[0][r]) / (2 * step), 1e-8);
}

/* q'' of the dense formulation is that of the project's own stepper at the start. */
static void check_accelerations(const struct mechanism *o, const struct problem *p, const char *where)
{
  struct lab_run r = lab_run_default();
  struct lab_result result = {0};
  r.formulation = lab_find_formulation("al1-dense");
  r.integrator = lab_find_integrator("fe");
  r.alpha = 1e6;
  r.omega = 0;
  struct lab_state *s = state_new(p, &r, &result);
  memcpy(s->q, p->q, sizeof *s->q * (size_t)p->n);
  memcpy(s->w, p->qd, sizeof *s->w * (size_t)p->n);
  assert_int_equal(r.formulation->evaluate(s), LAB_OK);
  for (int i = 0; i < p->bodies; i++) {
    ali3_body_state expected;
    ali3_body_get(o->m, o->d, i, &expected);
    double wd[3];
    const double *pdd = s->wd + ABSOLUTE_BODY * i + 3, *e = p->q + ABSOLUTE_BODY * i + 3;
    wd[0] = 2 * (-e[1] * pdd[0] + e[0] * pdd[1] + e[3] * pdd[2] - e[2] * pdd[3]);
    wd[1] = 2 * (-e[2] * pdd[0] - e[3] * pdd[1] + e[0] * pdd[2] + e[1] * pdd[3]);
    wd[2] = 2 * (-e[3] * pdd[0] + e[2] * pdd[1] - e[1] * pdd[2] + e[0] * pdd[3]);
    for (int k = 0; k < 3; k++) {
      assert_near_in(where, s->wd[ABSOLUTE_BODY * i + k], expected.acceleration[k], 1e-6);
      assert_near_in(where, wd[k], expected.angular_acceleration[k], 1e-6);
    }
  }
  state_free(s);
}

TEST(every_joint_type)
{
  for (int type = 0; type < ALI3_JOINT_TYPES; type++) {
    struct mechanism o = mechanism_pair((ali3_joint_type)type);
    struct problem p;
    struct lab_refusal why;
    double Phi[ROWS], Phi_q[ROWS * UNKNOWNS], kinetic, potential;
    const char *where = ali3_joint_type_name((ali3_joint_type)type);
    ali3_energy energy;
    assert_true(problem_make(&p, &description_absolute, o.m, o.d, &why));
    p.kind->rows(&p, NOW(&p), p.q, Phi, Phi_q);
    assert_near_in(where, largest_entry(Phi, p.m), 0, 1e-9);
    p.kind->energy(&p, NOW(&p), p.q, p.qd, &kinetic, &potential);
    ali3_energy_get(o.m, o.d, &energy);
    assert_near_in(where, kinetic, energy.kinetic, 1e-12);
    assert_near_in(where, potential, energy.potential, 1e-12);
    check_accelerations(&o, &p, where);
    check_gradients(&p, where);
    problem_free(&p);
    mechanism_free(&o);
  }
}

TEST(a_body_without_inertia_is_refused)
{
  struct mechanism o = mechanism_new();
  struct problem p;
  struct lab_refusal why;
  const ali3_body_spec light = {.name = "light", .orientation = {1}};
  ali3_force_spec bushing = ali3_force_spec_default(ALI3_FORCE_BUSHING);
  mechanism_pin(&o, "J1", ALI3_GROUND, mechanism_rod(&o, "A", 0, 0, 1, 0), 0, 0);
  bushing.name = "hold";
  bushing.body_a = 0;
  bushing.body_b = ali3_model_add_body(o.m, &light);
  for (int i = 0; i < 6; i++) bushing.stiffness[i] = bushing.damping[i] = 10;
  assert_true(ali3_model_add_force(o.m, &bushing) >= 0);
  mechanism_ready(&o);
  assert_false(problem_make(&p, &description_absolute, o.m, o.d, &why));
  assert_string_equal(why.element, "body");
  assert_int_equal(why.index, 1);
  mechanism_free(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_joint_type),
                                     cmocka_unit_test(a_body_without_inertia_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
