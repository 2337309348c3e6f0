/* SPDX-License-Identifier: MIT
 * Permissives, holds and limits at the head: which sign stops a rig, and what a person must do before it moves again. */
#include "rig/rig.h"

#include "check.h"
#include "platform/rig.h"

#include <stdlib.h>

enum { CHAIN, BELT, BEAT, KEY, PERMISSIVES };
enum { STATUS, COUNT, LEGS, CHANNELS = LEGS + PLATFORM_LEGS };

/* A platform that follows requests, and a rig that reports what the test says. */
struct rig_bench {
  struct platform platform;
  struct rig rig;
  struct platform_input in;
  struct rig_spec spec;
  double value[CHANNELS], off; /* off: m, added to leg 1 */
  bool silent, frozen;
};

static struct rig_bench *bench_begin(void)
{
  struct rig_bench *b = calloc(1, sizeof *b);
  struct platform_spec spec;
  char error[300];
  rig_spec(&spec);
  spec.mode = PLATFORM_EXTERNAL;
  if (!platform_init(&b->platform, &spec, error, sizeof error)) fail_msg("%s", error);
  b->spec = (struct rig_spec){.feedback = 0,
                              .on_felt = RIG_COUNT,
                              .feedback_channel = LEGS,
                              .follow = {.legs = true, .trip = {.leg = 0.02}, .warn = {.leg = 0.005}},
                              .on_trip = RIG_HOLD,
                              .permissives = PERMISSIVES};
  b->spec.permissive[CHAIN] =
      (struct rig_permissive){.channel = STATUS, .bit = 0, .lower = 1, .upper = 1, .on_loss = RIG_HOLD};
  b->spec.permissive[BELT] = (struct rig_permissive){.channel = STATUS, .bit = 1, .lower = 1, .upper = 1};
  b->spec.permissive[BEAT] = (struct rig_permissive){
      .channel = COUNT, .bit = -1, .lower = -INFINITY, .upper = INFINITY, .alive = 0.1};
  b->spec.permissive[KEY] =
      (struct rig_permissive){.channel = STATUS, .bit = 2, .lower = 0, .upper = 0, .need = RIG_FOR_RESET};
  b->value[STATUS] = 3;
  return b;
}

static struct rig_bench *bench_ready(void)
{
  struct rig_bench *b = bench_begin();
  rig_init(&b->rig, &b->spec, &b->platform);
  return b;
}

/* A cycle: the signs of the rig, then the platform, as in the loop. */
static void bench_cycle(struct rig_bench *b, enum platform_request request)
{
  const double *legs = platform_is_known(&b->platform) ? b->platform.out.legs : b->rig.park.leg;
  if (!b->frozen) b->value[COUNT]++;
  for (int i = 0; i < PLATFORM_LEGS; i++) b->value[LEGS + i] = legs[i] + (i == 0 ? b->off : 0.0);
  const struct rig_reading reading = {
      .value = b->value, .fresh = b->silent ? 0 : 15, .reports = !b->silent, .arrived = !b->silent};
  rig_step(&b->rig, &b->platform, &reading);
  b->in.request = b->rig.held ? PLATFORM_TO_FREEZE : request;
  platform_step(&b->platform, &b->in);
}

static void bench_for(struct rig_bench *b, enum platform_request request, double seconds)
{
  for (int i = 0; i < (int)lround(seconds / 0.01); i++) bench_cycle(b, request);
}

static struct rig_bench *bench_riding(void)
{
  struct rig_bench *b = bench_ready();
  bench_for(b, PLATFORM_TO_PARK, 0.1);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_FINE);
  bench_for(b, PLATFORM_TO_RUN, 8.0);
  assert_true(b->platform.out.state[0] == PLATFORM_RUN);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  return b;
}

TEST(a_parked_rig_needs_every_sign_to_move)
{
  struct rig_bench *b = bench_ready();
  bench_for(b, PLATFORM_TO_PARK, 0.1);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_FINE);
  b->value[STATUS] = 1; /* the belt opens */
  bench_cycle(b, PLATFORM_TO_PARK);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_UNMET);
  assert_int_equal(rig_lacks(&b->rig, false).item, BELT);
  b->value[STATUS] = 3;
  b->frozen = true; /* the controller repeats its number */
  bench_for(b, PLATFORM_TO_PARK, 0.2);
  assert_int_equal(rig_lacks(&b->rig, false).item, BEAT);
  b->frozen = false;
  b->off = 0.05; /* the rig does not stand in its park pose */
  bench_for(b, PLATFORM_TO_PARK, 0.1);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_ERRING);
  b->off = 0.0;
  b->silent = true;
  bench_cycle(b, PLATFORM_TO_PARK);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_UNMET);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE); /* a parked rig needs no stop */
  assert_false(b->rig.held);
  free(b);
}

/* A base that raises itself: its state and its pose count from neutral on, and not on the way back. */
TEST(signs_of_the_ride_count_from_neutral_on)
{
  struct rig_bench *b = bench_begin();
  b->spec.permissive[BELT].need = RIG_FOR_RIDE;
  b->spec.judged = RIG_FOR_RIDE;
  rig_init(&b->rig, &b->spec, &b->platform);
  b->value[STATUS] = 1; /* without the belt, and with a leg that is off */
  b->off = 0.05;
  bench_for(b, PLATFORM_TO_PARK, 0.1);
  assert_int_equal(rig_lacks(&b->rig, false).cause, RIG_FINE);
  bench_for(b, PLATFORM_TO_RUN, 1.0);
  assert_true(b->platform.out.state[0] == PLATFORM_ENGAGE);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  assert_int_equal((unsigned)b->rig.out.flags[0] & RIG_TRIPS, 0);
  /* At neutral each of the two stops the rig. */
  while (b->platform.out.state[0] == PLATFORM_ENGAGE) bench_cycle(b, PLATFORM_TO_RUN);
  bench_cycle(b, PLATFORM_TO_RUN);
  assert_int_equal(b->rig.verdict.cause, RIG_ERRING);
  b->off = 0.0;
  bench_for(b, PLATFORM_TO_RUN, 0.5);
  assert_int_equal(b->rig.verdict.cause, RIG_UNMET);
  assert_int_equal(b->rig.verdict.item, BELT);
  b->value[STATUS] = 3;
  rig_release(&b->rig);
  bench_for(b, PLATFORM_TO_RUN, 1.0);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  /* The base parks itself. */
  bench_for(b, PLATFORM_TO_PARK, 1.0);
  assert_true(b->platform.out.state[0] == PLATFORM_PARK);
  b->value[STATUS] = 1;
  b->off = 0.05;
  bench_for(b, PLATFORM_TO_PARK, 0.2);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  free(b);
}

TEST(the_chain_holds_until_a_person_releases)
{
  struct rig_bench *b = bench_riding();
  b->value[STATUS] = 2;
  bench_cycle(b, PLATFORM_TO_RUN);
  assert_int_equal(b->rig.verdict.cause, RIG_UNMET);
  assert_int_equal(b->rig.verdict.reaction, RIG_HOLD);
  assert_true(b->rig.held);
  bench_for(b, PLATFORM_TO_PARK, 1.0); /* the daemon parks it in SAFE; the hold is stronger */
  assert_true(b->platform.out.state[0] == PLATFORM_FREEZE);
  assert_false(rig_may_reset(&b->rig, &b->platform));
  b->value[STATUS] = 3;
  bench_for(b, PLATFORM_TO_PARK, 1.0);
  assert_true(b->platform.out.state[0] == PLATFORM_FREEZE);
  assert_true(rig_may_reset(&b->rig, &b->platform));
  rig_release(&b->rig);
  bench_for(b, PLATFORM_TO_PARK, 8.0);
  assert_true(platform_is_parked(&b->platform));
  free(b);
}

/* A hold begins on the way to the park pose, too, and an open belt does not hold a rig that parks. */
TEST(a_parking_rig_heeds_the_chain_and_not_the_belt)
{
  struct rig_bench *b = bench_riding();
  b->value[STATUS] = 1;
  bench_cycle(b, PLATFORM_TO_RUN);
  assert_int_equal(b->rig.verdict.item, BELT);
  assert_int_equal(b->rig.verdict.reaction, RIG_PARK);
  bench_for(b, PLATFORM_TO_PARK, 1.0);
  assert_true(b->platform.out.state[0] == PLATFORM_PARK);
  assert_int_equal(rig_lacks(&b->rig, true).cause, RIG_FINE);
  b->value[STATUS] = 0;
  bench_for(b, PLATFORM_TO_PARK, 1.0);
  assert_true(b->platform.out.state[0] == PLATFORM_FREEZE && b->rig.held);
  free(b);
}

TEST(a_stronger_sign_is_named_first)
{
  struct rig_bench *b = bench_riding();
  b->value[STATUS] = 1;
  b->off = 0.05;
  bench_cycle(b, PLATFORM_TO_RUN);
  assert_int_equal(b->rig.verdict.cause, RIG_ERRING);
  assert_int_equal(b->rig.verdict.item, 0);
  assert_true(b->rig.held);
  free(b);
}

TEST(warnings_do_not_stop)
{
  struct rig_bench *b = bench_riding();
  b->off = 0.01;
  bench_for(b, PLATFORM_TO_RUN, 0.2);
  assert_true((unsigned)b->rig.out.flags[0] & RIG_WARNS);
  assert_false((unsigned)b->rig.out.flags[0] & RIG_TRIPS);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  assert_near(b->rig.out.leg_error[0], 0.01, 1e-9);
  assert_near(b->rig.ride.leg_error, 0.01, 1e-9);
  free(b);
}

TEST(a_reset_needs_its_key_and_a_rig_at_rest)
{
  struct rig_bench *b = bench_riding();
  b->value[STATUS] = 1; /* it parks */
  bench_for(b, PLATFORM_TO_PARK, 0.5);
  assert_false(rig_may_reset(&b->rig, &b->platform));
  bench_for(b, PLATFORM_TO_PARK, 8.0);
  assert_true(rig_may_reset(&b->rig, &b->platform));
  b->value[STATUS] = 5;
  bench_cycle(b, PLATFORM_TO_PARK);
  assert_int_equal(rig_reset_lacks(&b->rig), KEY);
  assert_false(rig_may_reset(&b->rig, &b->platform));
  free(b);
}

/* A number that no controller sends as a word meets no permissive, neither one that wants the bit set nor one that wants it
 * clear. */
TEST(only_whole_numbers_have_bits)
{
  static const double strange[] = {3.5, 7.0 - 1e-9, 1e15, -1e15};
  struct rig_bench *b = bench_ready();
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    b->value[STATUS] = 3;
    bench_for(b, PLATFORM_TO_PARK, 0.1);
    assert_int_equal(b->rig.met, 15);
    b->value[STATUS] = strange[i];
    bench_cycle(b, PLATFORM_TO_PARK);
    assert_int_equal(b->rig.met, 1 << BEAT);
  }
  b->value[STATUS] = -5; /* two's complement: bit 2 is clear */
  bench_cycle(b, PLATFORM_TO_PARK);
  assert_int_equal(b->rig.met, 15);
  free(b);
}

TEST(limits_at_the_head_are_counted)
{
  struct rig_bench *b = bench_begin();
  b->spec.rate_max = 0.05;
  rig_init(&b->rig, &b->spec, &b->platform);
  bench_for(b, PLATFORM_TO_RUN, 9.0);
  for (int i = 0; i < 600; i++) {
    b->in.external[4] = 0.15 * sin(0.02 * i);
    bench_cycle(b, PLATFORM_TO_RUN);
  }
  assert_true(b->rig.out.felt_beyond[0] >= 2.0);
  assert_true(b->rig.ride.felt_rate > 0.05 && b->rig.ride.pose[4] > 0.1);
  assert_int_equal(b->rig.verdict.cause, RIG_FINE);
  free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_parked_rig_needs_every_sign_to_move),
      cmocka_unit_test(signs_of_the_ride_count_from_neutral_on),
      cmocka_unit_test(the_chain_holds_until_a_person_releases),
      cmocka_unit_test(a_parking_rig_heeds_the_chain_and_not_the_belt),
      cmocka_unit_test(a_stronger_sign_is_named_first),
      cmocka_unit_test(warnings_do_not_stop),
      cmocka_unit_test(a_reset_needs_its_key_and_a_rig_at_rest),
      cmocka_unit_test(only_whole_numbers_have_bits),
      cmocka_unit_test(limits_at_the_head_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
