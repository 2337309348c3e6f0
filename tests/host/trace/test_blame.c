/* SPDX-License-Identifier: MIT
 * Made-up traces with a known culprit. Times are in us. */
#include "check.h"
#include "trace/blame.h"

#include <stdio.h>
#include <string.h>

enum { LOOP = 100, HOG = 200, OTHER = 300, SEVERAL = 32 };
#define US UINT64_C(1000)

struct trace {
  struct trace_event event[SEVERAL];
  int events;
};

static struct trace_event *add(struct trace *t, uint64_t us, int cpu, enum trace_kind kind, int32_t id)
{
  struct trace_event *e = &t->event[t->events++];
  *e = (struct trace_event){.t_ns = us * US, .kind = kind, .cpu = cpu, .id = id};
  snprintf(e->name, sizeof e->name, "n%d", (int)id);
  return e;
}

static void add_switch(struct trace *t, uint64_t us, int cpu, int32_t from, int32_t to, bool runnable)
{
  struct trace_event *e = add(t, us, cpu, TRACE_SWITCH, from);
  e->next = to;
  e->priority = 120;
  e->next_priority = to == HOG ? 9 : 120;
  e->runnable = runnable;
  snprintf(e->next_name, sizeof e->next_name, "n%d", (int)to);
}

static struct culprit ask(const struct trace *t, int cpu, uint64_t from, uint64_t wanted, uint64_t to)
{
  const struct blame_question q = {
      .thread = LOOP, .cpu = cpu, .from_ns = from * US, .wanted_ns = wanted * US, .to_ns = to * US};
  struct culprit c;
  blame(&q, t->event, t->events, &c);
  return c;
}

static void expect(struct culprit c, uint32_t kind, int32_t id, uint64_t us)
{
  assert_int_equal(c.kind, kind);
  assert_int_equal(c.id, id);
  assert_int_equal(c.ns, us * US);
}

static void a_hog_delays_the_wake_up(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 10, 1, LOOP, 0, false);
  add_switch(&t, 90, 1, 0, HOG, true);
  add(&t, 101, 1, TRACE_VECTOR_ENTRY, 0);
  add(&t, 103, 1, TRACE_WAKING, LOOP);
  add(&t, 104, 1, TRACE_VECTOR_EXIT, 0);
  add_switch(&t, 500, 1, HOG, OTHER, false);
  add_switch(&t, 520, 1, OTHER, LOOP, true);
  const struct culprit c = ask(&t, 1, 100, 521, 600);
  expect(c, CULPRIT_THREAD, HOG, 397);
  assert_int_equal(c.waited_ns, 420 * US);
  assert_int_equal(c.priority, 9);
  assert_int_equal(c.cpu, 1);
  assert_string_equal(c.name, "n200");
  assert_int_equal(ask(&t, -1, 100, 521, 600).id, HOG); /* the processor is found */
}

static void nobody_ran_and_the_timer_came_late(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 10, 1, LOOP, 0, false);
  add(&t, 900, 1, TRACE_VECTOR_ENTRY, 0);
  add(&t, 901, 1, TRACE_WAKING, LOOP);
  add(&t, 902, 1, TRACE_VECTOR_EXIT, 0);
  add_switch(&t, 903, 1, 0, LOOP, true);
  expect(ask(&t, 1, 100, 904, 1000), CULPRIT_IDLE, 0, 801);
}

static void a_thread_takes_over_in_the_middle(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 100, 1, 0, LOOP, true);
  add_switch(&t, 150, 1, LOOP, OTHER, true);
  add_switch(&t, 160, 1, OTHER, HOG, true);
  add_switch(&t, 260, 1, HOG, LOOP, true);
  expect(ask(&t, 1, 100, 101, 300), CULPRIT_THREAD, HOG, 100);
}

/* While the loop sleeps at a barrier, others may run. */
static void a_sleeping_thread_blames_nobody(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 100, 1, 0, LOOP, true);
  add_switch(&t, 150, 1, LOOP, HOG, false);
  add(&t, 240, 1, TRACE_WAKING, LOOP);
  add_switch(&t, 250, 1, HOG, LOOP, true);
  expect(ask(&t, 1, 100, 101, 300), CULPRIT_THREAD, HOG, 10);
  t.event[2].t_ns = 250 * US;
  assert_int_equal(ask(&t, 1, 100, 101, 300).kind, CULPRIT_NONE);
}

static void interrupts_above_the_thread_itself(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 100, 1, 0, LOOP, true);
  add(&t, 110, 1, TRACE_INTERRUPT_ENTRY, 36);
  add(&t, 120, 1, TRACE_INTERRUPT_EXIT, 36);
  add(&t, 120, 1, TRACE_SOFTIRQ_ENTRY, 3);
  add(&t, 130, 0, TRACE_INTERRUPT_ENTRY, 99); /* of another processor */
  add(&t, 140, 1, TRACE_INTERRUPT_ENTRY, 36);
  add(&t, 145, 1, TRACE_INTERRUPT_EXIT, 36);
  add(&t, 160, 1, TRACE_SOFTIRQ_EXIT, 3);
  const struct culprit c = ask(&t, 1, 100, 101, 300);
  expect(c, CULPRIT_SOFTIRQ, 3, 35);
  assert_int_equal(c.waited_ns, 50 * US);
}

/* The culprit is whoever has the processor in whose queue the thread waits. */
static void a_thread_that_goes_to_another_processor(void **state)
{
  (void)state;
  struct trace t = {.events = 0};
  add_switch(&t, 10, 0, LOOP, OTHER, false);
  add_switch(&t, 20, 1, 0, HOG, true);
  add(&t, 100, 0, TRACE_WAKING, LOOP);
  add(&t, 101, 0, TRACE_MIGRATE, LOOP)->next = 1;
  add(&t, 400, 1, TRACE_MIGRATE, LOOP)->next = 0;
  add_switch(&t, 410, 0, OTHER, LOOP, true);
  const struct culprit c = ask(&t, -1, 100, 411, 500);
  expect(c, CULPRIT_THREAD, HOG, 299);
  assert_int_equal(c.cpu, 1);
  assert_int_equal(c.waited_ns, 310 * US);
}

static void nothing_is_known_without_events(void **state)
{
  (void)state;
  const struct trace t = {.events = 0};
  assert_int_equal(ask(&t, 1, 100, 200, 300).kind, CULPRIT_NONE);
  assert_int_equal(ask(&t, -1, 100, 200, 300).waited_ns, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hog_delays_the_wake_up),
      cmocka_unit_test(nobody_ran_and_the_timer_came_late),
      cmocka_unit_test(a_thread_takes_over_in_the_middle),
      cmocka_unit_test(a_sleeping_thread_blames_nobody),
      cmocka_unit_test(interrupts_above_the_thread_itself),
      cmocka_unit_test(a_thread_that_goes_to_another_processor),
      cmocka_unit_test(nothing_is_known_without_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
