/* SPDX-License-Identifier: MIT
 * The motions that drives prescribe: functions of time, against differences, and a reference that follows targets from
 * outside. */
#include "check.h"
#include "common/random.h"
#include "dynamics/motion.h"

#include <stdio.h>
#include <stdlib.h>

/* needs cmocka */
#include "common/seeded.h"

enum { SEEDS = 50, POINTS = 7 };

/* Rate and acceleration are derivatives of the position; e: where the function is smooth around t. */
static void check_derivatives(const struct motion *m, double t, double e, int seed)
{
  struct reference now = motion_at(m, t), before = motion_at(m, t - e), after = motion_at(m, t + e);
  double scale = 1.0 + fabs(now.acceleration);
  check(seed, fabs((after.position - before.position) / (2 * e) - now.rate) < 1e-5 * scale);
  check(seed, fabs((after.rate - before.rate) / (2 * e) - now.acceleration) < 1e-5 * scale);
}

TEST(a_function_is_offset_speed_and_sine)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    ali3_force_spec spec = ali3_force_spec_default(ALI3_FORCE_DRIVE);
    struct motion m;
    const double pi = 3.14159265358979323846;
    bool own = seed % 2;
    if (own) spec.offset = random_between(&r, -1, 1);
    spec.speed = random_between(&r, -2, 2);
    spec.amplitude = random_between(&r, -1, 1);
    spec.frequency = random_between(&r, 0, 2);
    spec.phase = random_between(&r, -4, 4);
    assert_true(motion_compile(&spec, 0.7, &m));
    double t = random_between(&r, 0, 100), angle = 2 * pi * spec.frequency * t + spec.phase;
    assert_near_in(check_seed(seed), motion_at(&m, t).position,
                   (own ? spec.offset : 0.7) + spec.speed * t + spec.amplitude * sin(angle), 1e-12);
    check_derivatives(&m, t, 1e-5, seed);
    check(seed, m.curvature == NULL);
  }
}

struct course {
  double point[POINTS][2];
  ali3_force_spec spec;
  struct motion m;
};

static void course_make(struct course *c, int n, int seed)
{
  struct random r = {(uint64_t)seed};
  double t = random_between(&r, 0, 1);
  for (int i = 0; i < n; i++) {
    c->point[i][0] = t;
    c->point[i][1] = random_between(&r, -1, 1);
    t += random_between(&r, 0.2, 2);
  }
  c->spec = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  c->spec.motion = (ali3_table){n, (const double(*)[2])c->point};
  assert_true(motion_compile(&c->spec, 0.0, &c->m));
}

TEST(a_spline_goes_through_its_points_and_bends_without_a_jump)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct course c;
    const double e = 1e-9;
    int n = 2 + seed % (POINTS - 1);
    course_make(&c, n, seed);
    for (int i = 0; i < n; i++) {
      double t = c.point[i][0];
      struct reference at = motion_at(&c.m, t), left = motion_at(&c.m, t - e), right = motion_at(&c.m, t + e);
      assert_near_in(check_seed(seed), at.position, c.point[i][1], 1e-14);
      assert_near_in(check_seed(seed), left.position, right.position, 1e-7);
      assert_near_in(check_seed(seed), left.rate, right.rate, 1e-6);
      if (i > 0 && i < n - 1) assert_near_in(check_seed(seed), left.acceleration, right.acceleration, 1e-6);
    }
    for (int i = 0; i + 1 < n; i++)
      for (int k = 1; k < 10; k++)
        check_derivatives(&c.m, c.point[i][0] + 0.1 * k * (c.point[i + 1][0] - c.point[i][0]), 1e-5, seed);
    free(c.m.curvature);
  }
}

TEST(a_spline_is_at_rest_at_its_ends_and_held_beyond)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct course c;
    const double e = 1e-9;
    int n = 2 + seed % (POINTS - 1);
    course_make(&c, n, seed);
    const double *first = c.point[0], *last = c.point[n - 1];
    check(seed, fabs(motion_at(&c.m, first[0] + e).rate) < 1e-6); /* C1 at the end */
    check(seed, fabs(motion_at(&c.m, last[0] - e).rate) < 1e-6);
    const double t[] = {first[0] - 5, last[0] + 5, first[0], last[0]};
    for (int i = 0; i < 4; i++) {
      struct reference at = motion_at(&c.m, t[i]);
      check(seed, fabs(at.position - (i % 2 ? last : first)[1]) < 1e-12 && fabs(at.rate) < 1e-9);
      /* at both ends the spline has its own acceleration */
      check(seed, (at.acceleration == 0) == (i < 2));
    }
    free(c.m.curvature);
  }
}

/* Between two points at rest it is the cubic 3 s^2 - 2 s^3. */
TEST(a_spline_of_two_points_is_the_smooth_step)
{
  const double p[2][2] = {{1, 2}, {3, 7}};
  ali3_force_spec spec = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  struct motion m;
  spec.motion = (ali3_table){2, p};
  assert_true(motion_compile(&spec, 0.0, &m));
  for (int i = 0; i <= 20; i++) {
    double s = i / 20.0;
    assert_near_in(check_seed(i), motion_at(&m, 1 + 2 * s).position, 2 + 5 * s * s * (3 - 2 * s), 1e-14);
    assert_near_in(check_seed(i), motion_at(&m, 1 + 2 * s).rate, 15 * s * (1 - s), 1e-14);
  }
  free(m.curvature);
}

/* One step of a reference; the limits hold at its end, and so in it, since the rate is linear in time. */
static void follow(const struct motion *m, struct reference *x, double target, double dt, int seed)
{
  double a = motion_follow(m, x, target, dt);
  check(seed, fabs(a) <= m->max_acceleration * (1 + 1e-14));
  *x = motion_go_on(x, a, dt);
  check(seed, fabs(x->rate) <= m->max_rate * (1 + 1e-12));
}

static struct motion random_limits(struct random *r)
{
  return (struct motion){.external = true,
                         .max_rate = pow(10, random_between(r, -2, 2)),
                         .max_acceleration = pow(10, random_between(r, -2, 4))};
}

static const double DT[] = {1e-4, 1e-3, 1e-2};

/* Largest number of steps: as fast as the limits allow, braking at 0.88 of them. */
static int steps_for(const struct motion *m, const struct reference *x, double target, double dt)
{
  double a = 0.88 * m->max_acceleration, way = fabs(target - x->position), stop = fabs(x->rate) / a;
  way += fabs(x->rate) * stop;
  double time = stop + 2.2 * sqrt(way / a) + way / m->max_rate + m->max_rate / a;
  return (int)(1.05 * time / dt) + 20;
}

TEST(from_rest_to_a_target_without_overshoot_and_to_rest)
{
  double slowest = 0;
  for (int seed = 1; seed <= 20 * SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct motion m = random_limits(&r);
    double dt = DT[seed % 3], a = m.max_acceleration, v = m.max_rate;
    struct reference x = {random_between(&r, -1, 1), 0, 0};
    /* a distance of 0.001 to 1000 times that of reaching the largest rate, in not too many steps */
    double way = v * v / a * pow(10, random_between(&r, -3, 3)), start = x.position;
    way = fmin(way, 1e5 * dt * v);
    double target = start + (seed % 2 ? way : -way),
           least = way < v * v / a ? 2 * sqrt(way / a) : way / v + v / a;
    int steps = steps_for(&m, &x, target, dt), took = 0, rested = 0;
    if (steps > 100000) continue;
    double rounding = 1e-14 * (1 + fabs(start) + way);
    for (int i = 1; i <= steps + 3; i++) {
      follow(&m, &x, target, dt, seed);
      double beyond = (x.position - target) * (target > start ? 1 : -1);
      if (!(beyond <= rounding)) fail_msg("seed %d: %g beyond the target in step %d", seed, beyond, i);
      bool there = fabs(x.position - target) <= rounding && fabs(x.rate) * dt <= rounding;
      rested = there ? rested + 1 : 0;
      if (there && !took) took = i;
    }
    if (rested < 3)
      fail_msg("seed %d: %g from the target at %g after %d steps", seed, x.position - target, x.rate, steps);
    slowest = fmax(slowest, (took - 4) * dt / least);
  }
  print_message("at most %.3f times the time that the limits allow, and four steps\n", slowest);
  assert_true(slowest < 1.07); /* braking at 0.88: (1 + 1/0.88)/2 */
}

TEST(targets_that_jump_are_followed_within_the_limits)
{
  for (int seed = 1; seed <= 4 * SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct motion m = random_limits(&r);
    double dt = DT[seed % 3], size = 1, target = 0;
    struct reference x = {random_between(&r, -1, 1), 0, 0};
    for (int i = 0; i < 3000; i++) {
      if (random_below(&r, 100) == 0) {
        size = pow(10, random_between(&r, -3, 1));
        target = size * random_between(&r, -1, 1);
      }
      if (seed % 4 == 0) target = sin(3.0 * i * dt); /* or keeps moving */
      follow(&m, &x, target, dt, seed);
    }
    int steps = steps_for(&m, &x, target, dt);
    if (steps > 200000) continue;
    for (int i = 0; i < steps; i++) follow(&m, &x, target, dt, seed);
    if (!(fabs(x.position - target) <= 1e-13 * (1 + fabs(target)) && fabs(x.rate) * dt <= 1e-13))
      fail_msg("seed %d: %g from the target at %g after %d steps", seed, x.position - target, x.rate, steps);
  }
}

/* A target that is close enough is reached in two steps. */
TEST(a_small_move_takes_two_steps)
{
  const struct motion m = {.external = true, .max_rate = 1, .max_acceleration = 100};
  struct reference x = {0.5, 0, 0};
  follow(&m, &x, 0.5 + 5e-5, 1e-3, 0);
  assert_true(x.position > 0.5 && x.position < 0.5 + 5e-5);
  follow(&m, &x, 0.5 + 5e-5, 1e-3, 0);
  assert_near_in(check_seed(0), x.position, 0.5 + 5e-5, 1e-15);
  assert_true(fabs(x.rate) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_is_offset_speed_and_sine),
      cmocka_unit_test(a_spline_goes_through_its_points_and_bends_without_a_jump),
      cmocka_unit_test(a_spline_is_at_rest_at_its_ends_and_held_beyond),
      cmocka_unit_test(a_spline_of_two_points_is_the_smooth_step),
      cmocka_unit_test(from_rest_to_a_target_without_overshoot_and_to_rest),
      cmocka_unit_test(targets_that_jump_are_followed_within_the_limits),
      cmocka_unit_test(a_small_move_takes_two_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
