/* SPDX-License-Identifier: MIT
 * options.retry: a step that fails or is degraded is computed once more with more inner steps, and nothing of it remains. */
#include "check.h"
#include "common/toys.h"
#include "fuzz/linkage.h"
#include "kernels/data.h"

#include <string.h>

static ali3_options with_retry(int retry)
{
  ali3_options o = ali3_options_default();
  o.retry = retry;
  return o;
}

/* Steps of a random mechanism up to 500, the last of which fails with fewer; retried: how many were computed twice. */
static int run_random(uint64_t seed, int retry, int *retried)
{
  static struct linkage k;
  const ali3_options o = with_retry(retry);
  linkage_make(&k, seed);
  toy_freeze_with(k.m, &o);
  ali3_data *d = ali3_data_new(k.m);
  assert_true(ali3_reset(k.m, d) >= 0);
  const size_t numbers = DELTA_NUMBERS * (size_t)k.m->frozen->tree->slots;
  double *delta = malloc(numbers * sizeof *delta);
  memcpy(delta, d->solve.delta, numbers * sizeof *delta);
  int steps = 0;
  for (*retried = 0; steps < 500 && ali3_step(k.m, d) >= 0; steps++) *retried += ali3_data_report(d)->retried;
  assert_memory_equal(delta, d->solve.delta, numbers * sizeof *delta);
  free(delta);
  ali3_data_free(d);
  ali3_model_free(k.m);
  return steps;
}

/* Scissors and spherical loops that pass singular positions at 10 ms. */
TEST(a_second_attempt_passes_singular_positions)
{
  static const uint64_t seed[] = {16, 72, 97, 155};
  for (size_t i = 0; i < sizeof seed / sizeof *seed; i++) {
    int retried;
    const int alone = run_random(seed[i], 0, &retried);
    assert_int_equal(retried, 0);
    if (alone == 500) continue;
    assert_int_equal(run_random(seed[i], 4, &retried), 500);
    assert_true(retried > 0 && retried < 250);
  }
  int retried;
  assert_true(run_random(72, 0, &retried) < 500);
}

/* A fast double pendulum, whose first step of `dt` fails or is degraded. */
static ali3_data *start_fast(ali3_model **m, ali3_options o)
{
  *m = toy_double_pendulum_with(1.0, 1.0, &o);
  ali3_data *d = ali3_data_new(*m);
  assert_true(ali3_reset(*m, d) >= 0);
  return d;
}

/* The results differ by the iterations, which begin with multipliers of another step length. */
TEST(a_second_attempt_is_a_step_with_substeps)
{
  int compared = 0;
  for (int method = 0; method < ALI3_METHODS; method++)
    for (int extrapolate = 0; extrapolate < (ali3_method_is_explicit((ali3_method)method) ? 1 : 2);
         extrapolate++)
      for (double dt = 0.2; dt < 2.0; dt *= 1.5) {
        ali3_model *m[2];
        ali3_options o = ali3_options_default();
        o.method = (ali3_method)method;
        o.extrapolate = extrapolate;
        o.dt = dt;
        o.retry = 8;
        ali3_data *a = start_fast(&m[0], o);
        o.retry = 0;
        o.substeps = 8;
        ali3_data *b = start_fast(&m[1], o);
        const int one = ali3_step(m[0], a), other = ali3_step(m[1], b);
        if (ali3_data_report(a)->retried && one == ALI3_OK && other == ALI3_OK) {
          assert_int_equal(one, other);
          for (int body = 0; body < ali3_model_bodies(m[0]); body++) {
            ali3_body_state x, y;
            ali3_body_get(m[0], a, body, &x);
            ali3_body_get(m[1], b, body, &y);
            for (int i = 0; i < 3; i++)
              assert_near_in(ali3_method_name((ali3_method)method), x.position[i], y.position[i], 1e-5);
          }
          compared++;
        }
        ali3_data_free(a);
        ali3_data_free(b);
        ali3_model_free(m[0]);
        ali3_model_free(m[1]);
      }
  assert_true(compared >= 4);
}

/* A second attempt that fails leaves the start, and the drive that is the cause. */
TEST(a_step_that_fails_twice_changes_nothing)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec rod = toy_body("rod", (double[]){0.5, 0, 0}, 1, 0.1);
  const ali3_options o = with_retry(4);
  toy_added(m, ali3_model_add_body(m, &rod));
  toy_spherical(m, "pin", ALI3_GROUND, (double[]){0, 0, 0}, 0, (double[]){-0.5, 0, 0});
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 10);
  ali3_body_state before, after;
  ali3_body_get(m, d, 0, &before);
  ali3_set_wrench(m, d, 0, (double[]){NAN, 0, 0}, (double[]){0, 0, 0});
  assert_true(ali3_step(m, d) < 0);
  assert_true(ali3_data_report(d)->retried);
  ali3_body_get(m, d, 0, &after);
  assert_memory_equal(&before, &after, sizeof before);
  ali3_set_wrench(m, d, 0, (double[]){0, 0, 0}, (double[]){0, 0, 0});
  toy_run(m, d, 10);
  assert_false(ali3_data_report(d)->retried);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(only_powers_of_two)
{
  static const int wrong[] = {-1, 1, 3, 12, 65, 128};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ali3_model *m = ali3_model_new();
    ali3_body_spec rod = toy_body("rod", (double[]){0, 0, 0}, 1, 0.1);
    const ali3_options o = with_retry(wrong[i]);
    toy_added(m, ali3_model_add_body(m, &rod));
    assert_int_equal(ali3_model_freeze(m, &o), ALI3_E_MODEL);
    assert_string_equal(ali3_model_problem(m)->field, "retry");
    ali3_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_attempt_passes_singular_positions),
      cmocka_unit_test(a_second_attempt_is_a_step_with_substeps),
      cmocka_unit_test(a_step_that_fails_twice_changes_nothing),
      cmocka_unit_test(only_powers_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
