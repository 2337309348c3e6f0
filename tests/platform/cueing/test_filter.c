/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "cueing/filter.h"

#include <stddef.h>
#include <string.h>

static struct filter_law low_pass(double wn, double zeta)
{
  return (struct filter_law){.states = 2, .A = {{0, 1}, {-wn * wn, -2.0 * zeta * wn}}, .B = {0, wn * wn}};
}

/* Step response and its rate. */
static void low_pass_step(double wn, double zeta, double t, double o[2])
{
  if (zeta == 1.0) {
    o[0] = -expm1(-wn * t) - wn * t * exp(-wn * t);
    o[1] = wn * wn * t * exp(-wn * t);
  } else if (zeta < 1.0) {
    const double damped = wn * sqrt(1.0 - zeta * zeta), decay = exp(-zeta * wn * t);
    o[0] = 1.0 - decay * (cos(damped * t) + zeta * wn / damped * sin(damped * t));
    o[1] = decay * wn * wn / damped * sin(damped * t);
  } else {
    const double root = wn * sqrt(zeta * zeta - 1.0), slow = zeta * wn - root, fast = zeta * wn + root;
    o[0] = 1.0 - (fast * exp(-slow * t) - slow * exp(-fast * t)) / (fast - slow);
    o[1] = slow * fast * (exp(-slow * t) - exp(-fast * t)) / (fast - slow);
  }
}

/* Periods from 10 us to 10 s, any filter: exact to the last digits. */
TEST(a_step_of_any_period_is_exact)
{
  const double natural[] = {0.2, 1.0, 5.0, 30.0}, damping[] = {0.3, 0.7, 1.0, 2.0};
  const double period[] = {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 7; k++) {
        const struct filter_law law = low_pass(natural[i], damping[j]);
        struct filter f;
        double x[2] = {0}, expected[2];
        filter_make(&f, &law, period[k]);
        for (int cycle = 1; cycle <= 1000; cycle++) {
          filter_step(&f, x, 1.0);
          low_pass_step(natural[i], damping[j], cycle * period[k], expected);
          if (!(fabs(x[0] - expected[0]) < 1e-12 && fabs(x[1] - expected[1]) < 1e-12 * natural[i]))
            fail_msg("wn %g zeta %g period %g cycle %d: off by %g and %g", natural[i], damping[j], period[k],
                     cycle, x[0] - expected[0], x[1] - expected[1]);
        }
      }
}

TEST(one_state_is_an_exponential)
{
  const struct filter_law law = {.states = 1, .A = {{-3.0}}, .B = {2.0}};
  struct filter f;
  double x = 1.0;
  filter_make(&f, &law, 0.25);
  filter_step(&f, &x, 5.0);
  assert_true(fabs(x - (exp(-0.75) + 10.0 / 3.0 * (1.0 - exp(-0.75)))) < 1e-15);
}

static void rates(const struct filter_law *law, const double *x, double u, double *o)
{
  for (int i = 0; i < law->states; i++) {
    o[i] = law->B[i] * u;
    for (int j = 0; j < law->states; j++) o[i] += law->A[i][j] * x[j];
  }
}

/* Classical Runge-Kutta in tiny steps. */
static void integrate(const struct filter_law *law, double *x, double u, double time)
{
  const int steps = 2000;
  const double h = time / steps;
  double k[4][FILTER_STATES], y[FILTER_STATES];
  for (int step = 0; step < steps; step++) {
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < law->states; i++) y[i] = x[i] + (s ? at[s] * h * k[s - 1][i] : 0.0);
      rates(law, y, u, k[s]);
    }
    for (int i = 0; i < law->states; i++) x[i] += h / 6.0 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* Three and four states, random matrices, changing inputs. */
TEST(any_law_is_followed)
{
  struct random random = {5};
  for (int round = 0; round < 40; round++) {
    struct filter_law law = {.states = 3 + round % 2};
    const double period = 0.37;
    for (int i = 0; i < law.states; i++) {
      random_vector(&random, law.A[i], law.states);
      law.A[i][i] -= 1.5;
    }
    random_vector(&random, law.B, law.states);
    struct filter f;
    double x[FILTER_STATES] = {1, -1, 0.5, 2}, y[FILTER_STATES] = {1, -1, 0.5, 2};
    filter_make(&f, &law, period);
    for (int cycle = 0; cycle < 10; cycle++) {
      const double u = random_between(&random, -1, 1);
      filter_step(&f, x, u);
      integrate(&law, y, u, period);
      for (int i = 0; i < law.states; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
    }
  }
}

/* A million short cycles with a constant input end at the stationary state. */
TEST(short_periods_lose_nothing)
{
  const struct filter_law law = low_pass(5.0, 1.0);
  struct filter f;
  double x[2] = {0};
  filter_make(&f, &law, 1e-5);
  for (int cycle = 0; cycle < 1000000; cycle++) filter_step(&f, x, 0.7);
  assert_true(fabs(x[0] - 0.7) < 1e-11);
}

TEST(the_same_law_gives_the_same_bits)
{
  const struct filter_law law = low_pass(2.5, 0.8);
  struct filter f, g;
  memset(&f, 0, sizeof f);
  memset(&g, 0xff, sizeof g);
  filter_make(&f, &law, 0.001);
  filter_make(&g, &law, 0.001);
  for (int i = 0; i < 2; i++) {
    assert_memory_equal(f.E[i], g.E[i], 2 * sizeof(double));
    assert_memory_equal(&f.F[i], &g.F[i], sizeof(double));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_of_any_period_is_exact),
      cmocka_unit_test(one_state_is_an_exponential),
      cmocka_unit_test(any_law_is_followed),
      cmocka_unit_test(short_periods_lose_nothing),
      cmocka_unit_test(the_same_law_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
