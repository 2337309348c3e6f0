/* SPDX-License-Identifier: MIT
 * The jog with the platform of platform/rig.h: what it moves, where it stops, and what it refuses. */
#include "check.h"
#include "jog/jog.h"
#include "platform/rig.h"

#include <stdlib.h>

enum { ME = 7, OTHER = 8, TIMEOUT_CYCLES = 30 };

static const struct jog_spec CRAWL = {
    .speed = 0.01, .turn_speed = 1.0 * RIG_DEGREE, .leg_speed = 0.01, .ramp = 0.3, .timeout = 0.3};

struct desk {
  struct platform platform;
  struct platform_spec spec;
  struct platform_input in;
  struct jog jog;
  enum platform_request request; /* while the jog is not on */
  uint32_t number;               /* number of the last command */
  struct platform_output before;
};

static struct desk *desk_new(double period)
{
  char error[300];
  struct desk *d = calloc(1, sizeof *d);
  rig_spec(&d->spec);
  d->spec.period = period;
  if (!platform_init(&d->platform, &d->spec, error, sizeof error)) fail_msg("%s", error);
  d->in.specific_force[2] = RIG_GRAVITY;
  d->request = PLATFORM_TO_PARK;
  jog_init(&d->jog, &CRAWL, period);
  return d;
}

static enum platform_state state_of(const struct desk *d)
{
  return (enum platform_state)d->platform.out.state[0];
}

/* A limit that is exceeded fails the test. Legs come from formulas of their own. */
static void judge(const struct desk *d)
{
  const struct platform_output *o = &d->platform.out;
  const struct platform_geometry *g = &d->spec.geometry;
  struct platform_limits l;
  struct hexapod_state s;
  if (state_of(d) == PLATFORM_UNKNOWN) return;
  params_limits(&d->spec.params, &l);
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    const double leg = rig_leg(g, o->pose, i);
    assert_true(leg >= g->leg_min && leg <= g->leg_max);
    assert_true(fabs(o->leg_rates[i]) <= g->leg_rate);
  }
  for (int k = 0; k < PLATFORM_DOF; k++) {
    assert_true(fabs(o->velocity[k]) <= l.vel[k] * (1 + 1e-9));
    assert_true(fabs(o->acceleration[k]) <= l.acc[k] * (1 + 1e-9));
  }
  assert_true(hexapod_solve(&d->platform.hexapod, o->pose, o->velocity, &s));
  assert_true(hexapod_within(&d->platform.hexapod, &s, 0.0));
}

static void go_on(struct desk *d)
{
  d->before = d->platform.out;
  d->in.jog = jog_step(&d->jog, &d->platform);
  d->in.request = d->jog.on ? PLATFORM_TO_JOG : d->request;
  platform_step(&d->platform, &d->in);
  judge(d);
}

static void go_for(struct desk *d, int cycles)
{
  for (int i = 0; i < cycles; i++) go_on(d);
}

/* A command, with a number that rises. */
static enum jog_answer ask(struct desk *d, unsigned part, double fraction, uint32_t hand)
{
  return jog_ask(&d->jog, &d->platform, part, fraction, hand, ++d->number);
}

static void release(struct desk *d)
{
  assert_int_equal(ask(d, 0, 0.0, ME), JOG_TAKEN);
}

/* Holds a button for some cycles: a command every tenth cycle. A release comes before the press. */
static void hold_for(struct desk *d, unsigned part, double fraction, int cycles)
{
  if (!d->jog.moves) {
    release(d);
    go_for(d, TIMEOUT_CYCLES + 2);
  }
  for (int i = 0; i < cycles; i++) {
    if (i % 10 == 0) assert_int_equal(ask(d, part, fraction, ME), JOG_TAKEN);
    go_on(d);
  }
}

/* Ends the jog by the request to a place, and goes there. */
static void bring_to(struct desk *d, enum platform_request request, enum platform_state state)
{
  jog_end(&d->jog);
  release(d);
  d->request = request;
  for (int i = 0; i < 10000 && state_of(d) != state; i++) go_on(d);
  assert_int_equal(state_of(d), state);
}

static unsigned leg(int number)
{
  return PLATFORM_DOF + (unsigned)number - 1;
}

/* --- tests --- */

/* From the unknown pose: the first jog states that the rig is parked. */
TEST(one_leg_moves_alone)
{
  for (int number = 1; number <= PLATFORM_LEGS; number++) {
    struct desk *d = desk_new(0.01);
    double start[PLATFORM_LEGS];
    hold_for(d, leg(number), 1.0, 3);
    assert_int_equal(state_of(d), PLATFORM_JOG);
    memcpy(start, d->platform.out.legs, sizeof start);
    hold_for(d, leg(number), 1.0, 300);
    release(d);
    go_for(d, 100);
    for (int i = 0; i < PLATFORM_LEGS; i++) {
      const double moved = d->platform.out.legs[i] - start[i];
      if (i == number - 1)
        assert_true(moved > 0.025 && moved < 0.031); /* 3 s at 10 mm/s, less the ramps */
      else
        assert_near(moved, 0.0, 1e-6);
    }
    free(d);
  }
}

TEST(one_coordinate_moves_alone_and_stops_in_its_ramp)
{
  for (unsigned part = 0; part < PLATFORM_DOF; part++) {
    struct desk *d = desk_new(0.005);
    const double full = part < 3 ? CRAWL.speed : CRAWL.turn_speed;
    bring_to(d, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL);
    go_for(d, 400);
    hold_for(d, part, -1.0, 400);
    assert_near(d->platform.out.velocity[part], -full, 1e-6 * full);
    const double at = d->platform.out.pose[part];
    release(d);
    go_for(d, (int)(CRAWL.ramp / 0.005) + 3);
    assert_true(envelope_at_rest(&d->platform.envelope));
    assert_false(d->jog.moves);
    const double gone = fabs(d->platform.out.pose[part] - at);
    assert_true(gone > 0.3 * full * CRAWL.ramp && gone < 0.6 * full * CRAWL.ramp);
    for (unsigned k = 0; k < PLATFORM_DOF; k++)
      if (k != part) assert_near(d->platform.out.pose[k], 0.0, 1e-9);
    assert_int_equal(d->jog.cause, JOG_RELEASED);
    assert_near(d->jog.went, d->platform.out.pose[part], 1e-6);
    free(d);
  }
}

/* The dead-man. */
TEST(silence_stops_the_motion)
{
  struct desk *d = desk_new(0.01);
  bool reported = false;
  hold_for(d, 2, 1.0, 200);
  const double at = d->platform.out.pose[2];
  for (int i = 0; i < TIMEOUT_CYCLES + 40; i++) {
    go_on(d);
    reported |= d->jog.came_to_rest && d->jog.cause == JOG_SILENT;
  }
  assert_true(reported && !d->jog.moves);
  assert_true(envelope_at_rest(&d->platform.envelope));
  assert_true(d->platform.out.pose[2] - at <= CRAWL.speed * (CRAWL.timeout + CRAWL.ramp));
  assert_int_equal(state_of(d), PLATFORM_JOG); /* it stays where it is */
  const double stands = d->platform.out.pose[2];
  go_for(d, 500);
  assert_near(d->platform.out.pose[2], stands, 1e-9);
  free(d);
}

/* 200 jogs of random parts with random speeds, times and silences; judge() looks at every cycle. */
TEST(no_limit_is_exceeded)
{
  struct random random = {.state = 20261123};
  for (int round = 0; round < 4; round++) {
    static const double period[] = {0.01, 0.004, 0.02, 0.01};
    struct desk *d = desk_new(period[round]);
    int at_limit = 0;
    d->jog.spec.speed = d->jog.spec.leg_speed =
        0.05; /* faster than a person would, so that ends are reached */
    d->jog.spec.turn_speed = 5 * RIG_DEGREE;
    d->jog.longest = (uint64_t)(CRAWL.timeout / period[round]);
    bring_to(d, round % 2 ? PLATFORM_TO_NEUTRAL : PLATFORM_TO_PARK,
             round % 2 ? PLATFORM_NEUTRAL : PLATFORM_UNKNOWN);
    for (int n = 0; n < 50; n++) {
      const unsigned part = (unsigned)random_below(&random, JOG_PARTS);
      const double fraction = random_between(&random, -1.0, 1.0);
      release(d); /* without it the press after a silence counts for nothing */
      for (int i = random_below(&random, 60); i >= 0; i--) {
        if (random_below(&random, 10)) ask(d, part, fraction, ME);
        go_for(d, 1 + random_below(&random, (int)(0.14 / period[round])));
        at_limit += d->jog.came_to_rest && d->jog.cause == JOG_AT_LIMIT;
      }
      if (random_below(&random, 2)) release(d);
      go_for(d, (int)(1.0 / period[round]));
      assert_false(d->jog.moves);
    }
    bring_to(d, PLATFORM_TO_PARK, PLATFORM_PARKED);
    assert_true(at_limit > 0);
    free(d);
  }
}

TEST(the_end_of_the_travel_leaves_the_way_back)
{
  struct desk *d = desk_new(0.01);
  int ends = 0;
  d->jog.spec.leg_speed = 0.05;
  release(d);
  for (int i = 0; i < 1500; i++) {
    if (i % 10 == 0) assert_int_equal(ask(d, leg(3), 1.0, ME), JOG_TAKEN);
    go_on(d);
    ends += d->jog.came_to_rest && d->jog.cause == JOG_AT_LIMIT;
  }
  assert_int_equal(ends, 1); /* reported once, although the button is still pressed */
  assert_true(envelope_at_rest(&d->platform.envelope));
  const double end = d->platform.out.legs[2];
  hold_for(d, leg(3), -1.0, 100);
  assert_true(d->platform.out.legs[2] < end - 0.02);
  free(d);
}

TEST(a_jog_begins_in_few_states)
{
  struct desk *d = desk_new(0.01);
  /* On the way to neutral. */
  d->request = PLATFORM_TO_NEUTRAL;
  go_for(d, 100);
  assert_int_equal(state_of(d), PLATFORM_ENGAGE);
  release(d);
  assert_int_equal(ask(d, 0, 1.0, ME), JOG_NOT_AT_REST);
  /* The button is still pressed at neutral. */
  while (state_of(d) != PLATFORM_NEUTRAL) {
    go_on(d);
    assert_int_not_equal(ask(d, 0, 1.0, ME), JOG_TAKEN);
  }
  assert_int_equal(ask(d, 0, 1.0, ME), JOG_PRESSED);
  go_for(d, 10 * TIMEOUT_CYCLES); /* silence is none of its releases */
  assert_int_equal(ask(d, 0, 1.0, ME), JOG_PRESSED);
  release(d);
  assert_int_equal(ask(d, 0, 1.0, ME), JOG_TAKEN);
  release(d);
  go_for(d, 100);
  /* Run, freeze, and the way to the park pose. */
  bring_to(d, PLATFORM_TO_RUN, PLATFORM_RUN);
  assert_int_equal(ask(d, leg(1), 1.0, ME), JOG_NOT_AT_REST);
  release(d);
  bring_to(d, PLATFORM_TO_FREEZE, PLATFORM_FREEZE);
  assert_int_equal(ask(d, leg(1), 1.0, ME), JOG_NOT_AT_REST);
  release(d);
  d->request = PLATFORM_TO_PARK;
  go_for(d, 100);
  assert_int_equal(state_of(d), PLATFORM_PARK);
  assert_int_equal(ask(d, leg(1), 1.0, ME), JOG_NOT_AT_REST);
  assert_false(d->jog.on);
  free(d);
}

TEST(nobody_takes_a_jog_from_another)
{
  struct desk *d = desk_new(0.01);
  hold_for(d, 0, 1.0, 50);
  assert_int_equal(ask(d, 0, 1.0, OTHER), JOG_OTHER);
  assert_int_equal(ask(d, 1, 1.0, ME), JOG_OTHER);
  assert_int_equal(ask(d, 0, 1.0, ME), JOG_TAKEN);
  /* The release of another hand stops nothing, and its press does not keep the motion up. */
  assert_int_equal(ask(d, 0, 0.0, OTHER), JOG_TAKEN);
  assert_true(d->jog.wanted == 1.0);
  for (int i = 0; i < TIMEOUT_CYCLES + 40; i++) {
    ask(d, 0, 1.0, OTHER);
    go_on(d);
  }
  assert_false(d->jog.moves);
  free(d);
}

/* Two hands hold the button of one part. The release of the one that moves it ends the motion until both are up. */
TEST(a_motion_ends_with_its_hand)
{
  struct desk *d = desk_new(0.01);
  hold_for(d, 2, 1.0, 50);
  for (int i = 0; i < 3; i++) assert_int_equal(ask(d, 2, 1.0, OTHER), JOG_OTHER);
  release(d);
  for (int i = 0; i < 300; i++) {
    assert_int_not_equal(ask(d, 2, i % 2 ? 1.0 : -1.0, OTHER), JOG_TAKEN);
    if (i == 100) assert_int_equal(ask(d, 2, 1.0, ME), JOG_PRESSED); /* while the other one presses */
    if (i == 101) release(d);
    if (i > 100) assert_false(d->jog.moves);
    go_on(d);
  }
  assert_int_equal(ask(d, 2, 0.0, OTHER), JOG_TAKEN);
  assert_int_equal(ask(d, 2, 1.0, OTHER), JOG_TAKEN);
  free(d);
}

/* Commands that a network repeats, reorders or delivers late. */
TEST(an_old_command_moves_nothing)
{
  struct desk *d = desk_new(0.01);
  hold_for(d, 2, 1.0, 50);
  const uint32_t pressed = d->number;
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, pressed), JOG_LATE);
  release(d);
  const uint32_t released = d->number;
  go_for(d, 200);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, pressed), JOG_LATE);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, released), JOG_LATE);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, 0), JOG_LATE);
  /* The order 1, 0, 1 as 0, 1, 1: the release comes first. */
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 0.0, ME, released + 10), JOG_TAKEN);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, released + 9), JOG_LATE);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 1.0, ME, released + 8), JOG_LATE);
  assert_false(d->jog.moves);
  /* A hand that fell silent: its last command comes late. So does one of a hand that nobody knows. */
  d->number = released + 10;
  hold_for(d, 2, 1.0, 50);
  go_for(d, 300);
  assert_int_equal(d->jog.cause, JOG_SILENT);
  assert_int_equal(ask(d, 2, 1.0, ME), JOG_PRESSED);
  go_for(d, 300);
  assert_int_equal(ask(d, 2, 1.0, OTHER), JOG_PRESSED);
  /* A release that comes late stops, and says nothing about later commands. */
  go_for(d, 300);
  hold_for(d, 2, 1.0, 50);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 2, 0.0, ME, released), JOG_TAKEN);
  go_for(d, 100);
  assert_false(d->jog.moves);
  free(d);
}

TEST(after_a_release_nothing_begins_for_a_while)
{
  for (int after = 1; after < 2 * TIMEOUT_CYCLES; after++) {
    struct desk *d = desk_new(0.01);
    hold_for(d, 2, 1.0, 50);
    release(d);
    go_for(d, after);
    assert_int_equal(ask(d, 2, 1.0, ME), after <= TIMEOUT_CYCLES ? JOG_QUIET : JOG_TAKEN);
    if (after <= TIMEOUT_CYCLES) {
      assert_int_equal(ask(d, 2, 0.0, OTHER), JOG_TAKEN);
      assert_int_not_equal(ask(d, 2, 1.0, OTHER), JOG_TAKEN);
      go_for(d, 100);
      assert_false(d->jog.moves);
    }
    free(d);
  }
}

/* Hands that were silent for a minute are forgotten, and others are not. */
TEST(there_is_room_for_many_hands)
{
  struct desk *d = desk_new(0.01);
  for (uint32_t i = 0; i < JOG_HANDS; i++) assert_int_equal(ask(d, 0, 0.0, 100 + i), JOG_TAKEN);
  assert_int_equal(ask(d, 0, 0.0, OTHER), JOG_TAKEN); /* a release is never refused */
  assert_int_equal(ask(d, 0, 1.0, OTHER), JOG_CROWDED);
  go_for(d, 5900);
  assert_int_equal(ask(d, 0, 1.0, OTHER), JOG_CROWDED);
  assert_int_equal(jog_ask(&d->jog, &d->platform, 0, 1.0, 100, 1), JOG_LATE);
  go_for(d, 200);
  assert_int_equal(ask(d, 0, 0.0, OTHER), JOG_TAKEN);
  assert_int_equal(ask(d, 0, 1.0, OTHER), JOG_TAKEN);
  free(d);
}

/* A stop ends the motion, and a button that is still pressed begins none. */
TEST(a_stop_needs_a_release)
{
  struct desk *d = desk_new(0.01);
  hold_for(d, 2, 1.0, 200);
  jog_end(&d->jog);
  go_on(d);
  assert_true(d->jog.came_to_rest && d->jog.cause == JOG_ENDED);
  for (int i = 0; i < 2000; i++) {
    assert_int_not_equal(ask(d, 2, 1.0, ME), JOG_TAKEN);
    go_on(d);
  }
  assert_int_equal(state_of(d), PLATFORM_PARKED);
  release(d);
  assert_int_equal(ask(d, 2, 1.0, ME), JOG_TAKEN);
  free(d);
}

TEST(park_and_neutral_lead_back)
{
  struct desk *d = desk_new(0.01);
  hold_for(d, leg(5), 1.0, 400);
  bring_to(d, PLATFORM_TO_NEUTRAL, PLATFORM_NEUTRAL);
  hold_for(d, 4, 1.0, 400);
  bring_to(d, PLATFORM_TO_PARK, PLATFORM_PARKED);
  assert_memory_equal(d->platform.out.state, (double[]){PLATFORM_PARKED}, sizeof(double));
  free(d);
}

TEST(names)
{
  assert_int_equal(jog_part_of("surge"), 0);
  assert_int_equal(jog_part_of("yaw"), 5);
  assert_int_equal(jog_part_of("leg6"), 11);
  assert_int_equal(jog_part_of("leg7"), -1);
  assert_int_equal(jog_part_of(""), -1);
  assert_string_equal(jog_part_name(99), "?");
  for (unsigned i = 0; i < JOG_PARTS; i++) assert_int_equal(jog_part_of(jog_part_name(i)), i);
  assert_string_equal(jog_cause_text(JOG_SILENT), "its command was not repeated in time");
  assert_string_equal(jog_answer_text(99), "?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_leg_moves_alone),
      cmocka_unit_test(one_coordinate_moves_alone_and_stops_in_its_ramp),
      cmocka_unit_test(silence_stops_the_motion),
      cmocka_unit_test(no_limit_is_exceeded),
      cmocka_unit_test(the_end_of_the_travel_leaves_the_way_back),
      cmocka_unit_test(a_jog_begins_in_few_states),
      cmocka_unit_test(nobody_takes_a_jog_from_another),
      cmocka_unit_test(a_motion_ends_with_its_hand),
      cmocka_unit_test(an_old_command_moves_nothing),
      cmocka_unit_test(after_a_release_nothing_begins_for_a_while),
      cmocka_unit_test(there_is_room_for_many_hands),
      cmocka_unit_test(a_stop_needs_a_release),
      cmocka_unit_test(park_and_neutral_lead_back),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
