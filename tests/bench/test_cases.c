/* SPDX-License-Identifier: MIT
 * Every mechanism of the benchmark comes to the same bits in every step, however many workers share it: those that scale
 * with enough bodies for stages that are worth sharing. */
#include "bench.h"
#include "check.h"

#include "rt/pool.h"
#include "rt/realtime.h"

#include <ali3/model.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 80, BODIES = 70 };

static const struct bench_case *find(const char *name)
{
  for (int i = 0; i < bench_cases; i++)
    if (strcmp(bench_case[i].name, name) == 0) return &bench_case[i];
  fail_msg("no case %s", name);
  return NULL;
}

/* FNV-1a over the states of all bodies, after each step. */
static void run(const ali3_model *m, const ali3_exec *exec, uint64_t sum[STEPS])
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  ali3_data_set_exec(d, exec);
  assert_true(ali3_reset(m, d) >= 0);
  for (int i = 0; i < STEPS; i++) {
    int status = ali3_step(m, d);
    if (status < 0) fail_msg("%s: step %d: %s", ali3_model_name(m), i, ali3_status_text(status));
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      ali3_body_state x;
      ali3_body_get(m, d, b, &x);
      const unsigned char *byte = (const unsigned char *)&x;
      for (size_t k = 0; k < sizeof x; k++) hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    }
    sum[i] = hash;
  }
  ali3_data_free(d);
}

/* Hands on to a pool, and counts. */
struct counted {
  const ali3_exec *pool;
  long shared;
};

static void count(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct counted *c = context;
  c->shared++;
  c->pool->run(c->pool->context, work, arg);
}

static void same_bits(const struct bench_case *c, bool extrapolate, const char *isa)
{
  static const int workers[] = {1, 2, 3, 8};
  static uint64_t alone[STEPS], shared[STEPS];
  ali3_options options = ali3_options_default();
  options.extrapolate = extrapolate;
  snprintf(options.isa, sizeof options.isa, "%s", isa);
  ali3_model *m = case_model(c, BODIES, &options);
  assert_non_null(m);
  run(m, NULL, alone);
  for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
    char error[256];
    struct pool *pool =
        pool_new(&(struct pool_config){.workers = workers[i], .first_cpu = -1}, error, sizeof error);
    if (!pool) fail_msg("%s", error);
    struct counted counted = {.pool = pool_exec(pool)};
    const ali3_exec exec = {&counted, counted.pool->shares, count, 10000.0};
    run(m, &exec, shared);
    for (int k = 0; k < STEPS; k++)
      if (shared[k] != alone[k]) fail_msg("%s: %d workers: other bits in step %d", c->name, workers[i], k);
    if (c->scales) assert_true(counted.shared > STEPS); /* there was something to share */
    pool_free(pool);
  }
  ali3_model_free(m);
}

TEST(workers_change_no_bit_of_a_case)
{
  for (int i = 0; i < bench_cases; i++) same_bits(&bench_case[i], false, "");
}

/* Narrow lanes: more subtrees of their own, so that more of them change hands. */
TEST(nor_with_extrapolation_and_narrow_lanes)
{
  static const char *const some[] = {"chain", "star"};
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) same_bits(find(some[k]), true, "baseline");
}

static double largest(const double v[3])
{
  return fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
}

/* Largest height, velocity and angular velocity after 1 s. */
static void last_of(const char *name, double *height, double *velocity, double *turn)
{
  ali3_options options = ali3_options_default();
  ali3_model *m = case_model(find(name), BODIES, &options);
  assert_non_null(m);
  ali3_data *d = ali3_data_new(m);
  assert_true(d && ali3_reset(m, d) >= 0);
  for (int i = 0; i < 100; i++) assert_true(ali3_step(m, d) >= 0);
  *height = *velocity = *turn = 0.0;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    *height = fmax(*height, fabs(x.position[1]));
    *velocity = fmax(*velocity, largest(x.velocity));
    *turn = fmax(*turn, largest(x.angular_velocity));
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(what_is_to_stay_still_does)
{
  double height, velocity, turn;
  last_of("at_rest", &height, &velocity, &turn);
  assert_true(height < 1e-9 && velocity < 1e-9 && turn < 1e-9);
  last_of("singular", &height, &velocity, &turn);
  assert_true(height < 1e-9 && velocity < 1e-9 && turn < 1e-9);
  last_of("denormal", &height, &velocity, &turn);
  assert_true(height < 1e-150 && velocity < 1e-150 && turn > 1e-160 && turn < 1e-150);
  last_of("four_bars", &height, &velocity, &turn);
  assert_true(velocity > 0.1 && turn > 0.1);
}

static void lift_moves(int bodies, int steps)
{
  ali3_options options = ali3_options_default();
  ali3_model *m = case_model(find("scissor_lift"), bodies, &options);
  assert_non_null(m);
  ali3_data *d = ali3_data_new(m);
  assert_true(d && ali3_reset(m, d) >= 0);
  for (int i = 0; i < steps; i++)
    if (ali3_step(m, d) < 0 || ali3_data_report(d)->position > 1e-6)
      fail_msg("step %d: %s, rows open by %g", i, ali3_status_text(ali3_data_report(d)->status),
               ali3_data_report(d)->position);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* The plate of 254 stages moves 508 times as far as the foot: with the way of the lift of three stages it fell out of step. The start
 * of higher ones was refused, because a pass of the projection took too little of the rates away. */
TEST(a_high_scissor_lift_moves)
{
  lift_moves(511, STEPS);
  lift_moves(767, 10);
  lift_moves(1023, 10);
}

int main(void)
{
  realtime_flush_denormals(); /* as workers do */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_change_no_bit_of_a_case),
      cmocka_unit_test(what_is_to_stay_still_does),
      cmocka_unit_test(a_high_scissor_lift_moves),
      cmocka_unit_test(nor_with_extrapolation_and_narrow_lanes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
