/* SPDX-License-Identifier: MIT
 * From figures to findings to a verdict, and the measurement itself. Times are not judged. */
#include "ali3-doctor/verdict.h"
#include "check.h"
#include "common/unprivileged.h"
#include "rt/clock.h"
#include "tools/findings_by_id.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static struct measured figures;
static const struct measure_plan plan = {.period_ns = 1000000, .seconds = 1.0, .priority = 80, .cpu = -1};

/* 1000 wake-ups of 1 us, 2 us, ... 1 ms: every percentile is known. */
static void thousand_wakeups(struct measured *m, uint64_t scale)
{
  histogram_clear(&m->wakeup);
  for (uint64_t i = 1; i <= 1000; i++) histogram_add(&m->wakeup, i * scale, i);
}

static void fit_figures(struct measured *m)
{
  *m = (struct measured){.clock_ns = 25.0, .gap_ns = 20000};
  m->thread = (struct realtime_grant){.realtime = true, .policy = SCHED_FIFO, .priority = 80, .cpu = -1};
  m->memory = (struct realtime_grant){.locked = true, .locked_kb = 8192};
  thousand_wakeups(m, 100);
}

static enum finding_state judged(const char *id)
{
  static struct findings all;
  all.count = 0;
  judge_measured(&plan, &figures, -1, &all);
  const struct finding *f = findings_get(&all, id);
  assert_non_null(f);
  assert_true(f->measured && f->found[0] && f->why[0]);
  assert_true((f->state == FINDING_OK) == !f->fix[0]);
  return f->state;
}

TEST(good_figures)
{
  struct findings all = {.count = 0};
  fit_figures(&figures);
  judge_measured(&plan, &figures, 12, &all);
  assert_int_equal(all.count, 10);
  for (int i = 0; i < all.count; i++)
    if (all.list[i].state != FINDING_OK) fail_msg("%s: %s", all.list[i].id, all.list[i].found);
  assert_int_equal(verdict_of(&all, true), VERDICT_FIT);
  assert_string_equal(findings_get(&all, "hwlat_max")->found, "longest stop of the hardware 12 us");
  assert_string_equal(findings_get(&all, "wakeup_max")->found, "latest wake-up 100 us");
}

TEST(statistics)
{
  struct findings all = {.count = 0};
  fit_figures(&figures);
  thousand_wakeups(&figures, 1000);
  judge_measured(&plan, &figures, -1, &all);
  assert_null(findings_get(&all, "hwlat_max"));
  /* The upper edge of the 1 us bin of the 999th. */
  assert_string_equal(findings_get(&all, "wakeup_p999")->found, "99.9 % of wake-ups within 1000 us");
  assert_string_equal(findings_get(&all, "wakeup_max")->found, "latest wake-up 1000 us");
}

TEST(limits_of_wakeups)
{
  fit_figures(&figures);
  for (int i = 0; i < 9000; i++) histogram_add(&figures.wakeup, 50000, 1);
  assert_int_equal(judged("wakeup_p999"), FINDING_OK);
  histogram_add(&figures.wakeup, 1000000, 1);
  assert_int_equal(judged("wakeup_max"), FINDING_OK);
  histogram_add(&figures.wakeup, 1001000, 1);
  assert_int_equal(judged("wakeup_max"), FINDING_WARN);
  assert_int_equal(judged("wakeup_p999"), FINDING_OK); /* two of ten thousand */
  histogram_add(&figures.wakeup, 10001000, 1);
  assert_int_equal(judged("wakeup_max"), FINDING_BAD);
  for (int i = 0; i < 20; i++) histogram_add(&figures.wakeup, 210000, 1);
  assert_int_equal(judged("wakeup_p999"), FINDING_WARN);
  for (int i = 0; i < 200; i++) histogram_add(&figures.wakeup, 1100000, 1);
  assert_int_equal(judged("wakeup_p999"), FINDING_BAD);
}

TEST(limits_of_the_rest)
{
  fit_figures(&figures);
  figures.gap_ns = 201000;
  assert_int_equal(judged("gap"), FINDING_WARN);
  figures.gap_ns = 10001000;
  assert_int_equal(judged("gap"), FINDING_BAD);
  figures.minor_faults = 1;
  assert_int_equal(judged("faults"), FINDING_WARN);
  figures.minor_faults = 0;
  figures.major_faults = 1;
  assert_int_equal(judged("faults"), FINDING_WARN);
  figures.involuntary = 10; /* 1 % */
  assert_int_equal(judged("preempted"), FINDING_OK);
  figures.involuntary = 11;
  assert_int_equal(judged("preempted"), FINDING_WARN);
  figures.clock_ns = 251.0;
  assert_int_equal(judged("clock"), FINDING_WARN);
  figures.skipped = 1;
  assert_int_equal(judged("skipped"), FINDING_OK);
  figures.skipped = 2;
  assert_int_equal(judged("skipped"), FINDING_WARN);
  figures.skipped = 150;
  assert_int_equal(judged("skipped"), FINDING_BAD);
}

TEST(refusals)
{
  struct findings all = {.count = 0};
  fit_figures(&figures);
  figures.thread.realtime = false;
  snprintf(figures.thread.reason, sizeof figures.thread.reason, "SCHED_FIFO 80: Operation not permitted");
  judge_measured(&plan, &figures, -1, &all);
  assert_int_equal(verdict_of(&all, true), VERDICT_UNFIT);
  assert_non_null(strstr(findings_get(&all, "fifo")->found, "Operation not permitted"));
  assert_non_null(strstr(findings_get(&all, "fifo")->fix, "@realtime - rtprio 95"));
  fit_figures(&figures);
  figures.memory.locked = false;
  assert_int_equal(judged("locked"), FINDING_BAD);
  assert_int_equal(judged("fifo"), FINDING_OK);
}

TEST(verdicts)
{
  struct findings all = {.count = 0};
  assert_int_equal(verdict_of(&all, true), VERDICT_FIT);
  assert_int_equal(verdict_of(&all, false), VERDICT_USABLE); /* without a measurement there is no guarantee */
  finding_add(&all, "a", "", FINDING_OK, "-");
  finding_add(&all, "b", "", FINDING_INFO, "-");
  finding_add(&all, "c", "", FINDING_UNKNOWN, "-");
  assert_int_equal(verdict_of(&all, true), VERDICT_FIT);
  finding_add(&all, "d", "", FINDING_WARN, "-");
  assert_int_equal(verdict_of(&all, true), VERDICT_USABLE);
  finding_add(&all, "e", "", FINDING_BAD, "-");
  finding_add(&all, "f", "", FINDING_WARN, "-");
  assert_int_equal(verdict_of(&all, true), VERDICT_UNFIT);
  assert_int_equal(verdict_of(&all, false), VERDICT_UNFIT);
  for (int i = 0; i < all.count; i++) {
    assert_true(verdict_because(VERDICT_UNFIT, &all.list[i]) == (i == 4));
    assert_true(verdict_because(VERDICT_USABLE, &all.list[i]) == (i == 3 || i == 5));
    assert_false(verdict_because(VERDICT_FIT, &all.list[i]));
  }
}

TEST(the_grid_is_kept)
{
  uint64_t skipped = 0;
  assert_int_equal(grid_after(1000, 100, 1000, &skipped), 1100);
  assert_int_equal(grid_after(1000, 100, 1099, &skipped), 1100);
  assert_int_equal(skipped, 0);
  assert_int_equal(grid_after(1000, 100, 1100, &skipped), 1200);
  assert_int_equal(skipped, 1);
  assert_int_equal(grid_after(1000, 100, 1550, &skipped), 1600);
  assert_int_equal(skipped, 6);
}

static int progressed;
static void progress(double seconds)
{
  assert_true(seconds >= 0.0);
  progressed++;
}

TEST(a_short_measurement)
{
  static const atomic_bool never = false;
  const struct measure_plan quick = {.period_ns = 1000000, .seconds = 0.2, .priority = 1, .cpu = -1};
  const struct measure_watch watch = {.stop = &never, .progress = progress};
  const uint64_t begin = clock_now_ns();
  assert_int_equal(measure(&quick, &watch, &figures), 0);
  assert_true((double)(clock_now_ns() - begin) * 1e-9 >= measure_seconds(&quick));
  const uint64_t woken = atomic_load(&figures.wakeup.count);
  assert_true(woken >= 1 && woken + figures.skipped >= 200 && woken <= 201);
  assert_true(figures.duration_ns >= 200000000);
  assert_true(figures.clock_ns > 0.0 && (double)figures.gap_ns >= figures.clock_ns);
  assert_true(atomic_load(&figures.wakeup.min_ns) <= atomic_load(&figures.wakeup.max_ns));
  assert_true(figures.voluntary >= (long)woken / 2); /* it really slept */
  assert_true(progressed > 0);
  assert_false(figures.interrupted);
}

TEST(it_can_be_stopped)
{
  static const atomic_bool now = true;
  const struct measure_plan year = {.period_ns = 1000000, .seconds = 3600.0, .priority = 1, .cpu = -1};
  const struct measure_watch watch = {.stop = &now};
  assert_int_equal(measure(&year, &watch, &figures), 0);
  assert_true(figures.interrupted);
  assert_int_equal(atomic_load(&figures.wakeup.count), 0);
}

static int measure_without_rights(void)
{
  static const atomic_bool never = false;
  const struct measure_plan quick = {.period_ns = 1000000, .seconds = 0.1, .priority = 80, .cpu = -1};
  const struct measure_watch watch = {.stop = &never};
  struct findings all = {.count = 0};
  if (!give_up_realtime()) return 77;
  if (measure(&quick, &watch, &figures) != 0) return 1;
  judge_measured(&quick, &figures, -1, &all);
  if (figures.thread.realtime || figures.memory.locked || !figures.thread.reason[0]) return 2;
  if (atomic_load(&figures.wakeup.count) == 0) return 3;
  return verdict_of(&all, true) == VERDICT_UNFIT ? 0 : 4;
}

TEST(a_host_that_refuses_is_measured_and_unfit)
{
  const int status = in_child(measure_without_rights);
  if (status == 77) skip();
  assert_int_equal(status, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_figures),
      cmocka_unit_test(statistics),
      cmocka_unit_test(limits_of_wakeups),
      cmocka_unit_test(limits_of_the_rest),
      cmocka_unit_test(refusals),
      cmocka_unit_test(verdicts),
      cmocka_unit_test(the_grid_is_kept),
      cmocka_unit_test(a_host_that_refuses_is_measured_and_unfit),
      cmocka_unit_test(a_short_measurement),
      cmocka_unit_test(it_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
