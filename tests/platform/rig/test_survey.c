/* SPDX-License-Identifier: MIT
 * The figures for commissioning, against the formulas of a symmetric hexapod and against the limits themselves. */
#include "rig/survey.h"

#include "check.h"
#include "platform/rig.h"

#include <stdlib.h>

static struct platform *make_platform(struct survey *s)
{
  struct platform *p = calloc(1, sizeof *p);
  struct platform_spec spec;
  char error[300];
  rig_spec(&spec);
  if (!platform_init(p, &spec, error, sizeof error)) fail_msg("%s", error);
  survey_make(s, p);
  return p;
}

static bool reaches(const struct platform *p, const double pose[PLATFORM_DOF])
{
  struct hexapod_state legs;
  return hexapod_solve(&p->hexapod, pose, NULL, &legs) && hexapod_within(&p->hexapod, &legs, 0.0);
}

TEST(heave_follows_from_the_legs)
{
  struct survey s;
  struct platform *p = make_platform(&s);
  const struct platform_geometry *g = &p->spec.geometry;
  const double square = 0.85 * 0.85 - g->height * g->height;
  assert_near(s.axis[2].high, sqrt(1.0 - square) - g->height, 1e-6);
  assert_near(s.axis[2].low, sqrt(0.49 - square) - g->height, 1e-6);
  /* All legs lengthen by the cosine of their slope per heave. */
  assert_near(s.axis[2].rate, 0.5 / (g->height / 0.85), 1e-9);
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    assert_near(s.neutral.leg[i], 0.85, 1e-9);
    assert_near(s.high.leg[i], 1.0, 1e-5);
  }
  assert_near(s.neutral.margin, 1.0, 1e-12);
  assert_true(s.park.reached && s.neutral.reached);
  free(p);
}

/* The end of each travel is allowed, and a little beyond it is not. */
TEST(travels_end_at_a_limit)
{
  struct survey s;
  struct platform *p = make_platform(&s);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    double pose[PLATFORM_DOF] = {0};
    const double ends[2] = {s.axis[k].low, s.axis[k].high};
    for (int i = 0; i < 2; i++) {
      pose[k] = ends[i];
      assert_true(reaches(p, pose));
      pose[k] = ends[i] * 1.001;
      assert_false(reaches(p, pose));
    }
  }
  free(p);
}

TEST(corners_of_pairs_are_reached)
{
  struct survey s;
  struct platform *p = make_platform(&s);
  for (int n = 0; n < SURVEY_PAIRS; n++) {
    const struct survey_pair *x = &s.pair[n];
    int within = 0, beyond = 0;
    assert_true(x->part > 0.0 && x->part <= 1.0);
    for (int corner = 0; corner < 4; corner++) {
      const int both[2] = {x->a, x->b};
      double pose[PLATFORM_DOF] = {0}, farther[PLATFORM_DOF] = {0};
      for (int i = 0; i < 2; i++) {
        const struct survey_axis *axis = &s.axis[both[i]];
        pose[both[i]] =
            x->part * (corner >> i & 1 ? fmax(axis->low, -axis->limit) : fmin(axis->high, axis->limit));
        farther[both[i]] = 1.002 * pose[both[i]];
      }
      within += reaches(p, pose);
      beyond += !reaches(p, farther);
    }
    assert_int_equal(within, 4);
    assert_true(x->part == 1.0 || beyond > 0);
  }
  free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heave_follows_from_the_legs),
      cmocka_unit_test(travels_end_at_a_limit),
      cmocka_unit_test(corners_of_pairs_are_reached),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
