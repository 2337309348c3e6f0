/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "hexapod/hexapod.h"
#include "platform/hexapods.h"

#include <stddef.h>
#include <string.h>

enum { ROUNDS = 2000, N = PLATFORM_LEGS };

static const struct hexapod_known nowhere; /* no clearance is known, so everything is checked */

static void init(struct hexapod *h, const struct platform_geometry *g)
{
  char error[200] = "";
  if (!hexapod_init(h, g, error, sizeof error)) fail_msg("%s", error);
}

/* A pose within the reach of the legs and cranks of the tests. */
static void random_pose(struct random *random, double p[PLATFORM_DOF])
{
  for (int k = 0; k < PLATFORM_DOF; k++) p[k] = random_between(random, -1.0, 1.0) * (k < 3 ? 0.025 : 0.05);
}

/* The product of the rotations in the order of the definition. */
static void turn(double o[3], const double p[PLATFORM_DOF], const double a[3])
{
  memcpy(o, a, 3 * sizeof *o);
  for (int k = 0; k < 3; k++) { /* about x, y, z */
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double c = cos(p[3 + k]), s = sin(p[3 + k]), x = o[i], y = o[j];
    o[i] = c * x - s * y;
    o[j] = s * x + c * y;
  }
}

/* The joint of the platform, and the other end of its leg or rod. */
static void ends(const struct platform_geometry *g, const double p[PLATFORM_DOF],
                 const struct hexapod_state *s, int i, double arm[3], double top[3], double low[3])
{
  turn(arm, p, g->top[i]);
  for (int c = 0; c < 3; c++) {
    top[c] = p[c] + arm[c] + (c == 2 ? g->height : 0.0);
    low[c] = g->base[i][c];
  }
  if (!g->crank) return;
  low[0] += g->crank_length * cos(s->leg[i]) * cos(g->crank_heading[i]);
  low[1] += g->crank_length * cos(s->leg[i]) * sin(g->crank_heading[i]);
  low[2] += g->crank_length * sin(s->leg[i]);
}

TEST(legs_and_rods_have_their_lengths)
{
  for (int crank = 0; crank < 2; crank++) {
    const struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct random random = {1};
    struct hexapod h;
    struct hexapod_state s;
    init(&h, &g);
    for (int round = 0; round < ROUNDS; round++) {
      double p[PLATFORM_DOF], arm[3], top[3], low[3];
      random_pose(&random, p);
      assert_true(hexapod_solve(&h, p, NULL, &s));
      for (int i = 0; i < N; i++) {
        ends(&g, p, &s, i, arm, top, low);
        assert_near(check_distance(top, low), crank ? g.rod_length : s.leg[i], 1e-14);
      }
    }
  }
}

TEST(pure_heave_of_a_symmetric_one)
{
  const struct platform_geometry g = test_legs(), c = test_cranks();
  struct hexapod h;
  struct hexapod_state s;
  const double v[PLATFORM_DOF] = {0, 0, 0.1, 0, 0, 0};
  init(&h, &g);
  const double across = sqrt(0.85 * 0.85 - g.height * g.height);
  for (int n = -5; n < 6; n++) {
    const double z = 0.02 * n;
    const double p[PLATFORM_DOF] = {0, 0, z, 0, 0, 0}, leg = hypot(across, g.height + z);
    assert_true(hexapod_solve(&h, p, v, &s));
    for (int i = 0; i < N; i++) {
      assert_near(s.leg[i], leg, 1e-15);
      assert_near(s.rate[i], 0.1 * (g.height + z) / leg, 1e-15);
    }
    const double cosine = (across * across + g.height * (g.height + z)) / (0.85 * leg);
    assert_near(s.joint_cosine, z == 0.0 ? 1.0 : cosine, 1e-14);
  }
  init(&h, &c);
  const double level[PLATFORM_DOF] = {0};
  assert_true(hexapod_solve(&h, level, NULL, &s));
  for (int i = 0; i < N; i++) assert_near(s.leg[i], 0.0, 1e-14);
  assert_near(s.margin, 1.0, 1e-14);
  assert_near(s.joint_cosine, 1.0, 1e-14);
}

TEST(rates_are_those_of_the_legs)
{
  static const double H = 1e-5;
  for (int crank = 0; crank < 2; crank++) {
    const struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct random random = {2};
    struct hexapod h;
    struct hexapod_state s, before, after;
    init(&h, &g);
    for (int round = 0; round < ROUNDS; round++) {
      double p[PLATFORM_DOF], v[PLATFORM_DOF], a[PLATFORM_DOF], b[PLATFORM_DOF];
      random_pose(&random, p);
      random_vector(&random, v, PLATFORM_DOF);
      for (int k = 0; k < PLATFORM_DOF; k++) {
        a[k] = p[k] - H * v[k];
        b[k] = p[k] + H * v[k];
      }
      assert_true(hexapod_solve(&h, p, v, &s));
      assert_true(hexapod_solve(&h, a, NULL, &before) && hexapod_solve(&h, b, NULL, &after));
      for (int i = 0; i < N; i++) {
        assert_near(s.rate[i], (after.leg[i] - before.leg[i]) / (2.0 * H), 1e-6);
        assert_near(before.rate[i], 0.0, 0.0);
      }
    }
  }
}

TEST(slopes_are_those_of_the_legs)
{
  static const double H = 1e-5;
  for (int crank = 0; crank < 2; crank++) {
    const struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct random random = {7};
    struct hexapod h;
    struct hexapod_state before, after;
    init(&h, &g);
    for (int round = 0; round < ROUNDS; round++) {
      double p[PLATFORM_DOF], leg[N], slope[3][N];
      random_pose(&random, p);
      assert_true(hexapod_slopes(&h, p, leg, slope));
      for (int c = 0; c < 3; c++) {
        double a[PLATFORM_DOF], b[PLATFORM_DOF];
        memcpy(a, p, sizeof a);
        memcpy(b, p, sizeof b);
        a[c] -= H;
        b[c] += H;
        assert_true(hexapod_solve(&h, a, NULL, &before) && hexapod_solve(&h, b, NULL, &after));
        for (int i = 0; i < N; i++) {
          assert_near(slope[c][i], (after.leg[i] - before.leg[i]) / (2.0 * H), 1e-6);
          assert_near(leg[i], 0.5 * (after.leg[i] + before.leg[i]), 1e-8);
        }
      }
    }
  }
}

/* By elimination, with the largest pivots. */
static double determinant(double M[N][N])
{
  double det = 1.0;
  for (int k = 0; k < N; k++) {
    int at = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(M[i][k]) > fabs(M[at][k])) at = i;
    for (int j = 0; j < N; j++) {
      const double t = M[k][j];
      M[k][j] = M[at][j];
      M[at][j] = t;
    }
    det *= at == k ? M[k][k] : -M[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = N - 1; j >= k; j--) M[i][j] -= M[i][k] / M[k][k] * M[k][j];
  }
  return det;
}

/* Determinant of the Jacobian, from the points alone. */
static double jacobian(const struct hexapod *h, const double p[PLATFORM_DOF], const struct hexapod_state *s)
{
  const struct platform_geometry *g = &h->geometry;
  double M[N][N];
  for (int i = 0; i < N; i++) {
    double arm[3], top[3], low[3], u[3], across = 1.0;
    ends(g, p, s, i, arm, top, low);
    for (int c = 0; c < 3; c++) u[c] = (top[c] - low[c]) / check_distance(top, low);
    if (g->crank)
      across = u[2] * cos(s->leg[i]) -
               sin(s->leg[i]) * (u[0] * cos(g->crank_heading[i]) + u[1] * sin(g->crank_heading[i]));
    for (int c = 0; c < 3; c++) {
      M[i][c] = across * u[c];
      M[i][3 + c] = across * (arm[(c + 1) % 3] * u[(c + 2) % 3] - arm[(c + 2) % 3] * u[(c + 1) % 3]);
    }
  }
  return determinant(M);
}

TEST(margin_is_the_determinant_of_the_jacobian)
{
  static const double neutral[PLATFORM_DOF];
  for (int crank = 0; crank < 2; crank++) {
    const struct platform_geometry g = crank ? test_cranks() : test_legs();
    struct random random = {3};
    struct hexapod h;
    struct hexapod_state s;
    init(&h, &g);
    assert_true(hexapod_solve(&h, neutral, NULL, &s));
    const double at_neutral = jacobian(&h, neutral, &s);
    assert_near(h.determinant, at_neutral, 1e-14);
    for (int round = 0; round < ROUNDS; round++) {
      double p[PLATFORM_DOF];
      random_pose(&random, p);
      assert_true(hexapod_solve(&h, p, NULL, &s));
      assert_near(s.margin, jacobian(&h, p, &s) / at_neutral, 1e-13);
    }
  }
}

TEST(joints_turn_with_platform_and_crank)
{
  struct platform_geometry g = test_legs();
  struct hexapod h;
  struct hexapod_state s;
  struct random random = {4};
  init(&h, &g);
  for (int round = 0; round < ROUNDS; round++) {
    static const double neutral[PLATFORM_DOF];
    double p[PLATFORM_DOF], least = 1.0;
    random_pose(&random, p);
    assert_true(hexapod_solve(&h, p, NULL, &s));
    for (int i = 0; i < N; i++) {
      double arm[3], top[3], low[3], first[3], turned[3], base = 0.0, platform = 0.0;
      ends(&g, neutral, &s, i, arm, top, low);
      for (int c = 0; c < 3; c++) first[c] = (top[c] - low[c]) / check_distance(top, low);
      turn(turned, p, first);
      ends(&g, p, &s, i, arm, top, low);
      for (int c = 0; c < 3; c++) {
        base += first[c] * (top[c] - low[c]) / check_distance(top, low);
        platform += turned[c] * (top[c] - low[c]) / check_distance(top, low);
      }
      least = fmin(least, fmin(base, platform));
    }
    assert_near(s.joint_cosine, least, 1e-14);
  }
  /* Cranks that point to the sides of a level platform, moved up: a joint turns by the difference of the angles of crank and
   * rod. */
  g = test_cranks();
  init(&h, &g);
  const double up[PLATFORM_DOF] = {0, 0, 0.08, 0, 0, 0};
  assert_true(hexapod_solve(&h, up, NULL, &s));
  double arm[3], top[3], low[3], seen = 0.0;
  static const double neutral[PLATFORM_DOF];
  struct hexapod_state first;
  assert_true(hexapod_solve(&h, neutral, NULL, &first));
  double rod[2][3];
  for (int k = 0; k < 2; k++) {
    const struct hexapod_state *at = k ? &s : &first;
    const double angle = at->leg[0], heading = g.crank_heading[0];
    ends(&g, k ? up : neutral, at, 0, arm, top, low);
    const double x = ((top[0] - low[0]) * cos(heading) + (top[1] - low[1]) * sin(heading)) / 0.6;
    const double y = ((top[1] - low[1]) * cos(heading) - (top[0] - low[0]) * sin(heading)) / 0.6;
    const double z = (top[2] - low[2]) / 0.6;
    rod[k][0] = x * cos(angle) + z * sin(angle);
    rod[k][1] = z * cos(angle) - x * sin(angle);
    rod[k][2] = y;
  }
  for (int c = 0; c < 3; c++) seen += rod[0][c] * rod[1][c];
  assert_true(seen < 0.9);
  assert_near(s.joint_cosine, seen, 1e-13);
}

/* Turned by 90 degrees about z, a platform with joints in pairs is singular. */
TEST(singular_poses_are_found)
{
  struct platform_geometry g = test_legs();
  struct hexapod h;
  struct hexapod_state s;
  init(&h, &g);
  double low = 60.0 * DEGREE, high = 120.0 * DEGREE;
  for (int n = 0; n < 60; n++) {
    const double yaw = 0.5 * (low + high), p[PLATFORM_DOF] = {0, 0, 0, 0, 0, yaw};
    assert_true(hexapod_solve(&h, p, NULL, &s));
    *(s.margin > 0.0 ? &low : &high) = yaw;
  }
  assert_near(low, 90.0 * DEGREE, 1e-9);
  assert_false(hexapod_within(&h, &s, 0.0));

  g = test_cranks(); /* up, until rods and cranks are in line */
  init(&h, &g);
  double last = 2.0, z = 0.0;
  for (int n = 0; n < 10000; n++) {
    z = 1e-4 * n;
    const double p[PLATFORM_DOF] = {0, 0, z, 0, 0, 0};
    if (!hexapod_solve(&h, p, NULL, &s)) break;
    if (z > 0.1) assert_true(s.margin < last);
    last = s.margin;
  }
  assert_true(z > 0.1 && z < 0.2);
  assert_true(last > 0.0 && last < 1e-3);
}

TEST(limits_are_what_it_is_within)
{
  struct platform_geometry g = test_legs();
  struct hexapod h;
  struct hexapod_state s;
  init(&h, &g);
  const struct hexapod_state good = {
      .leg = {0.8, 0.8, 0.8, 0.8, 0.8, 0.8}, .joint_cosine = 1.0, .margin = 1.0};
  assert_true(hexapod_within(&h, &good, 0.0));
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 8; k++) {
      static const double leg[8] = {0.7, 1.0, 0.699999, 1.000001, 0.8, 0.8, 0.8, 0.8};
      static const double rate[8] = {0, 0, 0, 0, 0.5, -0.5, 0.500001, -0.500001};
      static const bool within[8] = {true, true, false, false, true, true, false, false};
      s = good;
      s.leg[i] = leg[k];
      s.rate[i] = rate[k];
      assert_int_equal(hexapod_within(&h, &s, 0.0), within[k]);
      if (k < 2) assert_false(hexapod_within(&h, &s, 1e-3));
    }
  s = good;
  s.joint_cosine = cos(g.joint_max) - 1e-9;
  assert_false(hexapod_within(&h, &s, 0.0));
  s = good;
  s.margin = g.margin - 1e-9;
  assert_false(hexapod_within(&h, &s, 0.0));
  s.margin = NAN;
  assert_false(hexapod_within(&h, &s, 0.0));
  s = good;
  s.leg[3] = NAN;
  assert_false(hexapod_within(&h, &s, 0.0));

  struct random random = {5};
  struct hexapod_known known = nowhere;
  double clearance;
  int reached = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double p[PLATFORM_DOF], v[PLATFORM_DOF];
    for (int k = 0; k < PLATFORM_DOF; k++) {
      p[k] = random_between(&random, -1.0, 1.0) * 0.2;
      v[k] = random_between(&random, -0.4, 0.4);
    }
    const bool within = hexapod_solve(&h, p, v, &s) && hexapod_within(&h, &s, 0.0);
    assert_int_equal(hexapod_reach(&h, p, v, 0.0, &nowhere, &clearance), within);
    /* a known clearance does not change the result */
    assert_int_equal(hexapod_reach(&h, p, v, 0.0, &known, &clearance), within);
    if (within && round % 10 == 0) hexapod_know(&h, p, &s, 0.0, &known);
    reached += within;
  }
  assert_in_range(reached, ROUNDS / 10, ROUNDS * 9 / 10);
}

TEST(nothing_is_beyond_within_the_clearance)
{
  const struct platform_geometry g = test_legs();
  struct random random = {6};
  struct hexapod h;
  struct hexapod_state s, t;
  init(&h, &g);
  int looked = 0;
  double nearest = 1.0, clearance = 0.0;
  for (int round = 0; round < 20 * ROUNDS; round++) {
    double p[PLATFORM_DOF], q[PLATFORM_DOF], change[PLATFORM_DOF];
    for (int k = 0; k < PLATFORM_DOF; k++) p[k] = random_between(&random, -1.0, 1.0) * 0.2;
    if (!hexapod_reach(&h, p, NULL, 0.0, &nowhere, &clearance)) continue;
    assert_true(hexapod_solve(&h, p, NULL, &s));
    random_vector(&random, change, PLATFORM_DOF);
    const double size = clearance / hexapod_travel(&h, change);
    for (int k = 0; k < PLATFORM_DOF; k++) q[k] = p[k] + size * change[k];
    assert_true(hexapod_solve(&h, q, NULL, &t));
    assert_true(hexapod_within(&h, &t, -1e-12));
    for (int i = 0; i < N; i++) {
      double arm[3], low[3], a[3], b[3];
      ends(&g, p, &s, i, arm, a, low);
      ends(&g, q, &t, i, arm, b, low);
      const double travel = size * hexapod_travel(&h, change);
      assert_true(check_distance(a, b) <= travel + 1e-12);
      nearest = fmin(nearest, 1.0 - check_distance(a, b) / travel);
    }
    looked++;
  }
  assert_true(looked > ROUNDS);
  assert_true(nearest < 0.05); /* the bound is not useless */
}

static void refuses(struct platform_geometry g, const char *message)
{
  struct hexapod h;
  char error[200] = "";
  if (hexapod_init(&h, &g, error, sizeof error)) fail_msg("expected: %s", message);
  if (!strstr(error, message)) fail_msg("'%s', not '%s'", error, message);
}

TEST(nonsense_is_refused)
{
  const struct platform_geometry legs = test_legs(), cranks = test_cranks();
  struct platform_geometry g = legs;
  memcpy(g.base[4], g.base[1], sizeof g.base[4]);
  refuses(g, "base: joints 2 and 5 are at one point; expected six different points");
  g = legs;
  memcpy(g.top[3], g.top[2], sizeof g.top[3]);
  refuses(g, "top: joints 3 and 4 are at one point");
  g = legs;
  g.top[5][1] = NAN;
  refuses(g, "top: joint 6: expected numbers");
  g = legs;
  g.leg_max = 0.6;
  refuses(g, "leg_max: expected a number above leg_min, 0.7, found 0.6");
  g = legs;
  g.leg_min = 0.0;
  refuses(g, "leg_min: expected a number above 0, found 0");
  g = legs;
  g.leg_rate = 0.0;
  refuses(g, "leg_rate: expected a number above 0, found 0");
  g = legs;
  g.joint_max = -1.0;
  refuses(g, "joint_max: expected a number above 0, found -1");
  g = legs;
  g.margin = 1.0;
  refuses(g, "margin: expected a number between 0 and 1, found 1");
  g = legs;
  g.height += 0.5;
  refuses(
      g,
      "leg_max: leg 1 is at 1.31439 m when the platform is at neutral; expected 0.7 to 1, or another height");
  g = legs;
  for (int i = 0; i < N; i++) /* a quarter turn of the platform */
    for (int c = 0; c < 2; c++) g.top[i][c] = c ? legs.top[i][0] : -legs.top[i][1];
  g.leg_max = 2.0;
  refuses(g, "base: the platform is singular at neutral");
  g = cranks;
  g.rod_length = 0.3;
  refuses(g, "rod_length: at neutral a rod does not reach");
  g = cranks;
  g.crank_length = 0.0;
  refuses(g, "crank_length: expected a number above 0, found 0");
  g = cranks;
  g.leg_min = -4.0;
  refuses(g, "leg_min: expected an angle of the cranks above -180 deg, found -229.183");
  g = cranks;
  g.leg_min = 0.1;
  refuses(g, "leg_min: crank 1 is at");
  g = cranks;
  g.crank_heading[2] = INFINITY;
  refuses(g, "crank_heading: crank 3: expected a number");
}

/* A crank reaches its joint at two angles. It takes the one within the limits; if both are, the one closer to 0. */
TEST(the_branch_is_that_within_the_limits)
{
  struct platform_geometry g = test_cranks();
  static const double neutral[PLATFORM_DOF];
  struct hexapod h;
  struct hexapod_state s;
  g.leg_min = -179.0 * DEGREE;
  g.leg_max = 179.0 * DEGREE;
  init(&h, &g);
  const double level = h.branch[0];
  assert_true(hexapod_solve(&h, neutral, NULL, &s));
  for (int i = 0; i < N; i++) assert_near(s.leg[i], 0.0, 1e-14);
  g.leg_max = -10.0 * DEGREE;
  init(&h, &g);
  assert_true(hexapod_solve(&h, neutral, NULL, &s));
  for (int i = 0; i < N; i++) {
    double arm[3], top[3], low[3];
    assert_true(h.branch[i] == -level && s.leg[i] < -90.0 * DEGREE);
    ends(&g, neutral, &s, i, arm, top, low);
    assert_near(check_distance(top, low), g.rod_length, 1e-14);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(legs_and_rods_have_their_lengths),
      cmocka_unit_test(pure_heave_of_a_symmetric_one),
      cmocka_unit_test(rates_are_those_of_the_legs),
      cmocka_unit_test(slopes_are_those_of_the_legs),
      cmocka_unit_test(margin_is_the_determinant_of_the_jacobian),
      cmocka_unit_test(joints_turn_with_platform_and_crank),
      cmocka_unit_test(singular_poses_are_found),
      cmocka_unit_test(limits_are_what_it_is_within),
      cmocka_unit_test(nothing_is_beyond_within_the_clearance),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(the_branch_is_that_within_the_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
