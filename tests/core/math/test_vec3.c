/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "math/vec3.h"

TEST(products)
{
  const double a[3] = {1, 2, 3}, b[3] = {-4, 5, 7};
  double c[3], x[3];
  assert_true(v3_dot(a, b) == 27.0);
  v3_cross(c, a, b);
  assert_true(c[0] == -1.0 && c[1] == -19.0 && c[2] == 13.0);
  assert_true(v3_dot(c, a) == 0.0 && v3_dot(c, b) == 0.0);
  v3_copy(x, a);
  v3_axpy(x, -2.0, b);
  assert_true(x[0] == 9.0 && x[1] == -8.0 && x[2] == -11.0);
  v3_sub(x, a, b);
  assert_true(x[0] == 5.0 && x[1] == -3.0 && x[2] == -4.0);
}

TEST(matrix_is_row_by_row)
{
  const double M[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, a[3] = {1, -1, 2};
  double o[3];
  m3_mul(o, M, a);
  assert_true(o[0] == 5.0 && o[1] == 11.0 && o[2] == 19.0);
  m3_tmul(o, M, a);
  assert_true(o[0] == 11.0 && o[1] == 13.0 && o[2] == 17.0);
}

/* (M a).b = a.(M' b), a x (b x c) = b (a.c) - c (a.b) */
TEST(identities)
{
  struct random random = {1};
  for (int round = 0; round < 100; round++) {
    double M[9], a[3], b[3], c[3], x[3], y[3];
    random_vector(&random, M, 9);
    random_vector(&random, a, 3);
    random_vector(&random, b, 3);
    random_vector(&random, c, 3);
    m3_mul(x, M, a);
    m3_tmul(y, M, b);
    assert_near(v3_dot(x, b), v3_dot(a, y), 1e-14);
    v3_cross(x, b, c);
    v3_cross(y, a, x);
    for (int i = 0; i < 3; i++) assert_near(y[i], b[i] * v3_dot(a, c) - c[i] * v3_dot(a, b), 1e-14);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(matrix_is_row_by_row),
      cmocka_unit_test(identities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
