/* SPDX-License-Identifier: MIT
 * The cause of a miss, and its text. */
#include "check.h"
#include "telemetry/miss.h"

#include "telemetry/late_cycle.h"

#include <stddef.h>
#include <string.h>

static const struct histograms histograms = {.levels = 7, .level[6].name = "subtrees"};

static const char *told(const struct miss *m)
{
  static char text[400];
  const int length = miss_text(m, &histograms, text, sizeof text);
  assert_int_equal(length, strlen(text));
  return text;
}

#define assert_cause(m, expected, in_phase)                                                                  \
  do {                                                                                                       \
    struct miss judged_ = (m);                                                                               \
    miss_judge(&judged_);                                                                                    \
    assert_string_equal(miss_cause_name(judged_.cause), miss_cause_name(expected));                          \
    assert_int_equal(judged_.phase, in_phase);                                                               \
  } while (0)

static void assert_told(struct miss m, const char *expected)
{
  miss_judge(&m);
  assert_string_equal(told(&m), expected);
}

TEST(names_are_those_of_the_interface)
{
  static const char *const names[] = {"unknown",   "suspended", "host-asleep", "late-wake",   "page-fault",
                                      "preempted", "blocked",   "worker",      "worker-lost", "computing",
                                      "carried",   "stolen",    "early-frame"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    assert_string_equal(miss_cause_name(i), names[i]);
  assert_string_equal(miss_cause_name(sizeof names / sizeof *names), "?");
}

TEST(off_its_processor)
{
  struct miss m = cycle();
  off(&m, PHASE_observe, 12 * MS);
  m.skipped = 1;
  assert_cause(m, MISS_STOLEN, PHASE_observe);
  assert_told(m, "miss 17 at cycle 48211: observe 12.0 ms, loop without its processor, by interrupts or a "
                 "hypervisor, for 12.0 ms; 1 start skipped");
  m.stolen_ns = 11 * MS;
  assert_told(m, "miss 17 at cycle 48211: observe 12.0 ms, loop without its processor, by interrupts or a "
                 "hypervisor, for 12.0 ms; 1 start skipped");
  m.stolen_ns = 0;
  m.own.involuntary = 1;
  assert_cause(m, MISS_PREEMPTED, PHASE_observe);
  assert_told(m,
              "miss 17 at cycle 48211: observe 12.0 ms, loop preempted for 12.0 ms (1 involuntary switch); "
              "1 start skipped");
  m.own.voluntary = 1;
  m.own.involuntary = 2;
  assert_cause(m, MISS_BLOCKED, PHASE_observe);
  assert_told(
      m, "miss 17 at cycle 48211: observe 12.0 ms, loop slept, or waited for a lock or a device, for 12.0 ms "
         "(2 involuntary switches, 1 voluntary switch); 1 start skipped");
  m.own.major = 1;
  assert_cause(m, MISS_PAGE_FAULT, PHASE_observe);
  assert_told(
      m,
      "miss 17 at cycle 48211: observe 12.0 ms, loop waited for memory for 12.0 ms (2 involuntary switches, "
      "1 voluntary switch, 1 major page fault); 1 start skipped");
}

/* An event that took no time is no cause. */
TEST(on_its_processor)
{
  struct miss m = cycle();
  computes(&m, PHASE_feedback, 12 * MS);
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
  assert_told(m, "miss 17 at cycle 48211: feedback 12.3 ms, loop computing for 12.5 ms");
  off(&m, PHASE_feedback, 3 * MS);
  m.own.involuntary = m.own.voluntary = m.own.major = 9;
  m.own.minor = 9;
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
  off(&m, PHASE_feedback, 10 * MS); /* 13 ms in total: more than it computed */
  assert_cause(m, MISS_PAGE_FAULT, PHASE_feedback);
}

/* The kernel counts minor faults as work: only many of them explain 12 ms. */
TEST(many_page_faults)
{
  struct miss m = cycle();
  computes(&m, PHASE_prepare, 12 * MS);
  m.own.minor = 300;
  assert_cause(m, MISS_COMPUTING, PHASE_prepare);
  m.own.minor = 12000; /* 1 us each */
  m.skipped = 2;
  assert_cause(m, MISS_PAGE_FAULT, PHASE_prepare);
  assert_told(m, "miss 17 at cycle 48211: prepare 12.1 ms, loop waited for memory (12000 minor page faults); "
                 "2 starts skipped");
}

TEST(woken_late)
{
  struct miss m = cycle();
  wakes_late(&m, 11 * MS);
  computes(&m, PHASE_observe, 1 * MS);
  assert_cause(m, MISS_LATE_WAKE, PHASES);
  assert_told(m, "miss 17 at cycle 48211: woke 11.0 ms late, then took 1.5 ms");
  computes(&m, PHASE_observe, 11 * MS); /* late by 13.5 ms: late even without the late wake-up */
  assert_cause(m, MISS_COMPUTING, PHASE_observe);
}

/* A long step that takes its usual time did not make the cycle late. */
TEST(the_usual_is_no_cause)
{
  struct miss m = cycle();
  m.usual_ns[PHASE_feedback] += 8 * MS;
  m.usual_held_ns = 3 * MS;
  computes(&m, PHASE_feedback, 5 * MS);
  worker_takes(&m, PHASE_feedback, 0, 3 * MS);
  assert_true(m.end_ns < m.start_ns + m.period_ns);
  wakes_late(&m, 2 * MS);
  assert_cause(m, MISS_LATE_WAKE, PHASES);
  worker_takes(&m, PHASE_feedback, 0, 4 * MS);
  assert_cause(m, MISS_WORKER, PHASE_feedback);
}

/* Before the first cycle in time there are no usual times: the longest phase counts. */
TEST(nothing_known)
{
  struct miss m = cycle();
  memset(m.usual_ns, 0, sizeof m.usual_ns);
  computes(&m, PHASE_feedback, 11 * MS);
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
}

TEST(a_worker_holds_the_loop_up)
{
  struct miss m = cycle();
  worker_takes(&m, PHASE_feedback, 20 * US, 11900 * US);
  m.held_ns += 1 * MS; /* in other pieces */
  m.worker.involuntary = 2;
  m.skipped = 1;
  assert_cause(m, MISS_WORKER, PHASE_feedback);
  assert_told(m, "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 preempted for 11.9 ms "
                 "(2 involuntary switches); 1 start skipped");
  m.worker.involuntary = m.skipped = 0;
  m.worker.voluntary = 1;
  assert_told(m,
              "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 slept, or waited for a lock or a "
              "device, for 11.9 ms (1 voluntary switch)");
  m.worker = (struct usage){.span_ns = 12 * MS, .cpu_ns = 12 * MS};
  assert_told(m, "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 computing for 11.9 ms");
  m.worker.minor = 3;
  assert_told(m, "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 computing for 11.9 ms "
                 "(3 minor page faults)");
  m.worker.minor = 12000;
  assert_told(m, "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 waited for memory "
                 "(12000 minor page faults)");
  m.slowest.wait_ns = 11900 * US;
  m.slowest.busy_ns = 20 * US;
  m.worker = (struct usage){.involuntary = 1};
  assert_told(m, "miss 17 at cycle 48211: feedback 12.2 ms, subtrees worker 1 woke 11.9 ms late "
                 "(1 involuntary switch)");
}

TEST(many_small_waits_for_workers)
{
  struct miss m = cycle();
  for (int i = 0; i < 50; i++) worker_takes(&m, PHASE_feedback, 30 * US, 170 * US);
  m.worker.cpu_ns = m.worker.span_ns;
  assert_cause(m, MISS_WORKER, PHASE_feedback);
  assert_told(
      m, "miss 17 at cycle 48211: feedback 10.3 ms, waited for workers for 10.0 ms, the longest for subtrees "
         "worker 1 computing for 170 us");
}

/* Its share was the slowest in every cycle, but nobody waited for it. */
TEST(a_worker_that_takes_its_time_beside_the_loop)
{
  struct miss m = cycle();
  computes(&m, PHASE_feedback, 12 * MS);
  m.slowest = (struct slowest){.level = 6, .share = 1, .busy_ns = 12 * MS};
  m.held_ns = 10 * US;
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
}

/* The workers have finished, and the loop sleeps longer. */
TEST(woken_late_at_a_barrier)
{
  struct miss m = cycle();
  worker_takes(&m, PHASE_feedback, 0, 1 * MS);
  longer(&m, PHASE_feedback, 11 * MS);
  m.woke_late_ns = 11 * MS;
  assert_cause(m, MISS_LATE_WAKE, PHASE_feedback);
  assert_told(
      m, "miss 17 at cycle 48211: feedback 12.3 ms, loop woke 11.0 ms late after it had waited for workers");
  wakes_late(&m, 12 * MS); /* even later */
  assert_cause(m, MISS_LATE_WAKE, PHASES);
}

TEST(a_worker_has_ended)
{
  struct miss m = cycle();
  off(&m, PHASE_feedback, 12 * MS);
  m.own.voluntary = 1;
  m.host_asleep_ns = m.suspended_ns = 100 * MS;
  m.lost_worker = 2;
  assert_cause(m, MISS_WORKER_LOST, PHASE_feedback);
  assert_told(m, "miss 17 at cycle 48211: feedback 12.3 ms, worker 2 has ended");
}

TEST(stopped_as_a_whole)
{
  struct miss m = cycle();
  off(&m, PHASE_publish, 20 * MS);
  m.own.voluntary = 1;
  const uint64_t late = m.end_ns - m.start_ns - m.period_ns;
  m.suspended_ns = late / 2;
  assert_cause(m, MISS_BLOCKED, PHASE_publish);
  m.suspended_ns++;
  assert_cause(m, MISS_SUSPENDED, PHASE_publish);
  assert_told(m, "miss 17 at cycle 48211: process stopped for 5.2 ms");
  m.debugger = 4711;
  assert_told(m, "miss 17 at cycle 48211: process stopped for 5.2 ms, debugger 4711 attached");
  m.suspended_ns = 0;
  assert_cause(m, MISS_SUSPENDED, PHASE_publish);
  assert_told(m, "miss 17 at cycle 48211: process held by debugger 4711");
  m.host_asleep_ns = late / 2;
  assert_cause(m, MISS_SUSPENDED, PHASE_publish);
  m.host_asleep_ns = 3217 * MS;
  m.suspended_ns = 100 * MS; /* the freezer */
  assert_cause(m, MISS_HOST_ASLEEP, PHASE_publish);
  assert_told(m, "miss 17 at cycle 48211: the machine was suspended for 3.2 s");
}

/* Stopped in the sleep between two cycles: no phase took longer. */
TEST(stopped_while_it_slept)
{
  struct miss m = cycle();
  wakes_late(&m, 20 * MS);
  computes(&m, PHASE_latch, 5 * US);
  m.suspended_ns = 20 * MS;
  assert_cause(m, MISS_SUSPENDED, PHASES);
  m.suspended_ns = 0;
  m.debugger = 4711;
  assert_cause(m, MISS_SUSPENDED, PHASES);
}

/* A debugger that is only attached is no cause. */
TEST(a_debugger_that_is_attached)
{
  struct miss m = cycle();
  computes(&m, PHASE_feedback, 12 * MS);
  m.debugger = 4711;
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
}

TEST(late_from_the_cycle_before)
{
  struct miss m = cycle();
  wakes_late(&m, 30 * MS);
  computes(&m, PHASE_feedback, 1 * MS);
  m.waiting_since_ns = m.start_ns - m.period_ns;
  m.suspended_ns = 30 * MS; /* the stop that delayed the first of them */
  assert_cause(m, MISS_CARRIED, PHASES);
  assert_told(m, "miss 17 at cycle 48211: late from the cycle before, took 1.5 ms itself");
  computes(&m, PHASE_feedback, m.wake_ns + m.period_ns - m.end_ns); /* a period, to the ns */
  assert_cause(m, MISS_CARRIED, PHASES);
  m.suspended_ns = 0;
  computes(&m, PHASE_feedback, 1); /* it would also have been late alone */
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
}

/* Paced by input frames, a cycle is late if the next frame comes before its end. */
TEST(the_next_frame_came_early)
{
  struct miss m = cycle();
  computes(&m, PHASE_feedback, 5 * MS);
  assert_cause(m, MISS_EARLY_FRAME, PHASES);
  assert_told(
      m, "miss 17 at cycle 48211: the next input frame came in less than a period, the cycle took 5.5 ms");
  computes(&m, PHASE_feedback, m.start_ns + m.period_ns - m.end_ns);
  assert_cause(m, MISS_EARLY_FRAME, PHASES);
  computes(&m, PHASE_feedback, 1);
  assert_cause(m, MISS_COMPUTING, PHASE_feedback);
}

TEST(taken_by_a_hypervisor)
{
  struct miss busy = cycle(), late = cycle(), slept = cycle();
  computes(&busy, PHASE_feedback, 12 * MS);
  busy.stolen_ns = 6 * MS;
  assert_cause(busy, MISS_COMPUTING, PHASE_feedback);
  busy.stolen_ns++;
  assert_cause(busy, MISS_STOLEN, PHASE_feedback);
  assert_told(busy,
              "miss 17 at cycle 48211: feedback 12.3 ms, while a hypervisor took processors for 6.0 ms");
  wakes_late(&late, 12 * MS);
  late.stolen_ns = 20 * MS;
  assert_cause(late, MISS_STOLEN, PHASES);
  assert_told(late,
              "miss 17 at cycle 48211: woke 12.0 ms late, while a hypervisor took processors for 20.0 ms");
  off(&slept, PHASE_feedback, 12 * MS); /* this time is known */
  slept.own.voluntary = 1;
  slept.stolen_ns = 20 * MS;
  assert_cause(slept, MISS_BLOCKED, PHASE_feedback);
  assert_told(slept,
              "miss 17 at cycle 48211: feedback 12.3 ms, loop slept, or waited for a lock or a device, for "
              "12.0 ms (1 voluntary switch); hypervisor took processors for 20.0 ms about then");
}

TEST(beside_the_cause)
{
  struct miss m = cycle();
  computes(&m, PHASE_latch, 10 * MS);
  m.grace = 1;
  m.wall_clock_step_ns = -1500 * (int64_t)MS;
  assert_told(
      m, "miss 17 in the grace at cycle 48211: latch 10.0 ms, loop computing for 10.5 ms; wall clock set by "
         "-1.500 s about then, without effect on ali3d");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_those_of_the_interface),
      cmocka_unit_test(off_its_processor),
      cmocka_unit_test(on_its_processor),
      cmocka_unit_test(many_page_faults),
      cmocka_unit_test(woken_late),
      cmocka_unit_test(the_usual_is_no_cause),
      cmocka_unit_test(nothing_known),
      cmocka_unit_test(a_worker_holds_the_loop_up),
      cmocka_unit_test(many_small_waits_for_workers),
      cmocka_unit_test(a_worker_that_takes_its_time_beside_the_loop),
      cmocka_unit_test(woken_late_at_a_barrier),
      cmocka_unit_test(a_worker_has_ended),
      cmocka_unit_test(stopped_as_a_whole),
      cmocka_unit_test(stopped_while_it_slept),
      cmocka_unit_test(a_debugger_that_is_attached),
      cmocka_unit_test(late_from_the_cycle_before),
      cmocka_unit_test(the_next_frame_came_early),
      cmocka_unit_test(taken_by_a_hypervisor),
      cmocka_unit_test(beside_the_cause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
