/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/papers.h"
#include "common/random.h"
#include "math/euler.h"

enum { ROUNDS = 200 };

/* p of any norm: the form is homogeneous */
static void random_p(struct random *random, double p[4])
{
  double size = random_between(random, 0.7, 1.4);
  random_unit(random, p, 4);
  for (int i = 0; i < 4; i++) p[i] *= size;
}

/* G p = 0, G G' = s I, G'G + p p' = s I, B G' = -2 A a~, B p = 2 A a */
TEST(identities_of_the_papers)
{
  struct random random = {1};
  for (int round = 0; round < ROUNDS; round++) {
    double p[4], a[3], G[12], Gt[12], GGt[9], GtG[16], A[9], B[12], t[9], BGt[9], At[9], Gp[3], Bp[3], Aa[3];
    random_p(&random, p);
    random_vector(&random, a, 3);
    double s = p_dot(p, p);
    paper_G(G, p);
    paper_A(A, p);
    paper_B(B, p, a);
    paper_tilde(t, a);
    paper_transpose(Gt, G, 3, 4);
    paper_mul(GGt, G, Gt, 3, 4, 3);
    paper_mul(GtG, Gt, G, 4, 3, 4);
    paper_mul(BGt, B, Gt, 3, 4, 3);
    paper_mul(At, A, t, 3, 3, 3);
    paper_mul(Gp, G, p, 3, 4, 1);
    paper_mul(Bp, B, p, 3, 4, 1);
    paper_mul(Aa, A, a, 3, 3, 1);
    for (int i = 0; i < 3; i++) {
      assert_near(Gp[i], 0.0, 1e-13);
      assert_near(Bp[i], 2.0 * Aa[i], 1e-13);
      for (int j = 0; j < 3; j++) {
        assert_near(GGt[3 * i + j], i == j ? s : 0.0, 1e-13);
        assert_near(BGt[3 * i + j], -2.0 * At[3 * i + j], 1e-13);
      }
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) assert_near(GtG[4 * i + j] + p[i] * p[j], i == j ? s : 0.0, 1e-13);
  }
}

TEST(rotation_is_homogeneous_form_over_s)
{
  struct random random = {2};
  for (int round = 0; round < ROUNDS; round++) {
    double p[4], R[9], A[9], a[3], Aa[3], o[3], RtR[9], Rt[9];
    random_p(&random, p);
    random_vector(&random, a, 3);
    double s = p_rotation(R, p);
    paper_A(A, p);
    paper_transpose(Rt, R, 3, 3);
    paper_mul(RtR, Rt, R, 3, 3, 3);
    assert_near(s, p_dot(p, p), 1e-13);
    for (int i = 0; i < 9; i++) {
      assert_near(s * R[i], A[i], 1e-13);
      assert_near(RtR[i], i % 4 == 0 ? 1.0 : 0.0, 1e-13);
    }
    p_homogeneous(o, p, a);
    paper_mul(Aa, A, a, 3, 3, 1);
    for (int i = 0; i < 3; i++) assert_near(o[i], Aa[i], 1e-13);
  }
}

/* x = G' th / (2 s) + p n / s with th = 2 G x, n = p'x */
TEST(splitting_is_invertible)
{
  struct random random = {3};
  for (int round = 0; round < ROUNDS; round++) {
    double p[4], x[4], th[3], G[12], Gx[3], back[4];
    random_p(&random, p);
    random_vector(&random, x, 4);
    p_to_rotation(th, p, x);
    paper_G(G, p);
    paper_mul(Gx, G, x, 3, 4, 1);
    for (int i = 0; i < 3; i++) assert_near(th[i], 2.0 * Gx[i], 1e-13);
    p_from_rotation(back, p, 1.0 / p_dot(p, p), th, p_dot(p, x));
    for (int i = 0; i < 4; i++) assert_near(back[i], x[i], 1e-13);
  }
}

TEST(product_is_product_of_rotations)
{
  struct random random = {4};
  for (int round = 0; round < ROUNDS; round++) {
    double a[4], b[4], ab[4], A[9], B[9], AB[9], R[9];
    random_unit(&random, a, 4);
    random_unit(&random, b, 4);
    p_mul(ab, a, b);
    p_rotation(A, a);
    p_rotation(B, b);
    p_rotation(R, ab);
    paper_mul(AB, A, B, 3, 3, 3);
    for (int i = 0; i < 9; i++) assert_near(R[i], AB[i], 1e-13);
    for (int i = 0; i < 4; i++) ab[i] *= 3.0;
    p_normalise(ab);
    assert_near(p_dot(ab, ab), 1.0, 1e-13);
  }
}

/* A quarter turn about z takes x to y. This fixes the sense of all rotations. */
TEST(sense_of_rotation)
{
  const double h = sqrt(0.5), p[4] = {h, 0, 0, h};
  double R[9];
  p_rotation(R, p);
  assert_near(R[0], 0.0, 1e-13);
  assert_near(R[3], 1.0, 1e-13);
  assert_near(R[6], 0.0, 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identities_of_the_papers), cmocka_unit_test(rotation_is_homogeneous_form_over_s),
      cmocka_unit_test(splitting_is_invertible),  cmocka_unit_test(product_is_product_of_rotations),
      cmocka_unit_test(sense_of_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
