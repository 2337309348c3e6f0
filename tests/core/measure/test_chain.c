/* SPDX-License-Identifier: MIT
 * Measuring chains compared with the closed solutions of their filters, and with the statistics that their noise promises. */
#include "check.h"
#include "measure/chain.h"

#include <math.h>
#include <string.h>

enum { MEMORY = CHAIN_CHANNELS_MAX * (CHAIN_SAMPLES + CHAIN_SAMPLES_MAX + 2) };
static const double DT = 0.01;

/* A chain that runs. */
struct run {
  ali3_sensor_spec spec;
  struct chain chain;
  double memory[MEMORY];
  uint64_t step;
};

static void begin(struct run *r, const ali3_sensor_spec *s, double value)
{
  double values[CHAIN_CHANNELS_MAX];
  for (int i = 0; i < CHAIN_CHANNELS_MAX; i++) values[i] = value;
  memset(r, 0, sizeof *r);
  r->spec = *s;
  assert_true(chain_make(&r->chain, s->name ? s->name : "s", s, DT));
  assert_true(r->chain.each * (size_t)r->chain.channels <= MEMORY);
  chain_begin(&r->chain, &r->spec, 0, values, r->memory);
}

static double take(struct run *r, double value)
{
  double values[CHAIN_CHANNELS_MAX];
  for (int i = 0; i < CHAIN_CHANNELS_MAX; i++) values[i] = value;
  chain_take(&r->chain, &r->spec, ++r->step, values, r->memory);
  return r->memory[CHAIN_READING];
}

static void assert_within(double a, double b, double within)
{
  if (!(fabs(a - b) <= within)) fail_msg("expected %.17g, found %.17g", b, a);
}

TEST(an_empty_chain_shows_its_input)
{
  static struct run r;
  begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE}, 0.7);
  assert_true(r.chain.exact);
  for (int k = 1; k < 50; k++) assert_true(take(&r, sin(k)) == sin(k));
}

/* The answer to a ramp t from rest, w = 2 pi cutoff. First order: t - 1/w + exp(-w t)/w. Butterworth of second order:
 * t - a + a exp(-b t) cos(b t), a = sqrt(2)/w, b = w/sqrt(2). */
TEST(filters_answer_a_ramp_as_their_equations)
{
  static const double cutoffs[] = {0.01, 1.0, 20.0, 49.0, 300.0, 1e5};
  static struct run r;
  for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs; i++)
    for (int order = 1; order <= 2; order++) {
      const double w = 6.283185307179586 * cutoffs[i], a = sqrt(2.0) / w, b = w / sqrt(2.0);
      begin(&r,
            &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE, .cutoff = cutoffs[i], .filter_order = order},
            0.0);
      for (int k = 1; k <= 400; k++) {
        const double t = k * DT;
        assert_within(take(&r, t),
                      order == 1 ? t - 1.0 / w + exp(-w * t) / w : t - a + a * exp(-b * t) * cos(b * t),
                      1e-11);
      }
    }
}

TEST(at_the_cutoff_three_decibels_are_lost)
{
  static struct run r;
  for (int order = 1; order <= 2; order++) {
    double largest = 0.0;
    begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE, .cutoff = 0.5, .filter_order = order}, 0.0);
    for (int k = 1; k <= 2000; k++) {
      const double shown = take(&r, sin(6.283185307179586 * 0.5 * k * DT));
      if (k > 1000) largest = fmax(largest, fabs(shown));
    }
    assert_within(largest, sqrt(0.5), 3e-4); /* the input is linear within a step */
  }
}

TEST(a_delay_shows_what_was)
{
  static struct run r;
  static const double delays[] = {0.01, 0.03, 0.025, 0.0001, 0.4, 40.96};
  for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
    begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE, .delay = delays[i]}, 0.0);
    /* Linear interpolation is exact for a ramp; before the start the value stood still. */
    for (int k = 1; k <= 5000; k++) {
      const double late = k * DT - delays[i];
      assert_within(take(&r, k * DT), late < -DT ? 0.0 : fmax(late, 0.0),
                    late > -DT && late < DT ? DT : 1e-10);
    }
  }
  begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE, .delay = 0.03}, 0.0);
  assert_true(r.chain.part == 0.0); /* whole steps keep the bits */
  for (int k = 1; k <= 100; k++) assert_true(take(&r, sin(k)) == (k <= 3 ? 0.0 : sin(k - 3)));
  ali3_sensor_spec late = {.type = ALI3_SENSOR_DISTANCE, .delay = 40.97};
  assert_false(chain_make(&r.chain, "s", &late, DT));
}

TEST(noise_has_its_deviation_and_no_memory)
{
  enum { N = 200000 };
  static double x[4][N];
  static struct run r;
  const ali3_sensor_spec specs[4] = {{.name = "s", .type = ALI3_SENSOR_IMU, .noise = {2.0, 0.5}},
                                     {.name = "t", .type = ALI3_SENSOR_IMU, .noise = {2.0, 0.5}},
                                     {.name = "s", .type = ALI3_SENSOR_IMU, .noise = {2.0, 0.5}, .seed = 1},
                                     {.name = "s", .type = ALI3_SENSOR_IMU, .noise = {2.0, 0.5}}};
  for (int i = 0; i < 4; i++) {
    begin(&r, &specs[i], 0.0);
    for (int k = 0; k < N; k++) {
      take(&r, 0.0);
      x[i][k] =
          r.memory[(i == 3 ? 4 : 0) * r.chain.each + CHAIN_READING]; /* the last one: an angular velocity */
    }
  }
  for (int i = 0; i < 4; i++) {
    double sum = 0.0, square = 0.0, fourth = 0.0, next = 0.0, other = 0.0;
    const double deviation = i == 3 ? 0.5 : 2.0;
    for (int k = 0; k < N; k++) {
      sum += x[i][k];
      square += x[i][k] * x[i][k];
      fourth += pow(x[i][k], 4);
      if (k > 0) next += x[i][k] * x[i][k - 1];
      other += x[i][k] * x[(i + 1) % 4][k];
    }
    /* Five standard errors of each figure. The excess of a sum of twelve uniform numbers is -0.1. */
    const double part = 5.0 / sqrt(N);
    assert_within(sum / N / deviation, 0.0, part);
    assert_within(square / N / (deviation * deviation), 1.0, part * sqrt(2.0));
    assert_within(fourth / N / pow(deviation, 4), 2.9, part * sqrt(90.0));
    assert_within(next / N / (deviation * deviation), 0.0, part);
    assert_within(other / N / (deviation * (i == 2 ? 0.5 : i == 3 ? 2.0 : deviation)), 0.0, part);
  }
}

TEST(equal_seeds_give_equal_bits)
{
  static struct run r, again;
  const ali3_sensor_spec s = {
      .type = ALI3_SENSOR_ANGLE, .noise = {1e-3}, .seed = 5, .cutoff = 3, .delay = 0.025};
  begin(&r, &s, 0.1);
  begin(&again, &s, 0.1);
  for (int k = 0; k < 1000; k++) assert_true(take(&r, cos(k)) == take(&again, cos(k)));
}

TEST(a_range_clips_and_says_so)
{
  static struct run r;
  begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_LOAD_CELL, .lower = {-1}, .upper = {2}}, 0.0);
  assert_true(take(&r, 1.5) == 1.5 && r.memory[CHAIN_CLIPPED] == 0.0);
  assert_true(take(&r, 3.0) == 2.0 && r.memory[CHAIN_CLIPPED] == 1.0);
  assert_true(take(&r, -7.0) == -1.0 && r.memory[CHAIN_CLIPPED] == 1.0);
  assert_true(take(&r, 2.0) == 2.0 && r.memory[CHAIN_CLIPPED] == 0.0);
}

TEST(a_resolution_rounds_within_the_range)
{
  static struct run r;
  begin(&r,
        &(ali3_sensor_spec){.type = ALI3_SENSOR_LOAD_CELL, .lower = {-1}, .upper = {1}, .resolution = {0.3}},
        0.0);
  assert_within(take(&r, 0.5), 0.6, 1e-15);
  assert_within(take(&r, 0.44), 0.3, 1e-15);
  assert_within(take(&r, -0.1), 0.0, 0.0);
  assert_within(take(&r, 0.99), 0.9, 1e-15);
  /* An encoder of 4096 increments after 1000.3 increments. */
  const double increment = 6.283185307179586 / 4096;
  begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_ENCODER, .resolution = {increment}}, 0.0);
  assert_within(take(&r, 1000.3 * increment), 1000 * increment, 1e-15);
}

/* Scale, then bias: (1 + e) u + b. They come after filter and delay, so a live change acts at once, and before range and
 * resolution, so that neither can be left by an error. */
TEST(errors_act_between_delay_and_range)
{
  static struct run r, sound;
  const double e = 0.0625, b = -3.5; /* exact in binary */
  ali3_sensor_spec s = {.type = ALI3_SENSOR_LOAD_CELL, .scale_error = {e}, .bias = b};
  begin(&r, &s, 8.0);
  assert_false(r.chain.exact);
  assert_true(r.memory[CHAIN_READING] == 5.0);
  for (int k = 1; k < 20; k++) assert_true(take(&r, 16.0 * k) == 17.0 * k - 3.5);
  /* The same filter and delay without errors, and the error of their reading; changed while it runs. */
  ali3_sensor_spec late = {.type = ALI3_SENSOR_LOAD_CELL, .cutoff = 5, .filter_order = 2, .delay = 0.025};
  begin(&sound, &late, 1.0);
  begin(&r, &late, 1.0);
  for (int k = 0; k < 60; k++) {
    if (k == 30) r.spec.scale_error[0] = e, r.spec.bias = b;
    const double right = take(&sound, cos(k)), shown = take(&r, cos(k));
    assert_true(shown == (k < 30 ? right : (1.0 + e) * right + b));
  }
  /* Limits and increments hold for the wrong value. */
  s.lower[0] = -10;
  s.upper[0] = 10;
  s.resolution[0] = 0.5;
  begin(&r, &s, 0.0);
  assert_true(take(&r, 0.8) == -2.5 && r.memory[CHAIN_CLIPPED] == 0.0); /* -2.65 */
  assert_true(take(&r, 20.0) == 10.0 && r.memory[CHAIN_CLIPPED] == 1.0);
  /* An imu has a bias for each axis, and one error of the scale for each kind. */
  const ali3_sensor_spec imu = {.type = ALI3_SENSOR_IMU,
                                .scale_error = {0.5, 0.25},
                                .force_bias = {1, 2, 3},
                                .angular_bias = {4, 5, 6},
                                .bias = 99};
  static const double want[] = {7, 8, 9, 9, 10, 11};
  begin(&r, &imu, 4.0);
  for (int i = 0; i < 6; i++) assert_true(r.memory[(size_t)i * r.chain.each + CHAIN_READING] == want[i]);
}

TEST(a_stuck_sensor_keeps_its_value)
{
  static struct run r;
  begin(&r, &(ali3_sensor_spec){.type = ALI3_SENSOR_DISTANCE, .stuck_at = 9}, 1.0);
  take(&r, 2.0);
  r.spec.stuck = 1;
  assert_true(take(&r, 3.0) == 2.0 && take(&r, 4.0) == 2.0);
  r.spec.stuck = 2;
  assert_true(take(&r, 5.0) == 9.0);
  r.spec.stuck = 0;
  assert_true(take(&r, 6.0) == 6.0);
  /* A filter goes on beneath the fault. */
  static struct run sound;
  const ali3_sensor_spec filtered = {.type = ALI3_SENSOR_DISTANCE, .cutoff = 1};
  begin(&sound, &filtered, 0.0);
  begin(&r, &filtered, 0.0);
  r.spec.stuck = 1;
  for (int k = 0; k < 20; k++) {
    take(&sound, 1.0);
    take(&r, 1.0);
  }
  r.spec.stuck = 0;
  assert_true(take(&r, 1.0) == take(&sound, 1.0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_chain_shows_its_input),
      cmocka_unit_test(filters_answer_a_ramp_as_their_equations),
      cmocka_unit_test(at_the_cutoff_three_decibels_are_lost),
      cmocka_unit_test(a_delay_shows_what_was),
      cmocka_unit_test(noise_has_its_deviation_and_no_memory),
      cmocka_unit_test(equal_seeds_give_equal_bits),
      cmocka_unit_test(a_range_clips_and_says_so),
      cmocka_unit_test(a_resolution_rounds_within_the_range),
      cmocka_unit_test(errors_act_between_delay_and_range),
      cmocka_unit_test(a_stuck_sensor_keeps_its_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
