/* SPDX-License-Identifier: MIT
 * The recursions of paper 5 against the dense matrix, pass by pass of the multipliers, in motion. */
#include "coordinates/absolute.h"
#include "coordinates/problem_make.h"
#include "formulations/index1.h"
#include "formulations/mechanism.h"
#include "integrators/linear.h"

#include "check.h"

#include <ali3/stepper.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = 7 * MECHANISM_BODIES, ROWS = 6 * 12 + MECHANISM_BODIES, PASSES = 4 };

/* The system of index1.h at one state. */
struct system {
  struct problem p;
  double M[UNKNOWNS * UNKNOWNS], Phi_q[ROWS * UNKNOWNS], Phi[ROWS], Q[UNKNOWNS], gamma[ROWS], lambda[ROWS];
  double J[ROWS * ABSOLUTE_BLOCK], alpha;
  struct index1_matrices matrices;
};

static void make_system(struct system *s, const struct mechanism *o, double alpha)
{
  struct lab_refusal why;
  assert_true(problem_make(&s->p, &description_absolute, o->m, o->d, &why));
  assert_in_range(s->p.n, 1, UNKNOWNS);
  assert_in_range(s->p.m, 1, ROWS);
  s->alpha = alpha;
  s->p.kind->rows(&s->p, NOW(&s->p), s->p.q, s->Phi, s->Phi_q);
  s->p.kind->inertia(&s->p, s->p.q, s->M);
  s->p.kind->force(&s->p, NOW(&s->p), s->p.q, s->p.qd, s->Q);
  s->p.kind->bias(&s->p, NOW(&s->p), s->p.q, s->p.qd, s->gamma);
  absolute_blocks(&s->p, NOW(&s->p), s->p.q, s->Phi, s->J);
  s->matrices = (struct index1_matrices){s->p.q, s->J, s->M, s->Phi_q, alpha};
  memset(s->lambda, 0, sizeof s->lambda);
}

/* Q - Phi_q' (lambda + alpha gamma) - (M + alpha Phi_q'Phi_q) x, with more digits than a double has. */
static void residual(const struct system *s, const double *x, double *r)
{
  const int n = s->p.n, m = s->p.m;
  for (int i = 0; i < n; i++) {
    long double sum = s->Q[i];
    for (int j = 0; j < n; j++) sum -= (long double)s->M[i * n + j] * x[j];
    for (int k = 0; k < m; k++) {
      long double rate = s->gamma[k];
      if (s->Phi_q[k * n + i] == 0) continue;
      for (int j = 0; j < n; j++) rate += (long double)s->Phi_q[k * n + j] * x[j];
      sum -= (long double)s->Phi_q[k * n + i] * (s->lambda[k] + s->alpha * rate);
    }
    r[i] = (double)sum;
  }
}

/* The dense solution, refined until it has all digits. */
static void solve_exactly(const struct system *s, void *dense, double *x)
{
  double r[UNKNOWNS], zero[ROWS] = {0};
  index1_dense.solve(dense, s->Q, s->lambda, s->gamma, x);
  for (int k = 0; k < 4; k++) {
    double dx[UNKNOWNS];
    residual(s, x, r);
    index1_dense.solve(dense, r, zero, zero, dx);
    for (int i = 0; i < s->p.n; i++) x[i] += dx[i];
  }
}

/* Largest difference from the exact solution, over the passes of the multipliers, relative to the largest
 * acceleration. */
static double worst_error(const struct mechanism *o, const struct index1_solver *solver, double alpha)
{
  struct system *s = calloc(1, sizeof *s);
  double x[UNKNOWNS], exact[UNKNOWNS], worst = 0;
  make_system(s, o, alpha);
  void *dense = index1_dense.make(&s->p), *tried = solver->make(&s->p);
  assert_non_null(tried);
  assert_true(index1_dense.factor(dense, &s->matrices));
  assert_true(solver->factor(tried, &s->matrices));
  for (int pass = 0; pass < PASSES; pass++) {
    solve_exactly(s, dense, exact);
    solver->solve(tried, s->Q, s->lambda, s->gamma, x);
    const double scale = largest_entry(exact, s->p.n);
    for (int i = 0; i < s->p.n; i++) worst = fmax(worst, fabs(x[i] - exact[i]) / scale);
    for (int k = 0; k < s->p.m; k++) s->lambda[k] += alpha * s->gamma[k];
    add_product(s->lambda, alpha, s->Phi_q, exact, s->p.m, s->p.n);
  }
  index1_dense.release(dense);
  solver->release(tried);
  problem_free(&s->p);
  free(s);
  return worst;
}

struct mechanism_case {
  const char *name;
  int merges; /* of compounds by (27) to (32) */
  struct mechanism o;
};
enum { MECHANISMS = 8 };

/* All kinds of compounds: alone, pair, one more body, merge; roots held at both ends, at one; loops and branches
 * on a body. */
static void make_mechanisms(struct mechanism_case *c)
{
  const struct mechanism_case made[MECHANISMS] = {
      {"pendulum", 0, mechanism_chain(1, false)},        {"double pendulum", 0, mechanism_chain(2, false)},
      {"open chain of 3", 0, mechanism_chain(3, false)}, {"open chain of 9", 3, mechanism_chain(9, false)},
      {"loop of 4", 1, mechanism_chain(4, true)},        {"loop of 5", 1, mechanism_chain(5, true)},
      {"loop of 8", 3, mechanism_chain(8, true)},        {"loop on a coupler", 0, mechanism_with_loop()}};
  memcpy(c, made, sizeof made);
  for (int i = 0; i < MECHANISMS; i++)
    for (int step = 0; step < 40; step++) assert_int_equal(ali3_step(c[i].o.m, c[i].o.d), ALI3_OK);
}

static void free_mechanisms(struct mechanism_case *c)
{
  for (int i = 0; i < MECHANISMS; i++) mechanism_free(&c[i].o);
}

TEST(multipliers_agree_with_the_dense_matrix)
{
  struct mechanism_case c[MECHANISMS];
  make_mechanisms(c);
  for (int i = 0; i < MECHANISMS; i++) {
    assert_near_in(c[i].name, worst_error(&c[i].o, &index1_multipliers, 1e3), 0, 1e-13);
    assert_near_in(c[i].name, worst_error(&c[i].o, &index1_multipliers, 1e6), 0, 1e-13);
  }
  free_mechanisms(c);
}

/* The mechanisms of paper 5 have one merge at most. Their bound at the paper's alpha is 2e-11 alpha. */
TEST(handles_with_one_merge_agree_with_the_dense_matrix)
{
  struct mechanism_case c[MECHANISMS];
  make_mechanisms(c);
  for (int i = 0; i < MECHANISMS; i++) {
    if (c[i].merges > 1) continue;
    assert_near_in(c[i].name, worst_error(&c[i].o, &index1_handles, 1e3), 0, 2e-11 * 1e3);
    assert_near_in(c[i].name, worst_error(&c[i].o, &index1_handles, 1e6), 0, 2e-11 * 1e6);
  }
  free_mechanisms(c);
}

enum { DECADES = 4 }; /* alpha = 1e4 .. 1e7 */

static void errors_over_alpha(const struct mechanism_case *c, double error[DECADES])
{
  for (int k = 0; k < DECADES; k++) error[k] = worst_error(&c->o, &index1_handles, pow(10, 4 + k));
  print_message("%-18s handles: %.1e at alpha 1e4, %.1e at 1e5, %.1e at 1e6, %.1e at 1e7\n", c->name,
                error[0], error[1], error[2], error[3]);
}

/* Pairs, a body more and a compound that a body absorbs have alpha in their matrices once: the error is 1e-15 alpha
 * at most. */
TEST(handles_without_a_merge_lose_in_proportion_to_alpha)
{
  struct mechanism_case c[MECHANISMS];
  make_mechanisms(c);
  for (int i = 0; i < MECHANISMS; i++) {
    double error[DECADES];
    if (c[i].merges > 0) continue;
    errors_over_alpha(&c[i], error);
    for (int k = 0; k < DECADES; k++) assert_true(error[k] < 1e-15 * pow(10, 4 + k));
  }
  free_mechanisms(c);
}

/* The finding: (27) subtracts numbers of the size of alpha, and the inverse of the difference multiplies their rounding
 * by alpha once more. The error of merged compounds goes with alpha^2, not with alpha: 4e-17 alpha^2 at most, and
 * over three decades it grows by more than ten times what a law in alpha allows. The multiplier form loses nothing. */
TEST(handles_of_merged_compounds_lose_with_the_square_of_alpha)
{
  struct mechanism_case c[MECHANISMS];
  make_mechanisms(c);
  for (int i = 0; i < MECHANISMS; i++) {
    double error[DECADES];
    if (c[i].merges == 0) continue;
    errors_over_alpha(&c[i], error);
    for (int k = 0; k < DECADES; k++) assert_true(error[k] < 4e-17 * pow(10, 2 * (4 + k)));
    assert_true(error[DECADES - 1] > 1e4 * error[0]);
    assert_true(error[2] > 1e-7);
    assert_true(worst_error(&c[i].o, &index1_multipliers, 1e6) < 1e-13);
  }
  free_mechanisms(c);
}

TEST(handles_refuse_what_is_no_path)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 1, 0), b = mechanism_rod(&o, "B", 1, 0, 2, 0),
            c = mechanism_rod(&o, "C", 1, 0, 1, 1);
  mechanism_pin(&o, "J1", ALI3_GROUND, a, 0, 0);
  mechanism_pin(&o, "J2", a, b, 1, 0);
  mechanism_pin(&o, "J3", b, c, 1, 0);
  mechanism_pin(&o, "J4", ALI3_GROUND, b, 2, 0);
  mechanism_pin(&o, "J5", ALI3_GROUND, c, 1, 1);
  mechanism_ready(&o);
  struct problem p;
  struct lab_refusal why;
  assert_true(problem_make(&p, &description_absolute, o.m, o.d, &why));
  const char *text = handles_unsuitable(&p);
  assert_non_null(text);
  assert_non_null(strstr(text, "path of bodies"));
  problem_free(&p);
  mechanism_free(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multipliers_agree_with_the_dense_matrix),
      cmocka_unit_test(handles_with_one_merge_agree_with_the_dense_matrix),
      cmocka_unit_test(handles_without_a_merge_lose_in_proportion_to_alpha),
      cmocka_unit_test(handles_of_merged_compounds_lose_with_the_square_of_alpha),
      cmocka_unit_test(handles_refuse_what_is_no_path)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
