/* SPDX-License-Identifier: MIT
 * For any target, the envelope exceeds no limit, and a stop is always possible. */
#include "check.h"
#include "common/random.h"
#include "envelope/envelope.h"
#include "platform/hexapods.h"

#include <stddef.h>
#include <string.h>

enum { DOF = PLATFORM_DOF };

static const double EXACT = 1e-9;
static const double PERIOD[] = {1e-3, 1e-2, 1e-1};
enum { PERIODS = sizeof PERIOD / sizeof *PERIOD };

static struct platform_limits standard(void)
{
  static const double pos[DOF] = {0.2, 0.2, 0.15, 18, 18, 20}, vel[DOF] = {0.4, 0.4, 0.3, 30, 30, 40};
  struct platform_limits l;
  for (int k = 0; k < DOF; k++) {
    const double unit = k < 3 ? 1.0 : DEGREE;
    l.pos[k] = pos[k] * unit;
    l.vel[k] = vel[k] * unit;
    l.acc[k] = (k < 3 ? 4.0 : 300.0) * unit;
    l.jerk[k] = (k < 3 ? 100.0 : 6000.0) * unit;
  }
  return l;
}

/* A platform, its limits, and the largest values that it reached. */
struct bench {
  struct hexapod hexapod;
  struct envelope e;
  struct platform_limits limits;
  double T, leg_end, rate; /* smallest distance from an end, largest rate */
};

static void start(struct bench *b, const struct platform_geometry *g, double period)
{
  static const double neutral[DOF];
  char error[200] = "";
  *b = (struct bench){.limits = standard(), .T = period, .leg_end = 1.0};
  if (!hexapod_init(&b->hexapod, g, error, sizeof error) ||
      !envelope_init(&b->e, &b->hexapod, &b->limits, period, neutral, error, sizeof error))
    fail_msg("%s", error);
}

static void check_number(const char *what, int k, double x, double limit, double exact)
{
  if (!(fabs(x) <= limit + exact)) fail_msg("%s %d: %.17g, limit %.17g", what, k, x, limit);
}

/* Checks the state and the motion since the last state, from which it computes jerk, velocity and position. */
static void check_cycle(struct bench *b, const struct platform_motion *before)
{
  const struct platform_motion *now = &b->e.now;
  const struct platform_limits *l = &b->limits;
  const struct platform_geometry *g = &b->hexapod.geometry;
  const double T = b->T;
  for (int k = 0; k < DOF; k++) {
    const double jerk = (now->a[k] - before->a[k]) / T;
    check_number("position", k, now->p[k], l->pos[k], EXACT);
    check_number("velocity", k, now->v[k], l->vel[k], EXACT);
    check_number("acceleration", k, now->a[k], l->acc[k], EXACT);
    check_number("jerk", k, jerk, l->jerk[k], EXACT * l->jerk[k]);
    check_number("velocity, integrated,", k, now->v[k] - before->v[k] - (before->a[k] + now->a[k]) * T / 2.0,
                 0.0, 1e-12);
    check_number("position, integrated,", k,
                 now->p[k] - before->p[k] - before->v[k] * T - (2.0 * before->a[k] + now->a[k]) * T * T / 6.0,
                 0.0, 1e-12);
    assert_true(fabs(b->e.jerk[k] - jerk) <= 1e-9 * l->jerk[k]);
  }
  struct hexapod_state s;
  assert_true(hexapod_solve(&b->hexapod, now->p, now->v, &s));
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    assert_true(s.leg[i] >= g->leg_min - EXACT && s.leg[i] <= g->leg_max + EXACT);
    check_number("rate of leg", i, s.rate[i], g->leg_rate, EXACT);
    check_number("leg, as told,", i, s.leg[i] - b->e.legs.leg[i], 0.0, 1e-14);
    b->leg_end = fmin(b->leg_end, fmin(s.leg[i] - g->leg_min, g->leg_max - s.leg[i]));
    b->rate = fmax(b->rate, fabs(s.rate[i]));
  }
  assert_true(s.joint_cosine >= cos(g->joint_max) - EXACT);
  assert_true(s.margin >= g->margin - EXACT);
}

static void step(struct bench *b, const struct platform_motion *target)
{
  const struct platform_motion before = b->e.now;
  envelope_step(&b->e, target);
  check_cycle(b, &before);
}

static void stop(struct bench *b)
{
  for (int n = 0; !envelope_at_rest(&b->e); n++) {
    const struct platform_motion before = b->e.now;
    assert_true(n < ENVELOPE_STOP_CYCLES);
    envelope_brake(&b->e);
    check_cycle(b, &before);
  }
}

/* Targets of all kinds, far beyond the limits or close to them. */
enum kind { SINES, STEPS, NOISE, WALK, BURSTS, KINDS };

struct source {
  struct random random;
  enum kind kind;
  double size, w[DOF], phase[DOF], t;
  struct platform_motion m;
};

static struct source source(enum kind kind, uint64_t seed, double size)
{
  struct source s = {.random = {seed}, .kind = kind, .size = size};
  for (int k = 0; k < DOF; k++) {
    s.w[k] = random_between(&s.random, 0.3, 12.0);
    s.phase[k] = random_between(&s.random, 0.0, 6.0);
  }
  return s;
}

static const struct platform_motion *next_target(struct source *s, double T)
{
  const struct platform_limits l = standard();
  struct random *r = &s->random;
  s->t += T;
  const bool new = random_between(r, 0.0, 1.0) < T / 0.5;
  for (int k = 0; k < DOF; k++) {
    const double x = s->size * l.pos[k], w = s->w[k], phase = w * s->t + s->phase[k];
    switch (s->kind) {
    case SINES:
      s->m.p[k] = x * sin(phase);
      s->m.v[k] = x * w * cos(phase);
      s->m.a[k] = -x * w * w * sin(phase);
      break;
    case STEPS:
      if (new) s->m.p[k] = x * random_between(r, -1.0, 1.0);
      break;
    case NOISE:
      s->m.p[k] = x * random_between(r, -1.0, 1.0);
      break;
    case WALK:
      s->m.p[k] += 0.3 * x * sqrt(T) * random_between(r, -1.0, 1.0);
      if (fabs(s->m.p[k]) > x) s->m.p[k] *= 0.9;
      break;
    default: /* a target that is no motion */
      if (!new) break;
      s->m.p[k] = x * random_between(r, -1.0, 1.0);
      s->m.v[k] = random_between(r, -2.0, 2.0) * l.vel[k];
      s->m.a[k] = random_between(r, -2.0, 2.0) * l.acc[k];
    }
  }
  return &s->m;
}

static void go_through(const struct platform_geometry *g, int cycles)
{
  for (int p = 0; p < PERIODS; p++) {
    double leg_end = 1.0, rate = 0.0;
    for (enum kind kind = 0; kind < KINDS; kind++)
      for (int size = 0; size < 3; size++) {
        struct bench b;
        struct source s = source(kind, 10 * kind + (uint64_t)size, size == 0 ? 0.5 : size == 1 ? 1.2 : 5.0);
        start(&b, g, PERIOD[p]);
        for (int n = 0; n < cycles; n++) {
          if (n % 701 == 700) stop(&b);
          step(&b, next_target(&s, b.T));
        }
        stop(&b);
        leg_end = fmin(leg_end, b.leg_end);
        rate = fmax(rate, b.rate);
      }
    assert_true(leg_end < 0.005 * (g->leg_max - g->leg_min)); /* the motion came close to the limits */
    assert_true(rate > (g->crank ? 0.6 : 0.9) * g->leg_rate);
  }
}

TEST(legs_never_leave_their_limits)
{
  const struct platform_geometry g = test_legs();
  go_through(&g, 2500);
}

TEST(cranks_never_leave_their_limits)
{
  const struct platform_geometry g = test_cranks();
  go_through(&g, 1000);
}

/* Joints and margin limit the motion; all other limits are wide. */
TEST(joints_and_margin_limit_as_well)
{
  for (int which = 0; which < 2; which++) {
    struct platform_geometry g = test_legs();
    g.leg_min = 0.5;
    g.leg_max = 1.3;
    if (which)
      g.margin = 0.85;
    else
      g.joint_max = 12.0 * DEGREE;
    struct bench b;
    struct source s = source(STEPS, 1, 2.0);
    double cosine = 1.0, margin = 2.0;
    start(&b, &g, 0.01);
    for (int n = 0; n < 20000; n++) {
      step(&b, next_target(&s, b.T));
      cosine = fmin(cosine, b.e.legs.joint_cosine);
      margin = fmin(margin, b.e.legs.margin);
    }
    if (which)
      assert_true(margin < 0.86);
    else
      assert_true(acos(cosine) > 11.5 * DEGREE);
  }
}

/* Changes of limits: new ones take effect once a stop is possible within them. */
TEST(limits_may_change_at_any_time)
{
  const struct platform_geometry g = test_legs();
  for (int p = 0; p < PERIODS; p++)
    for (enum kind kind = 0; kind < KINDS; kind++) {
      struct bench b;
      struct source s = source(kind, 100 + kind, 1.2);
      start(&b, &g, PERIOD[p]);
      struct platform_limits wanted = b.limits;
      int adopted = 0;
      for (int n = 0; n < 4000; n++) {
        const bool told = n % 97 == 0;
        if (told) {
          wanted = standard();
          for (int k = 0; k < DOF; k++) {
            wanted.pos[k] *= random_between(&s.random, 0.1, 1.5);
            wanted.vel[k] *= random_between(&s.random, 0.1, 2.0);
            wanted.acc[k] *= random_between(&s.random, 0.1, 2.0);
            wanted.jerk[k] *= random_between(&s.random, 0.2, 3.0);
          }
          envelope_limits(&b.e, &wanted);
        }
        const struct platform_motion before = b.e.now;
        const bool pending = told || b.e.pending;
        envelope_step(&b.e, next_target(&s, b.T));
        if (pending && !b.e.pending) {
          b.limits = wanted;
          adopted++;
        }
        check_cycle(&b, &before);
      }
      assert_true(
          adopted >=
          (PERIOD[p] < 5e-3 ? 4 : 20)); /* 41 changes, many of which do not finish before the next one */
      for (int n = 0; b.e.pending; n++) {
        static const struct platform_motion neutral;
        assert_true(n * b.T < 20.0);
        envelope_step(&b.e, &neutral);
      }
      b.limits = wanted;
      stop(&b);
    }
}

static void reach(struct bench *b, const struct platform_motion *target, double longest)
{
  for (int n = 0; n * b->T < longest; n++) step(b, target);
}

/* Targets for which legs block the direct way. */
TEST(a_reachable_target_at_rest_is_reached)
{
  for (int crank = 0; crank < 2; crank++) {
    const struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct bench b;
    struct random random = {7};
    start(&b, &g, 0.01);
    int targets = 0;
    for (int round = 0; round < 2000 && targets < 60; round++) {
      struct platform_motion target = {.p = {0}};
      for (int k = 0; k < DOF; k++) target.p[k] = random_between(&random, -1.0, 1.0) * b.limits.pos[k];
      if (!envelope_reaches(&b.e, target.p)) continue;
      targets++;
      reach(&b, &target, 15.0);
      assert_true(envelope_at_rest(&b.e));
      assert_false(b.e.limited || b.e.unreachable || b.e.rate_limited);
      for (int k = 0; k < DOF; k++) check_number("off the target", k, b.e.now.p[k] - target.p[k], 0.0, 2e-12);
    }
    assert_true(targets > 20);
  }
}

/* From neutral in this direction until a leg is at its end, if every pose on the way is allowed. */
static bool go_to_the_end(struct bench *b, const double way[DOF])
{
  static const double nowhere[DOF];
  const int steps = 200;
  double least = 0.0, most = 1.0;
  bool at_once = true;
  for (int n = 0; n < 60; n++) {
    const double part = 0.5 * (least + most);
    double pose[DOF];
    struct hexapod_state s;
    for (int k = 0; k < DOF; k++) pose[k] = part * way[k];
    const bool within = hexapod_solve(&b->hexapod, pose, nowhere, &s) && hexapod_within(&b->hexapod, &s, 0.0);
    *(within ? &least : &most) = part;
  }
  for (int n = 0; n <= steps; n++) {
    double pose[DOF];
    struct hexapod_state s;
    for (int k = 0; k < DOF; k++) pose[k] = least * way[k] * n / steps;
    at_once =
        at_once && hexapod_solve(&b->hexapod, pose, nowhere, &s) && hexapod_within(&b->hexapod, &s, 0.0);
  }
  for (int k = 0; k < DOF; k++) b->e.now.p[k] = least * way[k];
  hexapod_solve(&b->hexapod, b->e.now.p, nowhere, &b->e.legs);
  return at_once && most < 1.0;
}

/* At the end of a leg there is no room for coordinates that move at their own speeds. */
TEST(neutral_is_reached_from_the_end_of_a_leg)
{
  static const struct platform_motion neutral;
  struct random random = {11};
  int starts = 0;
  for (int round = 0; round < 400; round++) {
    const bool crank = round % 2;
    struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct bench b;
    double way[DOF];
    if (crank)
      g.leg_max = random_between(&random, 0.02, 0.3);
    else
      g.leg_min = random_between(&random, 0.80, 0.848);
    start(&b, &g, 0.02);
    for (int k = 0; k < DOF; k++) {
      b.limits.jerk[k] *= exp(random_between(&random, -2.0, 2.0));
      way[k] = random_between(&random, -1.0, 1.0) * b.limits.pos[k];
    }
    envelope_limits(&b.e, &b.limits);
    if (!go_to_the_end(&b, way)) continue;
    starts++;
    reach(&b, &neutral, 20.0);
    for (int k = 0; k < DOF; k++) check_number("off neutral", k, b.e.now.p[k], 0.0, 1e-9);
  }
  assert_true(starts > 100);
}

/* Heave up to the end of the legs, while surge oscillates. The platform is later where it comes closer to the end, because a stop
 * needs room. */
TEST(one_coordinate_at_its_end_holds_no_other)
{
  const struct platform_geometry g = test_legs();
  struct bench b;
  start(&b, &g, 0.01);
  struct platform_limits wide = b.limits;
  wide.pos[2] = 0.5;
  envelope_limits(&b.e, &wide);
  b.limits = wide;
  double most = 0.0, least = 0.0, off = 0.0;
  for (int n = 0; n < 3000; n++) {
    const double w = 2.0, t = w * n * b.T, x = 0.03;
    const struct platform_motion target = {.p = {x * sin(t), 0, 0.4, 0, 0, 0},
                                           .v = {x * w * cos(t), 0, 0, 0, 0, 0},
                                           .a = {-x * w * w * sin(t), 0, 0, 0, 0, 0}};
    step(&b, &target);
    if (n < 1000) continue;
    assert_true(b.e.limited && b.e.unreachable);
    most = fmax(most, b.e.now.p[0]);
    least = fmin(least, b.e.now.p[0]);
    off = fmax(off, fabs(b.e.now.p[0] - target.p[0]));
    assert_true(b.e.now.p[2] > 0.1);
  }
  if (!(most > 0.029 && least < -0.029 && off < 0.008))
    fail_msg("surge %g to %g, off by %g", least, most, off);
}

/* For an unreachable target the platform comes as close as possible, and rests there. */
TEST(an_unreachable_target_ends_at_rest)
{
  const struct platform_geometry g = test_legs();
  for (int p = 0; p < PERIODS; p++) {
    struct random random = {8};
    for (int round = 0; round < 10; round++) {
      struct bench b;
      struct platform_motion target = {.p = {0}};
      start(&b, &g, PERIOD[p]);
      for (int k = 0; k < DOF; k++) target.p[k] = (random_below(&random, 2) ? 1.3 : -1.3) * b.limits.pos[k];
      reach(&b, &target, PERIOD[p] < 5e-3 ? 4.0 : 8.0);
      assert_true(b.e.unreachable && b.e.limited);
      for (int k = 0; k < DOF; k++) check_number("still moving", k, b.e.now.v[k], 0.0, 1e-6);
      struct hexapod_state s;
      double end = 1.0;
      assert_true(hexapod_solve(&b.hexapod, b.e.now.p, NULL, &s));
      for (int i = 0; i < PLATFORM_LEGS; i++)
        end = fmin(end, fmin(s.leg[i] - g.leg_min, g.leg_max - s.leg[i]));
      assert_true(end < 1e-3);
    }
  }
}

TEST(smooth_motion_passes_with_its_flags_down)
{
  const struct platform_geometry g = test_legs();
  struct bench b;
  start(&b, &g, 0.01);
  for (int n = 1; n < 3000; n++) {
    struct platform_motion target;
    const double in = fmin(1.0, n * b.T / 5.0), w = 3.0;
    for (int k = 0; k < DOF; k++) {
      const double x = 0.12 * b.limits.pos[k] * in, t = w * n * b.T + k;
      target.p[k] = x * sin(t);
      target.v[k] = x * w * cos(t);
      target.a[k] = -x * w * w * sin(t);
    }
    step(&b, &target);
    if (in < 1.0 || n < 600) continue;
    for (int k = 0; k < DOF; k++)
      check_number("off the target", k, b.e.now.p[k] - target.p[k], 0.0, 1e-6 * b.limits.pos[k]);
    assert_false(b.e.limited || b.e.unreachable || b.e.rate_limited);
  }
}

TEST(what_is_not_a_number_stops_it)
{
  const struct platform_geometry g = test_legs();
  struct bench b;
  struct source s = source(SINES, 3, 0.5);
  start(&b, &g, 0.01);
  for (int n = 0; n < 3000; n++) {
    struct platform_motion target = *next_target(&s, b.T);
    if (n % 50 >= 40)
      (n % 3 == 0   ? target.p
       : n % 3 == 1 ? target.v
                    : target.a)[n % DOF] = n % 2   ? NAN
                                           : n % 4 ? 1e300
                                                   : INFINITY;
    step(&b, &target);
  }
}

TEST(same_inputs_same_bits)
{
  const struct platform_geometry g = test_legs();
  struct bench a, b;
  struct source s = source(BURSTS, 4, 2.0);
  start(&a, &g, 0.01);
  start(&b, &g, 0.01);
  for (int n = 0; n < 5000; n++) {
    const struct platform_motion target = *next_target(&s, 0.01);
    step(&a, &target);
    step(&b, &target);
    assert_memory_equal(&a.e.now, &b.e.now, sizeof a.e.now);
  }
}

TEST(a_start_out_of_reach_is_refused)
{
  static const struct {
    double pose[DOF], joint, margin;
    const char *message;
  } cases[] = {
      {{0, 0, 0.2, 0, 0, 0}, 1.0, 0.1, "heave of 0.2 is beyond its limit of 0.15"},
      {{0.2, 0.2, 0.15, 0, 0, 0}, 1.0, 0.1, "m, of 0.7 to 1"},
      {{0, 0, 0.05, 0, 0, 0}, 0.01, 0.1, "a joint turns by"},
      {{0, 0, 0.0, 0, 0, 0.3}, 1.0, 0.99, "too near to a singular pose"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct platform_geometry g = test_legs();
    const struct platform_limits limits = standard();
    struct hexapod h;
    struct envelope e;
    char error[200] = "";
    g.joint_max = cases[i].joint;
    g.margin = cases[i].margin;
    assert_true(hexapod_init(&h, &g, error, sizeof error));
    if (envelope_init(&e, &h, &limits, 0.01, cases[i].pose, error, sizeof error))
      fail_msg("expected: %s; margin %g", cases[i].message, e.legs.margin);
    if (!strstr(error, cases[i].message)) fail_msg("'%s', not '%s'", error, cases[i].message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(legs_never_leave_their_limits),
      cmocka_unit_test(cranks_never_leave_their_limits),
      cmocka_unit_test(joints_and_margin_limit_as_well),
      cmocka_unit_test(limits_may_change_at_any_time),
      cmocka_unit_test(a_reachable_target_at_rest_is_reached),
      cmocka_unit_test(neutral_is_reached_from_the_end_of_a_leg),
      cmocka_unit_test(one_coordinate_at_its_end_holds_no_other),
      cmocka_unit_test(an_unreachable_target_ends_at_rest),
      cmocka_unit_test(smooth_motion_passes_with_its_flags_down),
      cmocka_unit_test(what_is_not_a_number_stops_it),
      cmocka_unit_test(same_inputs_same_bits),
      cmocka_unit_test(a_start_out_of_reach_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
