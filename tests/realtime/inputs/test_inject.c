/* SPDX-License-Identifier: MIT
 * Each kind of fault, on a stream with one sample per cycle: cycle k brings the value and the number k. */
#include "check.h"
#include "inputs/inject.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 2, NOTHING = -1 };

struct stream {
  struct injection spec;
  struct injector injector;
  uint64_t cycle;
  struct arrival out[CHANNELS];
  bool changed;
};

static void start(struct stream *s, struct injection spec)
{
  *s = (struct stream){.spec = spec};
  assert_true(injector_init(&s->injector, &s->spec, 1));
}

static uint64_t time_of(uint64_t cycle)
{
  return 1000 + 10 * cycle;
}

/* One cycle, with or without a sample; returns the value of the first channel. */
static double next(struct stream *s, bool comes)
{
  const uint64_t k = ++s->cycle;
  const struct arrival now = {.sample.t_ns = time_of(k), .since_ns = time_of(k)};
  memset(s->out, 0, sizeof s->out);
  for (int c = 0; c < CHANNELS && comes; c++)
    s->out[c] = (struct arrival){{(double)k + 0.5 * c, time_of(k), (uint32_t)k, 16, 0, 0}, time_of(k)};
  injector_begin(&s->injector, 0.01 * (double)k, true);
  s->changed = injector_pass(&s->injector, 0, s->out, CHANNELS, &now);
  return s->out[0].sample.t_ns ? s->out[0].sample.value : NOTHING;
}

static void pass(struct stream *s, int cycles)
{
  for (int i = 0; i < cycles; i++) assert_true(next(s, true) == (double)s->cycle && !s->changed);
}

static void turn(struct stream *s, bool on)
{
  assert_true(injector_switch(&s->injector, 0, on));
}

static void a_fault_that_is_off_does_nothing(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_STICK, .value = 7.0});
  pass(&s, 5);
  assert_false(s.injector.acts);
  turn(&s, true);
  assert_true(next(&s, true) == 7.0 && s.changed && s.injector.acts && injector_acts(&s.injector, 0));
  assert_true(s.out[1].sample.value == 7.0);
  assert_true(next(&s, false) == NOTHING && !s.changed); /* nothing to change */
  turn(&s, false);
  pass(&s, 2);
  assert_false(injector_switch(&s.injector, 1, true));
  injector_free(&s.injector);
}

static void another_input_is_left_alone(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.input = 1, .kind = INJECT_NAN, .active = true});
  pass(&s, 3);
  injector_free(&s.injector);
}

static void a_window_is_a_stretch_of_the_motion(void **unused)
{
  (void)unused;
  struct stream s;
  start(
      &s,
      (struct injection){
          .kind = INJECT_BIAS, .active = true, .value = 0.25, .window = true, .from = 0.025, .length = 0.02});
  pass(&s, 2);
  assert_true(next(&s, true) == 3.25 && next(&s, true) == 4.25);
  pass(&s, 2);
  injector_begin(&s.injector, 0.03, false); /* at that time, but not in RUNNING */
  assert_false(injector_acts(&s.injector, 0));
  turn(&s, false);
  injector_begin(&s.injector, 0.03, true);
  assert_false(injector_acts(&s.injector, 0));
  injector_free(&s.injector);
}

static void freeze_goes_on_with_fresh_times(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_FREEZE});
  pass(&s, 3);
  turn(&s, true);
  for (int i = 0; i < 4; i++) {
    assert_true(next(&s, i % 2) == 3.0 && s.changed);
    assert_true(s.out[0].sample.t_ns == time_of(s.cycle) && s.out[0].since_ns == time_of(s.cycle));
    assert_int_equal(s.out[0].sample.counted, 0);
    assert_true(s.out[1].sample.value == 3.5);
  }
  turn(&s, false);
  pass(&s, 2);
  injector_free(&s.injector);
}

static void freeze_of_nothing_is_nothing(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_FREEZE, .active = true});
  assert_true(next(&s, false) == NOTHING && !s.changed);
  injector_free(&s.injector);
}

static int lost_of_1000(double probability)
{
  struct stream s;
  int lost = 0;
  start(&s, (struct injection){.kind = INJECT_DROP, .active = true, .probability = probability});
  for (int i = 0; i < 1000; i++) {
    const bool gone = next(&s, true) == NOTHING;
    assert_int_equal(gone, s.changed);
    lost += gone;
  }
  injector_free(&s.injector);
  return lost;
}

static void drop_loses_as_many_as_it_says(void **unused)
{
  (void)unused;
  assert_int_equal(lost_of_1000(0.0), 0);
  assert_int_equal(lost_of_1000(1.0), 1000);
  const int lost = lost_of_1000(0.25);
  assert_in_range(lost, 190, 310); /* more than 4 standard deviations */
  assert_int_equal(lost_of_1000(0.25), lost);
}

static void delay_keeps_values_and_times_together(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_DELAY, .active = true, .cycles = 3});
  for (int i = 1; i <= 3; i++) assert_true(next(&s, true) == NOTHING && s.changed);
  assert_true(next(&s, false) == 1.0); /* cycle 4 brings nothing */
  assert_true(s.out[0].since_ns == time_of(1) && s.out[0].sample.sequence == 1);
  assert_true(next(&s, true) == 2.0 && next(&s, true) == 3.0);
  assert_true(next(&s, true) == NOTHING); /* three cycles after cycle 4 */
  assert_true(next(&s, true) == 5.0);
  turn(&s, false);
  pass(&s, 1);
  turn(&s, true);
  assert_true(next(&s, true) == NOTHING); /* delayed samples are lost */
  injector_free(&s.injector);
}

static void noise_is_bounded_and_the_same_again(void **unused)
{
  (void)unused;
  double first[2][200];
  for (int run = 0; run < 2; run++) {
    struct stream s;
    double sum = 0.0, most = 0.0;
    start(&s, (struct injection){.kind = INJECT_NOISE, .active = true, .amplitude = 2.0});
    for (int i = 0; i < 200; i++) {
      first[run][i] = next(&s, true) - (double)s.cycle;
      sum += first[run][i];
      most = fmax(most, fabs(first[run][i]));
      assert_true(s.out[1].sample.value - s.out[0].sample.value != 0.5); /* each channel has its own */
    }
    assert_true(most <= 2.0 && most > 1.8 && fabs(sum / 200) < 0.4);
    injector_free(&s.injector);
  }
  assert_memory_equal(first[0], first[1], sizeof first[0]);
}

static void nan_is_delivered(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_NAN, .active = true});
  assert_true(isnan(next(&s, true)) && isnan(s.out[1].sample.value));
  injector_free(&s.injector);
}

static void replay_brings_the_last_ones_again(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_REPLAY, .cycles = 3});
  pass(&s, 5);
  turn(&s, true);
  for (int i = 0; i < 7; i++) {
    assert_true(next(&s, true) == 3.0 + i % 3 && s.changed);
    assert_int_equal(s.out[0].sample.sequence, 3 + i % 3);
    assert_int_equal(s.out[0].sample.counted, 16);
    assert_true(s.out[0].since_ns == time_of(s.cycle));
  }
  turn(&s, false);
  pass(&s, 3);
  injector_free(&s.injector);
}

static void replay_of_less_than_its_window(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_REPLAY, .cycles = 5});
  turn(&s, true);
  assert_true(next(&s, true) == NOTHING &&
              s.changed); /* nothing was stored; new samples do not get through */
  turn(&s, false);
  pass(&s, 2);
  turn(&s, true);
  assert_true(next(&s, false) == 2.0 && next(&s, false) == 3.0 && next(&s, false) == 2.0);
  turn(&s, false);
  pass(&s, 1);
  turn(&s, true);
  assert_true(next(&s, false) == 2.0 && next(&s, false) == 3.0 && next(&s, false) == 7.0);
  injector_free(&s.injector);
}

static void reorder_makes_neighbours_change_places(void **unused)
{
  (void)unused;
  struct stream s;
  start(&s, (struct injection){.kind = INJECT_REORDER, .active = true});
  static const double expected[] = {NOTHING, 2.0, 1.0, 4.0, 3.0, 6.0, 5.0};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) assert_true(next(&s, true) == expected[i]);
  assert_true(next(&s, false) == NOTHING); /* it counts samples, not cycles */
  assert_true(next(&s, true) == 9.0 && next(&s, true) == 7.0);
  injector_free(&s.injector);
}

static void injections_are_found_by_name(void **unused)
{
  (void)unused;
  static const char *const name[] = {"frozen", "late"};
  assert_int_equal(injection_find(name, 2, "late"), 1);
  assert_int_equal(injection_find(name, 2, "lat"), -1);
  assert_int_equal(injection_find(name, 0, "late"), -1);
  assert_int_equal(injection_argument(5, true), 11);
  assert_string_equal(inject_kind_name(INJECT_REORDER), "reorder");
  assert_string_equal(inject_kind_name(INJECT_REORDER + 1), "?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fault_that_is_off_does_nothing),
      cmocka_unit_test(another_input_is_left_alone),
      cmocka_unit_test(a_window_is_a_stretch_of_the_motion),
      cmocka_unit_test(freeze_goes_on_with_fresh_times),
      cmocka_unit_test(freeze_of_nothing_is_nothing),
      cmocka_unit_test(drop_loses_as_many_as_it_says),
      cmocka_unit_test(delay_keeps_values_and_times_together),
      cmocka_unit_test(noise_is_bounded_and_the_same_again),
      cmocka_unit_test(nan_is_delivered),
      cmocka_unit_test(replay_brings_the_last_ones_again),
      cmocka_unit_test(replay_of_less_than_its_window),
      cmocka_unit_test(reorder_makes_neighbours_change_places),
      cmocka_unit_test(injections_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
