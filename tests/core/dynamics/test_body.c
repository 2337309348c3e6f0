/* SPDX-License-Identifier: MIT
 * Body coordinates y = (r, th, n) against the 7x7 matrices of paper 1 in q = (r, p). */
#include "check.h"
#include "common/papers.h"
#include "common/states.h"
#include "dynamics/body.h"
#include "math/dense.h"
#include "math/euler.h"

#include <stddef.h>
#include <string.h>

enum { ROUNDS = 200, Y = BODY_Y };

static int seed_now;

#define EACH_STATE(random, x, f)                                                                             \
  struct random random;                                                                                      \
  struct body_state x;                                                                                       \
  struct body_frame f;                                                                                       \
  for (seed_now = 1; seed_now <= ROUNDS && (random = (struct random){(uint64_t)seed_now}, 1) &&              \
                     (state_random(&random, &x, &f, random_between(&random, 0.8, 1.2)), 1);                  \
       seed_now++)

/* dq = T y, T (7x7) by its definition: dr = r, dp = G'th / (2 s) + p n / s */
static void transform(const double p[4], double T[Y * Y])
{
  double G[12], s = p_dot(p, p);
  paper_G(G, p);
  memset(T, 0, Y * Y * sizeof *T);
  for (int i = 0; i < 3; i++) T[Y * i + i] = 1.0;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) T[Y * (3 + i) + 3 + k] = G[4 * k + i] / (2.0 * s);
    T[Y * (3 + i) + 6] = p[i] / s;
  }
}

/* M = diag(m I, 4 G'J'G)    (7) */
static void mass_matrix(const struct body *b, const double p[4], double M[Y * Y])
{
  double G[12], Gt[12], JG[12], GJG[16];
  paper_G(G, p);
  paper_transpose(Gt, G, 3, 4);
  paper_mul(JG, b->spec.inertia, G, 3, 3, 4);
  paper_mul(GJG, Gt, JG, 4, 3, 4);
  memset(M, 0, Y * Y * sizeof *M);
  for (int i = 0; i < 3; i++) M[Y * i + i] = b->spec.mass;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) M[Y * (3 + i) + 3 + k] = 4.0 * GJG[4 * i + k];
}

static struct body random_body(struct random *random)
{
  struct body b = {.spec.mass = random_between(random, 0.1, 10.0)};
  random_inertia(random, b.spec.inertia);
  assert_true(sym3_inverse(b.inertia_inverse, b.spec.inertia));
  return b;
}

/* g = T'(M q'' + Psi_q' mu - Q), Q = (f + m g, 2 G'n' - 8 Gd'J'G p')    (8) */
TEST(residual_is_that_of_paper_1)
{
  EACH_STATE(random, x, f)
  {
    struct body b = random_body(&random);
    struct wrench load;
    double gravity[3], mu = random_between(&random, -5, 5), M[Y * Y], T[Y * Y], Tt[Y * Y], g[Y], y[Y],
                       found[Y];
    double G[12], Gt[12], Gd[12], Gdt[12], Gpd[3], JGpd[3], gyro[4], local[3], torque[4];
    random_vector(&random, gravity, 3);
    random_vector(&random, load.force, 3);
    random_vector(&random, load.torque, 3);
    mass_matrix(&b, x.p, M);
    paper_mul(g, M, x.rdd, Y, Y, 1); /* pdd follows rdd in memory */
    paper_G(G, x.p);
    paper_G(Gd, x.pd);
    paper_transpose(Gt, G, 3, 4);
    paper_transpose(Gdt, Gd, 3, 4);
    paper_mul(Gpd, G, x.pd, 3, 4, 1);
    paper_mul(JGpd, b.spec.inertia, Gpd, 3, 3, 1);
    paper_mul(gyro, Gdt, JGpd, 4, 3, 1);
    m3_tmul(local, f.R, load.torque);
    paper_mul(torque, Gt, local, 4, 3, 1);
    for (int i = 0; i < 3; i++) g[i] -= load.force[i] + b.spec.mass * gravity[i];
    for (int i = 0; i < 4; i++) g[3 + i] += 2.0 * x.p[i] * mu - (2.0 * torque[i] - 8.0 * gyro[i]);
    transform(x.p, T);
    paper_transpose(Tt, T, Y, Y);
    paper_mul(y, Tt, g, Y, Y, 1);
    body_residual(&b, &x, &f, gravity, &load, mu, found);
    for (int i = 0; i < Y; i++) assert_near_in(check_seed(seed_now), found[i], y[i], 1e-12);
  }
}

/* T'(M + h alpha Psi_q'Psi_q) T = diag(m I, J', 4 h alpha), and delta is h times its inverse */
TEST(mass_matrix_is_block_diagonal)
{
  EACH_STATE(random, x, f)
  {
    struct body b = random_body(&random);
    const double h = 2.5e-5, alpha = 1e5;
    double M[Y * Y], T[Y * Y], Tt[Y * Y], MT[Y * Y], TMT[Y * Y];
    mass_matrix(&b, x.p, M);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 4; k++) M[Y * (3 + i) + 3 + k] += 4.0 * h * alpha * x.p[i] * x.p[k];
    transform(x.p, T);
    paper_transpose(Tt, T, Y, Y);
    paper_mul(MT, M, T, Y, Y, Y);
    paper_mul(TMT, Tt, MT, Y, Y, Y);
    struct body_delta delta = {.r = h / b.spec.mass, .n = 0.25 / alpha, .alpha = alpha};
    for (int i = 0; i < 9; i++) delta.th[i] = h * b.inertia_inverse[i];
    for (int i = 0; i < Y; i++)
      for (int k = 0; k < Y; k++) {
        double wanted = i != k ? 0.0 : i < 3 ? b.spec.mass : 4.0 * h * alpha;
        if (i >= 3 && i < 6) wanted = k >= 3 && k < 6 ? b.spec.inertia[3 * (i - 3) + k - 3] : 0.0;
        assert_near_in(check_seed(seed_now), TMT[Y * i + k], wanted, 1e-12);
      }
    for (int k = 0; k < Y; k++) {
      double column[Y], o[Y];
      for (int i = 0; i < Y; i++) column[i] = TMT[Y * i + k];
      body_apply_delta(&delta, column, o);
      for (int i = 0; i < Y; i++) assert_near_in(check_seed(seed_now), o[i], i == k ? h : 0.0, 1e-12);
    }
  }
}

TEST(moves_and_rates_are_linear_maps)
{
  EACH_STATE(random, x, f)
  {
    double T[Y * Y], y[Y], back[Y], dq[Y];
    struct body_state moved = x, other = x;
    transform(x.p, T);
    random_vector(&random, y, Y);
    paper_mul(dq, T, y, Y, Y, 1);
    body_move(&moved, &f, y);
    for (int i = 0; i < Y; i++)
      assert_near_in(check_seed(seed_now), i < 3 ? moved.r[i] : moved.p[i - 3],
                     (i < 3 ? x.r[i] : x.p[i - 3]) + dq[i], 1e-12);
    body_set_velocity(&other, &f, y);
    for (int i = 0; i < Y; i++)
      assert_near_in(check_seed(seed_now), i < 3 ? other.rd[i] : other.pd[i - 3], dq[i], 1e-12);
    body_velocity(&other, back);
    for (int i = 0; i < Y; i++) assert_near_in(check_seed(seed_now), back[i], y[i], 1e-12);
    body_set_acceleration(&other, &f, y);
    for (int i = 0; i < Y; i++)
      assert_near_in(check_seed(seed_now), i < 3 ? other.rdd[i] : other.pdd[i - 3], dq[i], 1e-12);
    body_acceleration(&other, back);
    for (int i = 0; i < Y; i++) assert_near_in(check_seed(seed_now), back[i], y[i], 1e-12);
  }
}

TEST(ground_is_the_world)
{
  struct body_frame f;
  body_frame_update(&f, &body_ground);
  assert_memory_equal(&f, &body_ground_frame, sizeof f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_is_that_of_paper_1),
      cmocka_unit_test(mass_matrix_is_block_diagonal),
      cmocka_unit_test(moves_and_rates_are_linear_maps),
      cmocka_unit_test(ground_is_the_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
