/* SPDX-License-Identifier: MIT */
#include "cueing/cue.h"
#include "hexapod/pose.h"
#include "platform/washout_bench.h"

/* The washout and the figure of false cues, where the head feels exactly the target of the washout, plus `more`. */
struct cue_bench {
  struct washout washout;
  struct cue cue;
  double force[3], spin[3];
};

static void bench_init(struct cue_bench *b, double period)
{
  *b = (struct cue_bench){.washout = washout_by_default(period), .force = {0, 0, G}};
  cue_init(&b->cue, period);
  cue_reset(&b->cue);
}

static void bench_step(struct cue_bench *b, const double more[6], bool counts)
{
  struct platform_motion m;
  double force[3], rate[3];
  washout_step(&b->washout, b->force, b->spin, nothing, &m);
  pose_felt(force, rate, &m, head, G);
  for (int i = 0; i < 3; i++) {
    force[i] += more[i];
    rate[i] += more[3 + i];
  }
  cue_step(&b->cue, &b->washout, force, rate, counts);
}

static const double no_more[6] = {0};

/* A platform that follows its washout gives no false force, and no false rate but that of the tilt: also where it turns about an
 * axis that the tilt has leaned. */
TEST(what_the_filters_ask_for_is_not_false)
{
  struct cue_bench b;
  bench_init(&b, 0.001);
  double tilting = 0.0, leaning = 0.0;
  for (int cycle = 0; cycle < 20000; cycle++) {
    double of_tilt[3];
    wave(cycle * 0.001, b.force, b.spin);
    bench_step(&b, no_more, true);
    const struct tilt *tilt = b.washout.tilt;
    pose_spin(of_tilt, b.washout.attitude, (double[]){tilt[0].v, tilt[1].v, 0.0});
    for (int i = 0; i < 2; i++) {
      tilting = fmax(tilting, fabs(tilt[i].v));
      leaning = fmax(leaning, fabs(tilt[i].p));
    }
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(b.cue.force[i]) < 1e-12);
      assert_true(fabs(b.cue.rate[i] - of_tilt[i]) < 1e-12);
    }
  }
  assert_true(tilting > 0.04 && leaning > 0.05);
  assert_true(b.cue.force_most < 1e-12);
}

/* A jump counts for 50 ms, and is kept as the largest so far. */
TEST(a_jump_counts_for_fifty_milliseconds)
{
  static const double period[] = {1e-4, 5e-4, 1e-3, 3e-3, 1e-2, 0.037, 0.1};
  const double push[6] = {0, -0.3, 0, 0, 0, 0.02};
  for (int j = 0; j < 7; j++) {
    struct cue_bench b;
    bench_init(&b, period[j]);
    const int window = (int)fmax(1.0, floor(0.05 / period[j] + 1e-6));
    for (int cycle = 0; cycle < 3000; cycle++) {
      bench_step(&b, cycle < 1500 ? no_more : push, true);
      const int since = cycle - 1500;
      if (since < 0) assert_true(b.cue.force_jump == 0.0 && b.cue.rate_jump == 0.0);
      if (since == 0)
        assert_true(fabs(b.cue.force_jump - 0.3) < 1e-12 && fabs(b.cue.rate_jump - 0.02) < 1e-12);
      /* The window holds every stride-th cycle. */
      if (since > 0 && since < window - 2 * b.cue.stride) assert_true(b.cue.force_jump > 0.29);
      if (since >= window + b.cue.stride) assert_true(b.cue.force_jump < 1e-12);
    }
    assert_true(fabs(b.cue.force_most - 0.3) < 1e-12 && fabs(b.cue.rate_most - 0.02) < 1e-12);
  }
}

TEST(nothing_is_false_in_a_transition)
{
  const double push[6] = {1, 1, 1, 1, 1, 1};
  struct cue_bench b;
  bench_init(&b, 0.01);
  for (int cycle = 0; cycle < 100; cycle++) bench_step(&b, cycle % 2 ? push : no_more, false);
  assert_true(b.cue.force_jump == 0.0 && b.cue.force[0] == 0.0 && b.cue.rate[2] == 0.0);
  for (int cycle = 0; cycle < 100; cycle++) bench_step(&b, push, true); /* it begins without a jump */
  assert_true(b.cue.force_most < 1e-12 && fabs(b.cue.force[0] - 1.0) < 1e-12);
  cue_pause(&b.cue);
  assert_true(b.cue.force[0] == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_filters_ask_for_is_not_false),
      cmocka_unit_test(a_jump_counts_for_fifty_milliseconds),
      cmocka_unit_test(nothing_is_false_in_a_transition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
