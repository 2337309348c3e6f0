/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "loop/schedule.h"

#include <stddef.h>
#include <stdlib.h>

static const uint64_t SECOND = UINT64_C(1000000000);

static struct schedule with(enum overrun overrun, int catch_up)
{
  static struct cycle_live live;
  live = (struct cycle_live){.overrun = overrun, .catch_up = catch_up};
  return (struct schedule){.live = &live, .period_ns = 10, .start_ns = 1000};
}

struct expected {
  uint64_t end, next, skipped;
  bool missed;
};

static void timer(struct schedule s, const struct expected *e, int n)
{
  for (int i = 0; i < n; i++) {
    struct schedule one = s;
    const struct schedule_end end = schedule_timer(&one, e[i].end);
    assert_int_equal(one.start_ns, e[i].next);
    assert_int_equal(end.skipped, e[i].skipped);
    assert_int_equal(end.missed, e[i].missed);
    assert_int_equal(one.last_ns, 1000);
  }
}
#define TIMER(s, ...)                                                                                        \
  timer(s, (const struct expected[]){__VA_ARGS__},                                                           \
        (int)(sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected)))

/* A stall of many seconds counts many periods: complete times are compared, not parts of a second. */
static void skipping_keeps_the_grid(void **unused)
{
  (void)unused;
  for (int policy = 0; policy < 2; policy++)
    TIMER(with(policy ? OVERRUN_STOP : OVERRUN_SKIP, 0), {0, 1010, 0, false}, {1000, 1010, 0, false},
          {1010, 1010, 0, false}, {1011, 1020, 1, true}, {1020, 1020, 1, true}, {1021, 1030, 2, true},
          {1999, 2000, 99, true}, {1000 + 30 * SECOND, 1000 + 30 * SECOND, 3 * SECOND - 1, true});
}

static void catching_up_goes_back_at_most_so_far(void **unused)
{
  (void)unused;
  TIMER(with(OVERRUN_CATCH_UP, 2), {1010, 1010, 0, false}, {1011, 1010, 0, true}, {1030, 1010, 0, true},
        {1031, 1020, 1, true}, {1000 + 2 * SECOND, 980 + 2 * SECOND, SECOND / 5 - 3, true});
}

/* The sequence in a loop: a cycle of 35, then cycles of 3. */
static void it_catches_up_without_losing_a_start(void **unused)
{
  (void)unused;
  struct schedule s = with(OVERRUN_CATCH_UP, 10);
  uint64_t now = 1000, late = 0, done = 0;
  for (int cycle = 0; cycle < 100; cycle++) {
    if (now < s.start_ns) now = s.start_ns;
    now += cycle == 5 ? 35 : 3;
    const struct schedule_end end = schedule_timer(&s, now);
    assert_int_equal(end.skipped, 0);
    late += end.missed;
    done++;
  }
  assert_int_equal(s.start_ns, 1000 + done * 10); /* back on its original grid */
  assert_int_equal(late, 4); /* ends at 1085, 88, 91, 94: 1060, 70, 80, 90 had come; the next is in time */
}

static void slipping_moves_the_grid(void **unused)
{
  (void)unused;
  struct schedule s = with(OVERRUN_SLIP, 0);
  struct schedule_end end = schedule_timer(&s, 1047);
  assert_true(end.missed && end.skipped == 0);
  assert_int_equal(s.start_ns, 1047);
  assert_int_equal(s.slipped_ns, 37);
  end = schedule_timer(&s, 1050);
  assert_false(end.missed);
  assert_int_equal(s.start_ns, 1057);
  assert_int_equal(s.slipped_ns, 37);
}

/* The bench got its frame, and answers faster than the next step is prepared. */
static void a_beat_that_waits_a_little_is_no_miss(void **unused)
{
  (void)unused;
  struct schedule s = with(OVERRUN_STOP, 0);
  schedule_beat(&s, 1, 2000);
  struct schedule_end end = schedule_input(&s, 2010, 2, 2004);
  assert_true(end.due && !end.missed);
  assert_int_equal(end.skipped, 0);
  assert_int_equal(s.start_ns, 2004);
  end = schedule_input(&s, 2014, 3, 2013); /* a period after its start */
  assert_true(end.due && !end.missed);
  end = schedule_input(&s, 2024, 4, 2020);
  assert_true(end.due && end.missed);
}

static void beats_that_wait_long_or_are_many_make_a_miss(void **unused)
{
  (void)unused;
  struct schedule s = with(OVERRUN_SKIP, 0);
  assert_int_equal(schedule_beat(&s, 1, 2000), 0);
  assert_int_equal(s.start_ns, 2000);
  struct schedule_end end = schedule_input(&s, 2009, 1, 2000);
  assert_false(end.missed);
  assert_int_equal(s.last_ns, 2000);
  schedule_beat(&s, 2, 2011);
  end = schedule_input(&s, 2060, 6, 2055); /* four beats came meanwhile: the last counts, three are skipped */
  assert_true(end.missed);
  assert_int_equal(end.skipped, 3);
  assert_int_equal(s.start_ns, 2055);
  assert_int_equal(s.beats, 6);
}

static void beats_that_wait_are_taken_as_the_policy_says(void **unused)
{
  (void)unused;
  static const struct {
    enum overrun overrun;
    uint32_t catch_up;
    uint64_t skipped;
  } cases[] = {{OVERRUN_SKIP, 5, 6},
               {OVERRUN_STOP, 5, 6},
               {OVERRUN_CATCH_UP, 2, 4},
               {OVERRUN_CATCH_UP, 9, 0},
               {OVERRUN_SLIP, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct schedule s = with(cases[i].overrun, cases[i].catch_up);
    struct schedule_end end = schedule_input(&s, 3000, 7, 2990);
    uint64_t taken = 1, skipped = end.skipped;
    assert_int_equal(end.skipped, cases[i].skipped);
    assert_int_equal(s.start_ns, 2990 - 10 * (7 - s.beats));
    while (s.beats < 7) { /* and on, at once */
      end = schedule_input(&s, 3000, 7, 2990);
      assert_true(end.due);
      skipped += end.skipped;
      taken++;
    }
    assert_int_equal(taken + skipped, 7);
    assert_false(schedule_input(&s, 3000, 7, 2990).due);
  }
}

/* A burst does not move back in time, whatever the distance of its beats should have been. */
static void beats_never_go_back(void **unused)
{
  (void)unused;
  struct schedule s = with(OVERRUN_SLIP, 0);
  schedule_beat(&s, 1, 2000);
  uint64_t last = s.start_ns;
  for (uint64_t end = 2003; s.beats < 1001; end += 3) {
    assert_true(schedule_input(&s, end, 1001, 2002).due);
    assert_true(s.start_ns >= last && s.start_ns <= 2002);
    last = s.start_ns;
  }
  assert_int_equal(last, 2002);
}

/* Beats with their own period, phase and jitter: the grid follows them, never faster than allowed. */
static void beats_pull_the_grid(void **unused)
{
  (void)unused;
  srand(3);
  for (int from = 0; from < 20; from++) {
    struct schedule s = {
        .period_ns = 10000000, .start_ns = SECOND, .pull_ns = 50000, .beat_offset_ns = 1000000};
    uint64_t beat = SECOND + 500000 * (uint64_t)from;
    const uint64_t beat_period = 10000000 + 100 * ((uint64_t)from - 10);
    for (uint64_t k = 1; k < 2000; k++) {
      beat += beat_period;
      const uint64_t before = s.start_ns += s.period_ns;
      schedule_pull(&s, k, beat + (uint64_t)(rand() % 2000));
      const int64_t moved = (int64_t)(s.start_ns - before);
      assert_true(moved >= -50000 && moved <= 50000);
      assert_true(s.beats == k);
    }
    int64_t error = (int64_t)(s.start_ns - beat - 1000000) % 10000000;
    if (error > 5000000) error -= 10000000;
    if (error < -5000000) error += 10000000;
    assert_true(error > -10000 && error < 10000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(skipping_keeps_the_grid),
      cmocka_unit_test(catching_up_goes_back_at_most_so_far),
      cmocka_unit_test(it_catches_up_without_losing_a_start),
      cmocka_unit_test(slipping_moves_the_grid),
      cmocka_unit_test(a_beat_that_waits_a_little_is_no_miss),
      cmocka_unit_test(beats_that_wait_long_or_are_many_make_a_miss),
      cmocka_unit_test(beats_that_wait_are_taken_as_the_policy_says),
      cmocka_unit_test(beats_never_go_back),
      cmocka_unit_test(beats_pull_the_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
