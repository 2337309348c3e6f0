/* SPDX-License-Identifier: MIT
 * Arnold's recursion against one dense system, and what it refuses. */
#include "math/eigen.h"
#include "recursive/oracle.h"
#include "recursive/small_mass.h"

#include "check.h"

#include <string.h>

enum { TREES = 60 };

TEST(accelerations_are_those_of_the_dense_system)
{
  int skipped = 0, first_order = 0, one;
  for (unsigned seed = 1; seed <= TREES; seed++) {
    struct tree t;
    struct tree_body body[ORACLE_BODIES];
    oracle_random_tree(seed, &t, body);
    assert_int_equal(recursion_refused(&t), -1);
    assert_near_in(check_seed((int)seed), oracle_difference(&t, &one), 0, 1e-10);
    skipped += one;
    struct recursion_body o[ORACLE_BODIES];
    assert_true(recursion_run(&t, o));
    for (int i = 0; i < t.bodies; i++) first_order += o[i].rank < body[i].n;
  }
  print_message("%d bodies skipped, %d with an equation of first order\n", skipped, first_order);
  assert_in_range(first_order, TREES / 2, 5 * TREES);
  assert_in_range(skipped, TREES, 5 * TREES);
}

/* A load that (28b) contradicts has no dense solution; and the recursion's (28b) row shows the contradiction. */
TEST(a_load_on_a_free_massless_direction_is_a_contradiction)
{
  struct tree t;
  struct tree_body body[ORACLE_BODIES];
  struct recursion_body o[ORACLE_BODIES];
  double B[3 * ORACLE_BODIES * 3 * ORACLE_BODIES], g[3 * ORACLE_BODIES], a[TREE_SIZE * ORACLE_BODIES];
  int lacking = -1;
  for (unsigned seed = 1; lacking < 0; seed++) {
    oracle_random_tree(seed, &t, body);
    assert_true(recursion_run(&t, o));
    for (int i = 0; i < t.bodies; i++)
      if (o[i].rank < body[i].n) lacking = i;
  }
  for (int changed = 0; changed < 2; changed++) {
    assert_true(recursion_run(&t, o));
    recursion_equations(&t, o, B, g);
    double row = 0, last = g[body[lacking].first + body[lacking].n - 1];
    for (int j = 0; j < t.coordinates; j++)
      row = fmax(row, fabs(B[(body[lacking].first + body[lacking].n - 1) * t.coordinates + j]));
    assert_near(row, 0, 0);
    assert_true(changed ? fabs(last) > 1e-3 : fabs(last) < 1e-12);
    assert_true(oracle_accelerations(&t, a) == !changed);
    for (int k = 0; k < t.d; k++) body[lacking].f[k] += 1 + 0.3 * k;
  }
}

/* The joint accelerations that B q'' = g gives lead to the accelerations of the bodies, where nothing is deficient. */
TEST(the_equations_of_motion_hold_for_regular_trees)
{
  struct tree t;
  struct tree_body body[ORACLE_BODIES];
  struct recursion_body o[ORACLE_BODIES];
  int seed = 1, skipped;
  do oracle_random_tree((unsigned)seed++, &t, body);
  while (oracle_difference(&t, &skipped), skipped > 0);
  double B[3 * ORACLE_BODIES * 3 * ORACLE_BODIES], g[3 * ORACLE_BODIES];
  assert_true(recursion_run(&t, o));
  recursion_equations(&t, o, B, g);
  for (int i = 0; i < t.bodies; i++) {
    /* B has the blocks A alone; (9) with q'' from them leaves nothing. */
    double qdd[TREE_SIZE], left[TREE_SIZE];
    memset(qdd, 0, sizeof qdd);
    for (int r = 0; r < body[i].n; r++)
      for (int c = 0; c < body[i].n; c++) qdd[r] += o[i].A_plus[r * body[i].n + c] * g[body[i].first + c];
    memcpy(left, body[i].k, sizeof left);
    for (int r = 0; r < t.d; r++) {
      for (int c = 0; c < t.d; c++) {
        left[r] += body[i].K[r * t.d + c] * o[i].acceleration[c];
        if (body[i].predecessor >= 0)
          left[r] += body[i].H[r * t.d + c] * o[body[i].predecessor].acceleration[c];
      }
      for (int c = 0; c < body[i].n; c++) left[r] += body[i].J[r * body[i].n + c] * qdd[c];
      assert_near(left[r], 0, 1e-11);
    }
  }
}

TEST(two_massless_bodies_in_a_row_are_refused)
{
  struct small_mass_problem problem = small_mass_points(1, 0);
  struct small_mass_run run;
  assert_null(small_mass_start(&run, &problem));
  problem.point[1].mass = 0;
  assert_non_null(strstr(small_mass_start(&run, &problem), "in a row"));
}

TEST(a_massless_direction_without_a_damper_is_refused)
{
  struct small_mass_problem problem = small_mass_points(1, 0);
  struct small_mass_run run;
  problem.spring[1].d = 0; /* along y */
  assert_non_null(strstr(small_mass_start(&run, &problem), "no damper"));
  problem.point[0].mass = 1e-9;
  assert_null(small_mass_start(&run, &problem));
}

/* Velocities of directions without mass at the start: the force balance, by hand. */
TEST(the_start_balances_the_forces)
{
  const struct small_mass_problem problem = small_mass_points(1, 0);
  struct small_mass_run run;
  assert_null(small_mass_start(&run, &problem));
  /* 0 = -2 v - 100 0.1 + 1 (0.5 - v) + 50 (0.3 - 0.1); 0 = -3 v + 80 0.05 */
  assert_near(run.y[run.n], 0.5 / 3, 1e-14);
  assert_near(run.y[run.n + 1], 4.0 / 3, 1e-14);
  /* The velocity of the other point stays what it was. */
  assert_near(run.y[run.n] + run.y[run.n + 2], 0.5, 1e-14);
}

TEST(eigenvalues_of_a_known_matrix)
{
  const double A[9] = {2, 1, 0, 1, 2, 0, 0, 0, 0}, exact[3] = {3, 1, 0};
  double X[9], Lambda[3];
  symmetric_eigen(A, 3, X, Lambda);
  for (int i = 0; i < 3; i++) {
    assert_near(Lambda[i], exact[i], 1e-15);
    for (int r = 0; r < 3; r++) {
      double Ax = 0;
      for (int c = 0; c < 3; c++) Ax += A[3 * r + c] * X[3 * c + i];
      assert_near(Ax, exact[i] * X[3 * r + i], 1e-15);
    }
  }
  assert_int_equal(eigen_rank(Lambda, 3, 1e-12), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(accelerations_are_those_of_the_dense_system),
                                     cmocka_unit_test(a_load_on_a_free_massless_direction_is_a_contradiction),
                                     cmocka_unit_test(the_equations_of_motion_hold_for_regular_trees),
                                     cmocka_unit_test(two_massless_bodies_in_a_row_are_refused),
                                     cmocka_unit_test(a_massless_direction_without_a_damper_is_refused),
                                     cmocka_unit_test(the_start_balances_the_forces),
                                     cmocka_unit_test(eigenvalues_of_a_known_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
